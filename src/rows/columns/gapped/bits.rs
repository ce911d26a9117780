//! One bit for each value of a column: whether it is there, say.
//!
//! Most columns have a value in every place, so ones take nothing: they become bits only where a zero follows them, and
//! whoever holds the values knows how many there are. Bits collect in one word within this struct, and join the others
//! 64 at a time.

use std::ops::Range;

use arrow_buffer::{BooleanBuffer, NullBuffer};

use crate::rows::memory::{Pages, Values, freeze};

pub(super) const WORD: usize = u64::BITS as usize;

#[derive(Clone)]
pub(in crate::rows::columns) struct Bits {
    full: Values<u64>,
    /// The bits after the full words; those that are not there yet are zeros.
    word: u64,
    /// How many bits these are. All after them are ones.
    len: usize,
}

impl From<&[bool]> for Bits {
    fn from(values: &[bool]) -> Self {
        let word = |values: &[bool]| (0..).zip(values).fold(0, |word, (at, &bit)| word | u64::from(bit) << at);
        let (full, rest) = values.as_chunks::<WORD>();
        let mut words = Values::with_capacity_in(full.len() + 1, Pages);
        words.extend(full.iter().map(|values| word(values)));
        Self { full: words, word: word(rest), len: values.len() }
    }
}

impl Default for Bits {
    fn default() -> Self {
        Self { full: Values::new_in(Pages), word: 0, len: 0 }
    }
}

impl Bits {
    /// Adds a zero, before which there are `at` bits.
    #[inline]
    pub(in crate::rows::columns) fn push_zero(&mut self, at: usize) {
        debug_assert!(at >= self.len, "zeros come one after the other");
        let (ones, bit) = (at - self.len, self.len % WORD);
        if bit + ones >= WORD - 1 {
            return self.push_zero_that_fills(at);
        }
        self.word |= low_ones(ones) << bit;
        self.len = at + 1;
    }

    /// Adds a zero that is the last bit of a word, or comes after one.
    #[inline(never)]
    fn push_zero_that_fills(&mut self, at: usize) {
        self.lay_ones(at);
        self.len += 1;
        if self.len.is_multiple_of(WORD) {
            self.full.push(std::mem::take(&mut self.word));
        }
    }

    /// Adds `count` zeros, before which there are `at` bits.
    #[inline]
    pub(super) fn push_zeros(&mut self, at: usize, count: usize) {
        if count == 0 {
            return;
        }
        self.lay_ones(at);
        let words = (self.len + count) / WORD - self.len / WORD;
        if words > 0 {
            self.full.push(std::mem::take(&mut self.word));
            self.full.resize(self.full.len() + words - 1, 0);
        }
        self.len += count;
    }

    /// Forgets the bits from `len` on.
    pub(in crate::rows::columns) fn truncate(&mut self, len: usize) {
        if len < self.len {
            self.word = self.word_at(len / WORD) & low_ones(len % WORD);
            self.full.truncate(len / WORD);
            self.len = len;
        }
    }

    pub(in crate::rows::columns) fn get(&self, at: usize) -> bool {
        at >= self.len || self.word_at(at / WORD) >> (at % WORD) & 1 == 1
    }

    /// Copies a range of bits into `words`, from bit `to` on, where there have to be zeros.
    pub(super) fn copy(&self, range: Range<usize>, words: &mut [[u8; size_of::<u64>()]], mut to: usize) {
        let mut at = range.start;
        while at < range.end {
            let count = (range.end - at).min(WORD - to % WORD);
            let word = &mut words[to / WORD];
            *word = (u64::from_le_bytes(*word) | self.word(at, count) << (to % WORD)).to_le_bytes();
            (at, to) = (at + count, to + count);
        }
    }

    /// The `count` bits from `at` on, 64 at most; the others are zeros.
    fn word(&self, at: usize, count: usize) -> u64 {
        debug_assert!(count <= WORD, "bits of one word");
        let (first, offset) = (at / WORD, at % WORD);
        let mut word = self.word_at(first) >> offset;
        if offset + count > WORD {
            word |= self.word_at(first + 1) << (WORD - offset);
        }
        if count < WORD { word & low_ones(count) } else { word }
    }

    /// The first `count` bits, after which there is no zero.
    pub(super) fn into_buffer(mut self, count: usize) -> BooleanBuffer {
        self.lay_ones(count);
        self.full.push(self.word);
        BooleanBuffer::new(freeze(self.full), 0, count)
    }

    /// Where the zeros are among the first `count` bits, if there is any; after them there is none.
    pub(super) fn into_nulls(self, count: usize) -> Option<NullBuffer> {
        let nulls = (self.len > 0).then(|| NullBuffer::new(self.into_buffer(count)));
        nulls.filter(|nulls| nulls.null_count() > 0)
    }

    /// Makes bits of the ones up to `to`.
    #[inline]
    fn lay_ones(&mut self, to: usize) {
        debug_assert!(to >= self.len, "zeros come one after the other");
        let at = self.len % WORD;
        if to - self.len >= WORD - at {
            return self.lay_ones_in_words(to);
        }
        self.word |= low_ones(to - self.len) << at;
        self.len = to;
    }

    /// Makes bits of the ones up to `to` where those fill words.
    #[inline(never)]
    fn lay_ones_in_words(&mut self, to: usize) {
        self.full.push(self.word | u64::MAX << (self.len % WORD));
        self.full.resize(to / WORD, u64::MAX);
        self.word = low_ones(to % WORD);
        self.len = to;
    }

    /// The word at this index; bits past the end read as ones.
    fn word_at(&self, at: usize) -> u64 {
        let last = || if at == self.full.len() { self.word | u64::MAX << (self.len % WORD) } else { u64::MAX };
        self.full.get(at).copied().unwrap_or_else(last)
    }
}

/// Fewer ones than fill a word, and zeros.
fn low_ones(count: usize) -> u64 {
    (1 << count) - 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn they_are_what_a_plain_vector_would_hold(steps in proptest::collection::vec((0u8..4, 0usize..700), 0..60)) {
            let (mut bits, mut plain) = (Bits::default(), Vec::new());
            for (kind, number) in steps {
                match kind {
                    0 => {
                        bits.push_zeros(plain.len(), number);
                        plain.resize(plain.len() + number, false);
                    }
                    1 => {
                        let len = plain.len().saturating_sub(number);
                        bits.truncate(len);
                        plain.truncate(len);
                    }
                    2 => plain.resize(plain.len() + number, true),
                    _ => (0..number % 100).for_each(|at| {
                        if at % 3 == 0 {
                            bits.push_zero(plain.len());
                        }
                        plain.push(at % 3 > 0);
                    }),
                }
            }
            for (at, bit) in plain.iter().enumerate() {
                prop_assert_eq!(bits.get(at), *bit);
            }
            let mut words = [[0; 8]; 700];
            let (from, to) = (plain.len() / 3, 100);
            bits.copy(from..plain.len(), &mut words, to);
            let copied = BooleanBuffer::new(words.as_flattened().to_vec().into(), to, plain.len() - from);
            prop_assert_eq!(copied, BooleanBuffer::from(&plain[from..]));
            let all = BooleanBuffer::from(&plain[..]);
            prop_assert_eq!(Bits::from(&plain[..]).into_buffer(plain.len()), all.clone());
            prop_assert_eq!(bits.clone().into_buffer(plain.len()), all.clone());
            prop_assert_eq!(bits.into_nulls(plain.len()), plain.contains(&false).then(|| NullBuffer::new(all)));
        }
    }
}
