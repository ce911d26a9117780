//! Bytes after the values, of which it shows only as they are written how many there are.

use super::Values;

/// What is being written after the values: none of theirs unless it is kept in the end.
///
/// A step writes so many bytes as it was compiled for and counts those that matter; the next overwrites the others. To
/// copy any other number is a call.
pub(in crate::rows) struct Tail<'v> {
    values: &'v mut Values<u8>,
    /// Where the last byte that counts ends. What stands between the values and here was written.
    end: usize,
}

impl<'v> Tail<'v> {
    pub(in crate::rows) fn after(values: &'v mut Values<u8>) -> Self {
        let end = values.len();
        Self { values, end }
    }

    /// Appends the first `count` of these bytes, or as many as there are; all of them are written.
    #[inline]
    pub(in crate::rows) fn put<const N: usize>(&mut self, bytes: &[u8; N], count: usize) {
        self.make_room(N);
        // SAFETY: there is room for all of them after what is there.
        unsafe { self.values.as_mut_ptr().add(self.end).cast::<[u8; N]>().write_unaligned(*bytes) };
        self.end += count.min(N);
    }

    /// Appends bytes.
    pub(in crate::rows) fn extend(&mut self, bytes: &[u8]) {
        self.make_room(bytes.len());
        // SAFETY: there is room for them after what is there, and `bytes` is no part of that: the values are borrowed
        // mutably.
        unsafe { self.values.as_mut_ptr().add(self.end).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        self.end += bytes.len();
    }

    /// Makes values of all that was appended.
    #[inline]
    pub(in crate::rows) fn keep(self) {
        // SAFETY: all of it was written, and so is within the capacity.
        unsafe { self.values.set_len(self.end) };
    }

    #[inline]
    fn make_room(&mut self, count: usize) {
        if self.values.capacity() - self.end < count {
            self.grow(count);
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, count: usize) {
        let kept = self.values.len();
        // SAFETY: all of it was written. It belongs to the values for as long as they move to where there is more room.
        unsafe { self.values.set_len(self.end) };
        self.values.reserve(count);
        self.values.truncate(kept);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::memory::Pages;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_kept_is_what_counts_of_each_step_and_nothing_is_where_it_is_not(
            texts in prop::collection::vec((prop::collection::vec((any::<[u8; 16]>(), 0usize..300), 0..40), any::<bool>()), 0..8),
        ) {
            let (mut values, mut plain) = (Values::new_in(Pages), Vec::new());
            for (steps, is_kept) in texts {
                let mut tail = Tail::after(&mut values);
                let before = plain.len();
                for (bytes, count) in steps {
                    if count > 16 {
                        tail.extend(&vec![bytes[0]; count]);
                        plain.resize(plain.len() + count, bytes[0]);
                    } else {
                        // To count more than there are is to count all.
                        tail.put(&bytes, if count == 16 { 99 } else { count });
                        plain.extend_from_slice(&bytes[..count]);
                    }
                }
                if is_kept {
                    tail.keep();
                } else {
                    plain.truncate(before);
                }
                prop_assert_eq!(&values[..], &plain[..]);
            }
        }
    }
}
