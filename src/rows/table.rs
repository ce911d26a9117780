//! A decoded result: record batches of one schema, and the notes on what was widened.

use std::fmt;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{DataType, FieldRef, Schema, SchemaRef};

use super::clipped::clipped;
use super::text_layout::TextLayout;

/// Where a column's notes stand in its Arrow metadata.
pub const NOTE_KEY: &str = "rowhaul.note";

/// The rows of a result as Arrow.
#[derive(Debug, Clone)]
pub struct Rows {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
    notes: Vec<Note>,
}

/// Something the decoder did that a reader of the table should know.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Note {
    /// The column (a dotted path for nested ones); `None` for the table as a whole.
    pub column: Option<String>,
    pub message: String,
}

/// The most characters of a path in a note.
const MAX_PATH: usize = 200;

impl Note {
    pub fn on_table(message: impl AsRef<str>) -> Self {
        Self { column: None, message: in_one_line(message.as_ref()) }
    }

    /// On a column, or on what is in it, by its path.
    pub fn on_column(path: &str, message: impl AsRef<str>) -> Self {
        Self { column: Some(in_one_line(&clipped(path, MAX_PATH))), message: in_one_line(message.as_ref()) }
    }

    /// Says more.
    pub(super) fn add(&mut self, more: &str) {
        self.message.push_str(&in_one_line(more));
    }
}

/// Text of one line, whatever names and keys it quotes.
fn in_one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for character in text.chars() {
        if breaks_lines(character) {
            line.extend(character.escape_default());
        } else {
            line.push(character);
        }
    }
    line
}

/// Whether a character ends a line, moves the cursor of a terminal, or turns what stands behind it around.
pub fn breaks_lines(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.column {
            Some(column) => write!(f, "{column}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl Rows {
    pub fn new(schema: SchemaRef, batches: Vec<RecordBatch>, notes: Vec<Note>) -> Self {
        Self { schema, batches, notes }
    }

    pub fn empty() -> Self {
        Self::new(Arc::new(Schema::empty()), Vec::new(), Vec::new())
    }

    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    pub fn batches(&self) -> &[RecordBatch] {
        &self.batches
    }

    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    pub fn push_note(&mut self, note: Note) {
        self.notes.push(note);
    }

    pub fn len(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether both have the same columns, by name and type and in this order, with the same values in the same rows,
    /// in whatever batches these come and whichever layout their text has, in objects and arrays too. Neither notes nor
    /// metadata of columns count; those of members, and whether they may be null, are of their type. Values are the
    /// same in every bit: -0.0 is not 0.0.
    pub fn equals(&self, other: &Self) -> bool {
        let columns = || self.schema.fields().iter().zip(other.schema.fields());
        let are_alike = columns().all(|(a, b)| a.name() == b.name() && are_alike(a.data_type(), b.data_type()));
        if self.len() != other.len() || self.schema.fields().len() != other.schema.fields().len() || !are_alike {
            return false;
        }
        if columns().all(|(a, b)| a.data_type() == b.data_type()) {
            return self.has_values_of(other);
        }
        let [ours, theirs] = [self, other].map(|rows| rows.with_text(TextLayout::Large));
        ours.has_values_of(&theirs)
    }

    /// The same of as many rows, whose columns have the same types.
    fn has_values_of(&self, other: &Self) -> bool {
        let (mut ours, mut theirs) = (self.batches.iter().cloned(), other.batches.iter().cloned());
        let (mut our, mut their) = (ours.next(), theirs.next());
        while let (Some(a), Some(b)) = (&our, &their) {
            let len = a.num_rows().min(b.num_rows());
            if a.slice(0, len).columns() != b.slice(0, len).columns() {
                return false;
            }
            let rest = |batch: &RecordBatch| (len < batch.num_rows()).then(|| batch.slice(len, batch.num_rows() - len));
            (our, their) = (rest(a).or_else(|| ours.next()), rest(b).or_else(|| theirs.next()));
        }
        true
    }

    /// The rows from `start` on, at most `len` of them, without copying.
    #[must_use]
    pub fn slice(&self, start: usize, len: usize) -> Self {
        let (mut skip, mut left) = (start, len);
        let mut batches = Vec::new();
        for batch in &self.batches {
            let from = skip.min(batch.num_rows());
            let taken = left.min(batch.num_rows() - from);
            if taken > 0 {
                batches.push(batch.slice(from, taken));
            }
            skip -= from;
            left -= taken;
        }
        Self::new(Arc::clone(&self.schema), batches, self.notes.clone())
    }

    /// The columns at these positions, in this order; `None` where there is no such position.
    pub fn select(&self, columns: &[usize]) -> Option<Self> {
        let schema = Arc::new(self.schema.project(columns).ok()?);
        let batches = self.batches.iter().map(|batch| batch.project(columns).ok()).collect::<Option<_>>()?;
        Some(Self::new(schema, batches, self.notes.clone()))
    }
}

/// Whether two types are the same but for the layout of text.
fn are_alike(one: &DataType, other: &DataType) -> bool {
    let members = |one: &FieldRef, other: &FieldRef| {
        let besides = |field: &FieldRef| (field.name().clone(), field.is_nullable(), field.metadata().clone());
        besides(one) == besides(other) && are_alike(one.data_type(), other.data_type())
    };
    match (one, other) {
        (DataType::List(one), DataType::List(other)) | (DataType::LargeList(one), DataType::LargeList(other)) => {
            members(one, other)
        }
        (DataType::Struct(one), DataType::Struct(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| members(one, other))
        }
        _ => one == other || one.is_string() && other.is_string(),
    }
}

/// A batch, which may have no columns.
pub(super) fn new_batch(schema: SchemaRef, arrays: Vec<ArrayRef>, len: usize) -> RecordBatch {
    let options = RecordBatchOptions::new().with_row_count(Some(len));
    RecordBatch::try_new_with_options(schema, arrays, &options).expect("schema and arrays come from the same shapes")
}
