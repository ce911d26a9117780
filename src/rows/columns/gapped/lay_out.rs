//! Values and gaps laid out as Arrow has them: a place for each row, and a bit for each place.
//!
//! Where gaps are long there is far more to lay out than was read. Pages that nothing is on are left as the system
//! hands them out, zeroed; elsewhere long gaps are written past the caches.

use arrow_buffer::{ArrowNativeType, BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer, ToByteSlice};

use super::Gapped;
use super::bits::{Bits, WORD};
use super::gaps::Stretch;
use crate::rows::memory::{Arena, LARGE, Lines, PAGE, Piece, freeze};

/// Gaps of fewer bytes are written as fast with what is beside them.
const LONG: usize = 256;

impl<T: Copy + Default> Gapped<T> {
    /// The validity of all places; `None` if there are no nulls.
    pub(in crate::rows::columns) fn into_nulls(self, arena: &mut Arena) -> Option<NullBuffer> {
        if self.gaps.is_empty() {
            return self.validity.into_nulls(self.values.len());
        }
        Some(NullBuffer::new(self.lay_bits(&self.validity, arena)))
    }

    /// One bit for each of the values as bits of all places, zeros in gaps.
    fn lay_bits(&self, bits: &Bits, arena: &mut Arena) -> BooleanBuffer {
        let mut words = self.zeros(self.len().div_ceil(WORD) * size_of::<u64>(), arena);
        for Stretch { start, values, .. } in self.stretches() {
            bits.copy(values, words.as_chunks_mut().0, start);
        }
        BooleanBuffer::new(words.freeze(), 0, self.len())
    }

    fn stretches(&self) -> impl Iterator<Item = Stretch> {
        self.gaps.stretches(self.len(), self.values().len())
    }

    /// Zeros for all places.
    fn zeros(&self, bytes: usize, arena: &mut Arena) -> Piece {
        arena.zeros_for(self.pages_written(bytes), bytes)
    }

    /// How many pages are written to when all places take `bytes` bytes: the values between two gaps are on the pages
    /// that they fill, and on two more at most.
    fn pages_written(&self, bytes: usize) -> usize {
        bytes / PAGE * self.values().len() / self.len().max(1) + 2 * self.gaps.len()
    }

    /// Whether most of the `bytes` for all places are in long gaps.
    fn has_long_gaps(&self, bytes: usize) -> bool {
        let in_gaps = bytes - bytes / self.len().max(1) * self.values().len();
        bytes >= LARGE && in_gaps >= bytes / 2 && in_gaps / LONG >= self.gaps.len()
    }
}

impl<T: ArrowNativeType> Gapped<T> {
    /// All places, zeros in gaps, and their validity, `None` if there are no nulls.
    pub(in crate::rows::columns) fn into_buffers(self, arena: &mut Arena) -> (Buffer, Option<NullBuffer>) {
        if self.gaps.is_empty() {
            let nulls = self.validity.into_nulls(self.values.len());
            return (freeze(self.values), nulls);
        }
        let bytes = self.len() * size_of::<T>();
        if self.has_long_gaps(bytes) && !Piece::has_few(self.pages_written(bytes), bytes) {
            let places = self.lay_lines(&[], |_| T::default(), arena);
            return (places.freeze(), self.into_nulls(arena));
        }
        let mut places = self.zeros(bytes, arena);
        for Stretch { start, values, .. } in self.stretches() {
            let bytes = start * size_of::<T>()..(start + values.len()) * size_of::<T>();
            places[bytes].copy_from_slice(self.values()[values].to_byte_slice());
        }
        (places.freeze(), self.into_nulls(arena))
    }

    /// Lays out `first`, and all places after it; in a gap what `in_gap` makes of the value before it.
    fn lay_lines(&self, first: &[T], in_gap: impl Fn(T) -> T, arena: &mut Arena) -> Piece {
        let mut lines = Lines::begin(first.len() + self.len(), arena);
        lines.copy(first);
        let mut last = T::default();
        for Stretch { values, gap, .. } in self.stretches() {
            let values = &self.values()[values];
            last = values.last().copied().unwrap_or(last);
            lines.copy(values);
            lines.repeat(in_gap(last), gap);
        }
        lines.finish()
    }
}

impl Gapped<bool> {
    /// All places, zeros in gaps, and their validity, `None` if there are no nulls.
    pub(in crate::rows::columns) fn into_bits(self, arena: &mut Arena) -> (BooleanBuffer, Option<NullBuffer>) {
        let bits = Bits::from(self.values());
        let values =
            if self.gaps.is_empty() { bits.into_buffer(self.values().len()) } else { self.lay_bits(&bits, arena) };
        (values, self.into_nulls(arena))
    }
}

impl Gapped<i32> {
    /// Zero and all places, gaps as the value before them, and their validity, `None` if there are no nulls. The values
    /// have to be such that these are offsets; that is looked at among them, for there may be far more places.
    pub(in crate::rows::columns) fn into_offsets(self, arena: &mut Arena) -> (OffsetBuffer<i32>, Option<NullBuffer>) {
        let values = self.values();
        assert!(values.is_sorted() && values.first().is_none_or(|&first| first >= 0), "offsets only grow");
        let bytes = (self.len() + 1) * size_of::<i32>();
        let places = if !self.begins_late(bytes) && self.has_long_gaps(bytes) {
            self.lay_lines(&[0], |last| last, arena)
        } else {
            self.lay_offsets(bytes, arena)
        };
        // SAFETY: the first place is 0. Each that follows is a value, and these only grow, from 0 or above, or the same
        // as the place before it; one that was not written is 0, as what is barely written begins, and stands in a gap
        // before which all places are 0.
        let offsets = unsafe { OffsetBuffer::new_unchecked(ScalarBuffer::from(places.freeze())) };
        (offsets, self.into_nulls(arena))
    }

    /// Whether there is no value in the first half of the `bytes` for all places: up to there offsets are zeros.
    fn begins_late(&self, bytes: usize) -> bool {
        bytes >= 2 * PAGE && self.gaps.first().is_some_and(|gap| gap.physical == 0 && gap.count > self.len() / 2)
    }

    /// Lays out 0 and all places one after the other, but for zeros before the first value where there are many.
    fn lay_offsets(&self, bytes: usize, arena: &mut Arena) -> Piece {
        let is_zeros = self.begins_late(bytes);
        // SAFETY: where they are not zeros, every stretch and every gap is written below, and the last assertion says
        // that nothing is left over.
        let mut places = if is_zeros { arena.barely_written(bytes) } else { unsafe { arena.uninit(bytes) } };
        let (mut rest, _) = places.as_chunks_mut();
        let mut lay =
            |count: usize| rest.split_off_mut(..count).expect("values and gaps are as many as there are places");
        let mut last = 0_i32.to_ne_bytes();
        lay(1).fill(last);
        for Stretch { values, gap, .. } in self.stretches() {
            let (values, _) = self.values()[values].to_byte_slice().as_chunks();
            lay(values.len()).copy_from_slice(values);
            last = values.last().copied().unwrap_or(last);
            let gap = lay(gap);
            if !is_zeros || last != [0; size_of::<i32>()] {
                gap.fill(last);
            }
        }
        assert!(rest.is_empty(), "values and gaps are as many as there are places");
        places
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// So many nulls, or so many values: few of the one or the other, or a gap as long as many pages.
    fn steps() -> impl Strategy<Value = Vec<(bool, usize)>> {
        prop::collection::vec((any::<bool>(), prop_oneof![4 => 0usize..12, 1 => 50usize..9_000]), 0..12)
    }

    proptest! {
        #[test]
        fn long_gaps_are_laid_out_as_short_ones_are(steps in steps()) {
            let (mut values, mut ends, mut expected, mut offsets) = (Gapped::new(), Gapped::new(), Vec::new(), vec![0]);
            for (is_value, count) in steps {
                if is_value {
                    for at in expected.len()..expected.len() + count.min(12) {
                        values.push(at as u64);
                        ends.push(at as i32);
                        expected.push(Some(at as u64));
                        offsets.push(at as i32);
                    }
                } else {
                    values.push_nulls(count);
                    ends.repeat_nulls(count);
                    expected.resize(expected.len() + count, None);
                    offsets.resize(offsets.len() + count, offsets[offsets.len() - 1]);
                }
            }
            let arena = &mut Arena::default();
            let is_there: Vec<bool> = expected.iter().map(Option::is_some).collect();
            let nulls = is_there.contains(&false).then(|| NullBuffer::from(is_there));
            let plain: Vec<u64> = expected.into_iter().map(Option::unwrap_or_default).collect();
            let (places, of_places) = values.into_buffers(arena);
            prop_assert_eq!((places.typed_data::<u64>(), &of_places), (&plain[..], &nulls));
            let (places, of_places) = ends.into_offsets(arena);
            prop_assert_eq!((&places[..], of_places), (&offsets[..], nulls));
        }
    }

    #[test]
    fn pages_that_hold_no_value_cost_nothing() {
        let is_mostly_gap = |every: usize| {
            let mut gapped = Gapped::new();
            for value in 1..200_u128 {
                gapped.push_nulls(every);
                gapped.push(value);
            }
            let bytes = [gapped.len() * size_of::<u128>(), gapped.len() / 8];
            bytes.map(|bytes| Piece::has_few(gapped.pages_written(bytes), bytes))
        };
        let expected = [(50 * PAGE, [true, true]), (PAGE, [true, false]), (PAGE / 64, [false; 2]), (0, [false; 2])];
        expected.iter().for_each(|(every, expected)| assert_eq!(is_mostly_gap(*every), *expected, "{every}"));
    }

    #[test]
    #[should_panic(expected = "offsets only grow")]
    fn what_does_not_grow_is_no_offsets() {
        let mut gapped = Gapped::new();
        [2, 1].into_iter().for_each(|end| gapped.push(end));
        gapped.into_offsets(&mut Arena::default());
    }
}
