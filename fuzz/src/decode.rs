//! Every way through the decoder; all of them have to give the same.

use std::io::Cursor;

use arrow_array::RecordBatch;
use arrow_schema::DataType;
use rowhaul::rows::{DecodeError, DecodeOptions, Decoder, Form, Limits, Rows, Survey, decode};

/// What came out.
#[derive(Debug)]
pub struct Table {
    pub columns: Vec<(String, DataType)>,
    pub batches: Vec<RecordBatch>,
    pub notes: Vec<String>,
}

/// How a body was given to the decoder, and what came of it.
pub type Way = (&'static str, Result<Table, DecodeError>);

/// Decodes a body as a whole, in pieces with small batches, and on two threads that take a few bytes each, be it of
/// pieces or of the body where it lies; and in two passes, as a stream is, on one thread and on two.
pub fn in_every_way(body: &[u8], form: Form, piece: usize, batch_rows: usize) -> Vec<Way> {
    let whole = DecodeOptions { form, threads: 1, ..DecodeOptions::default() };
    let small = DecodeOptions { batch_rows, ..whole.clone() };
    let shared =
        DecodeOptions { threads: 2, limits: Limits { chunk_bytes: 16 * piece, ..Limits::default() }, ..whole.clone() };
    let shared_small = DecodeOptions { batch_rows, ..shared.clone() };
    vec![
        ("whole", at_once(body.chunks(usize::MAX), whole)),
        ("in pieces", at_once(body.chunks(piece), small.clone())),
        ("on two threads", at_once(body.chunks(7 * piece), shared.clone())),
        ("on two threads, where it lies", decode(body.to_vec(), shared).map(|decoded| table(&decoded.rows))),
        ("in two passes", in_two_passes(body, piece, small)),
        ("in two passes, on two threads", in_two_passes(body, 7 * piece, shared_small)),
    ]
}

fn at_once<'a>(pieces: impl Iterator<Item = &'a [u8]>, options: DecodeOptions) -> Result<Table, DecodeError> {
    let mut decoder = Decoder::new(options);
    for piece in pieces {
        decoder.feed(piece)?;
    }
    decoder.finish().map(|decoded| table(&decoded.rows))
}

fn table(rows: &Rows) -> Table {
    let notes = rows.notes().iter().map(ToString::to_string).collect();
    Table { columns: columns(rows.schema()), batches: rows.batches().to_vec(), notes }
}

fn in_two_passes(body: &[u8], piece: usize, options: DecodeOptions) -> Result<Table, DecodeError> {
    let mut survey = Survey::new(options);
    for piece in body.chunks(piece) {
        survey.feed(piece)?;
    }
    let batches = survey.finish()?.batches(Cursor::new(body)).expect("what was read once is read again");
    let notes = batches.notes().iter().map(ToString::to_string).collect();
    let columns = columns(&arrow_array::RecordBatchReader::schema(&batches));
    let batches = batches.collect::<Result<_, _>>().expect("what was read once is read again");
    Ok(Table { columns, batches, notes })
}

fn columns(schema: &arrow_schema::Schema) -> Vec<(String, DataType)> {
    schema.fields().iter().map(|field| (field.name().clone(), field.data_type().clone())).collect()
}
