//! Where each text of a column ends among the bytes of all, and each array among all elements.
//!
//! Unless they are few, or the column is sparse, they become Arrow's offsets when the column is sealed: those of text
//! never move again and those of arrays only where these become text, and the thread that wrote them still has them in
//! its cache.

use std::ops::Range;

use arrow_buffer::{NullBuffer, OffsetBuffer};

use super::{Gapped, ReserveBudget};
use crate::rows::memory::Arena;

/// A place that is null ends where the one before it does, or in a list made elsewhere where its own elements do.
pub(super) struct Offsets {
    open: Gapped<i32>,
    /// All of them, once no other comes; in `open` there are as many nulls then.
    laid_out: Option<Box<LaidOut>>,
}

/// Offsets are laid out early only where there are at most this many rows to each value: those of a sparser column
/// would take more memory than its values.
const MOST_PLACES: usize = 16;

/// No more than these are cheaper to lay out later than to hold apart until then.
const FEW: usize = 256;

type LaidOut = (OffsetBuffer<i32>, Option<NullBuffer>);

impl From<Gapped<i32>> for Offsets {
    fn from(open: Gapped<i32>) -> Self {
        Self { open, laid_out: None }
    }
}

impl Offsets {
    pub(super) fn with_nulls(count: usize) -> Self {
        Gapped::with_nulls(count).into()
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.open.len()
    }

    #[inline]
    pub(super) fn push(&mut self, end: i32) {
        debug_assert!(self.laid_out.is_none(), "no other comes");
        self.open.push(end);
    }

    /// Where the last ends that is no null of a gap. Only before they are laid out.
    #[inline]
    pub(super) fn last(&self) -> i32 {
        self.open.last()
    }

    #[inline]
    pub(super) fn push_null(&mut self) {
        debug_assert!(self.laid_out.is_none(), "no other comes");
        self.open.repeat_null();
    }

    pub(super) fn push_nulls(&mut self, count: usize) {
        debug_assert!(self.laid_out.is_none(), "no other comes");
        self.open.repeat_nulls(count);
    }

    pub(super) fn reserve(&mut self, budget: &mut ReserveBudget) {
        self.open.reserve(budget);
    }

    /// Forgets those from `len` on. Gives the last that is left.
    pub(super) fn truncate(&mut self, len: usize) -> usize {
        assert!(self.laid_out.is_none(), "what is laid out stays");
        self.open.truncate(len);
        self.open.last() as usize
    }

    /// How many there are without the nulls of gaps. Only before they are laid out.
    pub(super) fn physical_len(&self) -> usize {
        debug_assert!(self.laid_out.is_none(), "gaps are known");
        self.open.values().len()
    }

    /// Which of them is at a place, as [`Offsets::range`] asks; `None` where it is null, or after the last.
    pub(super) fn physical_index(&self, at: usize) -> Option<usize> {
        match self.laid_out.as_deref() {
            Some((_, nulls)) => {
                let is_there = at < self.len() && nulls.as_ref().is_none_or(|nulls| nulls.is_valid(at));
                is_there.then_some(at)
            }
            None => self.open.physical_index(at),
        }
    }

    /// The valid places, in order, and which of them is at each.
    pub(super) fn valid_indices(&self) -> impl Iterator<Item = (usize, usize)> {
        // Once they are laid out, all others are nulls of gaps.
        let laid_out = self.laid_out.as_deref().map(|(offsets, nulls)| (offsets.len() - 1, nulls.as_ref()));
        let is_there =
            move |at: &usize| laid_out.is_some_and(|(_, nulls)| nulls.is_none_or(|nulls| nulls.is_valid(*at)));
        let places = 0..laid_out.map_or(0, |(count, _)| count);
        places.filter(is_there).map(|at| (at, at)).chain(self.open.valid_indices())
    }

    /// From where the one before ends to where this does.
    pub(super) fn range(&self, value: usize) -> Range<usize> {
        let (start, end) = match self.laid_out.as_deref() {
            Some((offsets, _)) => (offsets[value], offsets[value + 1]),
            None => (value.checked_sub(1).map_or(0, |before| self.open.values()[before]), self.open.values()[value]),
        };
        start as usize..end as usize
    }

    /// Puts the gaps of `outer` among them: see [`Gapped::insert_gaps`].
    pub(super) fn insert_gaps(&mut self, outer: &Gapped<()>) {
        debug_assert!(self.laid_out.is_none(), "what is laid out stays");
        self.open.insert_gaps(outer);
    }

    /// Lays them out: no other comes. That waits until an array is made, if one ever is, where they are few, and where
    /// gaps are most of it: segments that are held take no more memory than what is in them.
    pub(super) fn lay_out(&mut self, arena: &mut Arena) {
        if self.laid_out.is_none() && self.len() > FEW && self.len() <= MOST_PLACES * (self.physical_len() + 1) {
            let nulls = Gapped::with_nulls(self.len());
            self.laid_out = Some(Box::new(std::mem::replace(&mut self.open, nulls).into_offsets(arena)));
        }
    }

    pub(super) fn into_offsets(self, arena: &mut Arena) -> LaidOut {
        match self.laid_out {
            Some(laid_out) => *laid_out,
            None => self.open.into_offsets(arena),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn they_read_the_same_once_they_are_laid_out(steps in prop::collection::vec((any::<bool>(), 0usize..9), 0..40)) {
            let mut ends = Offsets::with_nulls(0);
            let mut last = 0;
            for (is_value, number) in steps {
                if is_value {
                    last += number as i32;
                    ends.push(last);
                } else {
                    ends.push_nulls(number);
                }
            }
            let read = |ends: &Offsets| -> Vec<_> {
                (0..ends.len()).map(|at| ends.physical_index(at).map(|value| ends.range(value))).collect()
            };
            let valid = |ends: &Offsets| -> Vec<_> {
                ends.valid_indices().map(|(at, value)| (at, ends.range(value))).collect()
            };
            let before = read(&ends);
            let there = before.iter().cloned().enumerate().filter_map(|(at, range)| Some((at, range?)));
            let there: Vec<_> = there.collect();
            prop_assert_eq!(valid(&ends), there.clone());
            ends.lay_out(&mut Arena::default());
            prop_assert_eq!(ends.len(), before.len());
            prop_assert_eq!(ends.physical_index(ends.len()), None);
            prop_assert_eq!(read(&ends), before.clone());
            prop_assert_eq!(valid(&ends), there);
            let (offsets, nulls) = ends.into_offsets(&mut Arena::default());
            let is_there = |at| nulls.as_ref().is_none_or(|nulls| nulls.is_valid(at));
            let after: Vec<_> = offsets.windows(2).enumerate()
                .map(|(at, ends)| is_there(at).then_some(ends[0] as usize..ends[1] as usize)).collect();
            prop_assert_eq!(after, before);
        }
    }
}
