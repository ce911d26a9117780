//! What a reader of the table should know: which columns were widened, and why.

use std::sync::Arc;

use super::columns::{Context, Shape, Storage};
use super::table::Note;

pub(super) fn of_table(declared: &[(Arc<str>, Shape)], members: &[(Arc<str>, Shape)], context: &Context) -> Vec<Note> {
    let mut notes = Vec::new();
    for (name, shape) in members {
        let declaration = declared.iter().find(|(declared, _)| declared == name).map(|(_, shape)| shape);
        of_column(name, shape, declaration, &mut notes);
    }
    if context.lone_surrogates > 0 {
        notes.push(Note::on_table(format!("{} lone surrogates became U+FFFD", context.lone_surrogates)));
    }
    if context.overwritten > 0 {
        let count = context.overwritten;
        notes.push(Note::on_table(format!(
            "{count} keys stood twice in objects kept as JSON text; the last value counts"
        )));
    }
    notes
}

fn of_column(path: &str, shape: &Shape, declared: Option<&Shape>, notes: &mut Vec<Note>) {
    let mut note = |message: String| notes.push(Note { column: Some(path.to_owned()), message });
    let declared_as = declared.filter(|declared| contradicts(declared, shape)).map(|declared| word(declared));
    match (shape.facts.why_text(), declared_as) {
        (Some(why), Some(declared)) => note(format!("declared {declared}, but holds {why}")),
        (Some(why), None) => note(why),
        (None, Some(declared)) => note(format!("declared {declared}, but holds {}", word(shape))),
        (None, None) => {}
    }
    if shape.facts.storage() == Storage::Struct && shape.members.is_empty() && declared.is_none() {
        note("objects without members: kept as JSON text".to_owned());
    }
    if shape.has_overwritten {
        note("a key stood twice in one row; the last value counts".to_owned());
    }
    // What was nested in a column of text is text now and of no type of its own.
    if !matches!(shape.facts.storage(), Storage::List | Storage::Struct) {
        return;
    }
    if let Some(element) = &shape.element {
        let declared = declared.and_then(|declared| declared.element.as_deref());
        of_column(&format!("{path}[]"), element, declared, notes);
    }
    for (name, member) in &shape.members {
        let declared = declared.and_then(|declared| declared.members.iter().find(|(known, _)| known == name));
        of_column(&format!("{path}.{name}"), member, declared.map(|(_, shape)| shape), notes);
    }
}

fn contradicts(declared: &Shape, shape: &Shape) -> bool {
    let (declared, held) = (declared.facts.storage(), shape.facts);
    declared != Storage::Null && (declared != held.storage() || held.why_text().is_some())
}

fn word(shape: &Shape) -> &'static str {
    match shape.facts.storage() {
        Storage::Null => "nothing",
        Storage::Boolean => "booleans",
        Storage::Int64 | Storage::UInt64 => "integers",
        Storage::Float64 => "numbers",
        Storage::Text => "text",
        Storage::List => "arrays",
        Storage::Struct => "objects",
    }
}
