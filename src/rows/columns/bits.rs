//! Bits of a column: which places hold a value, and which values are true.
//!
//! Ones are counted, and become bits only where a zero comes behind them: most columns have a value in every place. Bits collect
//! in one word within this struct, and join the others 64 at a time. Words of nothing but zeros are gaps, so that a sparse
//! column costs what is in it.

use arrow_buffer::{BooleanBuffer, NullBuffer};

use super::gapped::Gapped;
use crate::rows::slab::Slab;

const WORD: usize = u64::BITS as usize;

#[derive(Clone, Default)]
pub(in crate::rows) struct Bits {
    full: Gapped<u64>,
    /// The bits behind the full words; those that are not there yet are zeros.
    word: u64,
    /// How many bits these are.
    len: usize,
    /// How many ones come behind them.
    ones: usize,
}

impl Bits {
    pub(in crate::rows) fn new() -> Self {
        Self::default()
    }

    #[inline]
    pub(in crate::rows) fn len(&self) -> usize {
        self.len + self.ones
    }

    #[inline]
    pub(in crate::rows) fn push_one(&mut self) {
        self.ones += 1;
    }

    #[inline]
    pub(in crate::rows) fn push(&mut self, bit: bool) {
        self.lay_ones();
        self.word |= u64::from(bit) << (self.len % WORD);
        self.len += 1;
        if self.len.is_multiple_of(WORD) {
            self.full.push(std::mem::take(&mut self.word));
        }
    }

    #[inline]
    pub(in crate::rows) fn push_zeros(&mut self, count: usize) {
        self.lay_ones();
        let words = (self.len + count) / WORD - self.len / WORD;
        if words > 0 {
            self.full.push(std::mem::take(&mut self.word));
            self.full.skip(words - 1);
        }
        self.len += count;
    }

    pub(in crate::rows) fn truncate(&mut self, len: usize) {
        self.ones = self.ones.min(len.saturating_sub(self.len));
        if len < self.len {
            self.word = self.word_at(len / WORD) & ((1 << (len % WORD)) - 1);
            self.full.truncate(len / WORD);
            self.len = len;
        }
    }

    pub(in crate::rows) fn get(&self, at: usize) -> bool {
        debug_assert!(at < self.len(), "a bit that is there");
        at >= self.len || self.word_at(at / WORD) >> (at % WORD) & 1 == 1
    }

    pub(in crate::rows) fn into_buffer(mut self, slab: &mut Slab) -> BooleanBuffer {
        self.lay_ones();
        self.full.push(self.word);
        BooleanBuffer::new(self.full.into_buffer(slab), 0, self.len)
    }

    /// Where the zeros are, if there is any.
    pub(in crate::rows) fn into_nulls(self, slab: &mut Slab) -> Option<NullBuffer> {
        let nulls = (self.len > 0).then(|| NullBuffer::new(self.into_buffer(slab)));
        nulls.filter(|nulls| nulls.null_count() > 0)
    }

    /// Makes bits of the ones that are only counted.
    #[inline]
    fn lay_ones(&mut self) {
        while self.ones > 0 {
            let at = self.len % WORD;
            let count = self.ones.min(WORD - at);
            self.word |= u64::MAX >> (WORD - count) << at;
            self.len += count;
            self.ones -= count;
            if at + count == WORD {
                self.full.push(std::mem::take(&mut self.word));
            }
        }
    }

    fn word_at(&self, at: usize) -> u64 {
        if at < self.full.len() { self.full.get(at) } else { self.word }
    }
}

impl FromIterator<bool> for Bits {
    fn from_iter<I: IntoIterator<Item = bool>>(bits: I) -> Self {
        let mut all = Self::new();
        bits.into_iter().for_each(|bit| all.push(bit));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn they_are_what_a_plain_vector_would_hold(steps in proptest::collection::vec((0u8..5, 0usize..700), 0..60)) {
            let (mut bits, mut plain) = (Bits::new(), Vec::new());
            for (kind, number) in steps {
                match kind {
                    0 => {
                        bits.push_zeros(number);
                        plain.resize(plain.len() + number, false);
                    }
                    1 => {
                        let len = plain.len().saturating_sub(number);
                        bits.truncate(len);
                        plain.truncate(len);
                    }
                    2 => (0..number).for_each(|_| {
                        bits.push_one();
                        plain.push(true);
                    }),
                    _ => (0..number % 100).for_each(|at| {
                        bits.push(at % 3 > 0);
                        plain.push(at % 3 > 0);
                    }),
                }
                prop_assert_eq!(bits.len(), plain.len());
            }
            for (at, bit) in plain.iter().enumerate() {
                prop_assert_eq!(bits.get(at), *bit);
            }
            prop_assert_eq!(bits.clone().into_nulls(&mut Slab::default()).is_some(), plain.contains(&false));
            prop_assert_eq!(bits.into_buffer(&mut Slab::default()), BooleanBuffer::from(plain));
        }
    }
}
