//! Which values of a column of text are JSON text.
//!
//! A column that mixes strings with other kinds holds all of them as text and remembers which were not strings, so that
//! the JSON text of a value around them can still tell `"5"` from `5`.

use crate::rows::columns::gapped::Bits;

/// A bit for each value that is not in a gap, which is zero where it is JSON text. Absent while all are strings.
#[derive(Default)]
pub(in crate::rows::columns) struct JsonMarks(Option<Box<Bits>>);

impl JsonMarks {
    /// Notes that the value after `before` others is JSON text.
    pub(in crate::rows::columns) fn note(&mut self, before: usize) {
        self.0.get_or_insert_default().push_zero(before);
    }

    /// Whether no value ever was one.
    pub(in crate::rows::columns) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Forgets the values from `len` on.
    pub(in crate::rows::columns) fn truncate(&mut self, len: usize) {
        if let Some(bits) = &mut self.0 {
            bits.truncate(len);
        }
    }

    pub(in crate::rows::columns) fn has(&self, value: usize) -> bool {
        self.0.as_ref().is_some_and(|bits| !bits.get(value))
    }
}
