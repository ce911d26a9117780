//! Text in the layout that a receiver takes best: polars and DuckDB take views, pandas and pyarrow take offsets.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_cast::cast;
use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef};

use super::finish::new_batch;
use super::table::Rows;

/// How text lies in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextLayout {
    /// `Utf8View`: what the decoder makes.
    View,
    /// `LargeUtf8`: one buffer with 64-bit offsets.
    Large,
}

impl TextLayout {
    /// A schema with all text, nested text too, in this layout.
    pub fn of_schema(self, schema: &Schema) -> SchemaRef {
        let fields: Vec<FieldRef> = schema.fields().iter().map(|field| relaid_field(field, self)).collect();
        Arc::new(Schema::new(fields))
    }

    /// A batch in the schema that [`TextLayout::of_schema`] gave. Columns without text, and those whose text lies so already,
    /// are not copied.
    pub fn of_batch(batch: &RecordBatch, schema: &SchemaRef) -> RecordBatch {
        let relay = |(array, field): (&ArrayRef, &FieldRef)| {
            cast(array, field.data_type()).expect("text of one layout casts to the other, at any depth")
        };
        let arrays = batch.columns().iter().zip(schema.fields()).map(relay).collect();
        new_batch(Arc::clone(schema), arrays, batch.num_rows())
    }
}

impl Rows {
    /// The same rows with all text, nested text too, in one layout.
    #[must_use]
    pub fn with_text(&self, layout: TextLayout) -> Self {
        let schema = layout.of_schema(self.schema());
        let batches = self.batches().iter().map(|batch| TextLayout::of_batch(batch, &schema)).collect();
        Self::new(schema, batches, self.notes().to_vec())
    }
}

fn relaid_field(field: &FieldRef, layout: TextLayout) -> FieldRef {
    Arc::new(Field::clone(field).with_data_type(relaid(field.data_type(), layout)))
}

fn relaid(data_type: &DataType, layout: TextLayout) -> DataType {
    match data_type {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => match layout {
            TextLayout::View => DataType::Utf8View,
            TextLayout::Large => DataType::LargeUtf8,
        },
        DataType::List(item) => DataType::List(relaid_field(item, layout)),
        DataType::LargeList(item) => DataType::LargeList(relaid_field(item, layout)),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(|field| relaid_field(field, layout)).collect()),
        other => other.clone(),
    }
}
