//! Digits, one at a time and eight as one word.
//!
//! | the number that these digits of a word are | how many |
//! |---|---|
//! | `eight_digits_at`: all, if they are digits | 8 |
//! | `leading_digits`: those before the first byte that is none | 0 to 7 |
//! | `first_digits`: these, if there are any | 1 to 7 |
//! | `digits_before`: the first so many; `few_digits_before` | 1 to 8, 0 to 7 |
//! | `last_digits`: the last so many | 1 to 8 |

/// Digits in a word of text, whose first byte is the lowest.
pub(in crate::rows) const DIGITS_OF_WORD: usize = size_of::<u64>();
/// Integers of this many digits are within i64, whatever the digits are.
pub(in crate::rows) const DIGITS_OF_I64: usize = 18;
/// Integers of this many digits are within u64.
pub(in crate::rows) const DIGITS_OF_U64: usize = 19;
/// Ten to each power that a `u64` holds.
pub(in crate::rows) const POWERS_OF_TEN: [u64; 20] = {
    let mut powers = [1; 20];
    let mut power = 1;
    while power < powers.len() {
        powers[power] = 10 * powers[power - 1];
        power += 1;
    }
    powers
};
/// A word of the digit 0.
const ZEROS: u64 = u64::from_le_bytes([b'0'; DIGITS_OF_WORD]);

#[inline]
pub(in crate::rows) fn word_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|word| u64::from_le_bytes(*word))
}

/// The number that eight digits are, if so many stand there.
#[inline]
pub(in crate::rows) fn eight_digits_at(bytes: &[u8], at: usize) -> Option<u64> {
    let text = word_at(bytes, at)?;
    (others_than_digits(text) == 0).then(|| number_of_digits(text.wrapping_sub(ZEROS)))
}

/// Marks the highest bit of the first byte of a word that is no digit, and perhaps of bytes after it, but of none
/// before.
#[inline]
fn others_than_digits(text: u64) -> u64 {
    const ABOVE_NINE: u64 = u64::from_le_bytes([0x80 - (b'9' + 1); DIGITS_OF_WORD]);
    const HIGH: u64 = u64::from_le_bytes([0x80; DIGITS_OF_WORD]);
    (text.wrapping_add(ABOVE_NINE) | text.wrapping_sub(ZEROS) | text) & HIGH
}

/// Parses the leading digits (0 to 7) of eight bytes; returns value and count, `None` if all eight are digits. No
/// branch depends on how many there are.
#[inline]
pub(in crate::rows) fn leading_digits(text: u64) -> Option<(u64, usize)> {
    let others = others_than_digits(text);
    let bits = others.trailing_zeros();
    let count = bits as usize / 8;
    (others != 0).then(|| (few_digits_before(text, count), count))
}

/// The number that the first `count` digits of a word of text are, from one to eight. No branch depends on how many.
#[inline]
pub(in crate::rows) fn digits_before(text: u64, count: usize) -> u64 {
    // What stands after the digits is shifted out, and as many zeros come in before them.
    number_of_digits(text.wrapping_sub(ZEROS) << (u64::BITS as usize - 8 * count))
}

/// The number that the first `count` digits of a word of text are, from none to seven. No branch depends on how many.
#[inline]
pub(in crate::rows) fn few_digits_before(text: u64, count: usize) -> u64 {
    // In two steps, as all of it may be shifted out.
    number_of_digits((text.wrapping_sub(ZEROS) << 1) << (u64::BITS as usize - 1 - 8 * count))
}

/// The number that the last `count` digits of a word of text are, from one to eight. No branch depends on how many.
#[inline]
pub(in crate::rows) fn last_digits(text: u64, count: usize) -> u64 {
    let before = u64::BITS as usize - 8 * count;
    number_of_digits((text ^ ZEROS) >> before << before)
}

/// What [`leading_digits`] gives where there is one digit at least.
#[inline]
pub(in crate::rows) fn first_digits(text: u64) -> Option<(u64, usize)> {
    leading_digits(text).filter(|&(_, count)| count > 0)
}

/// The number that eight digits are, each a byte from 0 to 9, the first the lowest.
#[inline]
pub(in crate::rows) fn number_of_digits(digits: u64) -> u64 {
    // Neighbours are put together: to pairs, to fours, to all eight.
    let pairs = (digits * 10 + (digits >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs * 100 + (pairs >> 16)) & 0x0000_ffff_0000_ffff;
    (fours * 10_000 + (fours >> 32)) & 0xffff_ffff
}

/// The digits of `whole`, and after them the `count` ones of `decimals`; `None` where they are no `u64`, and for 20 of
/// these or more, with which they are none unless `whole` is 0.
#[inline]
pub(in crate::rows) fn whole_and(whole: u64, decimals: u64, count: usize) -> Option<u64> {
    whole.checked_mul(*POWERS_OF_TEN.get(count)?)?.checked_add(decimals)
}

#[inline]
pub(in crate::rows) fn digit_at(bytes: &[u8], at: usize) -> Option<u8> {
    bytes.get(at).map(|byte| byte.wrapping_sub(b'0')).filter(|&digit| digit < 10)
}
