//! Finding the end of a stretch of plain text or of digits, and punctuation, sixteen bytes at a time where the machine
//! can.
//!
//! A byte is *special* if it ends or breaks a string: a quote, a backslash or a control character. It is *plain* if it
//! is ASCII and not special. `find_not_plain` takes fewer steps than `find_special`, and most text is ASCII, so `text`
//! tries it first, and goes on with the other from the first byte that is not ASCII. The safe twins in [`portable`] are
//! what other machines run and what the tests hold these against.

#[cfg(not(target_arch = "x86_64"))]
pub(in crate::rows) use portable::{
    elements_in, find_not_plain, find_special, not_digits_in, not_plain_in, punctuation_in, special_in,
};
#[cfg(target_arch = "x86_64")]
pub(in crate::rows) use sse2::{
    elements_in, find_not_plain, find_special, not_digits_in, not_plain_in, punctuation_in, special_in,
};

/// The bytes that are marked in one go.
pub(in crate::rows) const BLOCK: usize = 64;

/// The bytes that are looked at at once.
pub(in crate::rows) const LANES: usize = 16;

/// Whether [`not_digits_in`] and [`elements_in`] are faster than to look at digits one by one.
pub(in crate::rows) const FINDS_DIGITS_AT_ONCE: bool = cfg!(target_arch = "x86_64");

/// A bit for each byte of a block that tells where values end, the lowest for the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::rows) struct Punctuation {
    pub(in crate::rows) quotes: u64,
    pub(in crate::rows) backslashes: u64,
    /// `{` and `[`.
    pub(in crate::rows) opening: u64,
    /// `}` and `]`.
    pub(in crate::rows) closing: u64,
}

/// A bit for each of the bytes that integers in an array are made of and end with, the lowest for the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::rows) struct Elements {
    pub(in crate::rows) digits: u32,
    /// Those of them that are 0.
    pub(in crate::rows) zeros: u32,
    pub(in crate::rows) minuses: u32,
    pub(in crate::rows) spaces: u32,
    pub(in crate::rows) commas: u32,
    /// `]`.
    pub(in crate::rows) brackets: u32,
}

/// All of [`LANES`].
const ALL: u32 = (1 << LANES) - 1;

/// The bit in which a bracket differs from the brace.
const BRACE: u8 = b'{' ^ b'[';

/// Whether a JSON string treats the byte specially: it is a quote, a backslash or a control character.
#[inline]
fn is_special(byte: u8) -> bool {
    byte == b'"' || byte == b'\\' || byte < 0x20
}

/// Whether the byte is special or not ASCII.
#[inline]
fn is_not_plain(byte: u8) -> bool {
    is_special(byte) || !byte.is_ascii()
}

/// The place of the first byte that `is_sought`, from `from` on; the end where there is none. The tail of every search.
#[inline]
fn find(bytes: &[u8], from: usize, is_sought: impl Fn(u8) -> bool) -> usize {
    bytes[from..].iter().position(|&byte| is_sought(byte)).map_or(bytes.len(), |behind| from + behind)
}

#[cfg(any(test, not(target_arch = "x86_64")))]
mod portable {
    use super::{ALL, BLOCK, BRACE, Elements, LANES, Punctuation, find, is_not_plain, is_special};

    /// The place of the first byte that is special or not ASCII.
    pub(in crate::rows) fn find_not_plain(bytes: &[u8]) -> usize {
        find(bytes, 0, is_not_plain)
    }

    /// The place of the first byte that is special.
    pub(in crate::rows) fn find_special(bytes: &[u8]) -> usize {
        find(bytes, 0, is_special)
    }

    /// A bit for each byte that is special or not ASCII, the lowest for the first.
    pub(in crate::rows) fn not_plain_in(block: &[u8; BLOCK]) -> u64 {
        marks(block, is_not_plain)
    }

    /// A bit for each byte that is special, the lowest for the first.
    pub(in crate::rows) fn special_in(block: &[u8; BLOCK]) -> u64 {
        marks(block, is_special)
    }

    /// A bit for each byte that is no digit, the lowest for the first.
    pub(in crate::rows) fn not_digits_in(bytes: &[u8; LANES]) -> u32 {
        marks(bytes, |byte| !byte.is_ascii_digit()) as u32
    }

    pub(in crate::rows) fn elements_in(bytes: &[u8; LANES]) -> Elements {
        let are = |sought: u8| marks(bytes, |byte| byte == sought) as u32;
        Elements {
            digits: not_digits_in(bytes) ^ ALL,
            zeros: are(b'0'),
            minuses: are(b'-'),
            spaces: are(b' '),
            commas: are(b','),
            brackets: are(b']'),
        }
    }

    pub(in crate::rows) fn punctuation_in(block: &[u8; BLOCK]) -> Punctuation {
        Punctuation {
            quotes: marks(block, |byte| byte == b'"'),
            backslashes: marks(block, |byte| byte == b'\\'),
            opening: marks(block, |byte| byte | BRACE == b'{'),
            closing: marks(block, |byte| byte | BRACE == b'}'),
        }
    }

    fn marks(block: &[u8], is_sought: impl Fn(u8) -> bool) -> u64 {
        block.iter().rev().fold(0, |marks, &byte| marks << 1 | u64::from(is_sought(byte)))
    }
}

#[cfg(target_arch = "x86_64")]
mod sse2 {
    use std::arch::x86_64::{
        __m128i, _mm_cmpeq_epi8, _mm_cmplt_epi8, _mm_loadu_si128, _mm_min_epu8, _mm_movemask_epi8, _mm_or_si128,
        _mm_set1_epi8, _mm_sub_epi8, _mm_xor_si128,
    };

    use super::{ALL, BLOCK, BRACE, Elements, LANES, Punctuation, find, is_not_plain, is_special};

    /// The bytes that are looked at first, in one go: most strings end among them, some in the first half and some in
    /// the second, and a branch on that would be guessed wrong.
    const FIRST: usize = 2 * LANES;

    /// An exclusive or with this swaps the quote (0x22) with the space (0x20) and leaves control characters below: then
    /// one comparison finds all that is special but the backslash.
    const SWAP: i8 = 2;
    const LAST: i8 = b'"' as i8 ^ SWAP;

    /// The place of the first byte that is special or not ASCII.
    #[inline]
    pub(in crate::rows) fn find_not_plain(bytes: &[u8]) -> usize {
        search(bytes, mark_not_plain, is_not_plain)
    }

    /// The place of the first byte that is special.
    #[inline]
    pub(in crate::rows) fn find_special(bytes: &[u8]) -> usize {
        search(bytes, mark_special, is_special)
    }

    /// A bit for each byte that is special or not ASCII, the lowest for the first.
    #[inline]
    pub(in crate::rows) fn not_plain_in(block: &[u8; BLOCK]) -> u64 {
        marks(block, mark_not_plain)
    }

    /// A bit for each byte that is special, the lowest for the first.
    #[inline]
    pub(in crate::rows) fn special_in(block: &[u8; BLOCK]) -> u64 {
        marks(block, mark_special)
    }

    #[inline]
    pub(in crate::rows) fn punctuation_in(block: &[u8; BLOCK]) -> Punctuation {
        Punctuation {
            quotes: marks(block, |block| mark(block, b'"')),
            backslashes: marks(block, |block| mark(block, b'\\')),
            opening: marks(block, |block| mark_brackets(block, b'{')),
            closing: marks(block, |block| mark_brackets(block, b'}')),
        }
    }

    /// A bit for each byte that is no digit, the lowest for the first.
    #[inline]
    pub(in crate::rows) fn not_digits_in(bytes: &[u8; LANES]) -> u32 {
        // SAFETY: SSE2 is part of every x86-64, and there are sixteen bytes.
        let are_digits = unsafe {
            let values = _mm_sub_epi8(_mm_loadu_si128(bytes.as_ptr().cast()), _mm_set1_epi8(b'0' as i8));
            _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(values, _mm_set1_epi8(9)), values))
        };
        are_digits.cast_unsigned() ^ ALL
    }

    #[inline]
    pub(in crate::rows) fn elements_in(bytes: &[u8; LANES]) -> Elements {
        let are = |sought: u8| bits(bytes, &|block| mark(block, sought));
        Elements {
            digits: not_digits_in(bytes) ^ ALL,
            zeros: are(b'0'),
            minuses: are(b'-'),
            spaces: are(b' '),
            commas: are(b','),
            brackets: are(b']'),
        }
    }

    #[inline]
    fn mark_not_plain(block: __m128i) -> __m128i {
        // SAFETY: SSE2 is part of every x86-64.
        unsafe {
            let swapped = _mm_xor_si128(block, _mm_set1_epi8(SWAP));
            // What is not ASCII is less than zero.
            let first = _mm_cmplt_epi8(swapped, _mm_set1_epi8(LAST + 1));
            _mm_or_si128(first, _mm_cmpeq_epi8(block, _mm_set1_epi8(b'\\' as i8)))
        }
    }

    #[inline]
    fn mark_special(block: __m128i) -> __m128i {
        // SAFETY: SSE2 is part of every x86-64.
        unsafe {
            let swapped = _mm_xor_si128(block, _mm_set1_epi8(SWAP));
            let first = _mm_cmpeq_epi8(_mm_min_epu8(swapped, _mm_set1_epi8(LAST)), swapped);
            _mm_or_si128(first, _mm_cmpeq_epi8(block, _mm_set1_epi8(b'\\' as i8)))
        }
    }

    #[inline]
    fn mark(block: __m128i, byte: u8) -> __m128i {
        // SAFETY: SSE2 is part of every x86-64.
        unsafe { _mm_cmpeq_epi8(block, _mm_set1_epi8(byte.cast_signed())) }
    }

    /// Marks the brace and its bracket.
    #[inline]
    fn mark_brackets(block: __m128i, brace: u8) -> __m128i {
        // SAFETY: SSE2 is part of every x86-64.
        let braces = unsafe { _mm_or_si128(block, _mm_set1_epi8(BRACE.cast_signed())) };
        mark(braces, brace)
    }

    /// A bit for each byte that `mark` marks.
    #[inline]
    fn bits(lanes: &[u8; LANES], mark: &impl Fn(__m128i) -> __m128i) -> u32 {
        // SAFETY: SSE2 is part of every x86-64, and there are sixteen bytes.
        unsafe { _mm_movemask_epi8(mark(_mm_loadu_si128(lanes.as_ptr().cast()))) }.cast_unsigned()
    }

    #[inline]
    fn marks(block: &[u8; BLOCK], mark: impl Fn(__m128i) -> __m128i) -> u64 {
        let (lanes, _) = block.as_chunks();
        lanes.iter().rev().fold(0, |marks, lanes| marks << LANES | u64::from(bits(lanes, &mark)))
    }

    /// The place of the first byte that is sought; `mark` marks them in a block.
    #[inline]
    fn search(bytes: &[u8], mark: impl Fn(__m128i) -> __m128i, is_sought: impl Fn(u8) -> bool) -> usize {
        let mut at = 0;
        if let Some(first) = bytes.first_chunk::<FIRST>() {
            let (lanes, _) = first.as_chunks();
            let marks = bits(&lanes[0], &mark) | bits(&lanes[1], &mark) << LANES;
            if marks != 0 {
                return marks.trailing_zeros() as usize;
            }
            at = FIRST;
        }
        while let Some(lanes) = bytes[at..].first_chunk() {
            let marks = bits(lanes, &mark);
            if marks != 0 {
                return at + marks.trailing_zeros() as usize;
            }
            at += LANES;
        }
        find(bytes, at, is_sought)
    }
}

#[cfg(test)]
mod tests {
    use super::{
        BLOCK, LANES, elements_in, find_not_plain, find_special, not_digits_in, not_plain_in, portable, punctuation_in,
        special_in,
    };
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn both_twins_find_the_same_place(bytes in proptest::collection::vec(prop_oneof![8 => 0x23u8..0x5c, 1 => any::<u8>()], 0..100)) {
            prop_assert_eq!(find_special(&bytes), portable::find_special(&bytes));
            prop_assert_eq!(find_not_plain(&bytes), portable::find_not_plain(&bytes));
            if let Some(lanes) = bytes.first_chunk() {
                prop_assert_eq!(not_digits_in(lanes), portable::not_digits_in(lanes));
                prop_assert_eq!(elements_in(lanes), portable::elements_in(lanes));
            }
            if let Some(block) = bytes.first_chunk() {
                prop_assert_eq!(not_plain_in(block), portable::not_plain_in(block));
                prop_assert_eq!(special_in(block), portable::special_in(block));
                prop_assert_eq!(punctuation_in(block), portable::punctuation_in(block));
            }
        }
    }

    #[test]
    fn every_byte_is_told_apart() {
        for byte in 0..=u8::MAX {
            let bytes = [[b'a'; 20], [byte; 20]].concat();
            assert_eq!(find_special(&bytes), portable::find_special(&bytes), "{byte:#x}");
            assert_eq!(find_not_plain(&bytes), portable::find_not_plain(&bytes), "{byte:#x}");
            assert_eq!(not_plain_in(&[byte; BLOCK]), portable::not_plain_in(&[byte; BLOCK]), "{byte:#x}");
            assert_eq!(special_in(&[byte; BLOCK]), portable::special_in(&[byte; BLOCK]), "{byte:#x}");
            assert_eq!(punctuation_in(&[byte; BLOCK]), portable::punctuation_in(&[byte; BLOCK]), "{byte:#x}");
            assert_eq!(elements_in(&[byte; LANES]), portable::elements_in(&[byte; LANES]), "{byte:#x}");
            assert_eq!(not_digits_in(&[byte; LANES]), portable::not_digits_in(&[byte; LANES]), "{byte:#x}");
        }
    }
}
