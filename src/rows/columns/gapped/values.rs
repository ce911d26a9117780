//! Values and nulls as they come. Nulls that come one by one, or a few at once, are stored as values are, with a bit
//! that says so; many at once are a gap.

use super::bits::Bits;
use super::gaps::Gaps;
use crate::rows::memory::{Pages, Values};
use crate::rows::prefetch::prefetch_write;

/// The fewest nulls that are a gap: noting one costs as much as two or three values.
const SHORTEST: usize = 4;

/// The first value makes room for this many.
const FIRST: usize = 16;

#[derive(Clone)]
pub(in crate::rows) struct Gapped<T> {
    /// What is in all places but those of gaps, and which of these are no nulls.
    pub(super) values: Values<T>,
    pub(super) validity: Bits,
    pub(super) gaps: Gaps,
    /// How many places are in gaps.
    in_gaps: usize,
}

impl<T: Copy + Default> Default for Gapped<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Copy + Default> Gapped<T> {
    pub(in crate::rows) fn new() -> Self {
        Self { values: Values::new_in(Pages), validity: Bits::default(), gaps: Gaps::default(), in_gaps: 0 }
    }

    pub(in crate::rows::columns) fn with_nulls(count: usize) -> Self {
        let mut nulls = Self::new();
        nulls.push_nulls(count);
        nulls
    }

    #[inline]
    pub(in crate::rows::columns) fn len(&self) -> usize {
        self.values.len() + self.in_gaps
    }

    /// Adds a null, with `value` in its slot.
    #[inline]
    pub(in crate::rows) fn push_null_over(&mut self, value: T) {
        self.validity.push_zero(self.values.len());
        self.push(value);
    }

    #[inline]
    pub(in crate::rows) fn push(&mut self, value: T) {
        if let Err(value) = self.values.push_within_capacity(value) {
            self.push_into_more(value);
        }
        // Objects are only counted, and there is no memory to be at hand.
        if size_of::<T>() > 0 {
            prefetch_write(self.values.as_ptr_range().end);
        }
    }

    /// Adds the value where there is no room. Kept out of line, so that all other pushes are inlined.
    #[cold]
    #[inline(never)]
    fn push_into_more(&mut self, value: T) {
        if self.values.capacity() == 0 {
            self.values.reserve(FIRST);
        }
        self.values.push(value);
    }

    /// How many places are in no gap.
    #[inline]
    pub(in crate::rows::columns) fn physical_len(&self) -> usize {
        self.values.len()
    }

    /// Makes the list of gaps a shared one: members that it is [put into](Gapped::insert_gaps) clone a pointer and not
    /// the list.
    pub(in crate::rows::columns) fn share_gaps(&mut self) {
        self.gaps.share();
    }

    /// Puts the gaps of `outer` among the places, which are those of `outer` that are in no gap.
    pub(in crate::rows::columns) fn insert_gaps(&mut self, outer: &Gapped<()>) {
        assert_eq!(self.len(), outer.physical_len(), "a place for each");
        self.gaps.insert_gaps(&outer.gaps);
        self.in_gaps += outer.in_gaps;
    }

    /// What is in all places but those of gaps, to make room after it.
    pub(in crate::rows::columns) fn values_mut(&mut self) -> &mut Values<T> {
        &mut self.values
    }

    #[cfg(test)]
    pub(in crate::rows::columns) fn capacity(&self) -> usize {
        self.values.capacity()
    }

    /// Adds a null, which reads as the default.
    #[inline]
    pub(in crate::rows::columns) fn push_null(&mut self) {
        self.push_null_over(T::default());
    }

    /// Adds a null; if all nulls are added this way, they can be read as the value before them.
    #[inline]
    pub(in crate::rows::columns) fn repeat_null(&mut self) {
        self.push_null_over(self.last());
    }

    /// Adds `count` nulls, which read as the default.
    #[inline]
    pub(in crate::rows::columns) fn push_nulls(&mut self, count: usize) {
        self.push_nulls_over(count, T::default());
    }

    /// Adds `count` nulls; if all nulls are added this way, they can be read as the value before them.
    #[inline]
    pub(in crate::rows::columns) fn repeat_nulls(&mut self, count: usize) {
        self.push_nulls_over(count, self.last());
    }

    #[inline]
    fn push_nulls_over(&mut self, count: usize, value: T) {
        // Those that are written out come one by one.
        if count == 1 {
            return self.push_null_over(value);
        }
        if count < SHORTEST {
            self.validity.push_zeros(self.values.len(), count);
            self.values.resize(self.values.len() + count, value);
        } else {
            self.gaps.push(self.len(), self.values.len(), count);
            self.in_gaps += count;
        }
    }

    /// Forgets the places from `len` on.
    pub(in crate::rows::columns) fn truncate(&mut self, len: usize) {
        while let Some(gap) = self.gaps.cut_last(len) {
            self.values.truncate(gap.physical);
            self.in_gaps -= gap.count;
        }
        let dropped = self.len().saturating_sub(len);
        self.values.truncate(self.values.len() - dropped);
        self.validity.truncate(self.values.len());
    }

    /// Which of [`Gapped::values`] is at a place; `None` where it is null, or after the last.
    pub(in crate::rows::columns) fn physical_index(&self, at: usize) -> Option<usize> {
        let value = match self.gaps.before(at) {
            Some(gap) => gap.physical + (at - gap.start).checked_sub(gap.count)?,
            None => at,
        };
        (at < self.len() && self.validity.get(value)).then_some(value)
    }

    /// The valid places, in order, and which of [`Gapped::values`] is at each.
    pub(in crate::rows::columns) fn valid_indices(&self) -> impl Iterator<Item = (usize, usize)> {
        self.gaps.stretches(self.len(), self.physical_len()).flat_map(|stretch| {
            let there = stretch.values.clone().filter(|&value| self.validity.get(value));
            there.map(move |value| (stretch.start + (value - stretch.values.start), value))
        })
    }

    /// The last value that is stored, be it that of a null, and whether or not a gap follows; the default if there is
    /// none.
    #[inline]
    pub(in crate::rows::columns) fn last(&self) -> T {
        self.values.last().copied().unwrap_or_default()
    }

    /// What is in all places but those of gaps, in order.
    pub(in crate::rows::columns) fn values(&self) -> &[T] {
        &self.values
    }

    /// These places with other values, made in order.
    pub(in crate::rows::columns) fn map<U>(&self, convert: impl FnMut(T) -> U) -> Gapped<U> {
        let mut values = Values::with_capacity_in(self.values.len(), Pages);
        values.extend(self.values.iter().copied().map(convert));
        Gapped { values, validity: self.validity.clone(), gaps: self.gaps.clone(), in_gaps: self.in_gaps }
    }
}

#[cfg(test)]
mod tests {
    use arrow_buffer::{BooleanBuffer, NullBuffer};
    use proptest::prelude::*;

    use super::*;
    use crate::rows::memory::Arena;

    proptest! {
        #[test]
        fn it_holds_what_a_plain_vector_would(steps in proptest::collection::vec((0u8..5, 0usize..12), 0..200)) {
            let (mut gapped, mut plain) = (Gapped::new(), Vec::new());
            for (kind, number) in steps {
                match kind {
                    0 => {
                        let len = plain.len().saturating_sub(number);
                        gapped.truncate(len);
                        plain.truncate(len);
                    }
                    1 => {
                        gapped.push_nulls(number);
                        plain.resize(plain.len() + number, 0);
                    }
                    _ => {
                        gapped.push(number as u64 + 1);
                        plain.push(number as u64 + 1);
                    }
                }
                prop_assert_eq!(gapped.len(), plain.len());
            }
            for (at, value) in plain.iter().enumerate() {
                let held = gapped.physical_index(at).map(|value| gapped.values()[value]);
                prop_assert_eq!(held, (*value > 0).then_some(*value));
            }
            prop_assert_eq!(gapped.physical_index(plain.len()), None);
            let valid = gapped.valid_indices().map(|(at, value)| (at, gapped.values()[value]));
            let valid: Vec<(usize, u64)> = valid.collect();
            let there = plain.iter().copied().enumerate().filter(|(_, value)| *value > 0);
            prop_assert_eq!(valid, there.collect::<Vec<_>>());
            let is_there: Vec<bool> = plain.iter().map(|&value| value > 0).collect();
            let expected = is_there.contains(&false).then(|| NullBuffer::from(is_there));
            prop_assert_eq!(gapped.clone().into_nulls(&mut Arena::default()), expected.clone());
            let (bits, nulls) = gapped.map(|value| value % 2 > 0).into_bits(&mut Arena::default());
            let odd: BooleanBuffer = plain.iter().map(|value| value % 2 > 0).collect();
            prop_assert_eq!((bits, nulls), (odd, expected.clone()));
            let (places, nulls) = gapped.into_buffers(&mut Arena::default());
            prop_assert_eq!((places.typed_data::<u64>(), nulls), (&plain[..], expected));
        }
    }

    proptest! {
        #[test]
        fn a_null_repeats_what_stands_before_it(steps in proptest::collection::vec((0u8..4, 0usize..12), 0..60)) {
            let (mut gapped, mut plain, mut is_there) = (Gapped::new(), vec![0], Vec::new());
            for (kind, number) in steps {
                let last = *plain.last().unwrap();
                match kind {
                    0 => {
                        gapped.push(last + number as i32);
                        plain.push(last + number as i32);
                    }
                    1 => {
                        gapped.repeat_nulls(number);
                        plain.resize(plain.len() + number, last);
                    }
                    2 => {
                        gapped.push_null_over(last + number as i32);
                        plain.push(last + number as i32);
                    }
                    _ => {
                        let len = plain.len().saturating_sub(number).max(1);
                        gapped.truncate(len - 1);
                        plain.truncate(len);
                    }
                }
                prop_assert_eq!(gapped.last(), *plain.last().unwrap());
                is_there.resize(plain.len() - 1, kind == 0);
            }
            for (at, value) in plain[1..].iter().enumerate() {
                let held = gapped.physical_index(at).map(|value| gapped.values()[value]);
                prop_assert_eq!(held, is_there[at].then_some(*value));
            }
            let nulls = is_there.contains(&false).then(|| NullBuffer::from(is_there));
            let (offsets, of_offsets) = gapped.into_offsets(&mut Arena::default());
            prop_assert_eq!((&offsets[..], of_offsets), (&plain[..], nulls));
        }
    }
}
