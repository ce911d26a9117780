//! The door to the decoder: a body is fed as it arrives, and one thread or several read it.
//!
//! The beginning is always read by whoever feeds it, so small bodies never see a second thread. From then on chunks of
//! a large one are read ahead by [`Handover`]; the result is bit for bit that of [`Sequential`], against which it is
//! tested.

use bytes::Bytes;

use super::envelope::Envelope;
use super::error::DecodeError;
use super::handover::{Handover, Head, LONG_ROW, WhoReads};
use super::memory;
use super::options::{DecodeOptions, Hold};
use super::sequential::Sequential;
use super::table::Rows;

/// A whole body, decoded.
#[derive(Debug)]
pub struct Decoded {
    pub rows: Rows,
    pub envelope: Envelope,
}

/// Decodes a whole body, which other threads read where it lies.
pub fn decode(body: impl AsRef<[u8]> + Send + 'static, options: DecodeOptions) -> Result<Decoded, DecodeError> {
    let mut decoder = Decoder::new(options);
    decoder.read_whole(&Bytes::from_owner(body))?;
    Ok(decoder.decoded())
}

/// Decodes a body from its first bytes on.
///
/// Dropping it ends its threads.
pub struct Decoder {
    /// [`Survey`](super::Survey) and [`Batches`](super::Batches), which hold no table, take shapes and segments from
    /// it.
    pub(super) sequential: Sequential,
    mode: Mode,
}

/// Who reads.
enum Mode {
    /// Only the thread that feeds.
    Sequential,
    /// The thread that feeds, until enough was read to tell whether others pay.
    Undecided(Head),
    /// Other threads, too, ahead of it.
    Parallel(Box<Handover>),
}

impl std::fmt::Debug for Decoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Decoder").field("rows_read", &self.rows_read()).finish_non_exhaustive()
    }
}

impl Decoder {
    pub fn new(options: DecodeOptions) -> Self {
        Self::holding(DecodeOptions { hold: Hold::Rows, ..options })
    }

    /// One that holds what the options say.
    pub(super) fn holding(options: DecodeOptions) -> Self {
        memory::raise_trim_threshold();
        let options = DecodeOptions { limits: options.limits.feasible(), ..options };
        let may_read_ahead = options.threads > 1 && options.hold != Hold::Batch;
        let mode = if may_read_ahead { Mode::Undecided(Head::new(options.clone())) } else { Mode::Sequential };
        Self { sequential: Sequential::new(options), mode }
    }

    /// Leaves one of its threads free for inflating the body, if it has more than one. To be called before the first
    /// byte.
    pub fn spare_thread(&mut self) {
        let Mode::Undecided(head) = &mut self.mode else { return };
        head.options.threads -= 1;
        if head.options.threads == 1 {
            self.mode = Mode::Sequential;
        }
    }

    /// Takes the next bytes of the body. After an error the decoder is spent.
    pub fn feed(&mut self, mut bytes: &[u8]) -> Result<(), DecodeError> {
        while let Mode::Undecided(head) = &self.mode {
            if bytes.is_empty() {
                return Ok(());
            }
            let probe = head.probe_bytes();
            let (now, later) = bytes.split_at(probe.min(bytes.len()));
            bytes = later;
            self.feed_beginning(now, probe)?;
        }
        match &mut self.mode {
            Mode::Parallel(handover) => {
                let fed = handover.feed(bytes, &mut self.sequential);
                if handover.is_over() {
                    self.mode = Mode::Sequential;
                }
                fed
            }
            _ => self.sequential.feed(bytes),
        }
    }

    /// Reads all of the body and checks that it is whole.
    fn read_whole(&mut self, body: &Bytes) -> Result<(), DecodeError> {
        let mut at = 0;
        while let Mode::Undecided(head) = &self.mode {
            let Some(probe) = head.probe_bytes_of_whole(body.len() - at) else { break };
            self.feed_beginning(&body[at..at + probe], probe)?;
            at += probe;
            // More than that lies beyond the last whole row: one long row, or what may be one, is left to one thread.
            if at as u64 > self.sequential.consumed() + LONG_ROW && matches!(self.mode, Mode::Undecided(_)) {
                self.mode = Mode::Sequential;
            }
        }
        if let Mode::Parallel(handover) = &mut self.mode {
            handover.feed_whole(body, &mut self.sequential)?;
        }
        // It is read where it lies, and as the end of the body, so that one long row is not copied and not read twice.
        let at = self.sequential.rewind();
        self.sequential.end_with(&body[at..])
    }

    /// Reads some of the beginning, and hands over the rest once it is known who is to read it.
    fn feed_beginning(&mut self, bytes: &[u8], probe: usize) -> Result<(), DecodeError> {
        self.sequential.feed(bytes)?;
        let Mode::Undecided(head) = &mut self.mode else { return Ok(()) };
        match head.who_reads(probe, &mut self.sequential) {
            WhoReads::NotKnownYet => {}
            WhoReads::Alone => self.mode = Mode::Sequential,
            WhoReads::Threads => {
                if let Some(handover) = Handover::start(&head.options, &self.sequential) {
                    // Seal the segment, so that the workers start from the shapes learned so far.
                    self.sequential.seal_and_open();
                    self.mode = Mode::Parallel(Box::new(handover));
                }
            }
        }
        Ok(())
    }

    /// Complete rows read so far, excluding rows read ahead but not yet adopted.
    pub fn rows_read(&self) -> u64 {
        self.sequential.rows_read()
    }

    /// Reads all whole rows that were fed, so that a fault in them shows now. Otherwise it may show later, for another
    /// thread has them, or they wait for more of a long row.
    pub fn drain(&mut self) -> Result<(), DecodeError> {
        match &mut self.mode {
            Mode::Parallel(handover) => handover.drain_and_restart(&mut self.sequential),
            Mode::Sequential | Mode::Undecided(_) => self.sequential.read_on(),
        }
    }

    /// The fault of a body that ended where more of it was to come, with the rows before it; or that in what was fed,
    /// if there is one.
    pub fn cut_short(mut self, message: String) -> DecodeError {
        let fed = match &mut self.mode {
            Mode::Parallel(handover) => handover.end(&mut self.sequential),
            Mode::Sequential | Mode::Undecided(_) => self.sequential.read_on(),
        };
        fed.err().unwrap_or_else(|| self.sequential.cut_short(message))
    }

    /// Ends the body. A body without `data` whose `status` is not `completed` is no error: see [`Envelope::has_data`].
    pub fn finish(mut self) -> Result<Decoded, DecodeError> {
        self.read_rest()?;
        Ok(self.decoded())
    }

    fn decoded(mut self) -> Decoded {
        let workers = match self.mode {
            Mode::Parallel(handover) => handover.into_workers(),
            Mode::Sequential | Mode::Undecided(_) => None,
        };
        Decoded { rows: self.sequential.take_rows(workers), envelope: self.sequential.take_envelope() }
    }

    /// Reads what is left, checks that the body is whole, and ends the threads.
    pub(super) fn end(&mut self) -> Result<(), DecodeError> {
        let read = self.read_rest();
        self.mode = Mode::Sequential;
        read
    }

    /// Reads what is left and checks that the body is whole.
    fn read_rest(&mut self) -> Result<(), DecodeError> {
        if let Mode::Parallel(handover) = &mut self.mode {
            handover.end(&mut self.sequential)?;
        }
        self.sequential.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_is_spared_is_one_less_to_read() {
        let threads = |threads: usize| {
            let mut decoder = Decoder::new(DecodeOptions { threads, ..DecodeOptions::default() });
            decoder.spare_thread();
            match decoder.mode {
                Mode::Sequential => 1,
                Mode::Undecided(head) => head.options.threads,
                Mode::Parallel(_) => unreachable!("nothing was fed"),
            }
        };
        assert_eq!([1, 2, 3, 4].map(threads), [1, 1, 2, 3]);
    }
}
