//! The body cut into blocks, which are given out to be read.

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
use super::read_block::read_block;
use super::record::Record;

/// A whole body is cut into this many parts for each thread, or more where they would be longer than
/// [`Limits::block_bytes`]. With many the threads would be busy more evenly, but each becomes a batch of its own, which
/// costs whoever takes the rows.
const BLOCKS_PER_THREAD: usize = 2;
/// No part is aimed to be smaller, unless its rows are sparse.
const MIN_PART: usize = 1 << 20;
/// By so many sixteenths of a part the last is shorter: who reads it has begun later than the thread that feeds.
const SIXTEENTHS_SHORTER: usize = 3;

/// No block is aimed to be smaller, however sparse its rows are, unless it was asked for.
const MIN_BLOCK: usize = 64 << 10;

/// A block in which no row ends grows no further once it is this many times [`Limits::block_bytes`] long: the bytes in
/// it are then read as they stand.
const MAX_GROWTH: usize = 4;

/// The reading of one body by several threads: here what they are given, in `in_order` what comes back.
pub(in crate::rows) struct Handover {
    options: DecodeOptions,
    /// Reads on from between two rows of this body.
    reader: EnvelopeReader,
    pub(super) boundary: Option<Boundary>,
    /// The block being collected. It begins where a row is taken to end.
    pub(super) filling: Piece,
    /// It is cut when it is this long.
    target: usize,
    pub(super) in_flight: InFlight,
    /// Whether the next block does not begin where a row ends: it has to be cut anew, from where the sequential reading
    /// stands.
    pub(super) is_misplaced: bool,
    pub(super) record: Record,
    /// Whether everything from here on is for one thread.
    pub(super) is_over: bool,
}

impl Handover {
    /// Prepares to go on from where `sequential` stands, if that is among the rows.
    pub(in crate::rows) fn start(options: &DecodeOptions, sequential: &Sequential) -> Option<Self> {
        let threads = options.threads.clamp(1, MAX_THREADS);
        // Each thread more holds a block more; what all of them hold stays the same.
        let block_bytes =
            (options.limits.block_bytes.saturating_mul(MIN_IN_FLIGHT) / threads.max(MIN_IN_FLIGHT)).max(1);
        let in_flight = InFlight::new(threads);
        Some(Self {
            options: DecodeOptions {
                threads,
                limits: Limits { block_bytes, ..options.limits.clone() },
                ..options.clone()
            },
            reader: sequential.between_rows()?,
            boundary: None,
            filling: Piece::default(),
            target: 0,
            is_misplaced: false,
            record: Record::new(in_flight.most()),
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
        let part = part_bytes(body.len() - at, self.options.threads, self.options.limits.block_bytes);
        let mut target = part.min(self.block_bytes(sequential));
        while !self.is_over && at < body.len() && self.in_flight.start_workers() {
            // Each ends a little before it could, so the last has some rows more: few rows are not worth a batch of
            // their own.
            let is_last = body.len() - at <= (target + target / 8).min(MAX_ROW_BYTES);
            let block = body.slice(at..if is_last { body.len() } else { at + target });
            let boundary = self.boundary.get_or_insert_with(|| Boundary::learn(&block));
            // Whoever reads the last one leaves what stands after the rows.
            let Some(end) = (if is_last { Some(block.len()) } else { boundary.last(&block) }) else {
                if target == MAX_ROW_BYTES {
                    break;
                }
                target = (target * 2).min(MAX_ROW_BYTES);
                continue;
            };
            self.submit(block.slice(..end), sequential)?;
            (at, target) = (at + end, part.min(self.block_bytes(sequential)));
            if self.is_misplaced {
                self.drain(sequential)?;
                self.is_over |= !sequential.is_in_rows();
                (at, self.is_misplaced) = (sequential.rewind(), false);
            }
        }
        self.drain(sequential)
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

    /// Has everything up to here read, and begins a block where the last row of it ends.
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

    /// Cuts the block off after its last row.
    fn cut(&mut self, sequential: &mut Sequential) -> Result<(), DecodeError> {
        if self.is_misplaced {
            return self.drain_and_restart(sequential);
        }
        let boundary = self.boundary.get_or_insert_with(|| Boundary::learn(&self.filling));
        if let Some(end) = boundary.last(&self.filling) {
            return self.submit_first(end, sequential);
        }
        if self.filling.len() < MAX_GROWTH * self.options.limits.block_bytes {
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
        let mut block = std::mem::take(&mut self.filling);
        self.begin_with(&block[end..], sequential);
        block.truncate(end);
        self.submit(Bytes::from_owner(block), sequential)
    }

    /// Has a block read that stands after all others.
    fn submit(&mut self, block: Bytes, sequential: &mut Sequential) -> Result<(), DecodeError> {
        let (reader, known, options) = (self.reader.clone(), sequential.known(), self.options.clone());
        let arena = sequential.spare_arena();
        self.in_flight
            .submit(block, move |block, is_cancelled| read_block(block, reader, known, options, arena, is_cancelled));
        while self.in_flight.is_full() {
            self.hand_over_next(sequential)?;
        }
        self.hand_over_finished(sequential)
    }

    /// Begins a block with what was left over, and says how long it may become.
    fn begin_with(&mut self, rest: &[u8], sequential: &Sequential) {
        self.aim_at(self.block_bytes(sequential).max(rest.len() * 2).min(MAX_ROW_BYTES.max(rest.len() + 1)));
        self.filling.extend_from_slice(rest);
    }

    /// How long the next block is to be. One of sparse rows is shorter, so that it becomes one batch rather than a full
    /// one and a small one; where hardly a cell holds a value it still becomes a few. An eighth is left for columns
    /// that come later, and for the last block, which may be longer.
    fn block_bytes(&self, sequential: &Sequential) -> usize {
        let cells = self.options.limits.batch_cells - self.options.limits.batch_cells / 8;
        sequential.bytes_for(cells).max(MIN_BLOCK).min(self.options.limits.block_bytes).min(MAX_ROW_BYTES)
    }

    /// Makes room in the block for so many bytes.
    fn aim_at(&mut self, target: usize) {
        self.target = target;
        if self.filling.capacity() < target {
            let begun = std::mem::replace(&mut self.filling, Piece::with_capacity(target));
            self.filling.extend_from_slice(&begun);
        }
    }
}

/// How long to make the parts of a whole body of which `left` bytes are left, so that each thread gets as many.
fn part_bytes(left: usize, threads: usize, block_bytes: usize) -> usize {
    let rounds = left.div_ceil(threads * block_bytes).max(BLOCKS_PER_THREAD);
    (left / (threads * rounds * 16 - SIXTEENTHS_SHORTER) * 16).max(MIN_PART)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thread_gets_as_many_parts_of_a_whole_body_and_the_last_part_is_shorter() {
        for (left, threads, block_bytes, count) in
            [(16_000_000, 2, 4 << 20, 4), (16_000_000, 4, 3 << 20, 8), (40_000_000, 2, 4 << 20, 10)]
        {
            let part = part_bytes(left, threads, block_bytes);
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
