//! Finding the end of a stretch of plain text or of digits, and punctuation, sixteen bytes or more at a time where the
//! machine can; and what number so many digits are.
//!
//! A byte is *special* if it ends or breaks a string: a quote, a backslash or a control character. It is *plain* if it
//! is ASCII and not special. `find_not_plain` takes fewer steps than `find_special`, and most text is ASCII, so `text`
//! tries it first where nothing is known of the bytes yet, and goes on with the other from the first that is not ASCII.
//! The safe twins in [`portable`] are what other machines run and what the tests hold these against.

#[cfg(any(test, not(target_arch = "x86_64")))]
mod portable;
#[cfg(target_arch = "x86_64")]
mod sse2;

#[cfg(not(target_arch = "x86_64"))]
pub(in crate::rows) use portable::{
    elements_in, find_not_plain, find_special, last_digits_in, not_digits_in, not_plain_in, points_in, punctuation_in,
    special_in,
};
#[cfg(target_arch = "x86_64")]
pub(in crate::rows) use sse2::{
    elements_in, find_not_plain, find_special, last_digits_in, not_digits_in, not_plain_in, points_in, punctuation_in,
    special_in,
};

/// The bytes that are marked in one go.
pub(in crate::rows) const BLOCK: usize = 64;

/// The bytes that are looked at at once. Those who read numbers are built on sixteen, whatever a register could hold.
pub(in crate::rows) const LANES: usize = 16;

/// Whether [`not_digits_in`], [`points_in`], [`elements_in`] and [`last_digits_in`] are faster than to look at digits
/// one by one.
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

impl Elements {
    /// `digits` marks the digits, and `are` the bytes that are equal to the one it is given.
    #[inline]
    fn new(digits: u32, are: impl Fn(u8) -> u32) -> Self {
        Self { digits, zeros: are(b'0'), minuses: are(b'-'), spaces: are(b' '), commas: are(b','), brackets: are(b']') }
    }
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
    bytes[from..].iter().position(|&byte| is_sought(byte)).map_or(bytes.len(), |count| from + count)
}

#[cfg(test)]
mod tests {
    use super::{
        BLOCK, LANES, elements_in, find_not_plain, find_special, last_digits_in, not_digits_in, not_plain_in,
        points_in, portable, punctuation_in, special_in,
    };
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn both_twins_find_the_same_place(bytes in proptest::collection::vec(prop_oneof![8 => 0x23u8..0x5c, 1 => any::<u8>()], 0..100)) {
            prop_assert_eq!(find_special(&bytes), portable::find_special(&bytes));
            prop_assert_eq!(find_not_plain(&bytes), portable::find_not_plain(&bytes));
            if let Some(lanes) = bytes.first_chunk() {
                prop_assert_eq!(not_digits_in(lanes), portable::not_digits_in(lanes));
                prop_assert_eq!(points_in(lanes), portable::points_in(lanes));
                prop_assert_eq!(elements_in(lanes), portable::elements_in(lanes));
            }
            if let Some(block) = bytes.first_chunk() {
                prop_assert_eq!(not_plain_in(block), portable::not_plain_in(block));
                prop_assert_eq!(special_in(block), portable::special_in(block));
                prop_assert_eq!(punctuation_in(block), portable::punctuation_in(block));
            }
        }
    }

    proptest! {
        #[test]
        fn both_twins_read_the_same_number(bytes in any::<[u8; LANES]>(), digits in prop::array::uniform16(b'0'..=b'9'), count in 0..=LANES) {
            let first = LANES - count;
            let mut lanes = bytes;
            lanes[first..].copy_from_slice(&digits[first..]);
            prop_assert_eq!(last_digits_in(&lanes, count), portable::last_digits_in(&lanes, count));
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
            assert_eq!(points_in(&[byte; LANES]), portable::points_in(&[byte; LANES]), "{byte:#x}");
            assert_eq!(not_digits_in(&[byte; LANES]), portable::not_digits_in(&[byte; LANES]), "{byte:#x}");
        }
    }
}
