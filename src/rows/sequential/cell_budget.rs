//! Rows that ask for far more memory than they take in the body: a few bytes can name a column, and each row has a cell
//! in it, or each object of an array.
//!
//! Three numbers tell how many cells there are, each more exact than the one before and more work. How many there were
//! if every row had a cell in each column, and every element of an array in as many as those of the widest
//! ([`CellBudget::at_most`]), is two multiplications a row. While that is less than the body explains nothing else is
//! looked at. From the row on where it is more, cells are summed up as they come ([`CellBudget::of_open`]), in one
//! thread; columns that have become text may still be among them. Where this sum is too large, a look at each column
//! says how many there really are ([`Members::count_cells`](crate::rows::columns::Members::count_cells)). Only that
//! refuses rows, so that which are refused depends on the rows alone: on no thread, and on no piece in which the body
//! came.
//!
//! For example, each of 10,000 rows names a column of its own, and after them stand a million `{}`: 3 MB, which would
//! be ten billion cells. By default 256 Mi of them are free and each byte explains one more. The first number is beyond
//! that from some 27,000 rows on. The segment ends there, and each row from then on adds 10,000 to a sum that starts at
//! zero; 27,000 rows later that is too large as well, a look at the columns finds that all of them are there, and the
//! row is refused. Had those columns become one of text meanwhile, the sum would be put right and reading go on.

use crate::rows::columns::{Context, Counts};
use crate::rows::options::DecodeOptions;

/// Rows with fewer bytes than this for each cell take far more memory than their part of the body.
pub(in crate::rows) const BYTES_PER_CELL: u64 = 4;
const MANY_CELLS: u64 = 64 << 10;

/// The cells of the table being read.
#[derive(Default)]
pub(super) struct CellBudget {
    /// See [`Limits`](crate::rows::Limits).
    spare: u64,
    per_byte: u64,
    /// Whether they are summed up.
    are_summed: bool,
    /// Those in sealed segments, from where they are summed up.
    in_sealed: u64,
    /// Those in arrays when the open segment began.
    in_arrays_before: u64,
    /// By how much the sum of the open segment is known to be too high.
    surplus: u64,
    /// Whether there was a sealed segment with many cells for its bytes.
    had_sparse_rows: bool,
}

impl CellBudget {
    pub(super) fn new(options: &DecodeOptions) -> Self {
        Self { spare: options.limits.spare_cells, per_byte: options.limits.cells_per_byte, ..Self::default() }
    }

    /// How many cells there may be for `bytes` bytes of the body.
    pub(super) fn explained_by(&self, bytes: u64) -> u64 {
        self.spare.saturating_add(bytes.saturating_mul(self.per_byte))
    }

    /// How many one row of so many bytes may have, for it is held whole even where the others are not.
    pub(super) fn most_of_row(&self, bytes: usize) -> u64 {
        self.spare.saturating_add(bytes as u64)
    }

    /// Whether there may be so many that a closer look is worth it.
    #[inline]
    pub(super) fn could_be_too_many(&self, at_most: u64) -> bool {
        at_most > self.spare
    }

    /// How many there are if each of so many rows has a cell in each column, and each element of an array in as many
    /// as those of the widest. That is no more than a `u64` holds: of rows and elements there are fewer than bytes; and
    /// a segment begins with some 2^16 columns at most, and adds fewer than it has bytes.
    #[inline]
    pub(super) fn at_most(rows: u64, counts: Counts) -> u64 {
        rows * counts.row_columns as u64 + counts.tally.elements * counts.element_columns as u64
    }

    /// How many the row read last has at most.
    pub(super) fn of_row(Context { counts, counts_before, .. }: &Context) -> u64 {
        counts.row_columns as u64 + (counts.cells_in_arrays - counts_before.cells_in_arrays)
    }

    /// How many the open segment has at most, of so many rows.
    #[inline]
    pub(super) fn of_open(&self, rows: usize, context: &Context) -> u64 {
        let in_arrays = context.counts.cells_in_arrays - self.in_arrays_before;
        (rows as u64 * context.counts.row_columns as u64 + in_arrays).saturating_sub(self.surplus)
    }

    /// Forgets what was summed up beyond those there are, once columns are counted anew.
    pub(super) fn recounted(&mut self) {
        self.surplus = 0;
    }

    /// Takes note that the open segment has so many.
    pub(super) fn found_in_open(&mut self, cells: u64, rows: usize, context: &Context) {
        self.surplus += self.of_open(rows, context).saturating_sub(cells);
    }

    /// Whether there are more than the body of so many bytes explains, once they are summed up.
    pub(super) fn are_too_many(&self, bytes: u64, of_open: u64) -> bool {
        self.are_summed && self.in_sealed.saturating_add(of_open) > self.explained_by(bytes)
    }

    /// Has them summed up from here on, as columns that came late cost nothing in segments before. Where this is
    /// depends on the rows alone, and so do the segments that follow: whoever read what stands before, and in how many
    /// segments.
    pub(super) fn sum_from_here(&mut self) {
        (self.are_summed, self.in_sealed) = (true, 0);
    }

    pub(super) fn sums_cells(&self) -> bool {
        self.are_summed
    }

    /// Whether there were rows that take far more memory than their part of the body: few should be held at a time.
    pub(super) fn had_sparse_rows(&self) -> bool {
        self.had_sparse_rows
    }

    /// Ends the open segment, of so many cells that were made of so many bytes.
    pub(super) fn close(&mut self, cells: u64, bytes: u64, context: &Context) {
        self.had_sparse_rows |= cells > MANY_CELLS && cells > bytes / BYTES_PER_CELL;
        self.in_sealed = self.in_sealed.saturating_add(cells);
        (self.in_arrays_before, self.surplus) = (context.counts.cells_in_arrays, 0);
    }

    /// Takes over what was learned of rows that were read ahead.
    pub(super) fn adopt(&mut self, ahead: &Self, context: &Context) {
        self.had_sparse_rows |= ahead.had_sparse_rows;
        self.in_arrays_before = context.counts.cells_in_arrays;
    }
}
