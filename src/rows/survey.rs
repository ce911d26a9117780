//! Two passes in constant memory: the first learns the final schema, the second makes batches of it.
//!
//! A column's type follows from all of its values, so nobody can hand out the first batch before the last row was seen.
//! The first pass keeps shapes and drops values; whoever drives it keeps the bytes, on disk.

use std::collections::VecDeque;
use std::io::Read;
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};

use super::convert::Conversions;
use super::decode::{Decoder, Envelope};
use super::error::DecodeError;
use super::finish::Plan;
use super::options::DecodeOptions;
use super::segments::Segment;
use super::table::Note;

const READ_BYTES: usize = 256 * 1024;

/// The first pass over a body.
#[derive(Debug)]
pub struct Survey {
    options: DecodeOptions,
    decoder: Decoder,
    /// What the batches dropped so far say of the conversions asked for.
    conversions: Conversions,
}

/// What the first pass found.
#[derive(Debug)]
pub struct Surveyed {
    pub envelope: Envelope,
    pub schema: SchemaRef,
    pub notes: Vec<Note>,
    pub row_count: u64,
    options: DecodeOptions,
    plan: Plan,
}

impl Survey {
    pub fn new(options: DecodeOptions) -> Self {
        Self { decoder: Decoder::new(options.clone()), options, conversions: Conversions::default() }
    }

    /// Takes the next bytes of the body. After an error the survey is spent.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), DecodeError> {
        self.decoder.feed(bytes)?;
        self.drop_segments();
        Ok(())
    }

    pub fn rows_read(&self) -> u64 {
        self.decoder.rows_read()
    }

    /// Ends the first pass.
    pub fn finish(mut self) -> Result<Surveyed, DecodeError> {
        self.decoder.end()?;
        self.decoder.segments.close();
        self.drop_segments();
        let mut plan = self.decoder.plan();
        plan.conversions.adopt(self.conversions);
        let (schema, notes) = plan.settle();
        let row_count = self.decoder.rows_read();
        Ok(Surveyed { envelope: self.decoder.take_envelope(), schema, notes, row_count, options: self.options, plan })
    }

    fn drop_segments(&mut self) {
        let full = self.decoder.segments.take_full();
        if full.is_empty() || !self.options.has_wishes() {
            return;
        }
        let mut plan = self.decoder.plan();
        plan.conversions.adopt(std::mem::take(&mut self.conversions));
        for segment in full {
            let batch = plan.batch(segment);
            plan.conversions.observe(&batch);
        }
        self.conversions = plan.conversions;
    }
}

impl Surveyed {
    /// The second pass: the same bytes again, as batches of the final schema.
    pub fn batches<R: Read>(self, reader: R) -> Batches<R> {
        let decoder = Decoder::new(self.options.clone());
        Batches { reader, decoder, surveyed: self, ready: VecDeque::new(), is_done: false, buffer: vec![0; READ_BYTES] }
    }
}

/// Batches of a surveyed body, one at a time.
#[derive(Debug)]
pub struct Batches<R> {
    reader: R,
    decoder: Decoder,
    surveyed: Surveyed,
    ready: VecDeque<Segment>,
    is_done: bool,
    buffer: Vec<u8>,
}

impl<R: Read> Batches<R> {
    fn advance(&mut self) -> Result<(), ArrowError> {
        let count = match self.reader.read(&mut self.buffer) {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => return Ok(()),
            result => result?,
        };
        let read = if count == 0 {
            self.is_done = true;
            self.decoder.end().map(|()| self.decoder.segments.close())
        } else {
            self.decoder.feed(&self.buffer[..count])
        };
        read.map_err(|error| ArrowError::ExternalError(Box::new(error)))?;
        self.ready.extend(self.decoder.segments.take_full());
        Ok(())
    }

    fn convert(&self, segment: Segment) -> Result<RecordBatch, ArrowError> {
        let plan = &self.surveyed.plan;
        let converted = plan.convert(&plan.batch(segment), &self.surveyed.schema);
        converted.ok_or_else(|| ArrowError::CastError("a value does not convert to the type asked for".to_owned()))
    }
}

impl<R: Read> Iterator for Batches<R> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(segment) = self.ready.pop_front() {
                return Some(self.convert(segment));
            }
            if self.is_done {
                return None;
            }
            if let Err(error) = self.advance() {
                self.is_done = true;
                return Some(Err(error));
            }
        }
    }
}

impl<R: Read> RecordBatchReader for Batches<R> {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.surveyed.schema)
    }
}
