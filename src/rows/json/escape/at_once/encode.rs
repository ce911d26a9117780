//! `\u` escapes in UTF-8, each byte made in the lane of one of its digits.
//!
//! Most lanes need no more than their own digit and the next, eight bits of the escape's sixteen:
//!
//! ```text
//! lane                   0      1      2            3             4            5
//! byte                   \      u      a            b             c            d
//! pair of digits                       ab           bc            cd
//! from U+0800 on                       1110aaaa     10bbbbcc      10ccdddd
//! from U+0080 on                                    110bbbcc      10ccdddd
//! below                                                           0cccdddd
//! first of a surrogate pair            11110bbb                   10ccccdd
//! second of it                                      10DDbbcc      10ccdddd
//! ```
//!
//! The letters stand for bits of the digits above them. To a surrogate pair 0x10000 is added first, which may carry
//! from `cccc` of the first into its `bbb`, two lanes before; and `DD` are the last bits of the first.

use std::arch::x86_64::{
    __m512i, _mm512_add_epi8, _mm512_and_si512, _mm512_cmpge_epu8_mask, _mm512_mask_add_epi8, _mm512_mask_mov_epi8,
    _mm512_movepi8_mask, _mm512_or_si512, _mm512_permutexvar_epi8, _mm512_slli_epi16, _mm512_srli_epi16,
};

use crate::rows::json::lanes::{all, equal, from_further, load, upper_six};
use crate::rows::json::scan::BLOCK;

/// A block as it is made, and the lanes that hold nothing.
#[derive(Clone, Copy)]
pub(super) struct Made {
    pub(super) bytes: __m512i,
    pub(super) empty: u64,
}

/// Puts the UTF-8 of `\u` escapes, which are no surrogates, into their lanes.
#[inline]
#[target_feature(enable = "avx512bw,avx512vbmi,avx512vbmi2,bmi1,popcnt")]
pub(super) fn encode_units(made: Made, pairs: __m512i, units: u64) -> Made {
    let (firsts, seconds, thirds) = (units << 2, units << 3, units << 4);
    let are_three = firsts & _mm512_cmpge_epu8_mask(pairs, all(0x08));
    let are_one = (firsts & equal(pairs, 0)) << 2 & !_mm512_movepi8_mask(pairs);
    let lead = _mm512_or_si512(_mm512_and_si512(_mm512_srli_epi16::<4>(pairs), all(0x0f)), all(0xe0));
    let upper_six = upper_six(pairs);
    let lower_six = _mm512_and_si512(pairs, all(0x3f));
    let mut bytes = _mm512_mask_mov_epi8(made.bytes, firsts, lead);
    bytes = _mm512_mask_mov_epi8(bytes, seconds, _mm512_or_si512(upper_six, all(0xc0)));
    bytes = _mm512_mask_mov_epi8(bytes, are_three << 1, _mm512_or_si512(upper_six, all(0x80)));
    bytes = _mm512_mask_mov_epi8(bytes, thirds, _mm512_or_si512(lower_six, all(0x80)));
    bytes = _mm512_mask_mov_epi8(bytes, are_one, pairs);
    Made { bytes, empty: made.empty | units << 1 | firsts & !are_three | are_one >> 1 | units << 5 }
}

/// Puts the UTF-8 of surrogate pairs into their lanes; `high` and `low` are those of their first digits.
#[inline]
#[target_feature(enable = "avx512bw,avx512vbmi,avx512vbmi2,bmi1,popcnt")]
pub(super) fn encode_surrogates(made: Made, digits: __m512i, pairs: __m512i, high: u64, low: u64) -> Made {
    // To add 0x10000 is to add 0x40 to the upper ten bits of its twenty.
    let carries = high & _mm512_cmpge_epu8_mask(pairs, all(0xc0)) >> 2;
    let first = _mm512_or_si512(_mm512_and_si512(pairs, all(0x03)), all(0xf0));
    let first = _mm512_mask_add_epi8(first, carries, first, all(1));
    let second = _mm512_or_si512(upper_six(_mm512_add_epi8(pairs, all(0x40))), all(0x80));
    let of_high = _mm512_slli_epi16::<4>(_mm512_permutexvar_epi8(load(&FROM_FOUR_BEFORE), digits));
    let third = _mm512_and_si512(upper_six(pairs), all(0x0f));
    let third = _mm512_or_si512(_mm512_or_si512(third, _mm512_and_si512(of_high, all(0x30))), all(0x80));
    let mut bytes = _mm512_mask_mov_epi8(made.bytes, high, first);
    bytes = _mm512_mask_mov_epi8(bytes, high << 2, second);
    bytes = _mm512_mask_mov_epi8(bytes, low << 1, third);
    Made { bytes, empty: made.empty | high << 1 | low }
}

static FROM_FOUR_BEFORE: [u8; BLOCK] = from_further(BLOCK - 4);
