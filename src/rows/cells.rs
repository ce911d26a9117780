//! Cells as text, for files and screens: strings as they are, nested values as JSON text, everything else as Arrow names it.

use arrow_array::ArrayRef;

use super::columns::Column;

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

/// The array with each nested value as its JSON text; arrays that are not nested stay as they are.
pub fn nested_as_json(array: &ArrayRef) -> ArrayRef {
    if !array.data_type().is_nested() {
        return ArrayRef::clone(array);
    }
    let cells = Cells::new(array);
    let mut text = Vec::new();
    let texts = (0..array.len()).map(|row| {
        text.clear();
        cells.write(row, &mut text).then(|| String::from_utf8_lossy(&text).into_owned())
    });
    std::sync::Arc::new(texts.collect::<arrow_array::StringViewArray>())
}
