//! Memory that is written once from its beginning to its end. Where it is large it is written past the caches, line by
//! line: it is not read soon.
//!
//! Such are the columns that most rows lack, with one value again and again, and the offsets that another library wants
//! wider.

use arrow_buffer::{ArrowNativeType, ToByteSlice};

use super::non_temporal::{fence, write_lines};
use super::{Arena, Piece};

/// Bytes of a cache line.
pub(super) const LINE: usize = 64;

/// The most values that fill one: there are none of fewer than four bytes.
const MOST: usize = LINE / size_of::<u32>();

/// Fewer bytes than this stay in the caches until somebody reads them.
pub(in crate::rows) const LARGE: usize = 8 << 10;

pub(in crate::rows) struct Lines<T> {
    piece: Piece,
    /// How many bytes of the piece are written: whole lines.
    written: usize,
    /// What comes next in it, less than a line, and room for a line after that.
    next: [T; 2 * MOST],
    /// How many values of those there are.
    len: usize,
}

impl<T: ArrowNativeType> Lines<T> {
    /// How many values fill a line.
    const VALUES: usize = LINE / size_of::<T>();

    /// Begins with room for so many values.
    pub(in crate::rows) fn begin(count: usize, arena: &mut Arena) -> Self {
        const { assert!(LINE.is_multiple_of(size_of::<T>()) && Self::VALUES <= MOST) };
        // SAFETY: it is given away only when all of it is written.
        let piece = unsafe { arena.uninit(count * size_of::<T>()) };
        Self { piece, written: 0, next: [T::default(); 2 * MOST], len: 0 }
    }

    /// Writes values.
    #[inline]
    pub(in crate::rows) fn copy(&mut self, values: &[T]) {
        let (begun, rest) = values.split_at(values.len().min(Self::VALUES - self.len));
        for &value in begun {
            self.next[self.len] = value;
            self.len += 1;
        }
        if self.len == Self::VALUES {
            self.write_next();
            self.convert(rest, |value| value);
        }
    }

    /// Writes what is made of many values, where a line begins.
    pub(in crate::rows) fn convert<U: Copy>(&mut self, values: &[U], make: impl Fn(U) -> T) {
        assert_eq!(self.len, 0, "a line begins here");
        for line in values.chunks(Self::VALUES) {
            for (next, &value) in self.next.iter_mut().zip(line) {
                *next = make(value);
            }
            if line.len() == Self::VALUES {
                self.write(1);
            } else {
                self.len = line.len();
            }
        }
    }

    /// Writes a value `times` times.
    #[inline]
    pub(in crate::rows) fn repeat(&mut self, value: T, times: usize) {
        // A whole line of it is as fast as the part that is needed.
        self.next[self.len..][..Self::VALUES].fill(value);
        let beyond = (self.len + times).checked_sub(Self::VALUES);
        let Some(beyond) = beyond else {
            self.len += times;
            return;
        };
        self.write_next();
        self.next[..Self::VALUES].fill(value);
        self.write(beyond / Self::VALUES);
        self.len = beyond % Self::VALUES;
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
        let is_large = self.piece.len() >= LARGE;
        let places = &mut self.piece[self.written..].as_chunks_mut().0[..times];
        let line = self.next.to_byte_slice().first_chunk::<LINE>().expect("there is room for a line");
        if is_large {
            // SAFETY: these places are neither read nor written again until `finish` gives the piece away. That drops
            // `self`, which fences, before it returns, as does whoever drops it unfinished.
            unsafe { write_lines(places, line) };
        } else {
            places.fill(*line);
        }
        self.written += times * LINE;
    }
}

impl<T> Drop for Lines<T> {
    fn drop(&mut self) {
        fence();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::test_runner::TestCaseError;

    /// Values that are made of others, and then such that repeat one or are all different.
    type Steps = (Vec<u32>, Vec<(u32, usize)>);

    fn steps() -> impl Strategy<Value = Steps> {
        let times = prop_oneof![4 => 0usize..4, 4 => 0usize..99, 1 => 0usize..5_000];
        (prop::collection::vec(any::<u32>(), 0..99), prop::collection::vec((any::<u32>(), times), 0..20))
    }

    fn check<T: ArrowNativeType>((converted, steps): &Steps, make: impl Fn(u32) -> T) -> Result<(), TestCaseError> {
        let all = |at: usize, (value, times): (u32, usize)| -> Vec<T> {
            (0..times as u32).map(|more| make(if at.is_multiple_of(2) { value } else { value ^ more })).collect()
        };
        let mut plain: Vec<T> = converted.iter().copied().map(&make).collect();
        plain.extend(steps.iter().enumerate().flat_map(|(at, &step)| all(at, step)));
        let mut lines = Lines::begin(plain.len(), &mut Arena::default());
        lines.convert(converted, &make);
        for (at, &step) in steps.iter().enumerate() {
            if at.is_multiple_of(2) { lines.repeat(make(step.0), step.1) } else { lines.copy(&all(at, step)) }
        }
        let buffer = lines.finish().freeze();
        prop_assert!(buffer.typed_data::<T>() == plain);
        Ok(())
    }

    proptest! {
        #[test]
        fn they_are_what_a_plain_vector_would_hold(steps in steps()) {
            check(&steps, |value| value as i32)?;
            check(&steps, f64::from)?;
            check(&steps, i128::from)?;
        }
    }

    #[test]
    #[should_panic(expected = "a value for each place")]
    fn none_may_be_missing() {
        let mut lines = Lines::begin(9, &mut Arena::default());
        lines.repeat(1_u64, 8);
        lines.finish();
    }
}
