//! Values with long gaps between them: what a sparse column is made of.
//!
//! A gap is a note of where it is and how long, until the column is finished. The values are then laid into memory that the
//! system hands out zeroed. Where gaps are long their pages are never touched, and a column costs what is in it.

use arrow_buffer::{ArrowNativeType, Buffer, OffsetBuffer, ScalarBuffer, ToByteSlice};

use crate::rows::slab::{Pages, Piece, Slab, Values, freeze, soon_written};

/// Shorter gaps are filled at once: noting one costs as much as two or three values.
const SHORTEST: usize = 4;

/// Bytes that the system hands out together where they are not asked for in slabs.
const PAGE: usize = 4 << 10;

#[derive(Clone)]
pub(super) struct Gapped<T> {
    values: Values<T>,
    /// In order, and never one right behind another.
    gaps: Vec<Gap>,
    len: usize,
}

#[derive(Clone, Copy)]
struct Gap {
    /// Where it starts among all places, and among the values.
    start: usize,
    value: usize,
    count: usize,
}

impl<T: ArrowNativeType> Default for Gapped<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: ArrowNativeType> Gapped<T> {
    pub(super) fn new() -> Self {
        Self { values: Values::new_in(Pages), gaps: Vec::new(), len: 0 }
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub(super) fn push(&mut self, value: T) {
        if let Err(value) = self.values.push_within_capacity(value) {
            self.push_into_more(value);
        }
        self.len += 1;
        soon_written(self.values.as_ptr_range().end);
    }

    /// The same where there is no room. Apart from it, so that all other pushes stand where they are called.
    #[cold]
    #[inline(never)]
    fn push_into_more(&mut self, value: T) {
        self.values.push(value);
    }

    /// Makes room for so many values more, if there is so much memory.
    pub(super) fn try_reserve(&mut self, more: usize) {
        // It was only a guess that they come.
        let _ = self.values.try_reserve(more);
    }

    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        self.values.capacity()
    }

    /// Leaves `count` places empty; they read as the default.
    #[inline]
    pub(super) fn skip(&mut self, count: usize) {
        self.leave(count, T::default());
    }

    /// Leaves `count` places empty; where all empty places are left so, they can be read as the value before them.
    #[inline]
    pub(super) fn repeat(&mut self, count: usize) {
        self.leave(count, self.last());
    }

    #[inline]
    fn leave(&mut self, count: usize, filler: T) {
        if count < SHORTEST {
            self.values.resize(self.values.len() + count, filler);
        } else {
            let (start, value) = (self.len, self.values.len());
            match self.gaps.last_mut() {
                Some(gap) if gap.value == value => gap.count += count,
                _ => self.gaps.push(Gap { start, value, count }),
            }
        }
        self.len += count;
    }

    pub(super) fn truncate(&mut self, len: usize) {
        while let Some(gap) = self.gaps.last_mut().filter(|gap| gap.start + gap.count > len) {
            if gap.start < len {
                gap.count = len - gap.start;
                self.values.truncate(gap.value);
                self.len = len;
                return;
            }
            let gap = *gap;
            self.gaps.pop();
            self.values.truncate(gap.value);
            self.len = gap.start;
        }
        let behind = self.len.saturating_sub(len);
        self.values.truncate(self.values.len() - behind);
        self.len -= behind;
    }

    pub(super) fn get(&self, at: usize) -> T {
        let before = self.gaps.partition_point(|gap| gap.start <= at);
        let Some(gap) = before.checked_sub(1).map(|last| self.gaps[last]) else { return self.values[at] };
        let behind = at - gap.start;
        if behind < gap.count { T::default() } else { self.values[gap.value + behind - gap.count] }
    }

    /// The last value, whether or not empty places come behind it.
    #[inline]
    pub(super) fn last(&self) -> T {
        self.values.last().copied().unwrap_or_default()
    }

    /// The value at `at`, or the one before it if the place is empty.
    pub(super) fn get_repeated(&self, at: usize) -> T {
        let before = self.gaps.partition_point(|gap| gap.start <= at);
        let Some(gap) = before.checked_sub(1).map(|last| self.gaps[last]) else { return self.values[at] };
        let values = gap.value + (at - gap.start + 1).saturating_sub(gap.count);
        values.checked_sub(1).map_or(T::default(), |last| self.values[last])
    }

    /// The values, in order. Where all empty places were left by [`Gapped::skip`], those that are not here read as the
    /// default.
    pub(super) fn values(&self) -> &[T] {
        &self.values
    }

    /// The same places with other values, made in order; an empty place stays one.
    pub(super) fn map<U: ArrowNativeType>(&self, convert: impl FnMut(T) -> U) -> Gapped<U> {
        let mut values = Values::with_capacity_in(self.values.len(), Pages);
        values.extend(self.values.iter().copied().map(convert));
        Gapped { values, gaps: self.gaps.clone(), len: self.len }
    }

    /// All places, the empty ones as zeros.
    pub(super) fn into_buffer(self, slab: &mut Slab) -> Buffer {
        if self.gaps.is_empty() {
            return freeze(self.values);
        }
        let bytes = self.len * size_of::<T>();
        let mut places = if self.is_mostly_gap() { Piece::barely_written(bytes) } else { slab.zeros(bytes) };
        let mut laid = 0;
        let mut at = 0;
        for gap in self.gaps.iter().chain([&Gap { start: self.len, value: self.values.len(), count: 0 }]) {
            let bytes = at * size_of::<T>()..gap.start * size_of::<T>();
            places[bytes].copy_from_slice(self.values[laid..gap.value].to_byte_slice());
            (laid, at) = (gap.value, gap.start + gap.count);
        }
        places.freeze()
    }

    /// Whether at least every second page of the places, of which the values between two gaps are in one or two, holds none.
    fn is_mostly_gap(&self) -> bool {
        let pages = |places: usize| places * size_of::<T>() / PAGE;
        2 * (pages(self.values.len()) + 2 * self.gaps.len()) < pages(self.len)
    }
}

impl Gapped<i32> {
    /// Zero and all places, the empty ones as the value before them. The values have to be such that these are offsets; that
    /// is looked at among them, for there may be far more places.
    pub(super) fn into_offsets(self, slab: &mut Slab) -> OffsetBuffer<i32> {
        assert!(self.values.is_sorted() && self.values.first().is_none_or(|&first| first >= 0), "offsets only grow");
        // SAFETY: all places are written before this returns them.
        let mut places = unsafe { slab.whatever((self.len + 1) * size_of::<i32>()) };
        let (mut rest, _) = places.as_chunks_mut();
        let mut lay =
            |count: usize| rest.split_off_mut(..count).expect("values and gaps are as many as there are places");
        let mut last = 0_i32.to_ne_bytes();
        lay(1).fill(last);
        let mut laid = 0;
        for gap in self.gaps.iter().chain([&Gap { start: self.len, value: self.values.len(), count: 0 }]) {
            let (values, _) = self.values[laid..gap.value].to_byte_slice().as_chunks();
            lay(values.len()).copy_from_slice(values);
            last = values.last().copied().unwrap_or(last);
            lay(gap.count).fill(last);
            laid = gap.value;
        }
        assert!(rest.is_empty(), "values and gaps are as many as there are places");
        // SAFETY: every place was written: zero, values, which only grow from there, and copies of the one before.
        unsafe { OffsetBuffer::new_unchecked(ScalarBuffer::from(places.freeze())) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_holds_what_a_plain_vector_would(steps in proptest::collection::vec((0u8..3, 0usize..12), 0..60)) {
            let (mut gapped, mut plain) = (Gapped::new(), Vec::new());
            for (kind, number) in steps {
                match kind {
                    0 => {
                        gapped.push(number as u64 + 1);
                        plain.push(number as u64 + 1);
                    }
                    1 => {
                        gapped.skip(number);
                        plain.resize(plain.len() + number, 0);
                    }
                    _ => {
                        let len = plain.len().saturating_sub(number);
                        gapped.truncate(len);
                        plain.truncate(len);
                    }
                }
                prop_assert_eq!(gapped.len(), plain.len());
            }
            for (at, value) in plain.iter().enumerate() {
                prop_assert_eq!(gapped.get(at), *value);
            }
            let places = gapped.into_buffer(&mut Slab::default());
            prop_assert_eq!(places.typed_data::<u64>(), plain);
        }
    }

    #[test]
    fn pages_that_hold_no_value_cost_nothing() {
        let dense = |every: usize| {
            let mut gapped = Gapped::new();
            for value in 1..200_u128 {
                gapped.skip(every);
                gapped.push(value);
            }
            gapped.is_mostly_gap()
        };
        assert!(dense(8 * PAGE) && !dense(PAGE / 64) && !dense(0));
    }

    proptest! {
        #[test]
        fn an_empty_place_repeats_what_stands_before_it(steps in proptest::collection::vec((0u8..3, 0usize..12), 0..60)) {
            let (mut gapped, mut plain) = (Gapped::new(), vec![0]);
            for (kind, number) in steps {
                match kind {
                    0 => {
                        let next = plain.last().unwrap() + number as i32;
                        gapped.push(next);
                        plain.push(next);
                    }
                    1 => {
                        gapped.repeat(number);
                        plain.resize(plain.len() + number, *plain.last().unwrap());
                    }
                    _ => {
                        let len = plain.len().saturating_sub(number).max(1);
                        gapped.truncate(len - 1);
                        plain.truncate(len);
                    }
                }
                prop_assert_eq!(gapped.last(), *plain.last().unwrap());
            }
            for (at, value) in plain[1..].iter().enumerate() {
                prop_assert_eq!(gapped.get_repeated(at), *value);
            }
            prop_assert_eq!(&gapped.into_offsets(&mut Slab::default())[..], plain);
        }
    }

    #[test]
    #[should_panic(expected = "offsets only grow")]
    fn what_does_not_grow_is_no_offsets() {
        let mut gapped = Gapped::new();
        [2, 1].into_iter().for_each(|end| gapped.push(end));
        gapped.into_offsets(&mut Slab::default());
    }
}
