//! Why columns have become text whose types decoding does not know: it makes none of them unless it is asked to.

use arrow_schema::DataType::{
    self, Boolean, Date32, Date64, Float16, Float32, Float64, LargeList, List, Null, Struct, Timestamp,
};
use hashbrown::HashSet;

use super::common_type::common_type;
use crate::rows::finish::cast::element_of_list;
use crate::rows::finish::field_path::FieldPath;
use crate::rows::finish::nested::contains_type;
use crate::rows::finish::type_name;
use crate::rows::finish::why_widened::KEPT_AS;
use crate::rows::table::Note;

/// More types than this are counted in a note.
const NAMED: usize = 3;

/// Adds notes for a column, and for what is within it, that became text because some of their input `types` have no
/// JSON value; the decoder, which made `notes`, cannot know these. `joined` is the type of the result.
pub(super) fn add_why_text(name: &str, types: &[&DataType], joined: &DataType, notes: &mut Vec<Note>) {
    let mut reasons =
        TextReasons { noted: notes.iter().filter_map(|note| note.column.clone()).collect(), found: Vec::new() };
    reasons.visit(&mut FieldPath::of_column(0, name), types, joined);
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
    /// Looks at a column, or at what is within it.
    fn visit(&mut self, path: &mut FieldPath, types: &[&DataType], joined: &DataType) {
        if !types.iter().any(|of| contains_type(of, is_not_of_json)) {
            return;
        }
        match joined {
            List(item) => {
                let elements: Vec<_> = types.iter().filter_map(|of| element_of_list(of)).collect();
                path.at_elements(|path| self.visit(path, &elements, item.data_type()));
            }
            Struct(members) => {
                for (at, member) in members.iter().enumerate() {
                    let named: Vec<_> = types.iter().filter_map(|of| member_type(of, member.name())).collect();
                    path.at_member(at, member.name(), |path| self.visit(path, &named, member.data_type()));
                }
            }
            text if text.is_string() => {
                let Some(why) = why(types, path.is_within()) else { return };
                let note = Note::on_column(path.as_str(), why);
                // To decoding what JSON has no values for was text, which the tables never showed.
                let knows_better = types.iter().any(|of| is_not_of_json(of));
                if knows_better || note.column.as_ref().is_none_or(|column| !self.noted.contains(column)) {
                    self.found.push(note);
                }
            }
            _ => {}
        }
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
    let what = if is_within && common_type(types().copied()).is_some() {
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
