//! All escapes of a block at once, whatever they are and wherever they stand, where the machine has AVX-512 (VBMI2).
//!
//! Every byte of the result is made in the lane of a byte of its escape; then the lanes that have none are left out.
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
//! from `cccc` of the first into its `bbb`, two lanes before; and `DD` are the last bits of the first. A short escape
//! has its byte in the lane of its letter.
//!
//! A block that ends within an escape is read up to its backslash, and the next begins there. While there are none but
//! short escapes, blocks follow each other every 64 bytes, and an escape may lie in two: none waits for where another
//! ends.

use std::arch::x86_64::{
    __m512i, _mm512_add_epi8, _mm512_and_si512, _mm512_cmpeq_epi8_mask, _mm512_cmpge_epu8_mask, _mm512_cmplt_epu8_mask,
    _mm512_loadu_si512, _mm512_mask_add_epi8, _mm512_mask_mov_epi8, _mm512_maskz_compress_epi8, _mm512_movepi8_mask,
    _mm512_or_si512, _mm512_permutex2var_epi8, _mm512_permutexvar_epi8, _mm512_set1_epi8, _mm512_slli_epi16,
    _mm512_srli_epi16, _mm512_storeu_si512,
};
use std::sync::LazyLock;

use super::unescaped::{Blocks, Unescaped};
use super::{HEX_VALUES, NO_DIGIT, SHORT_ESCAPES, UNIT};
use crate::rows::json::scan::BLOCK;

/// See [`Unescaped::append_blocks`]. A block with something that is no escape, as a lone surrogate, is left.
#[inline]
pub(super) fn append(unescaped: &mut Unescaped, bytes: &[u8], at: usize, is_ascii: bool) -> Blocks {
    if *IS_THERE {
        // SAFETY: what was looked for is all that it is compiled for.
        unsafe { append_at_once(unescaped, bytes, at, is_ascii) }
    } else {
        Blocks::Rest(at)
    }
}

/// Whether the machine has all that is asked of it here. Looked up once: five answers would take as long as a block.
static IS_THERE: LazyLock<bool> = LazyLock::new(|| {
    is_x86_feature_detected!("avx512vbmi2")
        && is_x86_feature_detected!("avx512vbmi")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("popcnt")
});

#[target_feature(enable = "avx512bw,avx512vbmi,avx512vbmi2,bmi1,popcnt")]
fn append_at_once(unescaped: &mut Unescaped, bytes: &[u8], mut at: usize, is_ascii: bool) -> Blocks {
    while let Some(block) = block_at(bytes, at) {
        let Some(resolved) = resolve(block, block_ahead(unescaped), is_ascii) else { break };
        unescaped.len += resolved.written;
        at += resolved.read;
        if resolved.is_end {
            return Blocks::End(at);
        }
        if !resolved.has_units {
            at = append_short(unescaped, bytes, at, is_ascii);
        }
    }
    Blocks::Rest(at)
}

/// Lays out blocks that have no escapes but short ones, and gives where the first begins that has something else, or
/// where the bytes soon end; if an escape lies across that place, where its backslash stands.
#[target_feature(enable = "avx512bw,avx512vbmi,avx512vbmi2,bmi1,popcnt")]
fn append_short(unescaped: &mut Unescaped, bytes: &[u8], mut at: usize, is_ascii: bool) -> usize {
    // The lowest bit, where the first byte of the block is escaped by the last of the one before.
    let mut escaped = 0;
    while let Some(block) = block_at(bytes, at) {
        let block = load(block);
        let starts = unescaped_of(equal(block, b'\\') & !escaped);
        let letters = starts << 1 | escaped;
        if find_ends(block, letters, is_ascii) != 0 {
            break;
        }
        let Some(made) = resolve_short(block, starts, letters) else { break };
        store(_mm512_maskz_compress_epi8(!made.empty, made.bytes), block_ahead(unescaped));
        unescaped.len += made.empty.count_zeros() as usize;
        escaped = starts >> (BLOCK - 1);
        at += BLOCK;
    }
    at - escaped as usize
}

#[inline]
fn block_at(bytes: &[u8], at: usize) -> Option<&[u8; BLOCK]> {
    bytes.get(at..)?.first_chunk()
}

/// Where the next block is laid out.
#[inline]
fn block_ahead(unescaped: &mut Unescaped) -> &mut [u8; BLOCK] {
    unescaped.ahead(BLOCK).first_chunk_mut().expect("so many were asked for")
}

struct Resolved {
    read: usize,
    written: usize,
    /// Whether some of its escapes are `\u` escapes.
    has_units: bool,
    /// Whether neither plain text nor an escape stands after what was read.
    is_end: bool,
}

/// Lays out a block as far as the first escape that goes on after it. `None` where something is no escape.
#[inline]
#[target_feature(enable = "avx512bw,avx512vbmi,avx512vbmi2,bmi1,popcnt")]
fn resolve(block: &[u8; BLOCK], out: &mut [u8; BLOCK], is_ascii: bool) -> Option<Resolved> {
    let bytes = load(block);
    let Escapes { starts, units, ends, mut stops } = find_escapes(bytes, is_ascii);
    if starts | stops == 0 {
        // Where the next block begins then does not wait for what is in this one.
        store(bytes, out);
        return Some(Resolved { read: BLOCK, written: BLOCK, has_units: false, is_end: false });
    }
    let mut made = resolve_short(bytes, starts, (starts ^ units) << 1)?;
    if units != 0 {
        (made, stops) = resolve_units(made, bytes, units, stops)?;
    }
    let kept = before_first(stops) & !made.empty;
    store(_mm512_maskz_compress_epi8(kept, made.bytes), out);
    Some(Resolved {
        read: stops.trailing_zeros() as usize,
        written: kept.count_ones() as usize,
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
fn find_ends(bytes: __m512i, letters: u64, is_ascii: bool) -> u64 {
    let quotes = equal(bytes, b'"') & !letters;
    let controls = _mm512_cmplt_epu8_mask(bytes, all(b' '));
    quotes | controls | if is_ascii { _mm512_movepi8_mask(bytes) } else { 0 }
}

/// A block as it is made, and the lanes that hold nothing.
#[derive(Clone, Copy)]
struct Made {
    bytes: __m512i,
    empty: u64,
}

/// Puts what short escapes stand for into the lanes of their `letters`, and empties those of all backslashes. `None`
/// where one is no escape.
#[inline]
#[target_feature(enable = "avx512bw,avx512vbmi,avx512vbmi2,bmi1,popcnt")]
fn resolve_short(bytes: __m512i, starts: u64, letters: u64) -> Option<Made> {
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

/// Puts the UTF-8 of `\u` escapes, which are no surrogates, into their lanes.
#[inline]
#[target_feature(enable = "avx512bw,avx512vbmi,avx512vbmi2,bmi1,popcnt")]
fn encode_units(made: Made, pairs: __m512i, units: u64) -> Made {
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
fn encode_surrogates(made: Made, digits: __m512i, pairs: __m512i, high: u64, low: u64) -> Made {
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

#[inline]
#[target_feature(enable = "avx512bw")]
fn all(byte: u8) -> __m512i {
    _mm512_set1_epi8(byte.cast_signed())
}

/// The bytes that are equal to this one.
#[inline]
#[target_feature(enable = "avx512bw")]
fn equal(bytes: __m512i, byte: u8) -> u64 {
    _mm512_cmpeq_epi8_mask(bytes, all(byte))
}

/// The upper six bits of each byte.
#[inline]
#[target_feature(enable = "avx512bw")]
fn upper_six(bytes: __m512i) -> __m512i {
    _mm512_and_si512(_mm512_srli_epi16::<2>(bytes), all(0x3f))
}

/// The bytes whose upper `count` bits are those of `bits`.
#[inline]
#[target_feature(enable = "avx512bw")]
fn begin_with(bits: u8, count: u32, bytes: __m512i) -> u64 {
    equal(_mm512_and_si512(bytes, all(u8::MAX << (8 - count))), bits)
}

/// The backslashes that are not escaped themselves: every other one of a run.
#[inline]
fn unescaped_of(backslashes: u64) -> u64 {
    // Subtracting carries through a run. Whether it ends on a lane of the kind it began on says whether what is after
    // it is escaped.
    const ODD: u64 = 0xaaaa_aaaa_aaaa_aaaa;
    ((backslashes << 1 | ODD).wrapping_sub(backslashes) ^ ODD) & backslashes
}

/// The first of these lanes.
#[inline]
fn first(lanes: u64) -> u64 {
    lanes & lanes.wrapping_neg()
}

/// The lanes before the first of these, or all.
#[inline]
fn before_first(lanes: u64) -> u64 {
    !lanes & lanes.wrapping_sub(1)
}

/// What a table of ASCII has for each byte, and anything for others.
#[inline]
#[target_feature(enable = "avx512bw,avx512vbmi")]
fn look_up([lower, upper]: &[[u8; BLOCK]; 2], bytes: __m512i) -> __m512i {
    _mm512_permutex2var_epi8(load(lower), bytes, load(upper))
}

#[inline]
#[target_feature(enable = "avx512bw")]
fn load(bytes: &[u8; BLOCK]) -> __m512i {
    // SAFETY: there are 64 bytes.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512bw")]
fn store(bytes: __m512i, out: &mut [u8; BLOCK]) {
    // SAFETY: there is room for 64 bytes.
    unsafe { _mm512_storeu_si512(out.as_mut_ptr().cast(), bytes) }
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

/// From which lane each takes.
static FROM_NEXT: [u8; BLOCK] = lanes(1);
static FROM_FOUR_BEFORE: [u8; BLOCK] = lanes(BLOCK - 4);

const fn lanes(further: usize) -> [u8; BLOCK] {
    let mut lanes = [0; BLOCK];
    let mut lane = 0;
    while lane < BLOCK {
        lanes[lane] = ((lane + further) % BLOCK) as u8;
        lane += 1;
    }
    lanes
}

#[cfg(test)]
mod tests {
    use super::super::one_by_one;
    use super::*;
    use proptest::prelude::*;

    fn piece() -> impl Strategy<Value = String> {
        let text =
            |texts: &[&str]| prop::sample::select(texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>());
        prop_oneof![
            6 => "[ -!#-\\[\\]-~]{0,12}",
            6 => "(\\\\u[0-9a-fA-F]{4}){1,12}",
            3 => "(\\\\u0[0-7][0-9a-f]{2}){1,4}",
            3 => "(\\\\ud[89ab][0-9a-f]{2}\\\\ud[c-f][0-9a-f]{2}){1,6}",
            3 => "(\\\\[\"\\\\/bfnrt]){1,4}",
            1 => text(&["é", "日本", "🎷"]),
            1 => text(&["\\ud83c", "\\udfb7", "\\", "\\x", "\\u12g4", "\\é", "\\u12", "\"", "\n", "\\\u{1}"]),
        ]
    }

    /// Text that has no escapes but short ones, which are laid out otherwise, and at times something else.
    fn short_piece() -> impl Strategy<Value = String> {
        prop_oneof![
            20 => "[ -!#-\\[\\]-~]{0,70}",
            10 => "(\\\\[\"\\\\/bfnrt]){1,70}",
            1 => piece(),
        ]
    }

    // Where the machine has no AVX-512 both sides are the twin.
    proptest! {
        #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

        #[test]
        fn blocks_are_what_they_are_one_by_one(
            pieces in prop_oneof![prop::collection::vec(piece(), 1..20), prop::collection::vec(short_piece(), 1..20)],
            is_ascii: bool,
        ) {
            // The first quote may be escaped.
            let body = pieces.concat() + "\"\"" + &" ".repeat(3 * BLOCK);
            let (mut at_once, mut expected) = (Unescaped::default(), Unescaped::default());
            let until = one_by_one::append(&mut expected, body.as_bytes(), 0, is_ascii);
            match append(&mut at_once, body.as_bytes(), 0, is_ascii) {
                Blocks::End(at) => prop_assert_eq!(at, until),
                Blocks::Rest(at) => {
                    let at = one_by_one::append(&mut at_once, body.as_bytes(), at, is_ascii);
                    prop_assert_eq!(at, until);
                }
            }
            prop_assert_eq!(&at_once.bytes()[..at_once.len()], &expected.bytes()[..expected.len()]);
        }
    }
}
