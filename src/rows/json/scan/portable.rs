//! The searches, and what number digits are, a byte at a time: for machines without the instructions, and for tests to
//! hold the others against.

use super::marks::{ALL, BLOCK, BRACE, Elements, LANES, Punctuation};
use super::special::{find, is_not_plain, is_special};

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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{self as scan, portable};
    use super::{BLOCK, LANES};

    proptest! {
        #[test]
        fn both_twins_find_the_same_place(bytes in proptest::collection::vec(prop_oneof![8 => 0x23u8..0x5c, 1 => any::<u8>()], 0..100)) {
            prop_assert_eq!(scan::find_special(&bytes), portable::find_special(&bytes));
            prop_assert_eq!(scan::find_not_plain(&bytes), portable::find_not_plain(&bytes));
            if let Some(lanes) = bytes.first_chunk() {
                prop_assert_eq!(scan::not_digits_in(lanes), portable::not_digits_in(lanes));
                prop_assert_eq!(scan::points_in(lanes), portable::points_in(lanes));
                prop_assert_eq!(scan::elements_in(lanes), portable::elements_in(lanes));
            }
            if let Some(block) = bytes.first_chunk() {
                prop_assert_eq!(scan::not_plain_in(block), portable::not_plain_in(block));
                prop_assert_eq!(scan::special_in(block), portable::special_in(block));
                prop_assert_eq!(scan::punctuation_in(block), portable::punctuation_in(block));
            }
        }
    }

    proptest! {
        #[test]
        fn both_twins_read_the_same_number(bytes in any::<[u8; LANES]>(), digits in prop::array::uniform16(b'0'..=b'9'), count in 0..=LANES) {
            let first = LANES - count;
            let mut lanes = bytes;
            lanes[first..].copy_from_slice(&digits[first..]);
            prop_assert_eq!(scan::last_digits_in(&lanes, count), portable::last_digits_in(&lanes, count));
        }
    }

    #[test]
    fn every_byte_is_told_apart() {
        for byte in 0..=u8::MAX {
            let bytes = [[b'a'; 20], [byte; 20]].concat();
            assert_eq!(scan::find_special(&bytes), portable::find_special(&bytes), "{byte:#x}");
            assert_eq!(scan::find_not_plain(&bytes), portable::find_not_plain(&bytes), "{byte:#x}");
            assert_eq!(scan::not_plain_in(&[byte; BLOCK]), portable::not_plain_in(&[byte; BLOCK]), "{byte:#x}");
            assert_eq!(scan::special_in(&[byte; BLOCK]), portable::special_in(&[byte; BLOCK]), "{byte:#x}");
            assert_eq!(scan::punctuation_in(&[byte; BLOCK]), portable::punctuation_in(&[byte; BLOCK]), "{byte:#x}");
            assert_eq!(scan::elements_in(&[byte; LANES]), portable::elements_in(&[byte; LANES]), "{byte:#x}");
            assert_eq!(scan::points_in(&[byte; LANES]), portable::points_in(&[byte; LANES]), "{byte:#x}");
            assert_eq!(scan::not_digits_in(&[byte; LANES]), portable::not_digits_in(&[byte; LANES]), "{byte:#x}");
        }
    }
}
