//! Whether duplicate keys are looked for before the values of a row are read.
//!
//! Mostly they are not, and a duplicate key is noticed only when its first value is already read. The row is then read
//! once more and they are looked for, so that a value which does not count teaches nothing; and so it is in the rows
//! that follow, as long as they have any.

use crate::rows::json::cursor::Stop;

#[derive(Debug, Default)]
pub(in crate::rows) struct DuplicateWatch {
    reading: Reading,
    /// In how many rows more they are looked for, whether or not there are any.
    rows_more: usize,
    /// Whether one was met in the row being read.
    has_met_one: bool,
}

/// How a row is read. One that fails may be read again in the next of these ways (see [`Reading::after`]). The last
/// fault is the one reported, and it must not depend on earlier rows: looking for duplicates changes which of two
/// faults is found first.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// Looking for duplicates because of what was met before: in earlier rows, or in this one before it was cut off.
    WatchedFromBefore,
    /// Not looking for them.
    #[default]
    Unwatched,
    /// Looking for them because this row has one, or too many columns, some of which may come from a value that does
    /// not count. To tell that, the whole row must be there.
    WatchedForItself,
}

impl Reading {
    /// How a row is read again that has failed so.
    fn after(self, stop: &Stop) -> Option<Self> {
        match self {
            Self::WatchedFromBefore => Some(Self::Unwatched),
            Self::Unwatched if matches!(stop, Stop::DuplicateKey | Stop::TooManyInAll(_)) => {
                Some(Self::WatchedForItself)
            }
            Self::Unwatched | Self::WatchedForItself => None,
        }
    }
}

impl DuplicateWatch {
    pub(in crate::rows::columns) fn is_on(&self) -> bool {
        self.reading != Reading::Unwatched
    }

    pub(in crate::rows::columns) fn met_one(&mut self) {
        self.has_met_one = true;
    }

    /// Takes note of a row that was read.
    #[inline]
    pub(in crate::rows::columns) fn row_ended(&mut self) {
        if self.is_on() || self.rows_more > 0 {
            self.watched_row_ended();
        }
    }

    /// Takes note of a row that was read and in which duplicates were looked for, or are from here on.
    #[inline(never)]
    fn watched_row_ended(&mut self) {
        let goes_on = std::mem::take(&mut self.has_met_one) || self.rows_more > 0;
        self.reading = if goes_on { Reading::WatchedFromBefore } else { Reading::Unwatched };
        self.rows_more = self.rows_more.saturating_sub(1);
    }

    /// Takes note of a row that was taken back because it is cut off: it will begin anew.
    pub(in crate::rows::columns) fn row_cut(&mut self) {
        self.has_met_one = false;
        if self.is_on() {
            self.reading = Reading::WatchedFromBefore;
        }
    }

    /// Takes note of a row that is whole and has failed, and was taken back, for which `moved` values had moved to
    /// another storage. Gives whether it is to be read again.
    pub(in crate::rows::columns) fn row_failed(&mut self, stop: &Stop, moved: usize) -> bool {
        self.has_met_one = false;
        let next = self.reading.after(stop);
        self.reading = next.unwrap_or_default();
        if next == Some(Reading::WatchedForItself) {
            // A value that does not count made `moved` values change storage for nothing. Looking for duplicates in as
            // many rows more bounds that cost by a constant for each row.
            self.rows_more = self.rows_more.max(moved);
        }
        next.is_some()
    }
}
