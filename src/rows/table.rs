//! A decoded result: record batches of one schema, and the notes on what was widened.

use std::fmt;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{Schema, SchemaRef};

use super::layout::TextLayout;

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

impl Note {
    pub fn on_table(message: impl Into<String>) -> Self {
        Self { column: None, message: message.into() }
    }
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
    /// in whatever batches these come and however their text lies in memory. Neither notes nor metadata of columns
    /// count; those of members, and whether they may be null, are of their type. Values are the same in every bit: -0.0
    /// is not 0.0.
    pub fn equals(&self, other: &Self) -> bool {
        let names = |rows: &Self| rows.schema.fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>();
        if self.len() != other.len() || names(self) != names(other) {
            return false;
        }
        if self.has_types_of(other) {
            return self.has_values_of(other);
        }
        let [ours, theirs] = [self, other].map(|rows| rows.with_text(TextLayout::Large));
        ours.has_types_of(&theirs) && ours.has_values_of(&theirs)
    }

    fn has_types_of(&self, other: &Self) -> bool {
        let types =
            |rows: &Self| rows.schema.fields().iter().map(|field| field.data_type().clone()).collect::<Vec<_>>();
        types(self) == types(other)
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

/// A batch, which may have no columns.
pub(super) fn new_batch(schema: SchemaRef, arrays: Vec<ArrayRef>, len: usize) -> RecordBatch {
    let options = RecordBatchOptions::new().with_row_count(Some(len));
    RecordBatch::try_new_with_options(schema, arrays, &options).expect("schema and arrays come from the same shapes")
}
