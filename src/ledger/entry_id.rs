//! What identifies an entry: its number and when it was written, since a new file counts from one again.

use std::sync::atomic::{AtomicI64, Ordering};

use super::entry::Entry;

/// In microseconds.
const SECOND: i64 = 1_000_000;

/// Which entry a start has. Its number alone would not do: a ledger whose file was taken away counts from one again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntryId {
    pub(super) number: i64,
    /// No two entries of a process are written at one moment, unless its clock was set back to that.
    pub(super) written_at: i64,
}

impl EntryId {
    /// Of an entry that was read.
    pub fn of(entry: &Entry) -> Self {
        Self { number: entry.number, written_at: entry.written_at }
    }

    /// Whether an entry is of the same start, be it in a file that was made anew.
    pub fn is_of_start(self, other: Self) -> bool {
        self.written_at == other.written_at
    }
}

/// Now, in microseconds since 1970.
pub(super) fn now() -> i64 {
    jiff::Timestamp::now().as_microsecond()
}

/// When an entry is written: now, or a moment later where this process has written one at it already.
pub(super) fn moment_of_writing() -> i64 {
    static LAST: AtomicI64 = AtomicI64::new(0);
    let now = now();
    let last = LAST.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| Some(moment_after(last, now)));
    moment_after(last.unwrap_or_default(), now)
}

/// Now, or just after `last`. Where that is far ahead the clock was set back, and what is written follows the clock.
fn moment_after(last: i64, now: i64) -> i64 {
    if (now..now + SECOND).contains(&last) { last + 1 } else { now }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_written_one_after_the_other_and_follow_a_clock_that_is_set_back() {
        assert_eq!(moment_after(0, 5_000_000), 5_000_000);
        assert_eq!(moment_after(5_000_000, 5_000_000), 5_000_001);
        assert_eq!(moment_after(5_000_007, 5_000_000), 5_000_008);
        assert_eq!(moment_after(600_000_000, 5_000_000), 5_000_000);
    }
}
