//! Text in the layout that a receiver takes best: polars takes views, pandas, pyarrow and DuckDB take offsets.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, ListArray, RecordBatch, StructArray};
use arrow_cast::cast;
use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef};

use super::relayout;
use super::slab::Slab;
use super::table::{Rows, new_batch};

/// How text lies in memory, in nested columns too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextLayout {
    /// `Utf8View`: short texts stand in their views, long ones where they lie.
    View,
    /// `LargeUtf8`: one buffer with 64-bit offsets. Those of 32 bits, in which the decoder lays out text, would not do for
    /// whoever puts many batches together.
    Large,
}

impl TextLayout {
    /// A schema with all text in this layout, and with names that other libraries take.
    pub fn of_schema(self, schema: &Schema) -> SchemaRef {
        let fields: Vec<FieldRef> = schema.fields().iter().map(|field| relaid_field(field, self)).collect();
        Arc::new(Schema::new(fields))
    }

    /// A batch in the schema that [`TextLayout::of_schema`] gave. Columns without text, and those whose text lies so already,
    /// are not copied.
    pub fn of_batch(batch: &RecordBatch, schema: &SchemaRef) -> RecordBatch {
        let mut slab = Slab::default();
        let columns = batch.columns().iter().zip(schema.fields());
        let arrays = columns.map(|(array, field)| relaid(array, field.data_type(), &mut slab)).collect();
        new_batch(Arc::clone(schema), arrays, batch.num_rows())
    }
}

impl Rows {
    /// The same rows with all text in one layout.
    #[must_use]
    pub fn with_text(&self, layout: TextLayout) -> Self {
        let schema = layout.of_schema(self.schema());
        let batches = self.batches().iter().map(|batch| TextLayout::of_batch(batch, &schema)).collect();
        Self::new(schema, batches, self.notes().to_vec())
    }
}

fn relaid_field(field: &FieldRef, layout: TextLayout) -> FieldRef {
    let data_type = match field.data_type() {
        text if text.is_string() => match layout {
            TextLayout::View => DataType::Utf8View,
            TextLayout::Large => DataType::LargeUtf8,
        },
        DataType::List(item) => DataType::List(relaid_field(item, layout)),
        DataType::LargeList(item) => DataType::LargeList(relaid_field(item, layout)),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(|field| relaid_field(field, layout)).collect()),
        other => other.clone(),
    };
    Arc::new(Field::clone(field).with_data_type(data_type).with_name(exported_name(field.name())))
}

/// A name as it can cross to other libraries: by Arrow's C interface a NUL ends it.
fn exported_name(name: &str) -> String {
    name.replace('\0', "\u{FFFD}")
}

fn relaid(array: &ArrayRef, target: &DataType, slab: &mut Slab) -> ArrayRef {
    match (array.data_type(), target) {
        (held, target) if held == target => ArrayRef::clone(array),
        (DataType::Utf8, DataType::Utf8View) => relayout::views(array.as_string(), slab),
        (DataType::Utf8, DataType::LargeUtf8) => relayout::large(array.as_string(), slab),
        (DataType::List(_), DataType::List(item)) => {
            let list = array.as_list();
            let values = relaid(list.values(), item.data_type(), slab);
            Arc::new(ListArray::new(Arc::clone(item), list.offsets().clone(), values, list.nulls().cloned()))
        }
        (DataType::Struct(_), DataType::Struct(fields)) => {
            let structs = array.as_struct();
            let columns = structs.columns().iter().zip(fields);
            let columns = columns.map(|(column, field)| relaid(column, field.data_type(), slab)).collect();
            Arc::new(StructArray::new(fields.clone(), columns, structs.nulls().cloned()))
        }
        // What only a caller's schema brings.
        _ => cast(array, target).expect("text of one layout casts to the other, at any depth"),
    }
}
