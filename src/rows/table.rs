//! A decoded result: record batches of one schema, and the notes on what was widened.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{Schema, SchemaRef};

/// The rows of a result as Arrow.
#[derive(Debug, Clone)]
pub struct Rows {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
    notes: Vec<Note>,
}

/// Something the decoder did that a reader of the table should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The column (a dotted path for nested ones); `None` for the table as a whole.
    pub column: Option<String>,
    pub message: String,
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
}
