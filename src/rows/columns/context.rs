//! What reading needs besides the place in the body, and what is counted meanwhile (`count`).

use super::Counts;
use super::keys::DuplicateWatch;
use crate::rows::json::canonical::{Canonical, KEPT_BYTES};
use crate::rows::json::escape::Unescaped;

/// No row: what is known beforehand is never taken back.
pub(super) const NO_ATTEMPT: u64 = 0;

/// Kept from value to value, and from row to row.
#[derive(Debug, Default)]
pub(in crate::rows) struct Context {
    pub(in crate::rows) counts: Counts,
    /// What they were before the row that was begun last.
    pub(in crate::rows) counts_before: Counts,
    /// Columns that were ever added, nested ones included and those that became text; and how many of them in objects
    /// in arrays.
    pub(in crate::rows) columns_added: usize,
    pub(in crate::rows) columns_added_in_arrays: usize,
    /// Which attempt at a row this is; a row that is read again is a new one.
    pub(in crate::rows) attempt: u64,
    pub(super) watch: DuplicateWatch,
    /// Kept between values: where keys with escapes are laid out, and where JSON text is written.
    pub(super) unescaped: Unescaped,
    pub(super) canonical: Canonical,
}

impl Context {
    /// Takes note that a row begins, or begins again.
    #[inline]
    pub(super) fn begin_row(&mut self) {
        self.attempt += 1;
        self.counts_before = self.counts;
    }

    /// Forgets what was counted of the row that was begun last.
    pub(in crate::rows) fn take_row_back(&mut self) {
        self.counts = self.counts_before;
    }

    /// Gives back what only a large key needed.
    pub(in crate::rows) fn forget(&mut self) {
        self.unescaped.forget(KEPT_BYTES);
    }
}
