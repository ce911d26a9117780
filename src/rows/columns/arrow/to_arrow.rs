//! Finished columns as Arrow arrays of the type the whole result turned out to need.

use std::sync::Arc;

use arrow_array::types::{Float64Type, Int64Type, UInt64Type};
use arrow_array::{ArrayRef, ArrowPrimitiveType, BooleanArray, ListArray, NullArray, PrimitiveArray, StructArray};
use arrow_buffer::ScalarBuffer;
use arrow_schema::{DataType, FieldRef, Fields};
use hashbrown::HashMap;

use super::NoValues;
use crate::rows::columns::{Column, Gapped, Shape, Store};
use crate::rows::memory::Arena;

impl Column {
    /// Makes an array of `len` rows of the column. `shape` covers all that the column has seen, and `data_type` is the
    /// type of that shape.
    fn into_array(mut self, shape: &Shape, data_type: &DataType, len: usize, arena: &mut Arena) -> ArrayRef {
        self.pad_to(len);
        let storage = shape.storage();
        let store = if self.store.kind() == storage { self.store } else { self.store.widened(storage) };
        match (store, data_type) {
            (Store::Null(_), _) => Arc::new(NullArray::new(len)),
            (Store::Boolean(values), _) => {
                let (values, nulls) = values.into_bits(arena);
                Arc::new(BooleanArray::new(values, nulls))
            }
            (Store::Int64(values), _) => numbers::<Int64Type>(values, arena),
            (Store::UInt64(values), _) => numbers::<UInt64Type>(values, arena),
            (Store::Float64(values), _) => numbers::<Float64Type>(values, arena),
            (Store::Utf8(values), _) => values.into_array(arena),
            (Store::List(list), DataType::List(field)) => {
                let nothing = Shape::default();
                let (offsets, elements, nulls) = list.into_parts(arena);
                let count = elements.len();
                let shape = shape.element.as_deref().unwrap_or(&nothing);
                let elements = elements.into_array(shape, field.data_type(), count, arena);
                Arc::new(ListArray::new(Arc::clone(field), offsets, elements, nulls))
            }
            (Store::Struct(members), DataType::Struct(fields)) => {
                let (columns, nulls) = members.into_parts(arena);
                let arrays = arrays(columns, &shape.members, fields, len, arena);
                Arc::new(StructArray::new(fields.clone(), arrays, nulls))
            }
            (Store::List(_) | Store::Struct(_), _) => unreachable!("a column has the type of its shape"),
        }
    }
}

fn numbers<A: ArrowPrimitiveType>(values: Gapped<A::Native>, arena: &mut Arena) -> ArrayRef {
    let (values, nulls) = values.into_buffers(arena);
    Arc::new(PrimitiveArray::<A>::new(ScalarBuffer::from(values), nulls))
}

/// The arrays of named columns in the order of `members`, whose types are those of `fields`. Columns without any value
/// share one array of nulls for each type, so that thousands of sparse columns cost what is in them.
pub(in crate::rows) fn arrays(
    columns: Vec<(Arc<str>, Column)>,
    members: &[(Arc<str>, Shape)],
    fields: &Fields,
    len: usize,
    arena: &mut Arena,
) -> Vec<ArrayRef> {
    let mut columns = in_order_of(members, columns).peekable();
    let mut no_values = NoValues::default();
    let array =
        |((name, shape), field): (&(Arc<str>, Shape), &FieldRef)| match columns.next_if(|column| column.0 == *name) {
            Some((_, column)) => column.into_array(shape, field.data_type(), len, arena),
            None => no_values.array(field.data_type(), len),
        };
    members.iter().zip(fields).map(array).collect()
}

/// The columns that have values, in the order of `members`: that in which they are, unless others had read another part
/// of the body before.
fn in_order_of(
    members: &[(Arc<str>, Shape)],
    mut columns: Vec<(Arc<str>, Column)>,
) -> impl Iterator<Item = (Arc<str>, Column)> {
    columns.retain(|(_, column)| column.len() > 0);
    let mut names = members.iter().map(|(name, _)| name);
    if !columns.iter().all(|(name, _)| names.any(|member| member == name)) {
        let order: HashMap<&str, usize> = members.iter().zip(0..).map(|((name, _), at)| (&**name, at)).collect();
        let place = |name: &str| order.get(name).expect("the columns of a segment are among the members of the whole");
        columns.sort_by_key(|(name, _)| *place(name));
    }
    columns.into_iter()
}
