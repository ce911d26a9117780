//! Cells as text, for files and screens: strings as they are, nested values as JSON text, everything else as Arrow
//! names it.

use std::cell::OnceCell;
use std::sync::Arc;

use arrow_array::{ArrayRef, LargeStringArray};
use arrow_schema::{DataType, Field, Schema};

use crate::rows::columns::{Column, JsonTexts, Outline};
use crate::rows::table::{Rows, new_batch};

/// A column whose cells can be asked for as text.
pub(in crate::rows) struct Cells {
    column: Column,
    /// Of all its cells, once one is written that may be nested.
    outline: OnceCell<Outline>,
}

impl Cells {
    /// The cells of a column, in which JSON text is text.
    pub(in crate::rows) fn new(array: &ArrayRef) -> Self {
        Self::reading(array, &JsonTexts::default())
    }

    /// The cells of a column in which JSON text within nested values is part of theirs: so it does not matter whether
    /// the column had to become text itself.
    pub(in crate::rows) fn nesting_json_text(array: &ArrayRef, field: &Field) -> Self {
        let is_nested = array.data_type().is_nested();
        Self::reading(array, &if is_nested { JsonTexts::of_field(field) } else { JsonTexts::default() })
    }

    fn reading(array: &ArrayRef, texts: &JsonTexts) -> Self {
        Self { column: Column::of_array(array, &texts.top()), outline: OnceCell::new() }
    }

    /// Appends the text of a cell; `false` where it is null.
    pub(in crate::rows) fn write(&self, row: usize, out: &mut Vec<u8>) -> bool {
        if self.column.is_null(row) {
            return false;
        }
        if !self.column.copy_text(row, out) {
            self.column.render(row, self.outline.get_or_init(|| self.column.outline()), out);
        }
        true
    }

    /// The text of a cell, `None` where it is null.
    fn text(&self, row: usize) -> Option<String> {
        let mut text = Vec::new();
        self.write(row, &mut text).then(|| String::from_utf8_lossy(&text).into_owned())
    }

    /// Appends the JSON text of a cell, members in their order and floats as floats.
    pub(in crate::rows) fn write_json(&self, row: usize, out: &mut Vec<u8>) {
        self.column.render_faithfully(row, out);
    }
}

impl Rows {
    /// The text of each cell of the columns of these names, row by row, as CSV has it; `None` for null and where there
    /// is no such column.
    #[must_use]
    pub fn texts(&self, columns: &[&str]) -> Vec<Vec<Option<String>>> {
        let mut texts = Vec::with_capacity(self.len());
        for batch in self.batches() {
            let cells = |name: &&str| {
                let (at, field) = self.schema().column_with_name(name)?;
                Some(Cells::nesting_json_text(batch.column(at), field))
            };
            let cells: Vec<Option<Cells>> = columns.iter().map(cells).collect();
            texts
                .extend((0..batch.num_rows()).map(|row| cells.iter().map(|cells| cells.as_ref()?.text(row)).collect()));
        }
        texts
    }

    /// These rows, with each nested value as its JSON text.
    #[must_use]
    pub fn with_nested_as_json(&self) -> Self {
        let fields = self.schema().fields();
        let new_fields = fields.iter().map(|field| {
            if !field.data_type().is_nested() {
                return Arc::clone(field);
            }
            let text = Field::clone(field).with_data_type(DataType::LargeUtf8);
            JsonTexts::of_whole_column().noted_on(&Arc::new(text))
        });
        let schema = Arc::new(Schema::new(new_fields.collect::<Vec<_>>()));
        let batches = self.batches().iter().map(|batch| {
            let columns = batch.columns().iter().zip(fields).map(|(array, field)| nested_as_json(array, field));
            new_batch(Arc::clone(&schema), columns.collect(), batch.num_rows())
        });
        Self::new(Arc::clone(&schema), batches.collect(), self.notes().to_vec())
    }
}

/// The array with each nested value as its JSON text; arrays that are not nested stay as they are.
fn nested_as_json(array: &ArrayRef, field: &Field) -> ArrayRef {
    if !array.data_type().is_nested() {
        return ArrayRef::clone(array);
    }
    let cells = Cells::nesting_json_text(array, field);
    Arc::new((0..array.len()).map(|row| cells.text(row)).collect::<LargeStringArray>())
}

#[cfg(test)]
mod tests {
    use arrow_array::{Array, Int64Array, ListArray, StructArray};
    use arrow_buffer::{NullBuffer, OffsetBuffer};

    use super::*;

    fn texts(array: &ArrayRef) -> Vec<Option<String>> {
        let cells = Cells::new(array);
        let text = |row| {
            let mut out = Vec::new();
            cells.write(row, &mut out).then(|| String::from_utf8(out).unwrap())
        };
        (0..array.len()).map(text).collect()
    }

    #[test]
    fn what_stands_where_arrow_has_a_null_is_not_seen() {
        let (numbers, nulls) = (Arc::new(Int64Array::from(vec![1, 2, 3])), NullBuffer::from(vec![false, true, true]));
        let item = Arc::new(Field::new_list_field(DataType::Int64, true));
        let ends = OffsetBuffer::from_lengths([2, 1, 0]);
        let lists: ArrayRef = Arc::new(ListArray::new(item, ends, numbers.clone(), Some(nulls.clone())));
        let expected = [None, Some("[3]".to_owned()), Some("[]".to_owned())];
        assert_eq!(texts(&lists), expected);
        assert_eq!(texts(&lists.slice(1, 2)), expected[1..]);
        let members = vec![Field::new("a", DataType::Int64, true)].into();
        let objects: ArrayRef = Arc::new(StructArray::new(members, vec![numbers], Some(nulls)));
        assert_eq!(texts(&objects), [None, Some(r#"{"a":2}"#.to_owned()), Some(r#"{"a":3}"#.to_owned())]);
    }
}
