//! What the rows read so far say about those to come: whether other threads pay, and how long their chunks are to be.

use super::Sequential;
use super::cell_budget::BYTES_PER_CELL;
use crate::rows::columns::Counts;

impl Sequential {
    /// How many columns there are, nested ones included; those that became text in the open segment may be among them.
    pub(in crate::rows) fn columns(&self) -> usize {
        self.context.counts.columns
    }

    /// How many bytes of the body hold so many cells, going by those read so far, empty ones included; the most there
    /// can be where there were none.
    pub(in crate::rows) fn bytes_for(&self, cells: usize) -> usize {
        let Counts { row_columns, cells_in_arrays, .. } = self.context.counts;
        let read = self.rows_read().saturating_mul(row_columns as u64).saturating_add(cells_in_arrays);
        let bytes = self.consumed.saturating_mul(cells as u64).checked_div(read);
        bytes.and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(usize::MAX)
    }

    /// Whether the rows read so far take far more memory than their part of the body.
    pub(in crate::rows) fn is_sparse(&self) -> bool {
        (self.bytes_for(1) as u64) < BYTES_PER_CELL
    }

    /// How long the rows read so far are.
    pub(in crate::rows) fn bytes_per_row(&self) -> u64 {
        self.consumed.checked_div(self.rows_read()).unwrap_or_default()
    }

    /// Finds out whether others do not help: nothing is taken over of sparse rows (see [`Segments::adopt`]), and to
    /// have many columns anew for each chunk may take longer than to read it.
    pub(in crate::rows) fn must_read_alone(&mut self) -> bool {
        if self.segments.sums_cells() {
            return true;
        }
        if !self.segments.has_too_many_for_chunks(self.columns()) {
            return false;
        }
        // Columns that became text may be among those that were counted, so they are counted before that is believed.
        self.segments.recount(&mut self.context);
        self.segments.has_too_many_for_chunks(self.columns())
    }

    /// Whether there were rows that take far more memory than their part of the body: few should be held at a time.
    pub(in crate::rows) fn had_sparse_rows(&self) -> bool {
        self.segments.had_sparse_rows()
    }
}
