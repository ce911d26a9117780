//! A column of all batches as one array.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, new_empty_array};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{ArrowError, DataType, FieldRef};
use arrow_select::concat::concat;

use super::table::Rows;

impl Rows {
    /// The column at this position as one array.
    ///
    /// # Errors
    /// Where there is no room for all of it: offsets of 32 bits count 2 GiB.
    pub fn whole_column(&self, at: usize) -> Result<ArrayRef, ArrowError> {
        match self.batches() {
            [] => Ok(new_empty_array(self.schema().field(at).data_type())),
            [batch] => Ok(Arc::clone(batch.column(at))),
            batches => {
                let parts: Vec<&dyn Array> = batches.iter().map(|batch| batch.column(at).as_ref()).collect();
                concat(&parts).or_else(|error| with_exact_dictionaries(&parts, error))
            }
        }
    }
}

/// The same by way of the values: where Arrow puts dictionaries together it leaves some values in twice, for which there
/// may be no keys.
fn with_exact_dictionaries(parts: &[&dyn Array], error: ArrowError) -> Result<ArrayRef, ArrowError> {
    let data_type = parts[0].data_type();
    let plain = without_dictionaries(data_type);
    if plain == *data_type {
        return Err(error);
    }
    let exactly = CastOptions { safe: false, ..CastOptions::default() };
    let parts = parts.iter().map(|part| cast_with_options(*part, &plain, &exactly)).collect::<Result<Vec<_>, _>>()?;
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
