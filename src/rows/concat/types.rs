//! The one type of a column, or why there is none and it has become text.

use std::sync::Arc;

use arrow_schema::DataType::{
    self, Boolean, Decimal128, FixedSizeList, Float16, Float32, Float64, LargeList, LargeListView, List, ListView,
    Null, Struct, Timestamp,
};
use arrow_schema::{Field, FieldRef};
use hashbrown::HashSet;

use crate::rows::finish::nested::holds;
use crate::rows::finish::notes::MAX_NOTES;
use crate::rows::finish::type_name;
use crate::rows::table::Note;

/// More types than this are counted in a note.
const NAMED: usize = 3;

/// The type that holds the values of all, if there is one besides text: the finest of those that count moments in
/// different units, the most precise of decimals with as many decimals, and the same of what is nested.
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
        (Decimal128(precision, scale), Decimal128(of_other, same)) if scale == same => {
            Decimal128(*precision.max(of_other), *scale)
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
        // What text a member would be is known of none that is only null.
        (Null, other) | (other, Null) if !other.is_string() && !other.is_nested() => other.clone(),
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

/// Notes on what became text at this `path` and below, where values of these `types` have become `joined`, and of which
/// decoding, which has `told` of these columns, knows nothing: types that JSON has no values for.
pub(super) fn why_text(path: &str, types: &[&DataType], joined: &DataType, told: &[Note]) -> Vec<Note> {
    let told: HashSet<&str> = told.iter().filter_map(|note| note.column.as_deref()).collect();
    let mut notes = Vec::new();
    add_why_text(path, false, types, joined, &told, &mut notes);
    notes
}

/// The same of a column, or of what `is_within` it.
fn add_why_text(
    path: &str,
    is_within: bool,
    types: &[&DataType],
    joined: &DataType,
    told: &HashSet<&str>,
    notes: &mut Vec<Note>,
) {
    if notes.len() >= MAX_NOTES || !types.iter().any(|of| holds(of, is_not_of_json)) {
        return;
    }
    match joined {
        List(item) => {
            let elements: Vec<_> = types.iter().filter_map(|of| element(of)).collect();
            add_why_text(&format!("{path}[]"), true, &elements, item.data_type(), told, notes);
        }
        Struct(members) => {
            for member in members {
                let named: Vec<_> = types.iter().filter_map(|of| member_type(of, member.name())).collect();
                add_why_text(&format!("{path}.{}", member.name()), true, &named, member.data_type(), told, notes);
            }
        }
        text if text.is_string() => {
            let Some(why) = why(types, is_within) else { return };
            let note = Note::on_column(path, why);
            let is_told = note.column.as_deref().is_some_and(|column| told.contains(column));
            // What decoding says of dates is that they are text, which the table never showed.
            if !is_told || types.iter().any(|of| of.is_temporal()) {
                notes.push(note);
            }
        }
        _ => {}
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

fn element(data_type: &DataType) -> Option<&DataType> {
    match data_type {
        List(item) | LargeList(item) | FixedSizeList(item, _) | ListView(item) | LargeListView(item) => {
            Some(item.data_type())
        }
        _ => None,
    }
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
    let more = if more > 0 { format!(" and {more} types more") } else { String::new() };
    let all = format!("{}{more}", names[..names.len().min(NAMED)].join(" and "));
    let what = if is_within && one_type(types().copied()).is_some() {
        format!("{all} within values that no one type holds")
    } else if types().all(|of| matches!(of, Timestamp(..))) {
        "times that no one unit and zone hold".to_owned()
    } else if types().any(|of| of.is_temporal()) {
        "dates and times beside another kind".to_owned()
    } else {
        all
    };
    let has_zone = types().any(|of| matches!(of, Timestamp(_, Some(_))));
    Some(format!("{what}: kept as text{}", if has_zone { ", times with an offset in UTC" } else { "" }))
}
