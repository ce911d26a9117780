//! The second pass over a body whose final schema is known: its rows again, a batch at a time.
//!
//! What one thread has read waits until it is taken, and the bytes after it wait as they are. Several threads read
//! ahead of that, a handful of chunks; so they are for rows that take about as much memory as their part of the body.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read};
use std::iter::repeat;
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};

use crate::rows::columns::Segment;
use crate::rows::decode::Decoder;
use crate::rows::error::DecodeError;
use crate::rows::finish::Plan;
use crate::rows::memory::{self, Arena};
use crate::rows::options::DecodeOptions;
use crate::rows::table::Note;

const READ_BYTES: usize = 256 * 1024;

/// Batches of a surveyed body, one at a time.
#[derive(Debug)]
pub struct Batches<R> {
    segments: Segmented<R>,
    plan: Plan,
    schema: SchemaRef,
    notes: Vec<Note>,
}

impl<R> Batches<R> {
    /// Of a plan that has observed all values.
    pub(in crate::rows) fn new(segments: Segmented<R>, mut plan: Plan, doubt: Option<Note>) -> Self {
        let (schema, mut notes) = plan.settle();
        notes.extend(doubt);
        Self { segments, plan, schema, notes }
    }

    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// Gives back what the bytes are read from and leaks the decoder, whose threads are not there in the child of a
    /// fork.
    pub fn abandon(self) -> R {
        let Segmented { reader, decoder, .. } = self.segments;
        std::mem::forget(decoder);
        reader
    }
}

impl<R: Read> Iterator for Batches<R> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let segment = match self.segments.next() {
            Ok(segment) => segment?,
            Err(error) => return Some(Err(error)),
        };
        let converted = self.plan.convert(&self.plan.batch(segment, &mut Arena::default()), repeat(None), &self.schema);
        Some(converted.ok_or_else(|| {
            self.segments.stop();
            ArrowError::CastError("a value does not convert to the type asked for".to_owned())
        }))
    }
}

impl<R: Read> RecordBatchReader for Batches<R> {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

/// Segments of a body, read again as they are asked for.
#[derive(Debug)]
pub(in crate::rows) struct Segmented<R> {
    reader: R,
    decoder: Decoder,
    ready: VecDeque<Segment>,
    /// Whether the decoder has bytes that it leaves until what it has read is taken.
    is_held_up: bool,
    is_done: bool,
    buffer: Vec<u8>,
}

impl<R: Read> Segmented<R> {
    pub(in crate::rows) fn new(options: &DecodeOptions, reader: R) -> Self {
        let decoder = Decoder::holding(options.clone());
        Self { reader, decoder, ready: VecDeque::new(), is_held_up: false, is_done: false, buffer: vec![0; READ_BYTES] }
    }

    /// The next segment; nothing comes after an error.
    pub(in crate::rows) fn next(&mut self) -> Result<Option<Segment>, ArrowError> {
        if self.ready.is_empty() {
            memory::trim_to_a_batch();
        }
        while self.ready.is_empty() && !self.is_done {
            self.advance().inspect_err(|_| self.stop())?;
        }
        Ok(self.ready.pop_front())
    }

    /// Has nothing come any more.
    fn stop(&mut self) {
        self.is_done = true;
        self.ready.clear();
    }

    fn advance(&mut self) -> Result<(), ArrowError> {
        let read = if self.is_held_up { None } else { Some(self.read()?) };
        match read {
            Some(count @ 1..) => self.decoder.feed(&self.buffer[..count]).map_err(unread)?,
            // What the decoder has kept is read on.
            Some(0) | None => self.decoder.sequential.read_on().map_err(unread)?,
        }
        self.is_held_up = self.decoder.sequential.is_held_up();
        if read == Some(0) && !self.is_held_up {
            self.is_done = true;
            self.decoder.end().map_err(unread)?;
            self.decoder.sequential.seal_and_open();
        }
        self.ready.extend(self.decoder.sequential.take_sealed());
        Ok(())
    }

    /// Reads some bytes of the body; none are left where there are 0.
    fn read(&mut self) -> std::io::Result<usize> {
        loop {
            match self.reader.read(&mut self.buffer) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                result => return result,
            }
        }
    }
}

fn unread(error: DecodeError) -> ArrowError {
    ArrowError::ExternalError(Box::new(error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::options::{Form, Hold};

    #[test]
    fn one_thread_reads_no_further_than_a_batch() {
        let body = "[{\"a\":1},{\"a\":2},{\"a\":3},{\"a\":4},{\"a\":5}]";
        let options = DecodeOptions { form: Form::Any, batch_rows: 2, hold: Hold::Batch, ..DecodeOptions::default() };
        let mut segments = Segmented::new(&options, body.as_bytes());
        let mut rows = Vec::new();
        while let Some(segment) = segments.next().unwrap() {
            rows.push(segment.len);
            assert!(segments.ready.is_empty());
        }
        assert_eq!(rows, [2, 2, 1]);
    }

    #[test]
    fn a_row_that_waits_for_more_of_it_is_read_when_nothing_more_comes() {
        let text = "x".repeat(3 * READ_BYTES / 2);
        let body = format!("[{{\"a\":\"{text}\"}},{{\"a\":\"b\"}},{{}},{{}}]");
        let options = DecodeOptions { form: Form::Any, batch_rows: 1, hold: Hold::Batch, ..DecodeOptions::default() };
        let mut segments = Segmented::new(&options, body.as_bytes());
        for _ in 0..4 {
            assert_eq!(segments.next().unwrap().map(|segment| segment.len), Some(1));
            assert!(segments.ready.is_empty());
        }
        assert!(segments.next().unwrap().is_none());
    }
}
