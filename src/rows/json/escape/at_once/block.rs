//! A block: where its escapes are, and what they stand for. A `u64` has a bit for each lane, the lowest for the first.

use std::arch::x86_64::{
    __m512i, _mm512_and_si512, _mm512_cmplt_epu8_mask, _mm512_mask_mov_epi8, _mm512_maskz_compress_epi8,
    _mm512_movepi8_mask, _mm512_or_si512, _mm512_permutexvar_epi8, _mm512_slli_epi16,
};

use super::encode::{Made, encode_surrogates, encode_units};
use crate::rows::json::escape::single::{HEX_VALUES, NO_DIGIT, SHORT_ESCAPES, UNIT};
use crate::rows::json::lanes::{all, before_first, begin_with, equal, first, from_further, load, look_up};
use crate::rows::json::scan::BLOCK;

pub(super) struct Resolved {
    /// What is laid out: the first `written` of these.
    pub(super) bytes: __m512i,
    pub(super) written: usize,
    pub(super) read: usize,
    /// Whether some of its escapes are `\u` escapes.
    pub(super) has_units: bool,
    /// Whether neither plain text nor an escape stands after what was read.
    pub(super) is_end: bool,
}

/// What a block becomes, as far as the first escape that goes on after it. `None` where something is no escape.
#[inline]
#[target_feature(enable = "avx512bw,avx512vbmi,avx512vbmi2,bmi1,popcnt")]
pub(super) fn resolve(block: &[u8; BLOCK], is_ascii: bool) -> Option<Resolved> {
    let bytes = load(block);
    let Escapes { starts, units, ends, mut stops } = find_escapes(bytes, is_ascii);
    if starts | stops == 0 {
        // Where the next block begins then does not wait for what is in this one.
        return Some(Resolved { bytes, written: BLOCK, read: BLOCK, has_units: false, is_end: false });
    }
    let mut made = resolve_short(bytes, starts, (starts ^ units) << 1)?;
    if units != 0 {
        (made, stops) = resolve_units(made, bytes, units, stops)?;
    }
    let kept = before_first(stops) & !made.empty;
    Some(Resolved {
        bytes: _mm512_maskz_compress_epi8(kept, made.bytes),
        written: kept.count_ones() as usize,
        read: stops.trailing_zeros() as usize,
        has_units: units != 0,
        is_end: ends & first(stops) != 0,
    })
}

/// Where the escapes of a block begin. Here and below a `u64` has a bit for each lane, the lowest for the first.
struct Escapes {
    starts: u64,
    /// Those of them that are `\u` escapes.
    units: u64,
    /// Neither plain text nor of an escape.
    ends: u64,
    /// The first of those, or of an escape that goes on after the block, is where reading stops; all of it, if none is.
    stops: u64,
}

#[inline]
#[target_feature(enable = "avx512bw,avx512vbmi,avx512vbmi2,bmi1,popcnt")]
fn find_escapes(bytes: __m512i, is_ascii: bool) -> Escapes {
    let starts = unescaped_of(equal(bytes, b'\\'));
    let units = starts & equal(bytes, b'u') >> 1;
    let ends = find_ends(bytes, starts << 1, is_ascii);
    let stops = ends | starts & LAST | units & LAST_UNITS;
    let read = before_first(stops);
    Escapes { starts: starts & read, units: units & read, ends, stops }
}

/// What is neither plain text nor of an escape; `letters` are escaped.
#[inline]
#[target_feature(enable = "avx512bw")]
pub(super) fn find_ends(bytes: __m512i, letters: u64, is_ascii: bool) -> u64 {
    let quotes = equal(bytes, b'"') & !letters;
    let controls = _mm512_cmplt_epu8_mask(bytes, all(b' '));
    quotes | controls | if is_ascii { _mm512_movepi8_mask(bytes) } else { 0 }
}

/// Puts what short escapes stand for into the lanes of their `letters`, and empties those of all backslashes. `None`
/// where one is no escape.
#[inline]
#[target_feature(enable = "avx512bw,avx512vbmi,avx512vbmi2,bmi1,popcnt")]
pub(super) fn resolve_short(bytes: __m512i, starts: u64, letters: u64) -> Option<Made> {
    let short = look_up(&SHORT, bytes);
    let not_short = _mm512_movepi8_mask(bytes) | equal(short, 0);
    if letters & not_short != 0 {
        return None;
    }
    Some(Made { bytes: _mm512_mask_mov_epi8(bytes, letters, short), empty: starts })
}

/// Puts what `\u` escapes stand for into their lanes; a pair of surrogates that goes on after the block `stops` it.
/// `None` where one is no escape, or a surrogate is alone.
#[inline]
#[target_feature(enable = "avx512bw,avx512vbmi,avx512vbmi2,bmi1,popcnt")]
fn resolve_units(made: Made, bytes: __m512i, units: u64, mut stops: u64) -> Option<(Made, u64)> {
    let digits = look_up(&DIGITS, bytes);
    let are_digits = units << 2 | units << 3 | units << 4 | units << 5;
    let not_digits = _mm512_movepi8_mask(bytes) | _mm512_movepi8_mask(digits);
    if are_digits & not_digits != 0 {
        return None;
    }
    let next = _mm512_permutexvar_epi8(load(&FROM_NEXT), digits);
    let pairs = _mm512_or_si512(_mm512_and_si512(_mm512_slli_epi16::<4>(digits), all(0xf0)), next);
    let made = encode_units(made, pairs, units);
    let surrogates = begin_with(0b1101_1000, 5, pairs) & units << 2;
    if surrogates == 0 {
        return Some((made, stops));
    }
    let mut high = begin_with(0b1101_1000, 6, pairs) & surrogates;
    let low = surrogates ^ high;
    let unfinished = high & LAST_SURROGATE_PAIRS << 2;
    if unfinished != 0 {
        stops = unfinished >> 2;
        high ^= unfinished;
    }
    if high << UNIT != low {
        return None;
    }
    Some((encode_surrogates(made, digits, pairs, high, low), stops))
}

/// The backslashes that are not escaped themselves: every other one of a run.
#[inline]
pub(super) fn unescaped_of(backslashes: u64) -> u64 {
    // Subtracting carries through a run. Whether it ends on a lane of the kind it began on says whether what is after
    // it is escaped.
    const ODD: u64 = 0xaaaa_aaaa_aaaa_aaaa;
    ((backslashes << 1 | ODD).wrapping_sub(backslashes) ^ ODD) & backslashes
}

/// The places from which a short escape, a `\u` escape and two of them as a pair go on after the block.
const LAST: u64 = 1 << (BLOCK - 1);
const LAST_UNITS: u64 = u64::MAX << (BLOCK - UNIT + 1);
const LAST_SURROGATE_PAIRS: u64 = u64::MAX << (BLOCK - 2 * UNIT + 1);

/// What each letter of a short escape stands for, 0 where it stands for nothing.
static SHORT: [[u8; BLOCK]; 2] = {
    let mut table = [[0; BLOCK]; 2];
    let mut byte = 0;
    while byte < 2 * BLOCK {
        table[byte / BLOCK][byte % BLOCK] = SHORT_ESCAPES[byte];
        byte += 1;
    }
    table
};

/// The value of each hexadecimal digit; the highest bit where a byte is none.
static DIGITS: [[u8; BLOCK]; 2] = {
    let mut table = [[0x80; BLOCK]; 2];
    let mut byte = 0;
    while byte < 2 * BLOCK {
        let value = HEX_VALUES[3][byte];
        if value != NO_DIGIT {
            table[byte / BLOCK][byte % BLOCK] = value as u8;
        }
        byte += 1;
    }
    table
};

static FROM_NEXT: [u8; BLOCK] = from_further(1);
