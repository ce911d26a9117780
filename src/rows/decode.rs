//! The door to the decoder: a body is fed as it arrives, and one thread or several read it.
//!
//! The beginning is always read by whoever feeds it, so small bodies never see a second thread. From then on blocks of
//! a large one are read ahead by [`Handover`]; the outcome is that of [`Sequential`], which it is held against, in
//! every bit.

use bytes::Bytes;

use super::envelope::Envelope;
use super::error::DecodeError;
use super::handover::Handover;
use super::options::{DecodeOptions, Hold};
use super::sequential::Sequential;
use super::slab;
use super::table::Rows;

/// How much of a body is read before a second thread is thought of.
const HEAD_BYTES: usize = 1 << 20;

/// The same of a body of which all is there, and how much has to be left of it to be worth a second thread: to start
/// one, and to have columns of its own for each part, takes as long as to read a MiB or two.
const HEAD_OF_WHOLE: usize = 256 << 10;
const REST_OF_WHOLE: usize = 4 << 20;

/// More is read alone while many columns come with each piece, up to so much: they may be keys of a map, which is text
/// once it has more of them, and each thread more would make columns of them, too.
const LEARNING_BYTES: u64 = 4 << 20;
const MANY_NEW: usize = 256;

/// Rows that are longer than this, on average at the beginning, are left to one thread: blocks grow with them, and
/// several blocks are held.
const LONG_ROW: u64 = 1 << 20;

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
    /// Whoever [holds](DecodeOptions::hold) no rows asks it for what there is.
    pub(super) sequential: Sequential,
    mode: Mode,
}

/// Who reads.
enum Mode {
    /// Only the thread that feeds.
    Sequential,
    /// The thread that feeds, until enough was read to tell whether others pay.
    Undecided(DecodeOptions),
    /// Other threads, too, ahead of it.
    Ahead(Box<Handover>),
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
        slab::keep_ends();
        let options = DecodeOptions { limits: options.limits.feasible(), ..options };
        let may_read_ahead = options.threads > 1 && options.hold != Hold::Batch;
        let mode = if may_read_ahead { Mode::Undecided(options.clone()) } else { Mode::Sequential };
        Self { sequential: Sequential::new(options), mode }
    }

    /// Leaves one of its threads to whoever inflates the body, if it has more than one. Said before the first byte.
    pub fn spare_thread(&mut self) {
        let Mode::Undecided(options) = &mut self.mode else { return };
        options.threads -= 1;
        if options.threads == 1 {
            self.mode = Mode::Sequential;
        }
    }

    /// Takes the next bytes of the body. After an error the decoder is spent.
    pub fn feed(&mut self, mut bytes: &[u8]) -> Result<(), DecodeError> {
        while let Mode::Undecided(options) = &self.mode {
            if bytes.is_empty() {
                return Ok(());
            }
            let head_bytes = HEAD_BYTES.min(options.limits.block_bytes);
            let (head, rest) = bytes.split_at(head_bytes.min(bytes.len()));
            bytes = rest;
            self.feed_head(head, head_bytes / 2)?;
        }
        match &mut self.mode {
            Mode::Ahead(handover) => {
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
        while let Mode::Undecided(options) = &self.mode {
            let head_bytes = HEAD_OF_WHOLE.min(options.limits.block_bytes);
            if body.len() - at < head_bytes + REST_OF_WHOLE.min(options.limits.block_bytes) {
                break;
            }
            self.feed_head(&body[at..at + head_bytes], head_bytes / 2)?;
            at += head_bytes;
            // Much of one row is there, or of what may be one, and not its end.
            if at as u64 > self.sequential.consumed() + LONG_ROW && matches!(self.mode, Mode::Undecided(_)) {
                self.mode = Mode::Sequential;
            }
        }
        if let Mode::Ahead(handover) = &mut self.mode {
            handover.feed_whole(body, &mut self.sequential)?;
        }
        // It is read where it lies, and as the end of the body, so that one long row is not copied and not read twice.
        let at = self.sequential.take_back();
        self.sequential.end_with(&body[at..])
    }

    /// Reads the first bytes, and says who reads on once there were `enough` bytes of whole rows among them.
    fn feed_head(&mut self, head: &[u8], enough: usize) -> Result<(), DecodeError> {
        let known = self.sequential.columns();
        self.sequential.feed(head)?;
        let consumed = self.sequential.consumed();
        let is_learning = self.sequential.columns() > known + MANY_NEW.max(known / 4) && consumed < LEARNING_BYTES;
        if consumed < enough as u64 || is_learning {
            return Ok(());
        }
        if self.sequential.reads_alone() {
            // Columns that have become text are counted no more.
            self.sequential.recount_columns();
        }
        if let Mode::Undecided(options) = &self.mode {
            // A stream has to do with little memory, and each thread more has columns of its own, empty ones included.
            let is_tight = options.hold == Hold::Shapes && self.sequential.is_mostly_empty();
            let has_long_rows = self.sequential.bytes_per_row() > LONG_ROW;
            if is_tight || has_long_rows || self.sequential.reads_alone() {
                self.mode = Mode::Sequential;
            } else if let Some(handover) = Handover::start(options, &self.sequential) {
                // What the beginning has taught is known to the others once its segment is full.
                self.sequential.roll_segment();
                self.mode = Mode::Ahead(Box::new(handover));
            }
        }
        Ok(())
    }

    /// Whole rows read so far, those not counted that another thread has ahead.
    pub fn rows_read(&self) -> u64 {
        self.sequential.rows_read()
    }

    /// Reads everything that was fed as far as whole rows go, so that a fault in it shows now. Without this it may show
    /// later: another thread has those bytes before it, or they are kept until more of a long row is there.
    pub fn settle(&mut self) -> Result<(), DecodeError> {
        match &mut self.mode {
            Mode::Ahead(handover) => handover.start_over(&mut self.sequential),
            Mode::Sequential | Mode::Undecided(_) => self.sequential.read_on(),
        }
    }

    /// The fault of a body that ends where more of it was to come, with the rows before, unless there is one in what
    /// was fed.
    pub fn cut_short(mut self, message: String) -> DecodeError {
        let fed = match &mut self.mode {
            Mode::Ahead(handover) => handover.end(&mut self.sequential),
            Mode::Sequential | Mode::Undecided(_) => self.sequential.read_on(),
        };
        fed.err().unwrap_or_else(|| self.sequential.cut_short(message))
    }

    /// Ends the body. A body without `data` whose `status` is not `completed` is no error: see [`Envelope::has_data`].
    pub fn finish(mut self) -> Result<Decoded, DecodeError> {
        self.end()?;
        Ok(self.decoded())
    }

    fn decoded(mut self) -> Decoded {
        Decoded { rows: self.sequential.take_rows(), envelope: self.sequential.take_envelope() }
    }

    /// Reads what is left and checks that the body is whole.
    pub(super) fn end(&mut self) -> Result<(), DecodeError> {
        if let Mode::Ahead(handover) = &mut self.mode {
            handover.end(&mut self.sequential)?;
        }
        self.mode = Mode::Sequential;
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
                Mode::Undecided(options) => options.threads,
                Mode::Ahead(_) => unreachable!("nothing was fed"),
            }
        };
        assert_eq!([1, 2, 3, 4].map(threads), [1, 1, 2, 3]);
    }
}
