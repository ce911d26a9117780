//! What reading needs besides the place in the body, and what it counts.

use super::keys::Watch;
use super::{List, Members};
use crate::rows::json::canonical::{Canonical, KEPT_BYTES};
use crate::rows::json::escape::Unescaped;
use crate::rows::json::tally::Tally;

/// More columns than this, nested ones included, are no table: each costs memory in every row.
pub(in crate::rows) const MAX_COLUMNS_IN_ALL: usize = 1 << 16;

/// No row: what is known beforehand is never taken back.
pub(super) const NO_ATTEMPT: u64 = 0;

/// Kept from value to value, and from row to row.
#[derive(Debug, Default)]
pub(in crate::rows) struct Context {
    pub(in crate::rows) counts: Counts,
    /// Columns that were ever added, nested ones included and those that became text; and how many of them in objects
    /// in arrays.
    pub(in crate::rows) columns_added: usize,
    pub(in crate::rows) columns_added_in_arrays: usize,
    /// Which attempt at a row this is; a row that is read again is a new one.
    pub(in crate::rows) attempt: u64,
    pub(super) watch: Watch,
    /// Kept between values: where strings with escapes are laid out, and where JSON text is written.
    pub(super) unescaped: Unescaped,
    pub(super) canonical: Canonical,
}

impl Context {
    /// How many columns there are before an array is read.
    #[inline]
    pub(super) fn columns_so_far(&self) -> ColumnsSoFar {
        let Self { columns_added: added, columns_added_in_arrays: added_in_arrays, counts, .. } = *self;
        ColumnsSoFar { added, added_in_arrays, row_columns: counts.row_columns }
    }

    /// Counts the cells of the new elements of an array. If they added columns, also counts the cells that earlier
    /// elements now have in those columns.
    #[inline]
    pub(super) fn count_cells_of(&mut self, list: &mut List, elements: usize, before: ColumnsSoFar) {
        self.counts.cells_in_arrays += list.count_cells(elements);
        if self.columns_added == before.added {
            return;
        }
        let added = self.columns_added - before.added;
        // Arrays among the elements have counted theirs.
        let own = added - (self.columns_added_in_arrays - before.added_in_arrays);
        self.columns_added_in_arrays = before.added_in_arrays + added;
        self.counts.cells_in_arrays += list.add_columns(own, self.attempt);
        self.counts.element_columns = self.counts.element_columns.max(list.columns());
        self.counts.row_columns = before.row_columns;
    }

    /// Gives back what only a large text needed.
    pub(in crate::rows) fn forget(&mut self) {
        self.unescaped.forget(KEPT_BYTES);
    }
}

/// What was counted where an array begins.
#[derive(Clone, Copy)]
pub(super) struct ColumnsSoFar {
    added: usize,
    added_in_arrays: usize,
    row_columns: usize,
}

/// The counts that are restored when a row is taken back.
#[derive(Debug, Default, Clone, Copy)]
pub(in crate::rows) struct Counts {
    pub(in crate::rows) tally: Tally,
    /// Columns of the segment, nested ones included. This and what follows are upper bounds until they are
    /// [recounted](Self::recount): columns that became text may still be among them.
    pub(in crate::rows) columns: usize,
    /// Those of them in which each row has a cell: all but those of objects in arrays.
    pub(in crate::rows) row_columns: usize,
    /// The most in which each element of one array has a cell.
    pub(in crate::rows) element_columns: usize,
    /// Cells of objects in arrays, since the first row.
    pub(in crate::rows) cells_in_arrays: u64,
}

impl Counts {
    /// Counts the columns anew.
    pub(in crate::rows) fn recount(&mut self, members: &Members) {
        (self.columns, self.row_columns) = (members.count_columns(), members.count_row_columns());
        self.element_columns = members.most_element_columns();
    }
}
