//! Memory that is written once from its beginning to its end, and much of it: past the caches, line by line, as it is not read soon.
//!
//! Such are the columns that most rows lack, with one value again and again, and the offsets that another library wants wider.

use arrow_buffer::{ArrowNativeType, ToByteSlice};

use super::past_caches::{settle, write_lines};
use super::{Piece, Slab};

/// Bytes of a cache line.
pub(super) const LINE: usize = 64;

/// The most values that fill one: there are none of fewer than four bytes.
const MOST: usize = LINE / size_of::<u32>();

pub(in crate::rows) struct Lines<T> {
    piece: Piece,
    /// How many bytes of the piece are written: whole lines.
    written: usize,
    /// What comes next in it, less than a line, and room for a line behind that.
    next: [T; 2 * MOST],
    /// How many values of those there are.
    len: usize,
}

impl<T: ArrowNativeType> Lines<T> {
    /// How many values fill a line.
    const VALUES: usize = LINE / size_of::<T>();

    /// Begins with room for so many values.
    pub(in crate::rows) fn begin(count: usize, slab: &mut Slab) -> Self {
        const { assert!(LINE.is_multiple_of(size_of::<T>()) && Self::VALUES <= MOST) };
        // SAFETY: it is given away only when all of it is written.
        let piece = unsafe { slab.whatever(count * size_of::<T>()) };
        Self { piece, written: 0, next: [T::default(); 2 * MOST], len: 0 }
    }

    /// Writes values, few in a row.
    #[inline]
    pub(in crate::rows) fn copy(&mut self, values: &[T]) {
        for &value in values {
            self.next[self.len] = value;
            self.len += 1;
            if self.len == Self::VALUES {
                self.write_next();
            }
        }
    }

    /// Writes what is made of many values, in order.
    pub(in crate::rows) fn convert<U: Copy>(&mut self, values: &[U], make: impl Fn(U) -> T) {
        assert_eq!(self.len, 0, "lines are filled from their beginning");
        let (lines, rest) = values.split_at(values.len() - values.len() % Self::VALUES);
        for line in lines.chunks_exact(Self::VALUES) {
            for (next, &value) in self.next.iter_mut().zip(line) {
                *next = make(value);
            }
            self.write(1);
        }
        rest.iter().for_each(|&value| self.copy(&[make(value)]));
    }

    /// Writes a value so many times.
    #[inline]
    pub(in crate::rows) fn repeat(&mut self, value: T, times: usize) {
        // A whole line of it is as fast as the part that is needed.
        self.next[self.len..][..Self::VALUES].fill(value);
        let behind = (self.len + times).checked_sub(Self::VALUES);
        let Some(behind) = behind else {
            self.len += times;
            return;
        };
        self.write_next();
        self.next[..Self::VALUES].fill(value);
        self.write(behind / Self::VALUES);
        self.len = behind % Self::VALUES;
    }

    /// The piece, all of which has to be written.
    pub(in crate::rows) fn finish(mut self) -> Piece {
        let last = self.next[..self.len].to_byte_slice();
        assert_eq!(self.written + last.len(), self.piece.len(), "there is a value for each place");
        self.piece[self.written..].copy_from_slice(last);
        std::mem::take(&mut self.piece)
    }

    #[inline]
    fn write_next(&mut self) {
        self.write(1);
        self.len = 0;
    }

    /// Writes the next line so many times.
    #[inline]
    fn write(&mut self, times: usize) {
        let (places, _) = self.piece[self.written..].as_chunks_mut::<LINE>();
        let line = self.next.to_byte_slice().first_chunk().expect("there is room for a line");
        write_lines(&mut places[..times], line);
        self.written += times * LINE;
    }
}

impl<T> Drop for Lines<T> {
    fn drop(&mut self) {
        settle();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn they_are_what_a_plain_vector_would_hold(
            converted in prop::collection::vec(any::<u32>(), 0..40),
            steps in prop::collection::vec((any::<u64>(), prop_oneof![0usize..4, 0usize..99]), 0..40),
            lead in 0usize..99,
        ) {
            let slab = &mut Slab::default();
            let _lead = slab.zeros(lead);
            let mut plain: Vec<u64> = converted.iter().copied().map(u64::from).collect();
            let different = |(value, times): &(u64, usize)| (0..*times as u64).map(|more| value ^ more).collect::<Vec<_>>();
            for (at, step) in steps.iter().enumerate() {
                let (value, times) = *step;
                plain.extend(if at % 2 == 0 { vec![value; times] } else { different(step) });
            }
            let mut lines = Lines::begin(plain.len(), slab);
            lines.convert(&converted, u64::from);
            for (at, step) in steps.iter().enumerate() {
                let (value, times) = *step;
                if at % 2 == 0 { lines.repeat(value, times) } else { lines.copy(&different(step)) }
            }
            let buffer = lines.finish().freeze();
            prop_assert_eq!(buffer.typed_data::<u64>(), plain);
        }
    }

    #[test]
    #[should_panic(expected = "a value for each place")]
    fn none_may_be_missing() {
        let mut lines = Lines::begin(9, &mut Slab::default());
        lines.repeat(1_u64, 8);
        lines.finish();
    }
}
