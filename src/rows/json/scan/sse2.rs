//! The searches, and what number digits are, sixteen bytes or more at a time, by instructions that every x86-64 machine
//! has.

use std::arch::x86_64::{
    __m128i, _mm_add_epi16, _mm_and_si128, _mm_cmpeq_epi8, _mm_cmplt_epi8, _mm_cvtsi128_si64, _mm_loadu_si128,
    _mm_madd_epi16, _mm_min_epu8, _mm_movemask_epi8, _mm_mullo_epi16, _mm_or_si128, _mm_packs_epi32, _mm_set1_epi8,
    _mm_set1_epi16, _mm_set1_epi32, _mm_srli_epi16, _mm_sub_epi8, _mm_xor_si128,
};

use super::marks::{ALL, BLOCK, BRACE, Elements, LANES, Punctuation};
use super::special::{find, is_not_plain, is_special};

/// The bytes that are looked at in one go. Most strings end within the first step, some in its first half and some in
/// its second, and a branch on that would be guessed wrong; longer ones take few steps.
const STEP: usize = 2 * LANES;

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
    marks_of_block(block, mark_not_plain)
}

/// A bit for each byte that is special, the lowest for the first.
#[inline]
pub(in crate::rows) fn special_in(block: &[u8; BLOCK]) -> u64 {
    marks_of_block(block, mark_special)
}

#[inline]
pub(in crate::rows) fn punctuation_in(block: &[u8; BLOCK]) -> Punctuation {
    Punctuation {
        quotes: marks_of_block(block, |lanes| mark(lanes, b'"')),
        backslashes: marks_of_block(block, |lanes| mark(lanes, b'\\')),
        opening: marks_of_block(block, |lanes| mark_brackets(lanes, b'{')),
        closing: marks_of_block(block, |lanes| mark_brackets(lanes, b'}')),
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

/// A bit for each point, the lowest for the first.
#[inline]
pub(in crate::rows) fn points_in(bytes: &[u8; LANES]) -> u32 {
    marks_of_lanes(bytes, &|lanes| mark(lanes, b'.'))
}

/// The number that the last `count` bytes are, which are digits. Always inlined: with a call for each, rows of small
/// integers take a fifteenth more time.
#[inline(always)]
pub(in crate::rows) fn last_digits_in(bytes: &[u8; LANES], count: usize) -> u64 {
    // What the first of two neighbours counts, and in the upper half the second.
    const HUNDRED_AND_ONE: i32 = 100 + (1 << 16);
    const TEN_THOUSAND_AND_ONE: i32 = 10_000 + (1 << 16);
    // What is read from `count` on leaves the last so many lanes.
    const LANES_LEFT: [u8; 2 * LANES] = {
        let mut lanes = [u8::MAX; 2 * LANES];
        let mut lane = 0;
        while lane < LANES {
            lanes[lane] = 0;
            lane += 1;
        }
        lanes
    };
    let left: &[u8; LANES] = LANES_LEFT[count..].first_chunk().expect("no more are asked for than there are");
    // SAFETY: SSE2 is part of every x86-64, and there are sixteen bytes of each.
    let eights = unsafe {
        let (bytes, left) = (_mm_loadu_si128(bytes.as_ptr().cast()), _mm_loadu_si128(left.as_ptr().cast()));
        let ones = _mm_and_si128(_mm_sub_epi8(bytes, _mm_set1_epi8(b'0' as i8)), left);
        // Neighbours are put together: to pairs, to fours, to eights.
        let tens = _mm_mullo_epi16(_mm_and_si128(ones, _mm_set1_epi16(0xff)), _mm_set1_epi16(10));
        let pairs = _mm_add_epi16(tens, _mm_srli_epi16::<8>(ones));
        let fours = _mm_madd_epi16(pairs, _mm_set1_epi32(HUNDRED_AND_ONE));
        let eights = _mm_madd_epi16(_mm_packs_epi32(fours, fours), _mm_set1_epi32(TEN_THOUSAND_AND_ONE));
        _mm_cvtsi128_si64(eights).cast_unsigned()
    };
    u64::from(eights as u32) * 100_000_000 + (eights >> u32::BITS)
}

#[inline]
pub(in crate::rows) fn elements_in(bytes: &[u8; LANES]) -> Elements {
    Elements::new(not_digits_in(bytes) ^ ALL, |sought| marks_of_lanes(bytes, &|lanes| mark(lanes, sought)))
}

#[inline]
fn mark_not_plain(lanes: __m128i) -> __m128i {
    // SAFETY: SSE2 is part of every x86-64.
    unsafe {
        let swapped = _mm_xor_si128(lanes, _mm_set1_epi8(SWAP));
        // What is not ASCII is less than zero.
        let first = _mm_cmplt_epi8(swapped, _mm_set1_epi8(LAST + 1));
        _mm_or_si128(first, _mm_cmpeq_epi8(lanes, _mm_set1_epi8(b'\\' as i8)))
    }
}

#[inline]
fn mark_special(lanes: __m128i) -> __m128i {
    // SAFETY: SSE2 is part of every x86-64.
    unsafe {
        let swapped = _mm_xor_si128(lanes, _mm_set1_epi8(SWAP));
        let first = _mm_cmpeq_epi8(_mm_min_epu8(swapped, _mm_set1_epi8(LAST)), swapped);
        _mm_or_si128(first, _mm_cmpeq_epi8(lanes, _mm_set1_epi8(b'\\' as i8)))
    }
}

#[inline]
fn mark(lanes: __m128i, byte: u8) -> __m128i {
    // SAFETY: SSE2 is part of every x86-64.
    unsafe { _mm_cmpeq_epi8(lanes, _mm_set1_epi8(byte.cast_signed())) }
}

/// Marks the brace and its bracket.
#[inline]
fn mark_brackets(lanes: __m128i, brace: u8) -> __m128i {
    // SAFETY: SSE2 is part of every x86-64.
    let braces = unsafe { _mm_or_si128(lanes, _mm_set1_epi8(BRACE.cast_signed())) };
    mark(braces, brace)
}

/// A bit for each byte that `mark` marks.
#[inline]
fn marks_of_lanes(lanes: &[u8; LANES], mark: &impl Fn(__m128i) -> __m128i) -> u32 {
    // SAFETY: SSE2 is part of every x86-64, and there are sixteen bytes.
    unsafe { _mm_movemask_epi8(mark(_mm_loadu_si128(lanes.as_ptr().cast()))) }.cast_unsigned()
}

#[inline]
fn marks_of_block(block: &[u8; BLOCK], mark: impl Fn(__m128i) -> __m128i) -> u64 {
    let (lanes, _) = block.as_chunks();
    lanes.iter().rev().fold(0, |marks, lanes| marks << LANES | u64::from(marks_of_lanes(lanes, &mark)))
}

/// The place of the first byte that is sought; `mark` marks them among lanes.
#[inline]
fn search(bytes: &[u8], mark: impl Fn(__m128i) -> __m128i, is_sought: impl Fn(u8) -> bool) -> usize {
    let mut at = 0;
    while let Some(step) = bytes[at..].first_chunk::<STEP>() {
        let (lanes, _) = step.as_chunks();
        let marks = marks_of_lanes(&lanes[0], &mark) | marks_of_lanes(&lanes[1], &mark) << LANES;
        if marks != 0 {
            return at + marks.trailing_zeros() as usize;
        }
        at += STEP;
    }
    if let Some(lanes) = bytes[at..].first_chunk() {
        let marks = marks_of_lanes(lanes, &mark);
        if marks != 0 {
            return at + marks.trailing_zeros() as usize;
        }
        at += LANES;
    }
    find(bytes, at, is_sought)
}
