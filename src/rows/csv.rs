//! CSV answers as text columns: `007` stays `007`.

use std::sync::Arc;

use arrow_array::builder::StringViewBuilder;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema};

use super::error::DecodeError;
use super::finish::new_batch;
use super::table::Rows;

/// Decodes a whole CSV body with a header. Every column is text under its own name; an empty field is null.
///
/// # Errors
/// Refuses records of another length than the header, names that stand twice, invalid UTF-8, and a quote that stays open.
pub fn decode_csv(bytes: &[u8]) -> Result<Rows, DecodeError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if bytes.iter().fold(false, |is_open, &byte| is_open ^ (byte == b'"')) {
        return Err(refused("a quote stays open".to_owned(), bytes.len() as u64, None));
    }
    let mut reader = csv::ReaderBuilder::new().from_reader(bytes);
    let header = reader.headers().map_err(|error| of_csv(&error))?.clone();
    let mut names: Vec<&str> = header.iter().collect();
    names.sort_unstable();
    if let Some(twice) = names.windows(2).find_map(|pair| (pair[0] == pair[1]).then_some(pair[0])) {
        return Err(refused(format!("the column `{twice}` stands twice in the header"), 0, None));
    }
    let mut builders: Vec<StringViewBuilder> = header.iter().map(|_| StringViewBuilder::new()).collect();
    let mut len = 0;
    for record in reader.records() {
        let record = record.map_err(|error| of_csv(&error))?;
        for (builder, text) in builders.iter_mut().zip(record.iter()) {
            builder.append_option(Some(text).filter(|text| !text.is_empty()));
        }
        len += 1;
    }
    let fields: Vec<Field> = header.iter().map(|name| Field::new(name, DataType::Utf8View, true)).collect();
    let schema = Arc::new(Schema::new(fields));
    let arrays = builders.iter_mut().map(|builder| Arc::new(builder.finish()) as ArrayRef).collect();
    let batch: RecordBatch = new_batch(Arc::clone(&schema), arrays, len);
    Ok(Rows::new(schema, vec![batch], Vec::new()))
}

fn of_csv(error: &csv::Error) -> DecodeError {
    let position = error.position();
    let row = position.map(|position| position.record().saturating_sub(1));
    refused(format!("not CSV: {error}"), position.map_or(0, csv::Position::byte), row)
}

fn refused(message: String, byte_offset: u64, row: Option<u64>) -> DecodeError {
    DecodeError { message, byte_offset, row, rows_read: 0, rows: Box::new(Rows::empty()) }
}
