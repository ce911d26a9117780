//! Text in the layout that a receiver takes best: polars takes views, pandas, pyarrow and DuckDB take offsets.

use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Fields, Schema, SchemaRef};

use super::TextConverter;
use super::names::without_nul;
use crate::rows::table::Rows;

/// How text lies in memory, in nested columns too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextLayout {
    /// `Utf8View`: short texts stand in their views, long ones where they lie.
    View,
    /// `LargeUtf8`: one buffer with 64-bit offsets. Those of 32 bits, in which the decoder lays out text, would not do
    /// for whoever puts many batches together.
    Large,
}

impl TextLayout {
    /// A schema with all text in this layout, and with names that other libraries take.
    pub fn of_schema(self, schema: &Schema) -> SchemaRef {
        Arc::new(Schema::new(fields_in(schema.fields(), self)))
    }
}

impl Rows {
    /// These rows, with all text in one layout.
    #[must_use]
    pub fn with_text(&self, layout: TextLayout) -> Self {
        let schema = layout.of_schema(self.schema());
        let mut converter = TextConverter::new(Arc::clone(&schema));
        let batches = self.batches().iter().map(|batch| converter.convert(batch)).collect();
        Self::new(schema, batches, self.notes().to_vec())
    }
}

fn field_in(field: &FieldRef, layout: TextLayout) -> FieldRef {
    let data_type = match field.data_type() {
        text if text.is_string() => match layout {
            TextLayout::View => DataType::Utf8View,
            TextLayout::Large => DataType::LargeUtf8,
        },
        DataType::List(item) => DataType::List(field_in(item, layout)),
        DataType::LargeList(item) => DataType::LargeList(field_in(item, layout)),
        DataType::Struct(fields) => DataType::Struct(fields_in(fields, layout)),
        other => other.clone(),
    };
    Arc::new(Field::clone(field).with_data_type(data_type))
}

/// The fields of a table or an object.
fn fields_in(fields: &Fields, layout: TextLayout) -> Fields {
    let names = without_nul(fields);
    let converted = |field: &FieldRef| {
        let converted = field_in(field, layout);
        match names.get(field.name().as_str()) {
            Some(name) => Arc::new(Field::clone(&converted).with_name(name)),
            None => converted,
        }
    };
    fields.iter().map(converted).collect()
}
