//! A decoded result: record batches of one schema, and the notes on what was widened.

use std::fmt;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{Schema, SchemaRef};

use super::clipped::clipped;

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
    /// Whether it is on this column or within it, or on the table. A name may hold dots, so another column's may be
    /// taken for this one's.
    fn may_be_on(&self, column: &str) -> bool {
        let Some(path) = &self.column else { return true };
        let column = Self::path_of(column);
        path.strip_prefix(&column).is_some_and(|within| within.is_empty() || within.starts_with(['.', '[']))
    }

    pub fn on_table(message: impl AsRef<str>) -> Self {
        Self { column: None, message: in_one_line(message.as_ref()) }
    }

    /// On a column, or on what is in it, by its path.
    pub fn on_column(path: &str, message: impl AsRef<str>) -> Self {
        Self { column: Some(Self::path_of(path)), message: in_one_line(message.as_ref()) }
    }

    /// A path as notes have it.
    fn path_of(path: &str) -> String {
        in_one_line(&clipped(path, MAX_PATH))
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

/// Whether a character ends a line, moves the cursor of a terminal, or turns what stands after it around.
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

    /// The columns at these positions, in this order, with the notes on them and on the table; `None` where there is no
    /// such position.
    pub fn select(&self, columns: &[usize]) -> Option<Self> {
        let schema = Arc::new(self.schema.project(columns).ok()?);
        let batches = self.batches.iter().map(|batch| batch.project(columns).ok()).collect::<Option<_>>()?;
        let is_left = |note: &&Note| schema.fields().iter().any(|field| note.may_be_on(field.name()));
        let notes = self.notes.iter().filter(is_left).cloned().collect();
        Some(Self::new(schema, batches, notes))
    }
}

/// A batch, which may have no columns.
pub(super) fn new_batch(schema: SchemaRef, arrays: Vec<ArrayRef>, len: usize) -> RecordBatch {
    let options = RecordBatchOptions::new().with_row_count(Some(len));
    RecordBatch::try_new_with_options(schema, arrays, &options).expect("schema and arrays come from the same shapes")
}
