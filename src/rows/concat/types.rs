//! The one type of a column, or why there is none and it has become text.

use std::sync::Arc;

use arrow_schema::DataType::{
    self, Boolean, Date32, Date64, Decimal32, Decimal64, Decimal128, Decimal256, Dictionary, Duration, Float16,
    Float32, Float64, Int32, Int64, LargeList, List, Null, Struct, Time32, Time64, Timestamp, UInt32, UInt64,
};
use arrow_schema::{
    DECIMAL32_MAX_PRECISION, DECIMAL64_MAX_PRECISION, DECIMAL128_MAX_PRECISION, DECIMAL256_MAX_PRECISION, Field,
    FieldRef,
};
use hashbrown::HashSet;

use crate::rows::finish::cast::element_of_list;
use crate::rows::finish::nested::holds;
use crate::rows::finish::notes::KEPT_AS;
use crate::rows::finish::type_name;
use crate::rows::table::Note;

/// More types than this are counted in a note.
const NAMED: usize = 3;

/// The type that holds the values of all, if there is one besides text: the finest of those that count time in
/// different units, UTC for times of different zones, a decimal with all digits of decimals, one with keys of 32 bits
/// or more of dictionaries, and the same of what is nested.
pub(super) fn one_type<'t>(mut types: impl Iterator<Item = &'t DataType>) -> Option<DataType> {
    let first = types.next()?.clone();
    types.try_fold(first, |one, other| common(&one, other))
}

fn common(one: &DataType, other: &DataType) -> Option<DataType> {
    Some(match (one, other) {
        (one, other) if one == other => one.clone(),
        (Timestamp(unit, zone), Timestamp(of_other, same)) if zone == same => {
            Timestamp((*unit).max(*of_other), zone.clone())
        }
        // Of two zones neither is before the other.
        (Timestamp(unit, Some(_)), Timestamp(of_other, Some(_))) => {
            Timestamp((*unit).max(*of_other), Some("UTC".into()))
        }
        (Time32(unit), Time32(of_other)) => Time32((*unit).max(*of_other)),
        (Time64(unit), Time64(of_other)) => Time64((*unit).max(*of_other)),
        (Time32(_), Time64(unit)) | (Time64(unit), Time32(_)) => Time64(*unit),
        (Date32, Date64) | (Date64, Date32) => Date64,
        (Duration(unit), Duration(of_other)) => Duration((*unit).max(*of_other)),
        (one, other) if one.is_decimal() && other.is_decimal() => {
            let ((width, precision, scale), (of_other, more, finer)) = (decimal(one)?, decimal(other)?);
            let whole = (i16::from(precision) - i16::from(scale)).max(i16::from(more) - i16::from(finer));
            let scale = scale.max(finer);
            let precision = u8::try_from(whole + i16::from(scale)).ok()?;
            let most =
                [DECIMAL32_MAX_PRECISION, DECIMAL64_MAX_PRECISION, DECIMAL128_MAX_PRECISION, DECIMAL256_MAX_PRECISION];
            let wide_enough = most.iter().position(|most| precision <= *most)?;
            let make = [Decimal32, Decimal64, Decimal128, Decimal256][wide_enough.max(width).max(of_other)];
            make(precision, scale)
        }
        // Whether few keys do for all values is not known here.
        (Dictionary(keys, one), Dictionary(of_other, other)) if one == other => {
            let are_many = |keys: &DataType| matches!(keys, Int64 | UInt64 | UInt32);
            let keys = if are_many(keys) || are_many(of_other) { Int64 } else { Int32 };
            Dictionary(Box::new(keys), one.clone())
        }
        (List(one), List(other)) => List(common_field(one, other)?),
        (LargeList(one), LargeList(other)) => LargeList(common_field(one, other)?),
        (Struct(ones), Struct(others)) if ones.len() == others.len() => {
            let both = || ones.iter().zip(others);
            if both().any(|(one, other)| one.name() != other.name()) {
                return None;
            }
            Struct(both().map(|(one, other)| common_field(one, other)).collect::<Option<_>>()?)
        }
        // A null-only member beside text stays undecided: whether that text is JSON text is not known.
        (Null, other) | (other, Null) if !other.is_string() && !other.is_nested() => other.clone(),
        _ => return None,
    })
}

/// How wide a decimal is, from the narrowest on, its precision and its scale.
fn decimal(data_type: &DataType) -> Option<(usize, u8, i8)> {
    Some(match *data_type {
        Decimal32(precision, scale) => (0, precision, scale),
        Decimal64(precision, scale) => (1, precision, scale),
        Decimal128(precision, scale) => (2, precision, scale),
        Decimal256(precision, scale) => (3, precision, scale),
        _ => return None,
    })
}

/// What holds the members, or the elements, of both.
fn common_field(one: &FieldRef, other: &FieldRef) -> Option<FieldRef> {
    let mut metadata = one.metadata().clone();
    metadata.retain(|key, value| other.metadata().get(key) == Some(value));
    let data_type = common(one.data_type(), other.data_type())?;
    let field = Field::new(one.name(), data_type, one.is_nullable() || other.is_nullable());
    Some(Arc::new(field.with_metadata(metadata)))
}

/// Adds notes for columns, at `path` and below it, that became text because some of their input `types` have no JSON
/// value; the decoder, which made `notes`, cannot know these. `joined` is the type of the result.
pub(super) fn add_why_text(path: &str, types: &[&DataType], joined: &DataType, notes: &mut Vec<Note>) {
    let mut reasons =
        TextReasons { noted: notes.iter().filter_map(|note| note.column.clone()).collect(), found: Vec::new() };
    reasons.visit(&mut path.to_owned(), false, types, joined);
    let replaced: HashSet<Option<String>> = reasons.found.iter().map(|note| note.column.clone()).collect();
    notes.retain(|note| !(replaced.contains(&note.column) && note.message.contains(KEPT_AS)));
    notes.extend(reasons.found);
}

struct TextReasons {
    /// The columns that decoding has noted.
    noted: HashSet<String>,
    found: Vec<Note>,
}

impl TextReasons {
    /// Looks at a column, or at what `is_within` it.
    fn visit(&mut self, path: &mut String, is_within: bool, types: &[&DataType], joined: &DataType) {
        if !types.iter().any(|of| holds(of, is_not_of_json)) {
            return;
        }
        let length = path.len();
        match joined {
            List(item) => {
                let elements: Vec<_> = types.iter().filter_map(|of| element_of_list(of)).collect();
                path.push_str("[]");
                self.visit(path, true, &elements, item.data_type());
            }
            Struct(members) => {
                for member in members {
                    let named: Vec<_> = types.iter().filter_map(|of| member_type(of, member.name())).collect();
                    path.truncate(length);
                    path.push('.');
                    path.push_str(member.name());
                    self.visit(path, true, &named, member.data_type());
                }
            }
            text if text.is_string() => {
                let Some(why) = why(types, is_within) else { return };
                let note = Note::on_column(path, why);
                // To decoding what JSON has no values for was text, which the tables never showed.
                let knows_better = types.iter().any(|of| is_not_of_json(of));
                if knows_better || note.column.as_ref().is_none_or(|column| !self.noted.contains(column)) {
                    self.found.push(note);
                }
            }
            _ => {}
        }
        path.truncate(length);
    }
}

/// Whether decoding makes no values of a type unless it is asked to.
fn is_not_of_json(data_type: &DataType) -> bool {
    let is_of_json = match data_type {
        Null | Boolean | List(_) | LargeList(_) | Struct(_) | Float16 | Float32 | Float64 => true,
        other => other.is_integer() || other.is_string(),
    };
    !is_of_json
}

fn member_type<'t>(data_type: &'t DataType, name: &str) -> Option<&'t DataType> {
    match data_type {
        Struct(members) => members.iter().find(|member| member.name() == name).map(|member| member.data_type()),
        _ => None,
    }
}

/// Why values of these types, which may be within others, have become text; `None` where they were.
fn why(types: &[&DataType], is_within: bool) -> Option<String> {
    let types = || types.iter().filter(|of| ***of != Null);
    if types().all(|of| of.is_string()) {
        return None;
    }
    let mut names: Vec<String> = Vec::new();
    for name in types().map(|of| type_name(of)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let more = names.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more types") } else { String::new() };
    let all = format!("{}{more}", names[..names.len().min(NAMED)].join(" and "));
    let what = if is_within && one_type(types().copied()).is_some() {
        format!("{all} within values that no single type can hold")
    } else if types().all(|of| matches!(of, Timestamp(..))) {
        "times that no single unit and zone can hold".to_owned()
    } else if types().any(|of| matches!(of, Timestamp(..) | Date32 | Date64)) {
        "dates or times mixed with another type".to_owned()
    } else {
        all
    };
    let has_zone = types().any(|of| matches!(of, Timestamp(_, Some(_))));
    Some(format!("{what}: kept as text{}", if has_zone { ", times with an offset in UTC" } else { "" }))
}
