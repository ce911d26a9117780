//! Arrays of a column: offsets into one column that holds all their elements.

use arrow_buffer::{NullBuffer, NullBufferBuilder, OffsetBuffer, ScalarBuffer};

use super::{Column, Shape};

pub(in crate::rows) struct List {
    /// Where each array ends among the elements, after a leading 0.
    offsets: Vec<i32>,
    pub(in crate::rows) elements: Column,
    validity: NullBufferBuilder,
}

impl List {
    pub(in crate::rows) fn with_nulls(count: usize, element: &Shape) -> Self {
        let mut list =
            Self { offsets: vec![0], elements: Column::of_shape(element), validity: NullBufferBuilder::new(0) };
        list.push_nulls(count);
        list
    }

    /// A list made elsewhere; `offsets` start at 0 and there is one more of them than there are arrays.
    pub(in crate::rows) fn of_parts(offsets: Vec<i32>, elements: Column, validity: NullBufferBuilder) -> Self {
        Self { offsets, elements, validity }
    }

    pub(in crate::rows) fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Ends an array: everything in `elements` since the last end belongs to it. `None` where Arrow can count no further.
    #[must_use]
    pub(in crate::rows) fn close(&mut self) -> Option<()> {
        self.offsets.push(i32::try_from(self.elements.len()).ok()?);
        self.validity.append_non_null();
        Some(())
    }

    pub(in crate::rows) fn push_nulls(&mut self, count: usize) {
        let end = self.offsets[self.len()];
        self.offsets.resize(self.offsets.len() + count, end);
        self.validity.append_n_nulls(count);
    }

    /// Forgets the arrays from `len` on. Gives the number of elements that are left to the others.
    pub(super) fn truncate(&mut self, len: usize) -> usize {
        self.offsets.truncate(len + 1);
        self.validity.truncate(len);
        self.offsets[self.len()] as usize
    }

    pub(in crate::rows) fn is_null(&self, at: usize) -> bool {
        at >= self.len() || !self.validity.is_valid(at)
    }

    pub(in crate::rows) fn range(&self, at: usize) -> std::ops::Range<usize> {
        self.offsets[at] as usize..self.offsets[at + 1] as usize
    }

    pub(in crate::rows) fn into_parts(mut self) -> (OffsetBuffer<i32>, Column, Option<NullBuffer>) {
        (OffsetBuffer::new(ScalarBuffer::from(self.offsets)), self.elements, self.validity.finish())
    }
}
