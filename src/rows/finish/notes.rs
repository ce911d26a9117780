//! What a reader of the table should know: which columns were widened, and why.

use std::sync::Arc;

use arrow_schema::FieldRef;
use hashbrown::HashMap;

use super::field_path::FieldPath;
use crate::rows::columns::{Facts, MAX_STRUCT_KEYS, Shape, StorageKind};
use crate::rows::table::{NOTE_KEY, Note};

/// More notes than this on columns are counted in one, and so are those on the table: a hostile body could ask for any
/// number.
pub(in crate::rows) const MAX_NOTES: usize = 500;

/// What is said of objects that never have a member, of those that have too many, and of what is within too much.
const NO_MEMBERS: &str = "objects without members: kept as JSON text";
const IS_MAP: &str = "objects with more than 256 distinct keys: kept as JSON text";
const IS_DEEP: &str = "nested too deeply for other libraries: kept as JSON text";
const _: () = assert!(MAX_STRUCT_KEYS == 256, "a note says so");

/// What all notes say on values that are text and were not sent so.
pub(in crate::rows) const KEPT_AS: &str = "kept as ";

/// What is said of what was sent, whatever becomes of its type.
pub(in crate::rows) const ON_DATA: &str = "a key occurs twice in one object; the last value counts";

/// Why it is no struct, which may not hold beside another table: there it may be one, or text for another reason.
pub(in crate::rows) const WHY_NO_STRUCT: [&str; 3] = [NO_MEMBERS, IS_MAP, IS_DEEP];

/// Notes: at most `most` on columns and as many on the table; the others are counted.
#[derive(Debug)]
pub(in crate::rows) struct Remarks {
    most: usize,
    list: Vec<Remark>,
    on_columns: usize,
    left_out: usize,
    /// Places whose values contradict their declaration, keyed by column and path (positions), with the index of the
    /// note that says so (`None` if it was dropped).
    contradicted: HashMap<(usize, Vec<usize>), Option<usize>>,
}

/// A note, and the position of the column it is on or in.
#[derive(Debug)]
pub(in crate::rows) struct Remark {
    pub(in crate::rows) column: Option<usize>,
    pub(in crate::rows) note: Note,
    unmet: Option<UnmetRequest>,
}

/// What did not get the type that was asked for.
#[derive(Debug)]
struct UnmetRequest {
    /// The positions from the column.
    within: Vec<usize>,
    /// What is to be said beside why another came than was declared.
    beside: Option<String>,
}

impl Remark {
    pub(super) fn at(path: &FieldPath, message: impl AsRef<str>) -> Self {
        Self { column: Some(path.column), note: Note::on_column(path.as_str(), message), unmet: None }
    }

    /// A note that is dropped if the values of this field contradict their declaration; `beside` is then appended to
    /// the note that says so.
    pub(super) fn unmet_type(path: &FieldPath, message: impl AsRef<str>, beside: Option<String>) -> Self {
        Self { unmet: Some(UnmetRequest { within: path.within.clone(), beside }), ..Self::at(path, message) }
    }

    pub(super) fn on_table(message: impl AsRef<str>) -> Self {
        Self::of_note(Note::on_table(message))
    }

    /// A note whose column is not told any more, if it is on one.
    pub(in crate::rows) fn of_note(note: Note) -> Self {
        Self { column: None, note, unmet: None }
    }
}

impl Default for Remarks {
    fn default() -> Self {
        Self::of_at_most(MAX_NOTES)
    }
}

impl Remarks {
    pub(in crate::rows) fn of_at_most(most: usize) -> Self {
        Self { most, list: Vec::new(), on_columns: 0, left_out: 0, contradicted: HashMap::new() }
    }

    /// Adds a note, if there is room for it.
    pub(in crate::rows) fn push(&mut self, remark: Remark) {
        let is_on_column = remark.note.column.is_some();
        let before = if is_on_column { self.on_columns } else { self.list.len() - self.on_columns };
        if before < self.most {
            self.on_columns += usize::from(is_on_column);
            self.list.push(remark);
        } else {
            self.left_out += 1;
        }
    }

    /// Adds notes on the members of a table. Declared columns come first in `members`, in the order of `declared`.
    /// Notes explaining the inferred type are skipped where the requested type was applied: `converts` tells that of a
    /// column and the positions of members from there; an element is at 0.
    pub(in crate::rows) fn on_members(
        &mut self,
        declared: &[(Arc<str>, Shape)],
        members: &[(Arc<str>, Shape)],
        converts: impl Fn(usize, &[usize]) -> bool,
    ) {
        let mut visitor = NoteVisitor { remarks: self, converts };
        for (at, (name, shape)) in members.iter().enumerate() {
            let mut path = FieldPath::of_column(at, name);
            visitor.visit_name(&path, name);
            visitor.visit(&mut path, shape, declared.get(at).map(|(_, shape)| shape));
        }
    }

    /// Adds notes on unmet requests, except where a contradiction in the same field already explains them.
    pub(super) fn on_requests(&mut self, remarks: Vec<Remark>) {
        for mut remark in remarks {
            let unmet = remark.column.zip(remark.unmet.take());
            let Some((column, UnmetRequest { within, beside })) = unmet else {
                self.push(remark);
                continue;
            };
            match self.contradicted.get(&(column, within)) {
                None => self.push(remark),
                Some(&said) => {
                    if let (Some(at), Some(beside)) = (said, beside) {
                        self.list[at].note.add(&format!("; {beside}"));
                    }
                }
            }
        }
    }

    /// All there is room for, and how many others there are.
    pub(in crate::rows) fn into_list(self) -> (Vec<Remark>, usize) {
        (self.list, self.left_out)
    }
}

/// A look at all columns, and at what is in them.
struct NoteVisitor<'r, C> {
    remarks: &'r mut Remarks,
    converts: C,
}

impl<C: Fn(usize, &[usize]) -> bool> NoteVisitor<'_, C> {
    fn visit(&mut self, path: &mut FieldPath, shape: &Shape, declared: Option<&Shape>) {
        let declared_as = declared.filter(|declared| contradicts(declared, shape)).map(word);
        // Text takes whatever comes: that a column got the type it was declared as explains nothing.
        let is_on_type = declared.is_none_or(|declared| declared.facts.storage() != StorageKind::Utf8);
        let declared_facts = declared.map_or(Facts::NOTHING, |declared| declared.facts);
        let why = why_text(shape.facts, declared_facts);
        if let Some(declared) = declared_as {
            let holds = why.as_deref().unwrap_or_else(|| word(shape));
            let before = self.remarks.list.len();
            self.push(path, &format!("declared {declared}, but holds {holds}"), is_on_type);
            let said = (self.remarks.list.len() > before).then_some(before);
            self.remarks.contradicted.insert((path.column, path.within.clone()), said);
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
        if let Some(element) = &shape.element {
            let declared = declared.and_then(|declared| declared.element.as_deref());
            path.at_elements(|path| self.visit(path, element, declared));
        }
        for (at, (name, member)) in shape.members.iter().enumerate() {
            let known = declared.and_then(|declared| declared.members.get(at)).filter(|(known, _)| known == name);
            path.at_member(at, name, |path| {
                self.visit_name(path, name);
                self.visit(path, member, known.map(|(_, shape)| shape));
            });
        }
    }

    fn visit_name(&mut self, path: &FieldPath, name: &str) {
        if name.contains('\0') {
            let message = "its name contains a NUL, for which other libraries get U+FFFD";
            self.push(path, message, false);
        }
    }

    fn push(&mut self, path: &FieldPath, message: &str, is_on_type: bool) {
        if !(is_on_type && (self.converts)(path.column, &path.within)) {
            self.remarks.push(Remark::at(path, message));
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

/// A column of a schema that may come from a table with notes of its own, without them: they say nothing about another
/// table.
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
            format!("{}{and}{last}: kept as text, values other than strings as JSON text", others.join(", "))
        }
    })
}
