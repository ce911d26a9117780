//! Where the parts of numbers with decimals are: told by which bytes are no digits, and which are points, of one number
//! or of several at once.

use crate::rows::json::scan::{BLOCK, LANES, not_digits_in, points_in};

/// What tells where a number with decimals ends: a bit for each byte from where it begins, the lowest for the first.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::rows) struct Marks {
    /// The bytes that are no digits.
    pub(super) others: u64,
    points: u64,
}

impl Marks {
    /// Those of 64 bytes at most.
    #[expect(clippy::inline_always, reason = "a part of `decimal_at_once`")]
    #[inline(always)]
    pub(super) fn of<const COUNT: usize>(text: &[u8; COUNT]) -> Self {
        const { assert!(COUNT <= u64::BITS as usize) };
        let mut marks = Self::default();
        for (at, lanes) in text.as_chunks().0.iter().enumerate() {
            marks.others |= u64::from(not_digits_in(lanes)) << (at * LANES);
            marks.points |= u64::from(points_in(lanes)) << (at * LANES);
        }
        marks
    }

    /// Those of a number that begins `count` bytes later, fewer than 64. Nothing is marked of what stands after them.
    #[inline]
    pub(super) fn after(self, count: usize) -> Self {
        Self { others: self.others >> count, points: self.points >> count }
    }

    /// Whether two bytes after the first are no digits: with decimals a number ends at the second, without any it has
    /// ended at the first.
    #[inline]
    pub(super) fn has_end(self) -> bool {
        let others = self.others & !1;
        others & others.wrapping_sub(1) != 0
    }

    /// Where the parts of the number are, which has so long a sign; where it has to have a point, all that ends its
    /// whole digits is taken for one.
    #[expect(clippy::inline_always, reason = "a part of `decimal_at_once`")]
    #[inline(always)]
    pub(super) fn places<const MAY_BE_WHOLE: bool>(self, sign: usize) -> Places {
        let others = self.others & !(sign as u64);
        // The first that is no digit ends those before the point; if it is the point, the next ends those after it.
        let first_other = others & others.wrapping_neg();
        let point = if MAY_BE_WHOLE { first_other & self.points } else { first_other };
        Places { sign, whole_end: others.trailing_zeros() as usize, end: (others ^ point).trailing_zeros() as usize }
    }
}

/// Bytes of a window that were marked together, in which several numbers may stand. The next is then found without
/// waiting for anything to be loaded where the one before it ends.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::rows) struct MarkedBlock {
    start: usize,
    marks: Marks,
}

impl MarkedBlock {
    /// The marks of the number at `at`, which is in the block or begins another. None where the window ends soon;
    /// `bytes` are the same window each time.
    #[inline]
    pub(in crate::rows) fn marks_at(&mut self, bytes: &[u8], at: usize) -> Option<Marks> {
        let before = at.wrapping_sub(self.start);
        let marks = if before < BLOCK { self.marks.after(before) } else { Marks::default() };
        if marks.has_end() {
            return Some(marks);
        }
        let block: &[u8; BLOCK] = bytes.get(at..)?.first_chunk()?;
        *self = Self { start: at, marks: Marks::of(block) };
        Some(self.marks)
    }
}

/// Where the parts of a number with decimals are.
pub(super) struct Places {
    /// How many bytes its sign has.
    pub(super) sign: usize,
    /// Where the digits before its point end.
    pub(super) whole_end: usize,
    /// Where its decimals end, or the digits before its point if it has none.
    pub(super) end: usize,
}
