//! Fixed-width values and booleans, each with the nulls among them.

use std::sync::Arc;

use arrow_array::{ArrayRef, ArrowPrimitiveType, BooleanArray, PrimitiveArray};
use arrow_buffer::{ArrowNativeType, ScalarBuffer};

use super::gapped::Gapped;
use super::room::Room;
use crate::rows::slab::Slab;

pub(in crate::rows) struct Scalars<T> {
    values: Gapped<T>,
}

impl<T: ArrowNativeType> Scalars<T> {
    pub(in crate::rows) fn with_nulls(count: usize) -> Self {
        Self { values: Gapped::with_nulls(count) }
    }

    #[inline]
    pub(in crate::rows) fn len(&self) -> usize {
        self.values.len()
    }

    #[inline]
    pub(in crate::rows) fn push(&mut self, value: T) {
        self.values.push(value);
    }

    #[inline]
    pub(in crate::rows) fn push_nulls(&mut self, count: usize) {
        self.values.push_nulls(count);
    }

    pub(super) fn make_room(&mut self, room: &mut Room) {
        self.values.make_room(room);
    }

    pub(in crate::rows) fn truncate(&mut self, len: usize) {
        self.values.truncate(len);
    }

    pub(super) fn spread(&mut self, outer: &Gapped<()>) {
        self.values.spread(outer);
    }

    pub(in crate::rows) fn is_null(&self, at: usize) -> bool {
        self.values.is_null(at)
    }

    pub(in crate::rows) fn get(&self, at: usize) -> T {
        self.values.get(at)
    }

    /// The same values and nulls in another type.
    pub(in crate::rows) fn map<U: ArrowNativeType>(&self, convert: impl Fn(T) -> U) -> Scalars<U> {
        Scalars { values: self.values.map(convert) }
    }

    pub(in crate::rows) fn into_array<A: ArrowPrimitiveType<Native = T>>(self, slab: &mut Slab) -> ArrayRef {
        let (values, nulls) = self.values.into_buffers(slab);
        Arc::new(PrimitiveArray::<A>::new(ScalarBuffer::from(values), nulls))
    }
}

/// A byte each, until they are finished: JSON has no shorter way to say them either.
pub(in crate::rows) struct Booleans {
    values: Gapped<bool>,
}

impl Booleans {
    pub(in crate::rows) fn with_nulls(count: usize) -> Self {
        Self { values: Gapped::with_nulls(count) }
    }

    pub(in crate::rows) fn len(&self) -> usize {
        self.values.len()
    }

    #[inline]
    pub(in crate::rows) fn push(&mut self, value: bool) {
        self.values.push(value);
    }

    pub(in crate::rows) fn push_nulls(&mut self, count: usize) {
        self.values.push_nulls(count);
    }

    pub(super) fn make_room(&mut self, room: &mut Room) {
        self.values.make_room(room);
    }

    pub(in crate::rows) fn truncate(&mut self, len: usize) {
        self.values.truncate(len);
    }

    pub(super) fn spread(&mut self, outer: &Gapped<()>) {
        self.values.spread(outer);
    }

    pub(in crate::rows) fn is_null(&self, at: usize) -> bool {
        self.values.is_null(at)
    }

    pub(in crate::rows) fn get(&self, at: usize) -> bool {
        self.values.get(at)
    }

    pub(in crate::rows) fn into_array(self, slab: &mut Slab) -> ArrayRef {
        let (values, nulls) = self.values.into_bits(slab);
        Arc::new(BooleanArray::new(values, nulls))
    }
}
