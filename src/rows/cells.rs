//! Cells as text, for files and screens: strings as they are, nested values as JSON text, everything else as Arrow names it.

use std::sync::Arc;

use arrow_array::{ArrayRef, StringViewArray};
use arrow_schema::{DataType, Field, Schema};

use super::columns::Column;
use super::finish::new_batch;
use super::table::Rows;

/// A column whose cells can be asked for as text.
pub(super) struct Cells {
    column: Column,
}

impl Cells {
    pub(super) fn new(array: &ArrayRef) -> Self {
        Self { column: Column::of_array(array) }
    }

    /// Appends the text of a cell; `false` where it is null.
    pub(super) fn write(&self, row: usize, out: &mut Vec<u8>) -> bool {
        if self.column.is_null(row) {
            return false;
        }
        if !self.column.copy_text(row, out) {
            self.column.render(row, out);
        }
        true
    }

    /// Appends the JSON text of a cell, members in their order and floats as floats.
    pub(super) fn write_json(&self, row: usize, out: &mut Vec<u8>) {
        self.column.render_faithfully(row, out);
    }
}

impl Rows {
    /// The same rows with each nested value as its JSON text.
    #[must_use]
    pub fn with_nested_as_json(&self) -> Self {
        let fields = self.schema().fields().iter().map(|field| {
            let is_nested = field.data_type().is_nested();
            let data_type = if is_nested { DataType::Utf8View } else { field.data_type().clone() };
            Field::clone(field).with_data_type(data_type)
        });
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let batches = self.batches().iter().map(|batch| {
            let columns = batch.columns().iter().map(nested_as_json).collect();
            new_batch(Arc::clone(&schema), columns, batch.num_rows())
        });
        Self::new(Arc::clone(&schema), batches.collect(), self.notes().to_vec())
    }
}

/// The array with each nested value as its JSON text; arrays that are not nested stay as they are.
fn nested_as_json(array: &ArrayRef) -> ArrayRef {
    if !array.data_type().is_nested() {
        return ArrayRef::clone(array);
    }
    let cells = Cells::new(array);
    let mut text = Vec::new();
    let texts = (0..array.len()).map(|row| {
        text.clear();
        cells.write(row, &mut text).then(|| String::from_utf8_lossy(&text).into_owned())
    });
    Arc::new(texts.collect::<StringViewArray>())
}
