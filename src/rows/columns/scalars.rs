//! Fixed-width values and booleans, each with the nulls among them.

use std::sync::Arc;

use arrow_array::{ArrayRef, ArrowPrimitiveType, BooleanArray, PrimitiveArray};
use arrow_buffer::{ArrowNativeType, ScalarBuffer};

use super::Bits;
use super::gapped::Gapped;
use super::room::Room;
use crate::rows::slab::Slab;

pub(in crate::rows) struct Scalars<T> {
    values: Gapped<T>,
    validity: Bits,
}

impl<T: ArrowNativeType> Scalars<T> {
    pub(in crate::rows) fn with_nulls(count: usize) -> Self {
        let mut scalars = Self { values: Gapped::new(), validity: Bits::new() };
        scalars.push_nulls(count);
        scalars
    }

    #[inline]
    pub(in crate::rows) fn len(&self) -> usize {
        self.values.len()
    }

    #[inline]
    pub(in crate::rows) fn push(&mut self, value: T) {
        self.values.push(value);
        self.validity.push_one();
    }

    #[inline]
    pub(in crate::rows) fn push_nulls(&mut self, count: usize) {
        self.values.skip(count);
        self.validity.push_zeros(count);
    }

    pub(super) fn make_room(&mut self, room: &mut Room) {
        self.values.make_room(room);
    }

    pub(in crate::rows) fn truncate(&mut self, len: usize) {
        self.values.truncate(len);
        self.validity.truncate(len);
    }

    pub(in crate::rows) fn is_null(&self, at: usize) -> bool {
        at >= self.len() || !self.validity.get(at)
    }

    pub(in crate::rows) fn get(&self, at: usize) -> T {
        self.values.get(at)
    }

    /// The same values and nulls in another type.
    pub(in crate::rows) fn map<U: ArrowNativeType>(&self, convert: impl Fn(T) -> U) -> Scalars<U> {
        Scalars { values: self.values.map(convert), validity: self.validity.clone() }
    }

    pub(in crate::rows) fn into_array<A: ArrowPrimitiveType<Native = T>>(self, slab: &mut Slab) -> ArrayRef {
        let values = ScalarBuffer::from(self.values.into_buffer(slab));
        Arc::new(PrimitiveArray::<A>::new(values, self.validity.into_nulls(slab)))
    }
}

pub(in crate::rows) struct Booleans {
    values: Bits,
    validity: Bits,
}

impl Booleans {
    pub(in crate::rows) fn with_nulls(count: usize) -> Self {
        let mut booleans = Self { values: Bits::new(), validity: Bits::new() };
        booleans.push_nulls(count);
        booleans
    }

    pub(in crate::rows) fn len(&self) -> usize {
        self.values.len()
    }

    #[inline]
    pub(in crate::rows) fn push(&mut self, value: bool) {
        self.values.push(value);
        self.validity.push_one();
    }

    pub(in crate::rows) fn push_nulls(&mut self, count: usize) {
        self.values.push_zeros(count);
        self.validity.push_zeros(count);
    }

    pub(in crate::rows) fn truncate(&mut self, len: usize) {
        self.values.truncate(len);
        self.validity.truncate(len);
    }

    pub(in crate::rows) fn is_null(&self, at: usize) -> bool {
        at >= self.len() || !self.validity.get(at)
    }

    pub(in crate::rows) fn get(&self, at: usize) -> bool {
        self.values.get(at)
    }

    pub(in crate::rows) fn into_array(self, slab: &mut Slab) -> ArrayRef {
        Arc::new(BooleanArray::new(self.values.into_buffer(slab), self.validity.into_nulls(slab)))
    }
}
