//! Rows that ask for far more memory than they take in the body: a few bytes can name a column, and each row has a cell in it, or
//! each object of an array.
//!
//! To count cells takes a look at each column, which is too much for each row. So it is first asked how many there could be if
//! every row and every object in an array had every column, and only where that is too many they are counted.

use super::columns::{Context, Fields};
use super::options::DecodeOptions;

/// Rows with fewer bytes than this for each cell take far more memory than their part of the body.
pub(super) const BYTES_PER_CELL: u64 = 4;
const MANY_CELLS: u64 = 64 << 10;

/// The cells of the table being read.
#[derive(Default)]
pub(super) struct Cells {
    /// See [`DecodeOptions::spare_cells`], and [`DecodeOptions::cells_per_byte`].
    spare: u64,
    per_byte: u64,
    /// See [`DecodeOptions::batch_cells`].
    of_batch: u64,
    /// Whether there could be more than the body explains; from then on they are counted, and the rows read in one thread.
    are_counted: bool,
    /// Those in full segments from there on.
    in_full: u64,
    /// Whether there was a full segment with many for its bytes.
    were_many: bool,
    /// The tally of elements where the open segment began.
    elements_before: u64,
    /// Where so many could be in the open segment they are counted, to see whether it is full.
    look_at: u64,
    /// How many there could be in it, and how many there were, when they were counted for the whole.
    bound: u64,
    counted: u64,
}

impl Cells {
    pub(super) fn new(options: &DecodeOptions) -> Self {
        let (spare, per_byte, of_batch) = (options.spare_cells, options.cells_per_byte, options.batch_cells as u64);
        Self { spare, per_byte, of_batch, look_at: of_batch, ..Self::default() }
    }

    /// How many may be there for so many bytes of the body.
    pub(super) fn spare(&self, bytes: u64) -> u64 {
        self.spare.saturating_add(bytes.saturating_mul(self.per_byte))
    }

    /// How many one row may have.
    pub(super) fn most_of_row(&self) -> u64 {
        self.spare
    }

    /// How many so many rows, with so many elements in their arrays, could have.
    #[inline]
    pub(super) fn bound(rows: u64, elements: u64, context: &Context) -> u64 {
        // A body has fewer than 2^40 rows and elements, and fewer than 2^17 columns are known when they are too many.
        (rows + elements) * context.counts.columns as u64
    }

    #[inline]
    fn bound_of_open(&self, open: &Fields, context: &Context) -> u64 {
        Self::bound(open.len() as u64, context.counts.tally.elements - self.elements_before, context)
    }

    /// Whether the open segment has as many as a batch may have.
    #[inline]
    pub(super) fn fill(&mut self, open: &Fields, context: &Context) -> bool {
        let bound = self.bound_of_open(open, context);
        bound >= self.look_at && self.count(bound, open)
    }

    #[cold]
    fn count(&mut self, bound: u64, open: &Fields) -> bool {
        let left = self.of_batch.saturating_sub(open.count_cells(open.len()));
        // They become no more than their bound does.
        self.look_at = bound.saturating_add(left);
        left == 0
    }

    /// Whether there are more than the body of so many bytes explains, once they are counted.
    pub(super) fn exceed(&mut self, bytes: u64, open: &Fields, context: &Context) -> bool {
        if !self.are_counted {
            return false;
        }
        let bound = self.bound_of_open(open, context);
        if self.in_full + self.counted + bound.saturating_sub(self.bound) > self.spare(bytes) {
            (self.bound, self.counted) = (bound, open.count_cells(open.len()));
        }
        self.in_full + self.counted + bound.saturating_sub(self.bound) > self.spare(bytes)
    }

    /// Has them counted from here on, as columns that came late cost nothing in segments before. Where this is depends on the rows
    /// alone, and so do the segments that follow: whoever read what stands before, and in how many segments.
    pub(super) fn count_from_here(&mut self) {
        (self.are_counted, self.in_full) = (true, 0);
    }

    pub(super) fn are_counted(&self) -> bool {
        self.are_counted
    }

    /// Whether there were rows that take far more memory than their part of the body: few should be held at a time.
    pub(super) fn were_many(&self) -> bool {
        self.were_many
    }

    /// Ends the open segment, which was made of so many bytes.
    pub(super) fn close(&mut self, bytes: u64, open: &Fields, context: &Context) {
        let cells = open.count_cells(open.len());
        self.were_many |= cells > MANY_CELLS && cells > bytes / BYTES_PER_CELL;
        self.in_full += cells;
        self.begin(context);
    }

    /// Begins a segment.
    pub(super) fn begin(&mut self, context: &Context) {
        (self.elements_before, self.look_at) = (context.counts.tally.elements, self.of_batch);
        (self.bound, self.counted) = (0, 0);
    }

    /// Takes over what was learned of rows that were read ahead.
    pub(super) fn adopt(&mut self, ahead: &Self) {
        self.were_many |= ahead.were_many;
    }
}
