//! Rows that ask for far more memory than they take in the body: a few bytes can name a column, and each row has a cell in it, or
//! each object of an array.

use super::columns::{Context, Counts};
use super::options::DecodeOptions;

/// Rows with fewer bytes than this for each cell take far more memory than their part of the body.
pub(super) const BYTES_PER_CELL: u64 = 4;
const MANY_CELLS: u64 = 64 << 10;

/// All segments may have so many times the cells that the body explains before a table is refused wherever that is seen: columns
/// that become text no longer count among those known, and are still in the segments before.
const MOST_TIMES: u64 = 4;

/// The cells of the table being read.
#[derive(Default)]
pub(super) struct Cells {
    /// See [`DecodeOptions::spare_cells`], and [`DecodeOptions::cells_per_byte`].
    spare: u64,
    per_byte: u64,
    /// Whether there could be more than the body explains; from then on they are counted, and the rows read in one thread.
    are_counted: bool,
    /// Those in full segments, and those from where they are counted.
    in_full: u64,
    counted: u64,
    /// Whether there was a full segment with many for its bytes.
    were_many: bool,
    /// Those in arrays where the open segment began.
    in_arrays_before: u64,
}

impl Cells {
    pub(super) fn new(options: &DecodeOptions) -> Self {
        Self { spare: options.spare_cells, per_byte: options.cells_per_byte, ..Self::default() }
    }

    /// How many may be there for so many bytes of the body.
    pub(super) fn explained_by(&self, bytes: u64) -> u64 {
        self.spare.saturating_add(bytes.saturating_mul(self.per_byte))
    }

    /// How many one row of so many bytes may have, for it is held whole even where the others are not.
    pub(super) fn most_of_row(&self, bytes: usize) -> u64 {
        self.spare.saturating_add(bytes as u64)
    }

    /// Whether it is worth a closer look if there are too many.
    #[inline]
    pub(super) fn could_be_too_many(&self, at_most: u64) -> bool {
        at_most > self.spare || self.in_full > self.spare.saturating_mul(MOST_TIMES)
    }

    /// How many there are if each of so many rows and elements of arrays has a cell in each column.
    #[inline]
    pub(super) fn at_most(rows: u64, context: &Context) -> u64 {
        rows.saturating_add(context.counts.tally.elements).saturating_mul(context.counts.columns as u64)
    }

    /// How many a row has, before which the counts were these.
    pub(super) fn of_row(before: Counts, context: &Context) -> u64 {
        context.counts.columns as u64 + (context.counts.cells_in_arrays - before.cells_in_arrays)
    }

    /// How many the open segment has, of so many rows.
    #[inline]
    pub(super) fn of_open(&self, rows: usize, context: &Context) -> u64 {
        (rows as u64).saturating_mul(context.counts.columns as u64)
            + (context.counts.cells_in_arrays - self.in_arrays_before)
    }

    /// Whether there are more than the body of so many bytes explains, going by those that are counted.
    pub(super) fn are_too_many(&self, bytes: u64, of_open: u64) -> bool {
        let most = self.explained_by(bytes);
        let are_more = self.are_counted && self.counted.saturating_add(of_open) > most;
        are_more || self.in_full.saturating_add(of_open) > most.saturating_mul(MOST_TIMES)
    }

    /// Has them counted from here on, as columns that came late cost nothing in segments before. Where this is depends on the rows
    /// alone, and so do the segments that follow: whoever read what stands before, and in how many segments.
    pub(super) fn count_from_here(&mut self) {
        (self.are_counted, self.counted) = (true, 0);
    }

    pub(super) fn are_counted(&self) -> bool {
        self.are_counted
    }

    /// Whether there were rows that take far more memory than their part of the body: few should be held at a time.
    pub(super) fn were_many(&self) -> bool {
        self.were_many
    }

    /// Ends the open segment, of so many rows that were made of so many bytes.
    pub(super) fn close(&mut self, rows: usize, bytes: u64, context: &Context) {
        let cells = self.of_open(rows, context);
        self.were_many |= cells > MANY_CELLS && cells > bytes / BYTES_PER_CELL;
        self.in_full = self.in_full.saturating_add(cells);
        self.counted = self.counted.saturating_add(cells);
        self.in_arrays_before = context.counts.cells_in_arrays;
    }

    /// Takes over what was learned of rows that were read ahead.
    pub(super) fn adopt(&mut self, ahead: &Self) {
        self.were_many |= ahead.were_many;
        self.in_full = self.in_full.saturating_add(ahead.in_full);
    }
}
