mod concat;
mod csv;
mod cutting;
mod declared;
mod envelopes;
mod handover;
mod hostile;
mod members;
mod numbers;
mod sniffing;
mod streaming;
mod values;
mod widening;

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use arrow_array::{Array, RecordBatch};
use arrow_select::concat::concat_batches;
use rowhaul::rows::{DecodeError, DecodeOptions, Decoder, Form, Limits, Note, Rows, write};

/// Decodes a body as one piece.
fn decode(body: &[u8]) -> Result<Rows, DecodeError> {
    decode_with(body, DecodeOptions { form: Form::Any, ..DecodeOptions::default() })
}

/// Decodes a body as one piece, in one thread and in several, and as one that is there as a whole: all have to agree in
/// everything.
fn decode_with(body: &[u8], options: DecodeOptions) -> Result<Rows, DecodeError> {
    let chunk_bytes = 16 + body.len() / 20;
    let limits = Limits { chunk_bytes, ..options.limits.clone() };
    let together = decode_pieces([body], DecodeOptions { threads: 3, limits: limits.clone(), ..options.clone() });
    let whole = |threads| {
        let options = DecodeOptions { threads, limits: limits.clone(), ..options.clone() };
        rowhaul::rows::decode(body.to_vec(), options).map(|decoded| decoded.rows)
    };
    let others = [together, whole(1), whole(3)];
    let alone = decode_pieces([body], DecodeOptions { threads: 1, ..options });
    for other in others {
        assert_eq!(outcome(&other), outcome(&alone), "{}", String::from_utf8_lossy(&body[..body.len().min(1000)]));
    }
    alone
}

fn decode_pieces<'a>(pieces: impl IntoIterator<Item = &'a [u8]>, options: DecodeOptions) -> Result<Rows, DecodeError> {
    let mut decoder = Decoder::new(options);
    for piece in pieces {
        decoder.feed(piece)?;
    }
    Ok(decoder.finish()?.rows)
}

/// Everything that came of a body; how the rows are split into batches is no part of it.
#[derive(Debug, PartialEq)]
struct Outcome {
    rows: RecordBatch,
    notes: Vec<Note>,
    /// Message, offset and row.
    error: Option<(String, u64, Option<u64>)>,
}

fn outcome(decoded: &Result<Rows, DecodeError>) -> Outcome {
    let (rows, error) = match decoded {
        Ok(rows) => (rows, None),
        Err(error) => (&*error.rows, Some((error.message.clone(), error.byte_offset, error.row))),
    };
    let notes = rows.notes().to_vec();
    Outcome { rows: concat_batches(rows.schema(), rows.batches()).unwrap(), notes, error }
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

/// What takes a second where time is linear, and half an hour where it is not.
fn in_time<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, result) = mpsc::channel();
    thread::spawn(move || done.send(work()));
    result.recv_timeout(Duration::from_secs(120)).expect("linear time")
}

/// The text of a column of strings; `None` for null.
fn texts(rows: &Rows, column: &str) -> Vec<Option<String>> {
    let mut all = Vec::new();
    for batch in rows.batches() {
        let array = batch.column_by_name(column).unwrap();
        let array = array.as_any().downcast_ref::<arrow_array::StringArray>().unwrap();
        all.extend(array.iter().map(|text| text.map(str::to_owned)));
    }
    all
}
