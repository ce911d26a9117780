//! How much a body may grow when it is inflated.

use super::{Coding, InflateError};

/// A gzip body may grow by this factor. Rows of thirty nulls and a counter, the emptiest there are, reach 120; blanks
/// and short rows repeated reach 300 to 1000. Long rows repeated stay below it, 190 for rows of 1 KiB: such a body
/// differs from a real one in nothing, and the limit on bytes bounds it.
const GZIP_RATIO: u64 = 250;

/// The same for zstd, where those emptiest rows reach 320 to 380, and whatever repeats 4000 and more.
const ZSTD_RATIO: u64 = 1000;

/// Small bodies may grow as they like: a page of blanks is no attack.
pub(super) const RATIO_COUNTS_FROM: u64 = 16 << 20;

/// What stands around compressed bytes, heads and padding, counts as well from here on, for there may be any number of
/// it.
const AROUND: u64 = 1 << 20;

/// The largest window a zstd answer may ask memory for, as a power of two: 8 MiB, as RFC 9659 demands of senders.
const WINDOW_LOG: u32 = 23;

/// How much may come out of a body.
#[derive(Debug, Clone, Copy)]
pub enum Limits {
    /// Those of an answer, whose inflated bytes may be so many.
    Answer(u64),
    /// A file of the user's own may hold what it likes.
    Own,
}

impl Limits {
    /// How many more inflated bytes there may be after so many.
    pub(super) fn bytes_left(self, given: u64) -> u64 {
        match self {
            Self::Answer(bytes) => bytes.saturating_sub(given),
            Self::Own => u64::MAX,
        }
    }

    /// The largest window of zstd, as a power of two; `None` for what its command takes, too.
    pub(super) fn zstd_window(self) -> Option<u32> {
        match self {
            Self::Answer(_) => Some(WINDOW_LOG),
            Self::Own => None,
        }
    }

    /// Whether so many bytes received may have given so many.
    pub(super) fn hold(self, coding: Coding, taken: u64, given: u64) -> Result<(), InflateError> {
        let Self::Answer(bytes) = self else { return Ok(()) };
        if given > bytes || taken > bytes.saturating_add(AROUND) {
            return Err(InflateError(format!("the answer is larger than the limit of {bytes} bytes")));
        }
        let ratio = match coding {
            Coding::Identity => return Ok(()),
            Coding::Gzip => GZIP_RATIO,
            Coding::Zstd => ZSTD_RATIO,
        };
        if given > RATIO_COUNTS_FROM && given / ratio > taken {
            return Err(InflateError(format!("the answer grows more than {ratio} times when decompressed")));
        }
        Ok(())
    }
}
