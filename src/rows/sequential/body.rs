//! Bytes to rows, window by window.
//!
//! Whole rows are read from the window at hand straight into columns; what is left of a row at its end is kept and read
//! again with what comes next. A row that does not fit is tried again only when twice as much of it is there, so that a
//! huge row in small pieces costs linear time. Where one batch is held at a time, what stands after it waits there,
//! too.

use super::adopt::{Adopted, RowsAhead};
use super::rest::Rest;
use super::segments::{KnownShapes, Segments};
use crate::rows::columns::{Context, Segment};
use crate::rows::envelope::{Envelope, EnvelopeReader, Next};
use crate::rows::error::DecodeError;
use crate::rows::error_kind::DecodeErrorKind;
use crate::rows::finish::Plan;
use crate::rows::json::cursor::{Cursor, Fault, Stop};
use crate::rows::limits::MAX_ROW_BYTES;
use crate::rows::memory::Arena;
use crate::rows::options::DecodeOptions;
use crate::rows::table::{Note, Rows};
use crate::rows::threads::Workers;

/// This many bytes of what is fed next are first appended to what was left of a row, which mostly ends among them.
const STITCH: usize = 16 << 10;

/// A body read in one thread.
pub(in crate::rows) struct Sequential {
    reader: EnvelopeReader,
    pub(super) context: Context,
    pub(super) segments: Segments,
    /// What was left of the last window.
    rest: Rest,
    /// `rest` is not looked at again before it is this long.
    wanted: usize,
    /// How many bytes were fed after the window that is read.
    bytes_after: usize,
    /// Bytes of the body before `rest`.
    pub(super) consumed: u64,
}

impl Sequential {
    pub(in crate::rows) fn new(options: DecodeOptions) -> Self {
        let (form, mut segments) = (options.form.clone(), Segments::new(options));
        let mut context = Context::default();
        segments.recount(&mut context);
        let reader = EnvelopeReader::new(form);
        Self { reader, context, segments, rest: Rest::default(), wanted: 0, bytes_after: 0, consumed: 0 }
    }

    /// Takes the next bytes of the body. After an error it is spent.
    pub(in crate::rows) fn feed(&mut self, bytes: &[u8]) -> Result<(), DecodeError> {
        let left = self.stitch_row(bytes)?;
        if self.rest.is_empty() && !self.is_held_up() {
            let taken = self.read_windows(left)?;
            self.rest.extend_from_slice(&left[taken..]);
            return Ok(());
        }
        self.rest.extend_from_slice(left);
        if self.is_held_up() || self.rest.len() < self.wanted {
            return Ok(());
        }
        self.read_on()
    }

    /// Completes the row that was left over with the first [`STITCH`] of these bytes, if they do, so that all after it
    /// can be read where they are. Returns the part of `bytes` that was neither read nor appended to the rest.
    fn stitch_row<'b>(&mut self, bytes: &'b [u8]) -> Result<&'b [u8], DecodeError> {
        let (before, wanted) = (self.rest.len(), self.wanted);
        if before == 0 || bytes.len() <= STITCH || before + STITCH < wanted || self.is_held_up() {
            return Ok(bytes);
        }
        let (few, later) = bytes.split_at(STITCH);
        let mut rest = std::mem::take(&mut self.rest);
        rest.extend_from_slice(few);
        self.bytes_after = later.len();
        let taken = self.read_windows(rest.bytes())?;
        self.bytes_after = 0;
        if taken >= before && !self.is_held_up() {
            return Ok(&bytes[taken - before..]);
        }
        rest.skip(taken);
        (self.rest, self.wanted) = (rest, wanted);
        Ok(later)
    }

    /// Whether a batch has to be taken before more is read of what was fed.
    pub(in crate::rows) fn is_held_up(&self) -> bool {
        self.segments.has_batch()
    }

    /// Reads what it keeps of what was fed as far as whole rows go, or as far as a batch.
    pub(in crate::rows) fn read_on(&mut self) -> Result<(), DecodeError> {
        let mut rest = self.take_rest();
        let taken = self.read_windows(rest.bytes())?;
        rest.skip(taken);
        self.rest = rest;
        Ok(())
    }

    /// Whole rows read so far.
    pub(in crate::rows) fn rows_read(&self) -> u64 {
        self.segments.rows_read()
    }

    /// Bytes read so far; what is left of a row does not count.
    pub(in crate::rows) fn consumed(&self) -> u64 {
        self.consumed
    }

    /// A reader that goes on after the last row, where that is a place between two rows.
    pub(in crate::rows) fn between_rows(&self) -> Option<EnvelopeReader> {
        self.reader.between_rows()
    }

    /// Whether all that was fed is read and ends right after a row.
    pub(in crate::rows) fn stands_between_rows(&self) -> bool {
        self.rest.is_empty() && self.reader.is_between_rows()
    }

    /// Whether rows may still come.
    pub(in crate::rows) fn is_in_rows(&self) -> bool {
        self.reader.is_in_rows()
    }

    /// What the ends of texts and arrays of rows that are read ahead are to be laid out in.
    pub(in crate::rows) fn spare_arena(&mut self) -> Arena {
        self.segments.spare_arenas.pop().unwrap_or_default()
    }

    #[cfg(test)]
    pub(in crate::rows) fn spare_arenas(&self) -> usize {
        self.segments.spare_arenas.len()
    }

    /// What the columns are known to hold so far.
    pub(in crate::rows) fn known(&self) -> KnownShapes {
        self.segments.known()
    }

    /// Takes over rows that were read ahead from the very place where this reading stands, or nothing.
    pub(in crate::rows) fn adopt(&mut self, ahead: RowsAhead) -> Adopted {
        let taken = ahead.taken;
        let adopted = self.segments.adopt(ahead, &mut self.context);
        if adopted == Adopted::Rows {
            self.consumed += taken as u64;
        }
        adopted
    }

    /// What was left of the last row, which then has to be fed again.
    pub(in crate::rows) fn take_rest(&mut self) -> Rest {
        self.wanted = 0;
        std::mem::take(&mut self.rest)
    }

    /// Drops the bytes that are left of the last row, and says where in the body to feed from again.
    pub(in crate::rows) fn rewind(&mut self) -> usize {
        self.take_rest();
        usize::try_from(self.consumed).expect("only of a body that is in memory")
    }

    /// Reads what is left and checks that the body is whole.
    pub(in crate::rows) fn end(&mut self) -> Result<(), DecodeError> {
        let rest = std::mem::take(&mut self.rest);
        self.end_with(rest.bytes())
    }

    /// Reads the last bytes of the body, with nothing left over before them, and checks that it is whole.
    pub(in crate::rows) fn end_with(&mut self, bytes: &[u8]) -> Result<(), DecodeError> {
        let read = if bytes.len() >= MAX_ROW_BYTES { self.read_windows(bytes)? } else { 0 };
        let taken = self.read_window(&bytes[read..], true)?;
        self.consumed += taken as u64;
        if self.reader.lacks_data() {
            return Err(self.fail_malformed(self.reader.no_rows(), self.consumed));
        }
        let envelope = &self.reader.envelope;
        match envelope.row_count {
            Some(count) if envelope.has_data && count != self.rows_read() => {
                let message = format!("`row_count` is {count}, but the rows are {}", self.rows_read());
                Err(self.fail_malformed(message, self.consumed))
            }
            _ => Ok(()),
        }
    }

    /// The fault of a body that ends after what was fed, with the rows before.
    pub(in crate::rows) fn cut_short(&mut self, message: String) -> DecodeError {
        let end = self.consumed + self.rest.len() as u64;
        self.fail(DecodeErrorKind::Truncated, message, end)
    }

    /// The rows that it holds, with what is to be said of the body; nothing is read into it after that. If there are
    /// threads that helped to read, they help to make the table.
    pub(in crate::rows) fn take_rows(&mut self, workers: Option<Workers>) -> Rows {
        let mut rows = std::mem::take(&mut self.segments).finish(&mut self.context, workers);
        self.doubt().into_iter().for_each(|note| rows.push_note(note));
        rows
    }

    /// What is to be said where the body may have been meant as something else.
    pub(in crate::rows) fn doubt(&self) -> Option<Note> {
        self.reader.doubt()
    }

    /// Seals the open segment and opens the next.
    pub(in crate::rows) fn seal_and_open(&mut self) {
        self.segments.seal_and_open(&mut self.context);
    }

    /// The sealed segments, which are then no longer held.
    pub(in crate::rows) fn take_sealed(&mut self) -> Vec<Segment> {
        self.segments.take_sealed()
    }

    /// What the rows in sealed segments turned out to be.
    pub(in crate::rows) fn plan(&self) -> Plan {
        self.segments.plan(&self.context)
    }

    pub(in crate::rows) fn take_envelope(&mut self) -> Envelope {
        std::mem::take(&mut self.reader.envelope)
    }

    /// Reads as far as whole rows go, or as far as a batch, and gives the bytes they took.
    fn read_windows(&mut self, bytes: &[u8]) -> Result<usize, DecodeError> {
        let mut read = 0;
        loop {
            let left = &bytes[read..];
            let window = &left[..left.len().min(MAX_ROW_BYTES)];
            let taken = self.read_window(window, false)?;
            self.consumed += taken as u64;
            read += taken;
            if taken == 0 && window.len() == MAX_ROW_BYTES {
                let what = if window.trim_ascii().is_empty() { "white space" } else { self.reader.place_name() };
                let message = format!("{what} is larger than {} MiB", MAX_ROW_BYTES >> 20);
                return Err(self.fail_malformed(message, self.consumed));
            }
            if self.is_held_up() {
                self.wanted = 0;
                return Ok(read);
            }
            if window.len() < MAX_ROW_BYTES {
                self.wanted = (bytes.len() - read).saturating_mul(2).min(MAX_ROW_BYTES);
                return Ok(read);
            }
        }
    }

    /// Reads all whole steps of a window and gives the bytes they took.
    fn read_window(&mut self, window: &[u8], is_last: bool) -> Result<usize, DecodeError> {
        self.segments.set_bytes_available(window.len() + self.bytes_after);
        let mut cursor = Cursor::new(window, is_last);
        loop {
            let before = cursor.at;
            match self.read_step(&mut cursor) {
                Ok(Next::End) => return Ok(cursor.at),
                Ok(_) => {}
                Err(Stop::Bad(fault)) => {
                    let Fault { at, kind, message } = *fault;
                    return Err(self.fail(kind, message, self.consumed + at as u64));
                }
                // Only `NeedMore` comes here: reading a row deals with whatever else stops one.
                Err(_) if is_last => return Err(self.ends_early(window)),
                Err(_) => return Ok(before),
            }
            self.segments.advance(cursor.at - before, &mut self.context);
            if self.is_held_up() && !is_last {
                return Ok(cursor.at);
            }
        }
    }

    #[inline]
    fn read_step(&mut self, cursor: &mut Cursor<'_>) -> Result<Next, Stop> {
        let next = self.reader.step(cursor)?;
        if next == Next::Row {
            self.segments.read_row(cursor, &mut self.context)?;
            self.reader.took_row();
        }
        Ok(next)
    }

    fn ends_early(&mut self, window: &[u8]) -> DecodeError {
        let message = if self.reader.is_blank(window) { "the body is empty" } else { "the body ends early" };
        self.fail(DecodeErrorKind::Truncated, message.to_owned(), self.consumed + window.len() as u64)
    }

    /// See [`fail`](Self::fail).
    #[cold]
    fn fail_malformed(&mut self, message: String, byte_offset: u64) -> DecodeError {
        self.fail(DecodeErrorKind::Malformed, message, byte_offset)
    }

    /// Makes the error, which takes all rows read so far with it: nothing is read after that.
    fn fail(&mut self, kind: DecodeErrorKind, message: String, byte_offset: u64) -> DecodeError {
        let rows_read = self.rows_read();
        let row = self.reader.is_in_rows().then_some(rows_read);
        let rows = self.take_rows(None);
        DecodeError { kind, message, byte_offset, row, rows_read, rows: Box::new(rows) }
    }
}
