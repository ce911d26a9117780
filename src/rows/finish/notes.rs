//! What a reader of the table should know: which columns were widened, and why.

use std::sync::Arc;

use arrow_schema::FieldRef;

use crate::rows::columns::{Counts, Facts, MAX_STRUCT_KEYS, Shape, StorageKind};
use crate::rows::table::{NOTE_KEY, Note};

/// More notes than this are summed up in one: a hostile body could ask for any number.
pub(in crate::rows) const MAX_NOTES: usize = 500;

/// What is said of objects that never have a member, of those that have too many, and of what is within too much.
const NO_MEMBERS: &str = "objects without members: kept as JSON text";
const IS_MAP: &str = "objects with more than 256 distinct keys: kept as JSON text";
const IS_DEEP: &str = "what is nested too deep for other libraries: kept as JSON text";
const _: () = assert!(MAX_STRUCT_KEYS == 256, "a note says so");

/// What all notes on types say: that values are kept as something else than was sent or asked for.
pub(in crate::rows) const KEPT_AS: &str = "kept as ";

/// All of it: beside what is in another table it may be a struct, or text for another reason.
pub(in crate::rows) const WHY_NO_STRUCT: [&str; 3] = [NO_MEMBERS, IS_MAP, IS_DEEP];

/// A note, and what is needed to place it or to take it back.
#[derive(Debug, Clone)]
pub(in crate::rows) struct Remark {
    pub(in crate::rows) note: Note,
    /// The position of the column it is on or in.
    pub(super) column: Option<usize>,
    /// Where it explains a natural type: that of the column, or of what the positions of members lead to from there.
    pub(super) explains: Option<Vec<usize>>,
}

impl Remark {
    pub(super) fn on_column(column: usize, path: &str, message: &str) -> Self {
        Self { note: Note::on_column(path, message), column: Some(column), explains: None }
    }

    pub(super) fn on_table(message: impl AsRef<str>) -> Self {
        Self { note: Note::on_table(message), column: None, explains: None }
    }
}

/// The notes of a table. Declared columns come first in `members`, in the order of `declared`.
pub(in crate::rows) fn of_table(
    declared: &[(Arc<str>, Shape)],
    members: &[(Arc<str>, Shape)],
    counts: Counts,
) -> Vec<Remark> {
    let mut remarks = Remarks::default();
    for (at, (name, shape)) in members.iter().enumerate() {
        remarks.column = at;
        remarks.of_name(name, name);
        remarks.of_column(&mut name.to_string(), shape, declared.get(at).map(|(_, shape)| shape));
    }
    let mut list = remarks.list;
    let mut on_table = |message: String| list.push(Remark::on_table(message));
    if remarks.left_out > 0 {
        on_table(format!("and {} notes more", remarks.left_out));
    }
    if counts.tally.lone_surrogates > 0 {
        on_table(match counts.tally.lone_surrogates {
            1 => "1 lone surrogate became U+FFFD".to_owned(),
            count => format!("{count} lone surrogates became U+FFFD"),
        });
    }
    list
}

#[derive(Default)]
struct Remarks {
    list: Vec<Remark>,
    left_out: usize,
    /// The column that is looked at, and the positions from there to what is looked at in it; an element is at 0.
    column: usize,
    within: Vec<usize>,
}

impl Remarks {
    fn of_column(&mut self, path: &mut String, shape: &Shape, declared: Option<&Shape>) {
        let declared_as = declared.filter(|declared| contradicts(declared, shape)).map(word);
        // Text takes whatever comes: that a column got the type it was declared as explains nothing.
        let is_on_type = declared.is_none_or(|declared| declared.facts.storage() != StorageKind::Utf8);
        let declared_facts = declared.map_or(Facts::NOTHING, |declared| declared.facts);
        match (why_text(shape.facts, declared_facts), declared_as) {
            (Some(why), Some(declared)) => {
                self.push(path, &format!("declared {declared}, but holds {why}"), is_on_type);
            }
            (Some(why), None) => self.push(path, &why, is_on_type),
            (None, Some(declared)) => {
                self.push(path, &format!("declared {declared}, but holds {}", word(shape)), is_on_type);
            }
            (None, None) => {}
        }
        if shape.facts.storage() == StorageKind::Struct && shape.members.is_empty() && declared.is_none() {
            self.push(path, NO_MEMBERS, true);
        }
        // What was nested in a column of text is text now and of no type of its own.
        let is_nested = matches!(shape.facts.storage(), StorageKind::List | StorageKind::Struct);
        let has_duplicate_keys = if is_nested { shape.has_duplicate_keys } else { shape.has_duplicate_keys_within() };
        if has_duplicate_keys {
            self.push(path, "a key stood twice in one object; the last value counts", false);
        }
        if !is_nested {
            return;
        }
        let length = path.len();
        if let Some(element) = &shape.element {
            path.push_str("[]");
            self.within.push(0);
            self.of_column(path, element, declared.and_then(|declared| declared.element.as_deref()));
            self.within.pop();
            path.truncate(length);
        }
        for (at, (name, member)) in shape.members.iter().enumerate() {
            path.push('.');
            path.push_str(name);
            self.of_name(path, name);
            let known = declared.and_then(|declared| declared.members.get(at)).filter(|(known, _)| known == name);
            self.within.push(at);
            self.of_column(path, member, known.map(|(_, shape)| shape));
            self.within.pop();
            path.truncate(length);
        }
    }

    fn of_name(&mut self, path: &str, name: &str) {
        if name.contains('\0') {
            let message = "other libraries get U+FFFD for the NUL in its name, which would end there";
            self.push(path, message, false);
        }
    }

    fn push(&mut self, path: &str, message: &str, is_on_type: bool) {
        if self.list.len() >= MAX_NOTES {
            self.left_out += 1;
            return;
        }
        let explains = is_on_type.then(|| self.within.clone());
        self.list.push(Remark { explains, ..Remark::on_column(self.column, path, message) });
    }
}

/// What stands between two notes in the metadata of a column: each is a line.
pub(in crate::rows) const BETWEEN_NOTES: &str = "\n";

/// Puts the notes on a column into its Arrow metadata.
pub(in crate::rows) fn with_notes(field: &FieldRef, notes: &[String]) -> FieldRef {
    if notes.is_empty() {
        return Arc::clone(field);
    }
    let mut metadata = field.metadata().clone();
    metadata.insert(NOTE_KEY.to_owned(), notes.join(BETWEEN_NOTES));
    Arc::new(field.as_ref().clone().with_metadata(metadata))
}

/// The column of a schema that may be of a table with notes of its own: they say nothing of another.
pub(super) fn without_notes(field: &FieldRef) -> FieldRef {
    if !field.metadata().contains_key(NOTE_KEY) {
        return Arc::clone(field);
    }
    let mut metadata = field.metadata().clone();
    metadata.remove(NOTE_KEY);
    Arc::new(field.as_ref().clone().with_metadata(metadata))
}

fn contradicts(declared: &Shape, shape: &Shape) -> bool {
    declared.facts.storage() != StorageKind::Null
        && (word(declared) != word(shape) || why_text(shape.facts, Facts::NOTHING).is_some())
}

fn word(shape: &Shape) -> &'static str {
    match shape.facts.storage() {
        StorageKind::Null => "nothing",
        StorageKind::Boolean => "booleans",
        StorageKind::Int64 | StorageKind::UInt64 => "integers",
        StorageKind::Float64 => "numbers",
        StorageKind::Utf8 => "text",
        StorageKind::List => "arrays",
        StorageKind::Struct => "objects",
    }
}

/// Why a column is text although not everything in it was, in words; what it was `declared` may never have been
/// seen.
fn why_text(seen: Facts, declared: Facts) -> Option<String> {
    if seen == Facts::TEXT || seen.storage() != StorageKind::Utf8 {
        return None;
    }
    let words = [
        (Facts::TEXT, "text"),
        (Facts::BOOLEAN, "booleans"),
        (Facts::NUMBER, "numbers"),
        (Facts::ARRAY, "arrays"),
        (Facts::OBJECT, "objects"),
    ];
    let kinds_but = |declared: Facts| -> Vec<&str> {
        let kinds = words.into_iter().filter(|(kind, _)| seen.has_any(*kind) && !declared.has_any(*kind));
        kinds.map(|(_, word)| word).collect()
    };
    Some(match kinds_but(Facts::NOTHING).as_slice() {
        _ if seen.has_any(Facts::DEEP) => IS_DEEP.to_owned(),
        ["objects"] => IS_MAP.to_owned(),
        ["numbers"] if seen.has_any(Facts::OVERFLOW) => {
            "a number outside the range of float64: numbers kept as text".to_owned()
        }
        ["numbers"] if seen.has_any(Facts::HUGE) => "an integer beyond 64 bits: numbers kept as text".to_owned(),
        ["numbers"] if seen.has_any(Facts::FLOAT) => {
            "an integer beyond 2^53, which float64 might not hold: numbers kept as text".to_owned()
        }
        ["numbers"] => "negative integers beside integers above int64: numbers kept as text".to_owned(),
        _ => {
            let told = kinds_but(declared);
            let (last, others) = told.split_last().unwrap_or((&"", &[]));
            let and = if others.is_empty() { "" } else { " and " };
            format!("{}{and}{last}: kept as text, all but strings as JSON text", others.join(", "))
        }
    })
}
