//! The same a byte at a time: for machines without the instructions, and for tests to hold the others against.

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

/// A bit for each point, the lowest for the first.
pub(in crate::rows) fn points_in(bytes: &[u8; LANES]) -> u32 {
    marks(bytes, |byte| byte == b'.') as u32
}

/// The number that the last `count` bytes are, which are digits.
pub(in crate::rows) fn last_digits_in(bytes: &[u8; LANES], count: usize) -> u64 {
    bytes[LANES - count..].iter().fold(0, |number, &digit| 10 * number + u64::from(digit - b'0'))
}

pub(in crate::rows) fn elements_in(bytes: &[u8; LANES]) -> Elements {
    Elements::new(not_digits_in(bytes) ^ ALL, |sought| marks(bytes, |byte| byte == sought) as u32)
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
