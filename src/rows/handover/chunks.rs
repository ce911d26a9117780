//! The body cut into chunks, which are given out to be read.

use bytes::Bytes;

use crate::rows::envelope::EnvelopeReader;
use crate::rows::error::DecodeError;
use crate::rows::limits::Limits;
use crate::rows::limits::MAX_ROW_BYTES;
use crate::rows::memory::Piece;
use crate::rows::options::DecodeOptions;
use crate::rows::sequential::Sequential;
use crate::rows::threads::{MAX_THREADS, Workers};

use super::boundary::Boundary;
use super::in_flight::{InFlight, MIN_IN_FLIGHT};
use super::read_chunk::read_chunk;
use super::track_record::TrackRecord;

/// A whole body is cut into this many parts for each thread, or more where they would be longer than
/// [`Limits::chunk_bytes`]. With many the threads would be busy more evenly, but each becomes a batch of its own, which
/// costs whoever takes the rows.
const CHUNKS_PER_THREAD: usize = 2;
/// No part is aimed to be smaller, unless its rows are sparse or there are so many threads that chunks are.
const MIN_PART: usize = 1 << 20;
/// By so many sixteenths of a part the last is shorter: who reads it has begun later than the thread that feeds.
const SIXTEENTHS_SHORTER: usize = 3;

/// No chunk is aimed to be smaller, however sparse its rows are, unless it was asked for.
const MIN_CHUNK: usize = 64 << 10;

/// A chunk in which no row ends grows no further once it is this many times [`Limits::chunk_bytes`] long: the bytes in
/// it are then read as they stand.
const MAX_GROWTH: usize = 4;

/// The reading of one body by several threads: here what they are given, in `in_order` what comes back.
pub(in crate::rows) struct Handover {
    /// Those of the body, but for [`Limits::chunk_bytes`]: with more than three threads that is less here.
    options: DecodeOptions,
    /// Reads on from between two rows of this body.
    reader: EnvelopeReader,
    pub(super) boundary: Option<Boundary>,
    /// The chunk being collected. It begins where a row is taken to end.
    pub(super) filling: Piece,
    /// It is cut when it is this long.
    target: usize,
    pub(super) in_flight: InFlight,
    /// Whether the next chunk does not begin where a row ends: it has to be cut anew, from where the sequential reading
    /// stands.
    pub(super) is_misplaced: bool,
    pub(super) record: TrackRecord,
    /// Whether everything from here on is for one thread.
    pub(super) is_over: bool,
}

impl Handover {
    /// Prepares to go on from where `sequential` stands, if that is among the rows.
    pub(in crate::rows) fn start(options: &DecodeOptions, sequential: &Sequential) -> Option<Self> {
        let threads = options.threads.clamp(1, MAX_THREADS);
        // Each additional thread holds one more chunk, so that chunks are shorter and the total stays the same.
        let chunk_bytes =
            (options.limits.chunk_bytes.saturating_mul(MIN_IN_FLIGHT) / threads.max(MIN_IN_FLIGHT)).max(1);
        let in_flight = InFlight::new(threads);
        Some(Self {
            options: DecodeOptions {
                threads,
                limits: Limits { chunk_bytes, ..options.limits.clone() },
                ..options.clone()
            },
            reader: sequential.between_rows()?,
            boundary: None,
            filling: Piece::default(),
            target: 0,
            is_misplaced: false,
            record: TrackRecord::new(in_flight.most()),
            in_flight,
            is_over: false,
        })
    }

    /// Whether all was handed over, and what follows is for one thread.
    pub(in crate::rows) fn is_over(&self) -> bool {
        self.is_over
    }

    /// The threads that have read, once all was handed over.
    pub(in crate::rows) fn into_workers(self) -> Option<Workers> {
        self.in_flight.into_workers()
    }

    pub(in crate::rows) fn feed(&mut self, mut bytes: &[u8], sequential: &mut Sequential) -> Result<(), DecodeError> {
        while !bytes.is_empty() {
            if self.is_over {
                return sequential.feed(bytes);
            }
            if self.target == 0 {
                let rest = sequential.take_rest();
                self.begin_with(rest.bytes(), sequential);
            }
            let room = self.target - self.filling.len();
            let (now, later) = bytes.split_at(room.min(bytes.len()));
            self.filling.extend_from_slice(now);
            bytes = later;
            if self.filling.len() >= self.target {
                self.cut(sequential)?;
            }
        }
        self.hand_over_finished(sequential)
    }

    /// Has the body read on from where `sequential` stands, as far as other threads can help; nothing was fed to this
    /// before.
    pub(in crate::rows) fn feed_whole(&mut self, body: &Bytes, sequential: &mut Sequential) -> Result<(), DecodeError> {
        let mut at = sequential.rewind();
        let part = part_bytes(body.len() - at, self.options.threads, self.options.limits.chunk_bytes);
        let mut target = part.min(self.chunk_bytes(sequential));
        while !self.is_over && at < body.len() && self.in_flight.start_workers() {
            let Some(chunk) = self.first_chunk(&body.slice(at..), target) else { break };
            at += chunk.len();
            self.submit(chunk, sequential)?;
            target = part.min(self.chunk_bytes(sequential));
            if self.is_misplaced {
                self.drain(sequential)?;
                self.is_over |= !sequential.is_in_rows();
                (at, self.is_misplaced) = (sequential.rewind(), false);
            }
        }
        self.drain(sequential)
    }

    /// The rows at the beginning of `left`, about `target` bytes of them, or more where rows are longer; `None` where
    /// not even all that may be looked at in one go has the end of one.
    fn first_chunk(&mut self, left: &Bytes, mut target: usize) -> Option<Bytes> {
        loop {
            // Each ends a little before it could, so the last has some rows more: few rows are not worth a batch of
            // their own. Whoever reads the last one leaves what stands after the rows.
            if left.len() <= (target + target / 8).min(MAX_ROW_BYTES) {
                return Some(left.clone());
            }
            let chunk = left.slice(..target);
            let boundary = self.boundary.get_or_insert_with(|| Boundary::learn(&chunk));
            if let Some(end) = boundary.last(&chunk) {
                return Some(chunk.slice(..end));
            }
            if target == MAX_ROW_BYTES {
                return None;
            }
            target = (target * 2).min(MAX_ROW_BYTES);
        }
    }

    /// Hands over everything; only what was never a whole row is left to be ended.
    pub(in crate::rows) fn end(&mut self, sequential: &mut Sequential) -> Result<(), DecodeError> {
        if self.in_flight.has_workers() && !self.is_misplaced && !self.filling.is_empty() {
            // Whoever reads it leaves what stands after the rows.
            let last = std::mem::take(&mut self.filling);
            self.submit(Bytes::from_owner(last), sequential)?;
        }
        self.drain(sequential)
    }

    /// Has everything up to here read, and begins a chunk where the last row of it ends.
    pub(in crate::rows) fn drain_and_restart(&mut self, sequential: &mut Sequential) -> Result<(), DecodeError> {
        self.drain(sequential)?;
        sequential.read_on()?;
        if sequential.is_in_rows() && !self.is_over {
            let rest = sequential.take_rest();
            self.begin_with(rest.bytes(), sequential);
            self.is_misplaced = false;
        } else {
            self.is_over = true;
        }
        Ok(())
    }

    /// Cuts the chunk off after its last row.
    fn cut(&mut self, sequential: &mut Sequential) -> Result<(), DecodeError> {
        if self.is_misplaced {
            return self.drain_and_restart(sequential);
        }
        let boundary = self.boundary.get_or_insert_with(|| Boundary::learn(&self.filling));
        if let Some(end) = boundary.last(&self.filling) {
            return self.submit_first(end, sequential);
        }
        if self.filling.len() < MAX_GROWTH * self.options.limits.chunk_bytes {
            self.aim_at(self.filling.len() * 2);
            return Ok(());
        }
        self.drain_and_restart(sequential)
    }

    /// Has the first `end` bytes of those that were collected read, and goes on with the rest.
    fn submit_first(&mut self, end: usize, sequential: &mut Sequential) -> Result<(), DecodeError> {
        if !self.in_flight.start_workers() {
            return self.fall_back(sequential);
        }
        let mut chunk = std::mem::take(&mut self.filling);
        self.begin_with(&chunk[end..], sequential);
        chunk.truncate(end);
        self.submit(Bytes::from_owner(chunk), sequential)
    }

    /// Has a chunk read that stands after all others.
    fn submit(&mut self, chunk: Bytes, sequential: &mut Sequential) -> Result<(), DecodeError> {
        let (reader, known, options) = (self.reader.clone(), sequential.known(), self.options.clone());
        let arena = sequential.spare_arena();
        self.in_flight
            .submit(chunk, move |chunk, is_cancelled| read_chunk(chunk, reader, known, options, arena, is_cancelled));
        while self.in_flight.is_full() {
            self.hand_over_next(sequential)?;
        }
        self.hand_over_finished(sequential)
    }

    /// Begins a chunk with what was left over, and says how long it may become.
    fn begin_with(&mut self, rest: &[u8], sequential: &Sequential) {
        // A row that is longer than a chunk is looked at again when twice as much of it is there.
        let wanted = self.chunk_bytes(sequential).max(2 * rest.len());
        // No more than may be looked at in one go, but more than is there.
        let most = MAX_ROW_BYTES.max(rest.len() + 1);
        self.aim_at(wanted.min(most));
        self.filling.extend_from_slice(rest);
    }

    /// How long the next chunk is to be. One of sparse rows is shorter, so that it becomes one batch rather than a full
    /// one and a small one; where hardly a cell holds a value it still becomes a few. An eighth is left for columns
    /// that come later, and for the last chunk, which may be longer.
    fn chunk_bytes(&self, sequential: &Sequential) -> usize {
        let cells = self.options.limits.batch_cells - self.options.limits.batch_cells / 8;
        sequential.bytes_for(cells).max(MIN_CHUNK).min(self.options.limits.chunk_bytes).min(MAX_ROW_BYTES)
    }

    /// Makes room in the chunk for so many bytes.
    fn aim_at(&mut self, target: usize) {
        self.target = target;
        if self.filling.capacity() < target {
            let begun = std::mem::replace(&mut self.filling, Piece::with_capacity(target));
            self.filling.extend_from_slice(&begun);
        }
    }
}

/// How long to make the parts of a whole body of which `left` bytes are left, so that each thread gets as many.
fn part_bytes(left: usize, threads: usize, chunk_bytes: usize) -> usize {
    let rounds = left.div_ceil(threads * chunk_bytes).max(CHUNKS_PER_THREAD);
    (left / (threads * rounds * 16 - SIXTEENTHS_SHORTER) * 16).max(MIN_PART)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thread_gets_as_many_parts_of_a_whole_body_and_the_last_part_is_shorter() {
        for (left, threads, chunk_bytes, count) in
            [(16_000_000, 2, 4 << 20, 4), (16_000_000, 4, 3 << 20, 8), (40_000_000, 2, 4 << 20, 10)]
        {
            let part = part_bytes(left, threads, chunk_bytes);
            assert_eq!(left.div_ceil(part), count);
            let last = left - (count - 1) * part;
            assert!(last * 8 <= part * 7 && last * 4 >= part * 3, "{last} of {part}");
        }
    }

    #[test]
    fn a_body_that_is_hardly_large_is_cut_into_fewer_parts() {
        assert_eq!([0, 1, 5_000_000].map(|left| part_bytes(left, 4, 3 << 20)), [MIN_PART; 3]);
    }
}
