//! Arrays of a column: offsets into one column that holds all their elements.

use std::ops::Range;

use arrow_buffer::{NullBuffer, OffsetBuffer};

use super::context::NO_ATTEMPT;
use super::offsets::Offsets;
use super::reserve::ReserveBudget;
use super::{Column, Gapped, Shape};
use crate::rows::memory::Arena;

/// The elements of all arrays as one column, and where among them each array ends.
pub(in crate::rows) struct List {
    ends: Offsets,
    pub(in crate::rows) elements: Column,
    /// Columns in which each element has a cell. Those that became text since the segment began may still be counted.
    columns: usize,
    /// How many there were before the row that last added some, and which row that was.
    columns_before: usize,
    added_by: u64,
}

impl List {
    pub(in crate::rows) fn with_nulls(count: usize, element: &Shape) -> Self {
        let elements = Column::of_shape(element);
        let columns = elements.count_members();
        Self { ends: Offsets::with_nulls(count), elements, columns, columns_before: columns, added_by: NO_ATTEMPT }
    }

    /// A list made elsewhere, of arrays that end at `ends` among the elements.
    pub(in crate::rows) fn of_parts(ends: Gapped<i32>, elements: Column) -> Self {
        Self { ends: ends.into(), elements, columns: 0, columns_before: 0, added_by: NO_ATTEMPT }
    }

    pub(in crate::rows) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Ends an array: everything in `elements` since the last end belongs to it. Gives how many those are, or `None`
    /// where Arrow can count no further.
    #[must_use]
    #[inline]
    pub(in crate::rows) fn close(&mut self) -> Option<usize> {
        let end = i32::try_from(self.elements.len()).ok()?;
        let count = end - self.ends.last();
        self.ends.push(end);
        Some(count as usize)
    }

    /// In how many columns each element has a cell at most: see `columns`.
    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    /// How many cells `elements` more elements have.
    #[inline]
    pub(super) fn count_cells(&self, elements: usize) -> u64 {
        elements as u64 * self.columns as u64
    }

    /// Takes note of new columns that `attempt` brought. Gives how many cells all elements have in them.
    #[cold]
    #[inline(never)]
    pub(super) fn add_columns(&mut self, added: usize, attempt: u64) -> u64 {
        if self.added_by != attempt {
            (self.added_by, self.columns_before) = (attempt, self.columns);
        }
        self.columns += added;
        self.elements.len() as u64 * added as u64
    }

    #[inline]
    pub(super) fn push_null(&mut self) {
        self.ends.push_null();
    }

    pub(in crate::rows) fn push_nulls(&mut self, count: usize) {
        self.ends.push_nulls(count);
    }

    pub(super) fn reserve(&mut self, budget: &mut ReserveBudget) {
        self.ends.reserve(budget);
        self.elements.reserve(budget);
    }

    /// Forgets the arrays from `len` on, all of which came with `attempt`, and what is in them: see [`Column::undo`].
    pub(super) fn undo(&mut self, attempt: u64, len: usize) -> usize {
        let end = self.ends.truncate(len);
        if self.added_by == attempt {
            self.columns = self.columns_before;
        }
        self.elements.undo(attempt, end)
    }

    pub(super) fn insert_gaps(&mut self, outer: &Gapped<()>) {
        self.ends.insert_gaps(outer);
    }

    /// See [`Store::physical_index`](super::Store::physical_index).
    pub(super) fn physical_index(&self, at: usize) -> Option<usize> {
        self.ends.physical_index(at)
    }

    pub(super) fn valid_indices(&self) -> impl Iterator<Item = (usize, usize)> {
        self.ends.valid_indices()
    }

    /// Where the elements of a value are.
    pub(super) fn range(&self, value: usize) -> Range<usize> {
        self.ends.range(value)
    }

    /// Lays out where arrays end, and all elements: no other comes.
    pub(super) fn seal(&mut self, arena: &mut Arena) {
        self.ends.lay_out(arena);
        self.elements.seal(self.elements.len(), arena);
    }

    pub(in crate::rows) fn into_parts(self, arena: &mut Arena) -> (OffsetBuffer<i32>, Column, Option<NullBuffer>) {
        let (offsets, nulls) = self.ends.into_offsets(arena);
        (offsets, self.elements, nulls)
    }
}
