//! A column of all batches as one array.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, new_empty_array};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{ArrowError, DataType, FieldRef};
use arrow_select::concat::concat;

use super::table::Rows;

impl Rows {
    /// The column at this position as one array, with one dictionary where it has dictionaries.
    ///
    /// # Errors
    /// Where the type has no room for all of it: offsets of 32 bits count 2 GiB, and keys of a dictionary that tables
    /// were put together with may be too few.
    pub fn whole_column(&self, at: usize) -> Result<ArrayRef, ArrowError> {
        match self.batches() {
            [] => Ok(new_empty_array(self.schema().field(at).data_type())),
            [batch] => Ok(Arc::clone(batch.column(at))),
            batches => {
                let parts: Vec<&dyn Array> = batches.iter().map(|batch| batch.column(at).as_ref()).collect();
                let plain = without_dictionaries(parts[0].data_type());
                if plain == *parts[0].data_type() { concat(&parts) } else { by_values(&parts, &plain) }
            }
        }
    }
}

/// One array of all parts, by way of the values: where Arrow puts dictionaries together it leaves some values in twice,
/// for which there may be no keys, and then it may panic.
fn by_values(parts: &[&dyn Array], plain: &DataType) -> Result<ArrayRef, ArrowError> {
    let data_type = parts[0].data_type();
    let exactly = CastOptions { safe: false, ..CastOptions::default() };
    let parts = parts.iter().map(|part| cast_with_options(*part, plain, &exactly)).collect::<Result<Vec<_>, _>>()?;
    let parts: Vec<&dyn Array> = parts.iter().map(AsRef::as_ref).collect();
    cast_with_options(&concat(&parts)?, data_type, &exactly)
}

/// The type with values in place of keys.
fn without_dictionaries(data_type: &DataType) -> DataType {
    let within = |field: &FieldRef| {
        let data_type = without_dictionaries(field.data_type());
        Arc::new(field.as_ref().clone().with_data_type(data_type))
    };
    match data_type {
        DataType::Dictionary(_, values) => without_dictionaries(values),
        DataType::List(item) => DataType::List(within(item)),
        DataType::LargeList(item) => DataType::LargeList(within(item)),
        DataType::ListView(item) => DataType::ListView(within(item)),
        DataType::LargeListView(item) => DataType::LargeListView(within(item)),
        DataType::FixedSizeList(item, size) => DataType::FixedSizeList(within(item), *size),
        DataType::Struct(members) => DataType::Struct(members.iter().map(within).collect()),
        other => other.clone(),
    }
}
