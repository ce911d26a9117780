//! Arrays of a column: offsets into one column that holds all their elements.

use arrow_buffer::{NullBuffer, OffsetBuffer};

use super::gapped::Gapped;
use super::room::Room;
use super::{Bits, Column, Shape};
use crate::rows::slab::Slab;

pub(in crate::rows) struct List {
    /// Where each array ends among the elements; one that is null ends where the one before it does.
    ends: Gapped<i32>,
    pub(in crate::rows) elements: Column,
    validity: Bits,
}

impl List {
    pub(in crate::rows) fn with_nulls(count: usize, element: &Shape) -> Self {
        let mut list = Self { ends: Gapped::new(), elements: Column::of_shape(element), validity: Bits::new() };
        list.push_nulls(count);
        list
    }

    /// A list made elsewhere, of arrays that end at `ends` among the elements.
    pub(in crate::rows) fn of_parts(ends: impl Iterator<Item = i32>, elements: Column, validity: Bits) -> Self {
        let mut list = Self { ends: Gapped::new(), elements, validity };
        ends.for_each(|end| list.ends.push(end));
        list
    }

    pub(in crate::rows) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Ends an array: everything in `elements` since the last end belongs to it. `None` where Arrow can count no further.
    #[must_use]
    pub(in crate::rows) fn close(&mut self) -> Option<()> {
        self.ends.push(i32::try_from(self.elements.len()).ok()?);
        self.validity.push_one();
        Some(())
    }

    pub(in crate::rows) fn push_nulls(&mut self, count: usize) {
        self.ends.repeat(count);
        self.validity.push_zeros(count);
    }

    pub(super) fn make_room(&mut self, room: &mut Room) {
        self.ends.make_room(room);
        self.elements.make_room(room);
    }

    /// Forgets the arrays from `len` on. Gives the number of elements that are left to the others.
    pub(super) fn truncate(&mut self, len: usize) -> usize {
        self.ends.truncate(len);
        self.validity.truncate(len);
        self.ends.last() as usize
    }

    pub(in crate::rows) fn is_null(&self, at: usize) -> bool {
        at >= self.len() || !self.validity.get(at)
    }

    pub(in crate::rows) fn range(&self, at: usize) -> std::ops::Range<usize> {
        let start = at.checked_sub(1).map_or(0, |before| self.ends.get_repeated(before));
        start as usize..self.ends.get_repeated(at) as usize
    }

    pub(in crate::rows) fn into_parts(self, slab: &mut Slab) -> (OffsetBuffer<i32>, Column, Option<NullBuffer>) {
        (self.ends.into_offsets(slab), self.elements, self.validity.into_nulls(slab))
    }
}
