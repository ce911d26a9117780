//! Finding the end of a stretch of plain text, sixteen bytes at a time where the machine can.
//!
//! The safe twin in [`portable`] is what other machines run and what the tests hold this one against.

/// Where a stretch of plain text ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Special {
    /// The first quote, backslash or control character, or the end of the bytes.
    pub(super) at: usize,
    /// Whether everything before it is ASCII.
    pub(super) is_ascii: bool,
}

/// Finds the first byte from `from` on that a JSON string treats specially.
#[inline]
pub(super) fn find_special(bytes: &[u8], from: usize) -> Special {
    #[cfg(target_arch = "x86_64")]
    {
        sse2::find_special(bytes, from)
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        portable::find_special(bytes, from)
    }
}

#[cfg(any(test, not(target_arch = "x86_64")))]
mod portable {
    use super::Special;

    pub(super) fn find_special(bytes: &[u8], from: usize) -> Special {
        super::finish(bytes, from, true)
    }
}

/// Byte by byte: the tail of every search.
#[inline]
fn finish(bytes: &[u8], mut at: usize, mut is_ascii: bool) -> Special {
    while let Some(&byte) = bytes.get(at) {
        if byte == b'"' || byte == b'\\' || byte < 0x20 {
            break;
        }
        is_ascii &= byte.is_ascii();
        at += 1;
    }
    Special { at, is_ascii }
}

#[cfg(target_arch = "x86_64")]
mod sse2 {
    use std::arch::x86_64::{
        _mm_cmpeq_epi8, _mm_loadu_si128, _mm_min_epu8, _mm_movemask_epi8, _mm_or_si128, _mm_set1_epi8,
    };

    use super::Special;

    const LANES: usize = 16;

    #[inline]
    pub(super) fn find_special(bytes: &[u8], from: usize) -> Special {
        let mut at = from;
        let mut is_ascii = true;
        while bytes.len() >= LANES && at <= bytes.len() - LANES {
            // SAFETY: SSE2 is part of every x86-64, and the sixteen bytes from `at` lie inside `bytes` by the loop's condition.
            let (special, high) = unsafe {
                let block = _mm_loadu_si128(bytes.as_ptr().add(at).cast());
                let quote = _mm_cmpeq_epi8(block, _mm_set1_epi8(b'"' as i8));
                let escape = _mm_cmpeq_epi8(block, _mm_set1_epi8(b'\\' as i8));
                let control = _mm_cmpeq_epi8(_mm_min_epu8(block, _mm_set1_epi8(0x1f)), block);
                let any = _mm_or_si128(_mm_or_si128(quote, escape), control);
                (_mm_movemask_epi8(any) as u32, _mm_movemask_epi8(block) as u32)
            };
            if special != 0 {
                let offset = special.trailing_zeros();
                is_ascii &= high & ((1 << offset) - 1) == 0;
                return Special { at: at + offset as usize, is_ascii };
            }
            is_ascii &= high == 0;
            at += LANES;
        }
        super::finish(bytes, at, is_ascii)
    }
}

#[cfg(test)]
mod tests {
    use super::{find_special, portable};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn both_twins_find_the_same_place(bytes in proptest::collection::vec(prop_oneof![8 => 0x20u8..0x7f, 1 => any::<u8>()], 0..100), from in 0usize..100) {
            let from = from.min(bytes.len());
            prop_assert_eq!(find_special(&bytes, from), portable::find_special(&bytes, from));
        }
    }
}
