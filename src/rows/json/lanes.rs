//! Small steps on all bytes of a block, and on a bit for each of them, where the machine has AVX-512.

use std::arch::x86_64::{
    __m512i, _mm512_and_si512, _mm512_cmpeq_epi8_mask, _mm512_loadu_si512, _mm512_permutex2var_epi8, _mm512_set1_epi8,
    _mm512_srli_epi16, _mm512_storeu_si512,
};

use crate::rows::json::scan::BLOCK;

/// The byte in every lane.
#[inline]
#[target_feature(enable = "avx512bw")]
pub(in crate::rows::json) fn all(byte: u8) -> __m512i {
    _mm512_set1_epi8(byte.cast_signed())
}

/// The bytes that are equal to this one.
#[inline]
#[target_feature(enable = "avx512bw")]
pub(in crate::rows::json) fn equal(bytes: __m512i, byte: u8) -> u64 {
    _mm512_cmpeq_epi8_mask(bytes, all(byte))
}

/// The upper six bits of each byte.
#[inline]
#[target_feature(enable = "avx512bw")]
pub(in crate::rows::json) fn upper_six(bytes: __m512i) -> __m512i {
    _mm512_and_si512(_mm512_srli_epi16::<2>(bytes), all(0x3f))
}

/// The bytes whose upper `count` bits are those of `bits`.
#[inline]
#[target_feature(enable = "avx512bw")]
pub(in crate::rows::json) fn begin_with(bits: u8, count: u32, bytes: __m512i) -> u64 {
    equal(_mm512_and_si512(bytes, all(u8::MAX << (8 - count))), bits)
}

/// The first of these lanes.
#[inline]
pub(in crate::rows::json) fn first(lanes: u64) -> u64 {
    lanes & lanes.wrapping_neg()
}

/// The lanes before the first of these, or all.
#[inline]
pub(in crate::rows::json) fn before_first(lanes: u64) -> u64 {
    !lanes & lanes.wrapping_sub(1)
}

/// What a table of ASCII has for each byte, and anything for others.
#[inline]
#[target_feature(enable = "avx512bw,avx512vbmi")]
pub(in crate::rows::json) fn look_up([lower, upper]: &[[u8; BLOCK]; 2], bytes: __m512i) -> __m512i {
    _mm512_permutex2var_epi8(load(lower), bytes, load(upper))
}

#[inline]
#[target_feature(enable = "avx512bw")]
pub(in crate::rows::json) fn load(bytes: &[u8; BLOCK]) -> __m512i {
    // SAFETY: there are 64 bytes.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512bw")]
pub(in crate::rows::json) fn stored(bytes: __m512i) -> [u8; BLOCK] {
    let mut out = [0; BLOCK];
    // SAFETY: there is room for 64 bytes.
    unsafe { _mm512_storeu_si512(out.as_mut_ptr().cast(), bytes) };
    out
}

/// From which lane each takes: the one that is so many further on; after the last comes the first again.
pub(in crate::rows::json) const fn from_further(further: usize) -> [u8; BLOCK] {
    let mut lanes = [0; BLOCK];
    let mut lane = 0;
    while lane < BLOCK {
        lanes[lane] = ((lane + further) % BLOCK) as u8;
        lane += 1;
    }
    lanes
}
