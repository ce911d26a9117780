//! Finished columns as Arrow arrays of the type the whole result turned out to need.

use std::sync::Arc;

use arrow_array::types::{Float64Type, Int64Type, UInt64Type};
use arrow_array::{ArrayRef, ListArray, NullArray, StructArray, new_null_array};
use hashbrown::HashMap;

use crate::rows::cursor::Cursor;

use super::{Column, Context, Shape, Store};

impl Column {
    /// Makes an array of `len` rows of the column, widened to `shape`, which covers the column's own.
    pub(in crate::rows) fn into_array(mut self, shape: &Shape, len: usize) -> ArrayRef {
        self.pad_to(len);
        self.facts |= shape.facts;
        self.widen_to(shape.storage());
        match self.store {
            Store::Null(_) => Arc::new(NullArray::new(len)),
            Store::Boolean(values) => values.into_array(),
            Store::Int64(values) => values.into_array::<Int64Type>(),
            Store::UInt64(values) => values.into_array::<UInt64Type>(),
            Store::Float64(values) => values.into_array::<Float64Type>(),
            Store::Text(values) => values.into_array(),
            Store::List(list) => {
                let nothing = Shape::default();
                let (offsets, elements, nulls) = list.into_parts();
                let count = elements.len();
                let elements = elements.into_array(shape.element.as_deref().unwrap_or(&nothing), count);
                Arc::new(ListArray::new(shape.element_field(), offsets, elements, nulls))
            }
            Store::Struct(fields) => {
                let (columns, nulls) = fields.into_parts();
                let arrays = arrays(columns, &shape.members, len);
                Arc::new(StructArray::new(shape.fields(), arrays, nulls))
            }
        }
    }

    /// Settles what a key that stood twice left behind: reads the column again without the values that did not count.
    pub(in crate::rows) fn settle(&mut self, declared: Option<&Shape>) {
        if !self.has_overwritten_anywhere() {
            return;
        }
        let mut settled = declared.map_or_else(Self::new, Self::of_shape);
        let mut context = Context::default();
        let mut text = Vec::new();
        for at in 0..self.len() {
            text.clear();
            self.render_faithfully(at, &mut text);
            let read = settled.read(&mut Cursor::new(&text, true), &mut context, 1);
            debug_assert!(read.is_ok(), "what was rendered can be read");
        }
        settled.has_overwritten = true;
        // Numbers that were text because of a value that no longer counts would need their digits; those are there.
        if settled.len() == self.len() {
            *self = settled;
        }
    }

    fn has_overwritten_anywhere(&self) -> bool {
        self.has_overwritten
            || match &self.store {
                Store::List(list) => list.elements.has_overwritten_anywhere(),
                Store::Struct(fields) => fields.iter().any(|field| field.column.has_overwritten_anywhere()),
                _ => false,
            }
    }
}

/// The arrays of named columns in the order of `members`; one that is not there is all null.
pub(in crate::rows) fn arrays(
    columns: Vec<(Arc<str>, Column)>,
    members: &[(Arc<str>, Shape)],
    len: usize,
) -> Vec<ArrayRef> {
    let mut by_name: HashMap<Arc<str>, Column> = columns.into_iter().collect();
    let array = |(name, shape): &(Arc<str>, Shape)| match by_name.remove(name) {
        Some(column) => column.into_array(shape, len),
        None => new_null_array(&shape.data_type(), len),
    };
    members.iter().map(array).collect()
}
