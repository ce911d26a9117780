//! What pandas is told in files: without it, it makes floats of integers beside nulls, which changes large ones.

use std::sync::Arc;

use arrow_schema::{DataType, SchemaRef};
use serde_json::{Value, json};

use crate::rows::Rows;

/// Where pandas and pyarrow look for it, in the metadata of a schema.
const KEY: &str = "pandas";

/// The schema of the rows, which tells pandas of each column for which it has no type of numpy's: integers and booleans
/// beside nulls.
pub(super) fn with_pandas_types(rows: &Rows) -> SchemaRef {
    let fields = rows.schema().fields().iter().enumerate();
    let columns: Vec<Value> = fields
        .filter(|(at, _)| rows.batches().iter().any(|batch| batch.column(*at).logical_null_count() > 0))
        .filter_map(|(_, field)| {
            let (pandas_type, numpy_type) = nullable(field.data_type())?;
            let name = field.name();
            Some(json!({"name": name, "field_name": name, "pandas_type": pandas_type, "numpy_type": numpy_type, "metadata": null}))
        })
        .collect();
    if columns.is_empty() {
        return Arc::clone(rows.schema());
    }
    let told = json!({"index_columns": [], "column_indexes": [], "columns": columns});
    let mut schema = rows.schema().as_ref().clone();
    schema.metadata.insert(KEY.to_owned(), told.to_string());
    Arc::new(schema)
}

/// What pandas calls a type, and its own type that has nulls.
fn nullable(data_type: &DataType) -> Option<(&'static str, &'static str)> {
    Some(match data_type {
        DataType::Boolean => ("bool", "boolean"),
        DataType::Int8 => ("int8", "Int8"),
        DataType::Int16 => ("int16", "Int16"),
        DataType::Int32 => ("int32", "Int32"),
        DataType::Int64 => ("int64", "Int64"),
        DataType::UInt8 => ("uint8", "UInt8"),
        DataType::UInt16 => ("uint16", "UInt16"),
        DataType::UInt32 => ("uint32", "UInt32"),
        DataType::UInt64 => ("uint64", "UInt64"),
        _ => return None,
    })
}
