//! UTF-8 checked 64 bytes at a time, where the machine has AVX-512 (BW).
//!
//! Every fault shows in two bytes side by side: see [`FAULTS`]. Of each such pair three tables say which faults either
//! half of its first byte and the upper half of its second leave possible, and a fault that all three leave is one.
//! Only what a character of three or four bytes needs beyond its second takes a look further back. (The method is
//! Keiser's and Lemire's, "Validating UTF-8 In Less Than One Instruction Per Byte".)

use std::arch::x86_64::{
    __m512i, _mm_loadu_si128, _mm512_alignr_epi8, _mm512_alignr_epi32, _mm512_and_si512, _mm512_broadcast_i32x4,
    _mm512_maskz_loadu_epi8, _mm512_or_si512, _mm512_setzero_si512, _mm512_shuffle_epi8, _mm512_srli_epi16,
    _mm512_subs_epu8, _mm512_test_epi8_mask, _mm512_xor_si512,
};
use std::sync::LazyLock;

use crate::rows::json::lanes::{all, load};
use crate::rows::json::scan::BLOCK;

/// Whether the bytes are UTF-8; `None` on machines that cannot tell so.
#[inline]
pub(super) fn is_utf8(bytes: &[u8]) -> Option<bool> {
    // SAFETY: the one feature was found that `is_utf8_at_once` is compiled for.
    HAS_BW.then(|| unsafe { is_utf8_at_once(bytes) })
}

/// Whether the machine has what `is_utf8_at_once` and all it calls are compiled for.
static HAS_BW: LazyLock<bool> = LazyLock::new(|| is_x86_feature_detected!("avx512bw"));

/// Two bytes that go on: a fault unless they are the second and third, or third and fourth, of a character of so many.
/// Its bit is the highest, as is that of what is found further back.
const TWO_GO_ON: u8 = 1 << 7;

/// The pairs of bytes that are none of UTF-8 (RFC 3629, section 4), each with the bit of its fault: what its first byte
/// may be, from the least to the most, and its second.
const FAULTS: [(u8, [u8; 2], [u8; 2]); 10] = [
    (TWO_GO_ON, [0x80, 0xbf], [0x80, 0xbf]),
    // A byte that goes on after ASCII, and none after what begins a character.
    (1 << 0, [0x00, 0x7f], [0x80, 0xbf]),
    (1 << 1, [0xc0, 0xff], [0x00, 0x7f]),
    (1 << 1, [0xc0, 0xff], [0xc0, 0xff]),
    // Characters in more bytes than they need.
    (1 << 2, [0xc0, 0xc1], [0x80, 0xbf]),
    (1 << 3, [0xe0, 0xe0], [0x80, 0x9f]),
    (1 << 4, [0xf0, 0xf0], [0x80, 0x8f]),
    // Surrogates.
    (1 << 5, [0xed, 0xed], [0xa0, 0xbf]),
    // Beyond U+10FFFF. The first shares its bit, as what it is told by differs in one table alone.
    (1 << 4, [0xf5, 0xff], [0x80, 0x8f]),
    (1 << 6, [0xf4, 0xff], [0x90, 0xbf]),
];

/// Which faults are possible with each half of a byte.
struct Tables {
    first_upper: [u8; 16],
    first_lower: [u8; 16],
    second_upper: [u8; 16],
}

const TABLES: Tables = {
    let mut tables = Tables { first_upper: [0; 16], first_lower: [0; 16], second_upper: [0; 16] };
    let mut at = 0;
    while at < FAULTS.len() {
        let (fault, [least, most], second) = FAULTS[at];
        mark(&mut tables.first_upper, fault, [least >> 4, most >> 4]);
        // Those of more than one upper half may have any lower one.
        let lower = if least >> 4 == most >> 4 { [least & 0x0f, most & 0x0f] } else { [0x00, 0x0f] };
        mark(&mut tables.first_lower, fault, lower);
        mark(&mut tables.second_upper, fault, [second[0] >> 4, second[1] >> 4]);
        at += 1;
    }
    tables
};

const fn mark(table: &mut [u8; 16], fault: u8, [least, most]: [u8; 2]) {
    let mut half = least;
    while half <= most {
        table[half as usize] |= fault;
        half += 1;
    }
}

#[target_feature(enable = "avx512bw")]
fn is_utf8_at_once(bytes: &[u8]) -> bool {
    let (blocks, rest) = bytes.as_chunks::<BLOCK>();
    let (mut before, mut faults) = (_mm512_setzero_si512(), _mm512_setzero_si512());
    for block in blocks {
        let block = load(block);
        faults = _mm512_or_si512(faults, faults_of(before, block));
        before = block;
    }
    // The zeros after the last bytes show whether a character ends there, so they are looked at even if none is left.
    let rest = load_some(rest);
    faults = _mm512_or_si512(faults, faults_of(before, rest));
    _mm512_test_epi8_mask(faults, faults) == 0
}

/// The faults in a block and in what of the one before it goes on here, a byte for each; zeros where there are none.
#[inline]
#[target_feature(enable = "avx512bw")]
fn faults_of(before: __m512i, block: __m512i) -> __m512i {
    // Each sixteen bytes with those before them, from which up to three are taken over.
    let shifted = _mm512_alignr_epi32::<12>(block, before);
    let one_before = _mm512_alignr_epi8::<15>(block, shifted);
    let two_before = _mm512_alignr_epi8::<14>(block, shifted);
    let three_before = _mm512_alignr_epi8::<13>(block, shifted);
    let first_upper = look_up(&TABLES.first_upper, upper_halves(one_before));
    let first_lower = look_up(&TABLES.first_lower, _mm512_and_si512(one_before, all(0x0f)));
    let second_upper = look_up(&TABLES.second_upper, upper_halves(block));
    let of_pairs = _mm512_and_si512(_mm512_and_si512(first_upper, first_lower), second_upper);
    // The highest bit remains of what begins a character of three bytes or four, and of four.
    let third = _mm512_subs_epu8(two_before, all(0xe0 - TWO_GO_ON));
    let fourth = _mm512_subs_epu8(three_before, all(0xf0 - TWO_GO_ON));
    let goes_on = _mm512_and_si512(_mm512_or_si512(third, fourth), all(TWO_GO_ON));
    // Two bytes go on where they have to, and nowhere else.
    _mm512_xor_si512(goes_on, of_pairs)
}

#[inline]
#[target_feature(enable = "avx512bw")]
fn upper_halves(bytes: __m512i) -> __m512i {
    _mm512_and_si512(_mm512_srli_epi16::<4>(bytes), all(0x0f))
}

/// What the table has for each half of a byte.
#[inline]
#[target_feature(enable = "avx512bw")]
fn look_up(table: &[u8; 16], halves: __m512i) -> __m512i {
    // SAFETY: there are sixteen bytes.
    let table = unsafe { _mm_loadu_si128(table.as_ptr().cast()) };
    _mm512_shuffle_epi8(_mm512_broadcast_i32x4(table), halves)
}

/// Fewer bytes than a block has, and zeros after them.
#[inline]
#[target_feature(enable = "avx512bw")]
fn load_some(bytes: &[u8]) -> __m512i {
    debug_assert!(bytes.len() < BLOCK, "{} bytes", bytes.len());
    // SAFETY: those that are loaded are there, and lanes outside the mask are not accessed.
    unsafe { _mm512_maskz_loadu_epi8((1 << bytes.len()) - 1, bytes.as_ptr().cast()) }
}
