//! Fixed-width values and booleans, each with the nulls among them.

use std::sync::Arc;

use arrow_array::{ArrayRef, ArrowPrimitiveType, BooleanArray, PrimitiveArray};
use arrow_buffer::{BooleanBufferBuilder, NullBufferBuilder, ScalarBuffer};

pub(in crate::rows) struct Scalars<T> {
    values: Vec<T>,
    validity: NullBufferBuilder,
}

impl<T: Copy + Default> Scalars<T> {
    pub(in crate::rows) fn with_nulls(count: usize) -> Self {
        let mut scalars = Self { values: Vec::new(), validity: NullBufferBuilder::new(0) };
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
        self.validity.append_non_null();
    }

    #[inline]
    pub(in crate::rows) fn push_nulls(&mut self, count: usize) {
        self.values.resize(self.values.len() + count, T::default());
        self.validity.append_n_nulls(count);
    }

    pub(in crate::rows) fn truncate(&mut self, len: usize) {
        self.values.truncate(len);
        self.validity.truncate(len);
    }

    pub(in crate::rows) fn is_null(&self, at: usize) -> bool {
        at >= self.len() || !self.validity.is_valid(at)
    }

    pub(in crate::rows) fn get(&self, at: usize) -> T {
        self.values[at]
    }

    /// The same values and nulls in another type.
    pub(in crate::rows) fn map<U>(&self, convert: impl Fn(T) -> U) -> Scalars<U> {
        let mut validity = NullBufferBuilder::new(self.len());
        match self.validity.finish_cloned() {
            Some(nulls) => validity.append_buffer(&nulls),
            None => validity.append_n_non_nulls(self.len()),
        }
        Scalars { values: self.values.iter().copied().map(convert).collect(), validity }
    }

    pub(in crate::rows) fn into_array<A: ArrowPrimitiveType<Native = T>>(mut self) -> ArrayRef
    where
        T: arrow_buffer::ArrowNativeType,
    {
        Arc::new(PrimitiveArray::<A>::new(ScalarBuffer::from(self.values), self.validity.finish()))
    }
}

pub(in crate::rows) struct Booleans {
    values: BooleanBufferBuilder,
    validity: NullBufferBuilder,
}

impl Booleans {
    pub(in crate::rows) fn with_nulls(count: usize) -> Self {
        let mut booleans = Self { values: BooleanBufferBuilder::new(0), validity: NullBufferBuilder::new(0) };
        booleans.push_nulls(count);
        booleans
    }

    pub(in crate::rows) fn len(&self) -> usize {
        self.values.len()
    }

    #[inline]
    pub(in crate::rows) fn push(&mut self, value: bool) {
        self.values.append(value);
        self.validity.append_non_null();
    }

    pub(in crate::rows) fn push_nulls(&mut self, count: usize) {
        self.values.append_n(count, false);
        self.validity.append_n_nulls(count);
    }

    pub(in crate::rows) fn truncate(&mut self, len: usize) {
        self.values.truncate(len);
        self.validity.truncate(len);
    }

    pub(in crate::rows) fn is_null(&self, at: usize) -> bool {
        at >= self.len() || !self.validity.is_valid(at)
    }

    pub(in crate::rows) fn get(&self, at: usize) -> bool {
        self.values.get_bit(at)
    }

    pub(in crate::rows) fn into_array(mut self) -> ArrayRef {
        Arc::new(BooleanArray::new(self.values.finish(), self.validity.finish()))
    }
}
