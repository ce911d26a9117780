//! Two passes in constant memory: the first learns the final schema, the second makes batches of it.
//!
//! A column's type follows from all of its values, so nobody can hand out the first batch before the last row was seen.
//! The first pass keeps shapes and drops values; whoever drives it keeps the bytes, on disk.

use std::collections::VecDeque;
use std::io::{Read, Seek};
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};

use super::decode::Decoder;
use super::envelope::Envelope;
use super::error::DecodeError;
use super::finish::Plan;
use super::options::DecodeOptions;
use super::segments::Segment;
use super::slab::Slab;
use super::table::Note;

const READ_BYTES: usize = 256 * 1024;

/// What one batch is made of, and how many cells it has: the one before may still be held when it is made.
const BATCH_BYTES: usize = 8 << 20;
const BATCH_CELLS: usize = 4 << 20;

/// Few of the cells are ever held at once, so there may be many more of them than in a table. What bounds them is time: a few
/// bytes can name ten thousand columns, and each batch has all of them.
const CELLS_PER_BYTE: u64 = 64;

/// The first pass over a body.
#[derive(Debug)]
pub struct Survey {
    options: DecodeOptions,
    decoder: Decoder,
}

/// What the first pass found.
#[derive(Debug)]
pub struct Surveyed {
    pub envelope: Envelope,
    pub row_count: u64,
    options: DecodeOptions,
    plan: Plan,
}

impl Survey {
    pub fn new(options: DecodeOptions) -> Self {
        let options = DecodeOptions {
            batch_bytes: options.batch_bytes.min(BATCH_BYTES),
            batch_cells: options.batch_cells.min(BATCH_CELLS),
            cells_per_byte: options.cells_per_byte.max(CELLS_PER_BYTE),
            ..options
        };
        Self { decoder: Decoder::new(options.clone()), options }
    }

    /// Takes the next bytes of the body. After an error the survey is spent.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), DecodeError> {
        self.decoder.feed(bytes)?;
        self.decoder.take_full();
        Ok(())
    }

    pub fn rows_read(&self) -> u64 {
        self.decoder.rows_read()
    }

    /// Reads everything that was fed: see [`Decoder::settle`].
    pub fn settle(&mut self) -> Result<(), DecodeError> {
        self.decoder.settle()
    }

    /// Ends the first pass.
    pub fn finish(mut self) -> Result<Surveyed, DecodeError> {
        self.decoder.end()?;
        self.decoder.close_segment();
        let (plan, row_count) = (self.decoder.plan(), self.decoder.rows_read());
        Ok(Surveyed { envelope: self.decoder.take_envelope(), row_count, options: self.options, plan })
    }
}

impl Surveyed {
    /// The second pass: the same bytes again, as batches of the final schema.
    ///
    /// Where types were asked for, whether every value converts shows only in the final types, so the bytes are read
    /// once more before that; `reader` has to start over then.
    pub fn batches<R: Read + Seek>(mut self, mut reader: R) -> Result<Batches<R>, ArrowError> {
        if !self.plan.conversions.is_empty() {
            reader.rewind()?;
            let mut segments = Segmented::new(&self.options, &mut reader);
            while let Some(segment) = segments.next()? {
                let batch = self.plan.batch(segment, &mut Slab::default());
                self.plan.conversions.observe(&batch);
            }
        }
        reader.rewind()?;
        let (schema, notes) = self.plan.settle();
        Ok(Batches { segments: Segmented::new(&self.options, reader), plan: self.plan, schema, notes })
    }
}

/// Batches of a surveyed body, one at a time.
#[derive(Debug)]
pub struct Batches<R> {
    segments: Segmented<R>,
    plan: Plan,
    schema: SchemaRef,
    notes: Vec<Note>,
}

impl<R> Batches<R> {
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }
}

impl<R: Read> Iterator for Batches<R> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let segment = match self.segments.next() {
            Ok(segment) => segment?,
            Err(error) => return Some(Err(error)),
        };
        let converted = self.plan.convert(&self.plan.batch(segment, &mut Slab::default()), &self.schema);
        let failed = || ArrowError::CastError("a value does not convert to the type asked for".to_owned());
        Some(converted.ok_or_else(failed))
    }
}

impl<R: Read> RecordBatchReader for Batches<R> {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

/// Segments of a body, read again as they are asked for.
#[derive(Debug)]
struct Segmented<R> {
    reader: R,
    decoder: Decoder,
    ready: VecDeque<Segment>,
    is_done: bool,
    buffer: Vec<u8>,
}

impl<R: Read> Segmented<R> {
    fn new(options: &DecodeOptions, reader: R) -> Self {
        let decoder = Decoder::new(options.clone());
        Self { reader, decoder, ready: VecDeque::new(), is_done: false, buffer: vec![0; READ_BYTES] }
    }

    /// The next segment; nothing comes after an error.
    fn next(&mut self) -> Result<Option<Segment>, ArrowError> {
        while self.ready.is_empty() && !self.is_done {
            if let Err(error) = self.advance() {
                self.is_done = true;
                return Err(error);
            }
        }
        Ok(self.ready.pop_front())
    }

    fn advance(&mut self) -> Result<(), ArrowError> {
        let count = match self.reader.read(&mut self.buffer) {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => return Ok(()),
            result => result?,
        };
        let read = if count == 0 {
            self.is_done = true;
            self.decoder.end().map(|()| self.decoder.close_segment())
        } else {
            self.decoder.feed(&self.buffer[..count])
        };
        read.map_err(|error| ArrowError::ExternalError(Box::new(error)))?;
        self.ready.extend(self.decoder.take_full());
        Ok(())
    }
}
