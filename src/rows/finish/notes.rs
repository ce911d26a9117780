//! What a reader of the table should know, as a list of at most so many notes.

use std::sync::Arc;

use arrow_schema::FieldRef;
use hashbrown::HashMap;

use super::field_path::FieldPath;
use crate::rows::table::{NOTE_KEY, Note};

/// More notes than this on columns are counted in one, and so are those on the table: a hostile body could ask for any
/// number.
pub(in crate::rows) const MAX_NOTES: usize = 500;

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

    /// Adds a note, if there is room for it, and gives its index.
    pub(in crate::rows) fn push(&mut self, remark: Remark) -> Option<usize> {
        let is_on_column = remark.note.column.is_some();
        let before = if is_on_column { self.on_columns } else { self.list.len() - self.on_columns };
        if before >= self.most {
            self.left_out += 1;
            return None;
        }
        self.on_columns += usize::from(is_on_column);
        self.list.push(remark);
        Some(self.list.len() - 1)
    }

    /// Records that values at a place contradict their declaration, and the index of the note that says so.
    pub(super) fn record_contradiction(&mut self, path: &FieldPath, note: Option<usize>) {
        self.contradicted.insert((path.column, path.within.clone()), note);
    }

    /// Adds notes on unmet requests, except where a contradiction in the same field already explains them.
    pub(super) fn on_requests(&mut self, remarks: Vec<Remark>) {
        for mut remark in remarks {
            let unmet = remark.column.zip(remark.unmet.take());
            let Some((column, UnmetRequest { within, beside })) = unmet else {
                self.push(remark);
                continue;
            };
            match (self.contradicted.get(&(column, within)), beside) {
                (None, _) => _ = self.push(remark),
                (Some(&Some(said)), Some(beside)) => self.list[said].note.add(&format!("; {beside}")),
                (Some(_), _) => {}
            }
        }
    }

    /// All there is room for, and how many others there are.
    pub(in crate::rows) fn into_list(self) -> (Vec<Remark>, usize) {
        (self.list, self.left_out)
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
