//! Where among its values a column has many nulls in a row: notes of how many, in order.
//!
//! Members of an object that is missing from most rows all have the same gaps, and few others. So these are noted once,
//! with the objects, and the members share the list when they are finished.

use std::ops::{Deref, Range};
use std::sync::Arc;

#[derive(Clone, Copy)]
pub(super) struct Gap {
    /// Where it starts among all places, and how many of these before it are in no gap.
    pub(super) start: usize,
    pub(super) physical: usize,
    pub(super) count: usize,
}

/// In order, and never one right after another.
#[derive(Clone)]
pub(super) enum Gaps {
    Own(Vec<Gap>),
    Shared(Arc<Vec<Gap>>),
}

/// Values side by side, where they are among all places, and how long the gap after them is.
pub(super) struct Stretch {
    pub(super) start: usize,
    pub(super) values: Range<usize>,
    pub(super) gap: usize,
}

impl Default for Gaps {
    fn default() -> Self {
        Self::Own(Vec::new())
    }
}

impl Deref for Gaps {
    type Target = [Gap];

    #[inline]
    fn deref(&self) -> &[Gap] {
        match self {
            Self::Own(gaps) => gaps,
            Self::Shared(gaps) => gaps,
        }
    }
}

impl Gaps {
    /// Notes `count` nulls after all values so far, or lengthens the gap that is there.
    #[inline]
    pub(super) fn push(&mut self, start: usize, physical: usize, count: usize) {
        let gaps = self.own();
        match gaps.last_mut() {
            Some(gap) if gap.physical == physical => gap.count += count,
            _ => gaps.push(Gap { start, physical, count }),
        }
    }

    /// Takes out the last gap if it ends after `len` places, leaving the part of it before that. Returns what was taken
    /// out.
    pub(super) fn cut_last(&mut self, len: usize) -> Option<Gap> {
        let gaps = self.own();
        let gap = gaps.last_mut().filter(|gap| gap.start + gap.count > len)?;
        if gap.start < len {
            let count = gap.start + gap.count - len;
            gap.count -= count;
            Some(Gap { start: len, count, ..*gap })
        } else {
            gaps.pop()
        }
    }

    /// The last that starts at `at` or before.
    pub(super) fn before(&self, at: usize) -> Option<&Gap> {
        let before = self.partition_point(|gap| gap.start <= at);
        before.checked_sub(1).map(|last| &self[last])
    }

    /// The stretches between gaps, in order; `places` and `values` are the totals.
    pub(super) fn stretches(&self, places: usize, values: usize) -> impl Iterator<Item = Stretch> {
        let end = Gap { start: places, physical: values, count: 0 };
        let (mut start, mut first) = (0, 0);
        self.iter().copied().chain([end]).map(move |gap| {
            let stretch = Stretch { start, values: first..gap.physical, gap: gap.count };
            (start, first) = (gap.start + gap.count, gap.physical);
            stretch
        })
    }

    /// Makes the list a shared one, so that those who take over these gaps share it.
    pub(super) fn share(&mut self) {
        if let Self::Own(gaps) = self {
            *self = Self::Shared(Arc::new(std::mem::take(gaps)));
        }
    }

    /// Puts the gaps of `outer` among these, whose places are the values of `outer`.
    pub(super) fn insert_gaps(&mut self, outer: &Self) {
        if self.is_empty() {
            *self = outer.clone();
            return;
        }
        if outer.is_empty() {
            return;
        }
        let mut all = Self::Own(Vec::with_capacity(self.len() + outer.len()));
        let mut nulls = 0;
        let mut note = |physical: usize, count: usize| {
            all.push(physical + nulls, physical, count);
            nulls += count;
        };
        let mut own = self.iter().peekable();
        let (mut own_nulls, mut last_own) = (0, 0);
        for gap in &**outer {
            while let Some(held) = own.next_if(|held| held.start <= gap.physical) {
                note(held.physical, held.count);
                (last_own, own_nulls) = (held.physical, own_nulls + held.count);
            }
            // Without our nulls before it, it stands that much earlier among values. Inside a gap of ours that would be
            // before this gap, which it only lengthens.
            note(gap.physical.saturating_sub(own_nulls).max(last_own), gap.count);
        }
        own.for_each(|held| note(held.physical, held.count));
        *self = all;
    }

    /// The list to change. A shared one would be copied first, which does not happen: no value comes to columns that
    /// share.
    #[inline]
    fn own(&mut self) -> &mut Vec<Gap> {
        match self {
            Self::Own(gaps) => gaps,
            Self::Shared(gaps) => Arc::make_mut(gaps),
        }
    }
}

#[cfg(test)]
mod tests {
    use arrow_buffer::NullBuffer;
    use proptest::prelude::*;

    use super::super::Gapped;
    use crate::rows::memory::Arena;

    proptest! {
        #[test]
        fn gaps_put_among_others_are_where_they_would_be_if_pushed_with_them(
            steps in proptest::collection::vec((0u8..4, 0usize..9), 0..60),
        ) {
            let (mut outer, mut inner, mut ends, mut plain) = (Gapped::new(), Gapped::new(), Gapped::new(), Vec::new());
            for (kind, number) in steps {
                // Neither has a place for a row in a gap of the outer one; inside it a value is there now and then.
                let places = outer.physical_len();
                if kind == 0 { outer.push_nulls(number) } else { (0..number).for_each(|_| outer.push(())) }
                let placed = outer.physical_len() - places;
                let is_value = kind > 1 && placed == number;
                for _ in 0..if is_value { number } else { 0 } {
                    inner.push(plain.len() as u64 + 1);
                    ends.push(plain.len() as i32 + 1);
                    plain.push(plain.len() as u64 + 1);
                }
                if !is_value {
                    inner.push_nulls(placed);
                    ends.repeat_nulls(placed);
                    plain.resize(outer.len(), 0);
                }
            }
            outer.share_gaps();
            inner.insert_gaps(&outer);
            ends.insert_gaps(&outer);
            prop_assert_eq!(inner.len(), plain.len());
            for (at, value) in plain.iter().enumerate() {
                let held = inner.physical_index(at).map(|value| inner.values()[value]);
                prop_assert_eq!(held, (*value > 0).then_some(*value));
            }
            let is_there: Vec<bool> = plain.iter().map(|&value| value > 0).collect();
            let expected = is_there.contains(&false).then(|| NullBuffer::from(is_there));
            let (places, nulls) = inner.into_buffers(&mut Arena::default());
            prop_assert_eq!((places.typed_data::<u64>(), &nulls), (&plain[..], &expected));
            let (offsets, nulls) = ends.into_offsets(&mut Arena::default());
            let repeated = plain.iter().scan(0, |last, &value| {
                *last = if value > 0 { value as i32 } else { *last };
                Some(*last)
            });
            prop_assert!(offsets[1..].iter().copied().eq(repeated));
            prop_assert_eq!(nulls, expected);
        }
    }
}
