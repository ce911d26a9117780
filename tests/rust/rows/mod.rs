mod cutting;
mod hostile;
mod reading;
mod streaming;
mod widening;

use arrow_array::Array;
use rowhaul::rows::{DecodeError, DecodeOptions, Decoder, Form, Rows, write};

/// Decodes a body as one piece.
fn decode(body: &[u8]) -> Result<Rows, DecodeError> {
    decode_with(body, DecodeOptions { form: Form::Any, ..DecodeOptions::default() })
}

fn decode_with(body: &[u8], options: DecodeOptions) -> Result<Rows, DecodeError> {
    let mut decoder = Decoder::new(options);
    decoder.feed(body)?;
    Ok(decoder.finish()?.rows)
}

/// The rows as lines of JSON, the form in which tests compare tables.
fn lines(rows: &Rows) -> Vec<String> {
    let mut out = Vec::new();
    write::write_ndjson(rows, &mut out).unwrap();
    String::from_utf8(out).unwrap().lines().map(str::to_owned).collect()
}

/// `name: type` of each column.
fn types(rows: &Rows) -> Vec<String> {
    rows.schema().fields().iter().map(|field| format!("{}: {}", field.name(), field.data_type())).collect()
}

/// The text of a column of strings; `None` for null.
fn texts(rows: &Rows, column: &str) -> Vec<Option<String>> {
    let mut all = Vec::new();
    for batch in rows.batches() {
        let array = batch.column_by_name(column).unwrap();
        let array = array.as_any().downcast_ref::<arrow_array::StringViewArray>().unwrap();
        all.extend(array.iter().map(|text| text.map(str::to_owned)));
    }
    all
}
