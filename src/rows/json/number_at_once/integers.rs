//! Integers read at once.

use super::whole::{MOST_BYTES, is_whole, sign_of};
use crate::rows::json::digits::{DIGITS_OF_U64, POWERS_OF_TEN, few_digits_before, word_at};
use crate::rows::json::number::goes_on;
use crate::rows::json::scan::{LANES, last_digits_in, not_digits_in};

/// An integer of up to 15 digits. `None` where any other number stands, or one that is negative and may not be, or
/// none.
#[expect(clippy::inline_always, reason = "a third of what it takes would be to hand over what was read")]
#[inline(always)]
pub(in crate::rows) fn integer_at_once<const MAY_BE_NEGATIVE: bool>(around: &[u8]) -> Option<(i64, usize)> {
    // A byte more than lanes, which a sign may take.
    let around: &[u8; LANES + LANES + 1] = around.first_chunk()?;
    let text: &[u8; LANES + 1] = around.last_chunk()?;
    let sign = if MAY_BE_NEGATIVE { sign_of(text) } else { 0 };
    // The lanes are the same with a sign or without, so that they need not wait for it: its bit is taken out. The byte
    // after them ends the digits, or is one too many.
    let end = (not_digits_in(text.first_chunk()?) & !(sign as u32) | 1 << LANES).trailing_zeros() as usize;
    let count = end - sign;
    let is_longer = end == LANES && (sign == 0 || text[end].is_ascii_digit());
    if !is_whole(text[sign], count) || goes_on(text[end]) || is_longer {
        return None;
    }
    let magnitude = last_digits_in(around[end..end + LANES].first_chunk()?, count);
    Some((signed(magnitude, sign), end))
}

/// An integer of 16 to 19 digits that is within i64 and not the least, with a sign or none.
pub(in crate::rows) fn long_integer_at_once(around: &[u8]) -> Option<(i64, usize)> {
    let text = around.get(LANES..)?;
    let sign = sign_of(text.first_chunk::<1>()?);
    let text: &[u8; MOST_BYTES] = text[sign..].first_chunk()?;
    if not_digits_in(text.first_chunk()?) != 0 {
        return None;
    }
    let more = not_digits_in(text.last_chunk()?).trailing_zeros() as usize;
    let end = LANES + more;
    if end > DIGITS_OF_U64 || !is_whole(text[0], end) || goes_on(text[end]) {
        return None;
    }
    let first = few_digits_before(word_at(text, 0)?, more);
    let magnitude = first * POWERS_OF_TEN[LANES] + last_digits_in(text[more..].first_chunk()?, LANES);
    i64::try_from(magnitude).is_ok().then(|| (signed(magnitude, sign), sign + end))
}

#[inline]
fn signed(magnitude: u64, sign: usize) -> i64 {
    let (magnitude, sign) = (magnitude.cast_signed(), sign as i64);
    (magnitude ^ -sign) + sign
}
