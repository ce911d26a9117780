//! What a cell of the table must hold.

use std::borrow::Cow;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type, UInt64Type};
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;

use crate::json::Json;
use crate::text::canonical;
use crate::types::{Number, number};

/// Compares all batches with the rows of the body.
pub fn compare(batches: &[RecordBatch], rows: &[Json]) {
    let found: usize = batches.iter().map(RecordBatch::num_rows).sum();
    assert_eq!(found, rows.len(), "rows");
    let mut rows = rows.iter();
    for batch in batches {
        for (at, row) in rows.by_ref().take(batch.num_rows()).enumerate() {
            for (field, column) in batch.schema().fields().iter().zip(batch.columns()) {
                assert!(holds(column, at, row.member(field.name())), "row {at} of a batch, {}: {row:?}", field.name());
            }
        }
    }
}

fn holds(array: &dyn Array, at: usize, sent: Option<&Json>) -> bool {
    let is_null = array.data_type() == &DataType::Null || array.is_null(at);
    let sent = match sent {
        None | Some(Json::Null) => return is_null,
        Some(_) if is_null => return false,
        Some(sent) => sent,
    };
    match (array.data_type(), sent) {
        (DataType::Boolean, Json::Boolean(sent)) => array.as_boolean().value(at) == *sent,
        (DataType::Int64, Json::Number(sent)) => {
            number(sent) == Number::Integer(array.as_primitive::<Int64Type>().value(at).into())
        }
        (DataType::UInt64, Json::Number(sent)) => {
            number(sent) == Number::Integer(array.as_primitive::<UInt64Type>().value(at).into())
        }
        (DataType::Float64, Json::Number(sent)) => {
            let sent = match number(sent) {
                Number::Integer(value) => value as f64,
                Number::Float(value) => value,
                Number::Endless => return false,
            };
            array.as_primitive::<Float64Type>().value(at).to_bits() == sent.to_bits()
        }
        (DataType::Utf8, sent) => array.as_string::<i32>().value(at) == text(sent),
        (DataType::List(_), Json::Array(sent)) => {
            let elements = array.as_list::<i32>().value(at);
            elements.len() == sent.len() && sent.iter().enumerate().all(|(at, sent)| holds(&elements, at, Some(sent)))
        }
        (DataType::Struct(fields), Json::Object(_)) => fields
            .iter()
            .zip(array.as_struct().columns())
            .all(|(field, member)| holds(member, at, sent.member(field.name()))),
        _ => false,
    }
}

/// What a column of text holds of a value: strings as they are, everything else as its JSON text.
fn text(sent: &Json) -> Cow<'_, str> {
    if let Json::Text(sent) = sent { sent.into() } else { canonical(sent).into() }
}
