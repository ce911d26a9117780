//! Arrays without a value. Thousands of columns of a table may be such, so they share one for each type and length.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, StructArray, new_null_array};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;
use hashbrown::HashMap;

#[derive(Default)]
pub(in crate::rows) struct NoValues {
    arrays: HashMap<(DataType, usize), ArrayRef>,
}

impl NoValues {
    /// `len` nulls of a type.
    pub(in crate::rows) fn array(&mut self, data_type: &DataType, len: usize) -> ArrayRef {
        let key = (data_type.clone(), len);
        if let Some(array) = self.arrays.get(&key) {
            return Arc::clone(array);
        }
        let array: ArrayRef = match data_type {
            DataType::Struct(fields) if fields.iter().all(|field| field.is_nullable()) && !fields.is_empty() => {
                let members = fields.iter().map(|field| self.array(field.data_type(), len)).collect();
                Arc::new(StructArray::new(fields.clone(), members, Some(NullBuffer::new_null(len))))
            }
            other => new_null_array(other, len),
        };
        self.arrays.insert(key, Arc::clone(&array));
        array
    }
}

/// Whether an array may be one that columns share.
pub(in crate::rows) fn may_be_shared(array: &ArrayRef) -> bool {
    array.null_count() == array.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_schema::{Field, Fields};

    #[test]
    fn members_of_objects_share_what_columns_share() {
        let members: Fields = ["a", "b"].map(|name| Field::new(name, DataType::Utf8, true)).into_iter().collect();
        let mut no_values = NoValues::default();
        let [text, object] = [DataType::Utf8, DataType::Struct(members)].map(|of| no_values.array(&of, 3));
        let object = object.as_any().downcast_ref::<StructArray>().unwrap();
        assert_eq!((object.len(), object.null_count(), text.null_count()), (3, 3, 3));
        assert!(object.columns().iter().all(|member| Arc::ptr_eq(member, &text)));
        assert!(!Arc::ptr_eq(&no_values.array(&DataType::Utf8, 4), &text));
    }
}
