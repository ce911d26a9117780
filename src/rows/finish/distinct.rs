//! Dictionaries of few keys: whether those do for all values.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use hashbrown::HashSet;

use super::cast::cast_strictly;

/// The values of a column that is to be a dictionary: its keys have to do for all of them, however its rows come in
/// batches.
#[derive(Debug, Default)]
pub(in crate::rows) struct Distinct(HashSet<String>);

impl Distinct {
    /// Adds the values of the next batch. Gives whether there is a key for each value so far.
    pub(in crate::rows) fn add(&mut self, array: &ArrayRef) -> bool {
        let Some(keys) = few_keys(array.data_type()) else { return true };
        let values = array.as_any_dictionary().values();
        let texts = match values.data_type() {
            // As numbers: zones by name are in a table that is not built in.
            DataType::Timestamp(..) => cast_strictly(values, &DataType::Int64)
                .and_then(|numbers| cast_strictly(&numbers, &DataType::LargeUtf8)),
            _ => cast_strictly(values, &DataType::LargeUtf8),
        };
        let Some(texts) = texts else { return false };
        self.0.extend(texts.as_string::<i64>().iter().flatten().map(str::to_owned));
        self.0.len() <= keys
    }
}

/// The key capacity of a dictionary with 8- or 16-bit keys; `None` for wider ones.
pub(super) fn few_keys(data_type: &DataType) -> Option<usize> {
    let DataType::Dictionary(key, _) = data_type else { return None };
    match **key {
        DataType::Int8 => Some(1 << 7),
        DataType::UInt8 => Some(1 << 8),
        DataType::Int16 => Some(1 << 15),
        DataType::UInt16 => Some(1 << 16),
        _ => None,
    }
}
