//! Batches with their text laid out anew.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, ListArray, RecordBatch, StructArray};
use arrow_cast::cast;
use arrow_schema::{DataType, SchemaRef};
use hashbrown::HashMap;

use super::arrays;
use crate::rows::columns::may_be_shared;
use crate::rows::memory::Arena;
use crate::rows::table::new_batch;

/// Converts batches of one table. What is made of them lies in the same slabs of memory: with slabs of its own each
/// batch would leave a part of the last one unused, half as much as is used.
pub struct TextConverter {
    schema: SchemaRef,
    arena: Arena,
}

/// What was made of arrays of one batch that stay shared, by their addresses.
type Shared = HashMap<usize, ArrayRef>;

impl TextConverter {
    /// To the schema that [`TextLayout::of_schema`](super::TextLayout::of_schema) gave.
    pub fn new(schema: SchemaRef) -> Self {
        Self { schema, arena: Arena::default() }
    }

    /// A batch in that schema. Columns without text, and those whose text lies so already, are not copied.
    pub fn convert(&mut self, batch: &RecordBatch) -> RecordBatch {
        let (schema, mut shared) = (Arc::clone(&self.schema), Shared::new());
        let columns = batch.columns().iter().zip(schema.fields());
        let arrays = columns.map(|(array, field)| self.converted(array, field.data_type(), &mut shared)).collect();
        new_batch(schema, arrays, batch.num_rows())
    }

    fn converted(&mut self, array: &ArrayRef, target: &DataType, shared: &mut Shared) -> ArrayRef {
        if array.data_type() == target {
            return ArrayRef::clone(array);
        }
        if !may_be_shared(array) {
            return self.made(array, target, shared);
        }
        let address = Arc::as_ptr(array).addr();
        if let Some(made) = shared.get(&address).filter(|made| made.data_type() == target) {
            return Arc::clone(made);
        }
        let made = self.made(array, target, shared);
        shared.insert(address, Arc::clone(&made));
        made
    }

    fn made(&mut self, array: &ArrayRef, target: &DataType, shared: &mut Shared) -> ArrayRef {
        match (array.data_type(), target) {
            (DataType::Utf8, DataType::Utf8View) => arrays::views(array.as_string(), &mut self.arena),
            (DataType::Utf8, DataType::LargeUtf8) => arrays::large(array.as_string(), &mut self.arena),
            (DataType::List(_), DataType::List(item)) => {
                let list = array.as_list();
                let values = self.converted(list.values(), item.data_type(), shared);
                Arc::new(ListArray::new(Arc::clone(item), list.offsets().clone(), values, list.nulls().cloned()))
            }
            (DataType::Struct(_), DataType::Struct(fields)) => {
                let structs = array.as_struct();
                let columns = structs.columns().iter().zip(fields);
                let columns =
                    columns.map(|(column, field)| self.converted(column, field.data_type(), shared)).collect();
                Arc::new(StructArray::new(fields.clone(), columns, structs.nulls().cloned()))
            }
            // What only a caller's schema brings.
            _ => cast(array, target).expect("text of one layout casts to the other, at any depth"),
        }
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::{LargeStringArray, StringArray};
    use arrow_schema::{Field, Schema};

    use super::*;
    use crate::rows::TextLayout;

    #[test]
    fn batches_of_a_table_are_laid_out_side_by_side() {
        const ROWS: usize = 50;
        let schema = Arc::new(Schema::new(vec![Field::new("a", DataType::Utf8, true)]));
        let text: ArrayRef = Arc::new(StringArray::from(vec!["text"; ROWS]));
        let batch = RecordBatch::try_new(Arc::clone(&schema), vec![text]).unwrap();
        let mut converter = TextConverter::new(TextLayout::Large.of_schema(&schema));
        let batches: Vec<_> = (0..3).map(|_| converter.convert(&batch)).collect();
        let starts = batches.iter().map(|batch| {
            let texts: &LargeStringArray = batch.column(0).as_string();
            assert!(texts.iter().all(|text| text == Some("text")));
            texts.value_offsets().as_ptr().addr()
        });
        let starts: Vec<_> = starts.collect();
        let offsets = (ROWS + 1) * size_of::<i64>();
        assert!(starts.windows(2).all(|pair| (offsets..2 * offsets).contains(&(pair[1] - pair[0]))), "{starts:?}");
    }
}
