//! What a reader of the table should know: which columns were widened, and why.

use std::sync::Arc;

use arrow_schema::FieldRef;
use hashbrown::HashSet;

use crate::rows::columns::{Counts, Facts, MAX_STRUCT_KEYS, Shape, StorageKind};
use crate::rows::table::{NOTE_KEY, Note};

/// More notes than this are summed up in one: a hostile body could ask for any number.
pub(in crate::rows) const MAX_NOTES: usize = 500;

/// What is said of objects that never have a member, of those that have too many, and of what is within too much.
const NO_MEMBERS: &str = "objects without members: kept as JSON text";
const IS_MAP: &str = "objects with more than 256 distinct keys: kept as JSON text";
const IS_DEEP: &str = "what is nested too deep for other libraries: kept as JSON text";
const _: () = assert!(MAX_STRUCT_KEYS == 256, "a note says so");

/// What all notes say on values that are text and were not sent so.
pub(in crate::rows) const KEPT_AS: &str = "kept as ";

/// What begins a note on a type that was asked for in vain.
pub(super) const ASKED_FOR_AS: &str = "asked for as ";

/// What is said of what was sent, whatever becomes of its type.
pub(in crate::rows) const ON_DATA: &str = "a key stood twice in one object; the last value counts";

/// All of it: beside what is in another table it may be a struct, or text for another reason.
pub(in crate::rows) const WHY_NO_STRUCT: [&str; 3] = [NO_MEMBERS, IS_MAP, IS_DEEP];

/// Notes; of those on columns so many at most, and the others are counted.
#[derive(Debug)]
pub(in crate::rows) struct Remarks {
    most: usize,
    list: Vec<Remark>,
    left_out: usize,
    /// The most that one of the notes that were carried over says were left out.
    left_out_before: usize,
    /// Where something else came than was declared: in which column, and the path.
    contradicted: HashSet<(usize, String)>,
}

/// A note, and the position of the column it is on or in.
#[derive(Debug)]
pub(in crate::rows) struct Remark {
    pub(in crate::rows) column: Option<usize>,
    pub(in crate::rows) note: Note,
}

impl Remark {
    pub(super) fn on_column(column: usize, path: &str, message: impl AsRef<str>) -> Self {
        Self { column: Some(column), note: Note::on_column(path, message) }
    }

    pub(super) fn on_table(message: impl AsRef<str>) -> Self {
        Self { column: None, note: Note::on_table(message) }
    }
}

impl Default for Remarks {
    fn default() -> Self {
        Self::of_at_most(MAX_NOTES)
    }
}

impl Remarks {
    pub(in crate::rows) fn of_at_most(most: usize) -> Self {
        Self { most, list: Vec::new(), left_out: 0, left_out_before: 0, contradicted: HashSet::new() }
    }

    fn push(&mut self, remark: Remark) {
        if remark.note.column.is_none() || self.list.len() < self.most {
            self.list.push(remark);
        } else {
            self.left_out += 1;
        }
    }

    pub(in crate::rows) fn on_surrogates(&mut self, counts: Counts) {
        match counts.tally.lone_surrogates {
            0 => {}
            1 => self.push(Remark::on_table("1 lone surrogate became U+FFFD")),
            count => self.push(Remark::on_table(format!("{count} lone surrogates became U+FFFD"))),
        }
    }

    /// Adds what there is to say of the members of a table. Declared columns come first in `members`, in the order of
    /// `declared`. What explains a natural type is left out where all of that `converts`: a column, or what the
    /// positions of members lead to from there, an element being at 0.
    pub(in crate::rows) fn on_members(
        &mut self,
        declared: &[(Arc<str>, Shape)],
        members: &[(Arc<str>, Shape)],
        converts: impl Fn(usize, &[usize]) -> bool,
    ) {
        let mut look = Look { remarks: self, converts, column: 0, within: Vec::new() };
        for (at, (name, shape)) in members.iter().enumerate() {
            look.column = at;
            look.at_name(name, name);
            look.at_column(&mut name.to_string(), shape, declared.get(at).map(|(_, shape)| shape));
        }
    }

    /// Adds what has come of wishes: not of one for a type where something else came, which says why.
    pub(super) fn on_wishes(&mut self, remarks: Vec<Remark>) {
        for remark in remarks {
            let is_on_type = remark.note.message.starts_with(ASKED_FOR_AS);
            let place = remark.column.zip(remark.note.column.clone());
            if !is_on_type || place.is_none_or(|place| !self.contradicted.contains(&place)) {
                self.push(remark);
            }
        }
    }

    /// All of them, and as the last how many there are more.
    pub(in crate::rows) fn into_list(mut self) -> Vec<Remark> {
        let left_out = self.left_out + self.left_out_before;
        if left_out > 0 {
            self.list.push(Remark::on_table(format!("{AND}{left_out}{NOTES_MORE}")));
        }
        self.list
    }

    /// Adds a note that a table had, whose column is not told any more.
    pub(in crate::rows) fn carry(&mut self, note: &Note) {
        match left_out_by(note) {
            // Of two tables these may be the same: mostly they are pages of one result.
            Some(count) => self.left_out_before = self.left_out_before.max(count),
            None => self.push(Remark { column: None, note: note.clone() }),
        }
    }
}

/// What stands before and behind the number of notes that were left out.
const AND: &str = "and ";
const NOTES_MORE: &str = " notes more";

/// Whether a note says how many others were left out.
pub(in crate::rows) fn is_sum(note: &Note) -> bool {
    left_out_by(note).is_some()
}

/// How many notes one says were left out, if that is what it says.
fn left_out_by(note: &Note) -> Option<usize> {
    let count = note.message.strip_prefix(AND)?.strip_suffix(NOTES_MORE)?;
    if note.column.is_none() { count.parse().ok() } else { None }
}

/// A look at all columns, and at what is in them.
struct Look<'r, C> {
    remarks: &'r mut Remarks,
    converts: C,
    /// The column that is looked at, and the positions from there to what is looked at in it.
    column: usize,
    within: Vec<usize>,
}

impl<C: Fn(usize, &[usize]) -> bool> Look<'_, C> {
    fn at_column(&mut self, path: &mut String, shape: &Shape, declared: Option<&Shape>) {
        let declared_as = declared.filter(|declared| contradicts(declared, shape)).map(word);
        // Text takes whatever comes: that a column got the type it was declared as explains nothing.
        let is_on_type = declared.is_none_or(|declared| declared.facts.storage() != StorageKind::Utf8);
        let declared_facts = declared.map_or(Facts::NOTHING, |declared| declared.facts);
        let why = why_text(shape.facts, declared_facts);
        if let Some(declared) = declared_as {
            let holds = why.as_deref().unwrap_or_else(|| word(shape));
            self.push(path, &format!("declared {declared}, but holds {holds}"), is_on_type);
            let path = Note::on_column(path, "").column;
            self.remarks.contradicted.extend(path.map(|path| (self.column, path)));
        } else if let Some(why) = why {
            self.push(path, &why, is_on_type);
        }
        if shape.facts.storage() == StorageKind::Struct && shape.members.is_empty() && declared.is_none() {
            self.push(path, NO_MEMBERS, true);
        }
        // What was nested in a column of text is text now and of no type of its own.
        let is_nested = matches!(shape.facts.storage(), StorageKind::List | StorageKind::Struct);
        let has_duplicate_keys = if is_nested { shape.has_duplicate_keys } else { shape.has_duplicate_keys_within() };
        if has_duplicate_keys {
            self.push(path, ON_DATA, false);
        }
        if !is_nested {
            return;
        }
        let length = path.len();
        if let Some(element) = &shape.element {
            path.push_str("[]");
            self.within.push(0);
            self.at_column(path, element, declared.and_then(|declared| declared.element.as_deref()));
            self.within.pop();
            path.truncate(length);
        }
        for (at, (name, member)) in shape.members.iter().enumerate() {
            path.push('.');
            path.push_str(name);
            self.at_name(path, name);
            let known = declared.and_then(|declared| declared.members.get(at)).filter(|(known, _)| known == name);
            self.within.push(at);
            self.at_column(path, member, known.map(|(_, shape)| shape));
            self.within.pop();
            path.truncate(length);
        }
    }

    fn at_name(&mut self, path: &str, name: &str) {
        if name.contains('\0') {
            let message = "other libraries get U+FFFD for the NUL in its name, which would end there";
            self.push(path, message, false);
        }
    }

    fn push(&mut self, path: &str, message: &str, is_on_type: bool) {
        if !(is_on_type && (self.converts)(self.column, &self.within)) {
            self.remarks.push(Remark::on_column(self.column, path, message));
        }
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
