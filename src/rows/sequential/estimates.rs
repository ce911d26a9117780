//! What the rows read so far say about those to come: whether other threads pay, and how long their blocks are to be.

use super::Sequential;
use super::cell_budget::BYTES_PER_CELL;
use crate::rows::columns::Counts;

impl Sequential {
    /// How many columns there are, nested ones included; those that became text in the open segment may be among them.
    pub(in crate::rows) fn columns(&self) -> usize {
        self.context.counts.columns
    }

    /// Counts the columns anew: see [`Sequential::columns`]. Not once cells are summed up, where it is for the rows
    /// alone to say when.
    pub(in crate::rows) fn recount_columns(&mut self) {
        if !self.segments.sums_cells() {
            self.segments.recount(&mut self.context);
        }
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
    pub(in crate::rows) fn is_mostly_empty(&self) -> bool {
        (self.bytes_for(1) as u64) < BYTES_PER_CELL
    }

    /// How long the rows read so far are.
    pub(in crate::rows) fn bytes_per_row(&self) -> u64 {
        self.consumed.checked_div(self.rows_read()).unwrap_or_default()
    }

    /// Whether others do not help: nothing is taken over of sparse rows (see [`Segments::adopt`]), and to have many
    /// columns anew for each block may take longer than to read it.
    pub(in crate::rows) fn reads_alone(&self) -> bool {
        self.segments.sums_cells() || self.segments.has_too_many_for_blocks(self.columns())
    }

    /// Whether there was a batch that takes more memory than its part of the body explains.
    pub(in crate::rows) fn has_many_cells(&self) -> bool {
        self.segments.has_many_cells()
    }
}
