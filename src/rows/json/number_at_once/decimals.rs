//! Numbers with decimals or an exponent, read at once.

use super::marks::{Marks, Places};
use super::whole::{MOST_BYTES, is_whole, sign_of};
use crate::rows::json::decimal::{EXACT_DIGITS, FEW_DIGITS, is_exactly_known, nearest, quotient};
use crate::rows::json::digits::{DIGITS_OF_WORD, digits_before, first_digits, whole_and, word_at};
use crate::rows::json::number::goes_on;
use crate::rows::json::scan::{LANES, last_digits_in};

/// A number with decimals, or also a whole number without a sign, where that is asked for. `None` where there is none,
/// or one that is left to other readers:
///
/// - with an exponent, or with more than eight digits before its point;
/// - of more than 15 digits, those that have no [`mantissa`], and the few that [`nearest`] cannot tell;
/// - unless it `may_be_rounded`, one that is: see [`Number::Rounded`](crate::rows::json::number::Number::Rounded).
#[expect(clippy::inline_always, reason = "see `integer_at_once`")]
#[inline(always)]
pub(in crate::rows) fn decimal_at_once<const MAY_BE_WHOLE: bool>(
    around: &[u8],
    may_be_rounded: bool,
) -> Option<(f64, usize)> {
    let around: &[u8; LANES + MOST_BYTES] = around.first_chunk()?;
    let text: &[u8; MOST_BYTES] = around.last_chunk()?;
    decimal::<MAY_BE_WHOLE>(around, &Marks::of(text).places::<MAY_BE_WHOLE>(sign_of(text)), may_be_rounded)
}

/// What [`decimal_at_once`] reads, of a number whose marks are known.
#[expect(clippy::inline_always, reason = "see `integer_at_once`")]
#[inline(always)]
pub(in crate::rows) fn decimal_marked<const MAY_BE_WHOLE: bool>(
    around: &[u8],
    marks: Marks,
    may_be_rounded: bool,
) -> Option<(f64, usize)> {
    let around: &[u8; LANES + MOST_BYTES] = around.first_chunk()?;
    let text: &[u8; MOST_BYTES] = around.last_chunk()?;
    // A number that does not begin with a digit begins with a sign: where it ends need not wait for that byte.
    let sign = (marks.others & 1) as usize;
    let places = marks.places::<MAY_BE_WHOLE>(sign);
    if sign == sign_of(text) { decimal::<MAY_BE_WHOLE>(around, &places, may_be_rounded) } else { None }
}

/// The number of which the parts are in these places, if it is one.
#[expect(clippy::inline_always, reason = "see `integer_at_once`")]
#[inline(always)]
fn decimal<const MAY_BE_WHOLE: bool>(
    around: &[u8; LANES + MOST_BYTES],
    places: &Places,
    may_be_rounded: bool,
) -> Option<(f64, usize)> {
    let text: &[u8; MOST_BYTES] = around.last_chunk()?;
    let &Places { sign, whole_end, end } = places;
    let whole_digits = whole_end - sign;
    if whole_digits > FEW_DIGITS || end >= MOST_BYTES || !is_whole(text[sign], whole_digits) || goes_on(text[end]) {
        return None;
    }
    // With nothing after its whole digits it is an integer; with one byte, the point has no decimals.
    let after_whole = end - whole_end;
    // Left to other readers: every integer, unless integers are asked for, and then those with a sign. For these
    // `after_whole < sign` says both that nothing is after the digits and that there is a sign: two comparisons would
    // be branches, guessed wrong.
    let is_left = if MAY_BE_WHOLE { after_whole < sign } else { text[whole_end] != b'.' };
    if after_whole == 1 || is_left {
        return None;
    }
    let count = after_whole.saturating_sub(1);
    let value = if whole_digits + count <= EXACT_DIGITS {
        let last = around[end..end + LANES].first_chunk()?;
        quotient(digits_before(word_at(text, sign)?, whole_digits), last_digits_in(last, count), count)
    } else {
        let (mantissa, exponent) = (mantissa(around, places, count)?, -(count as i64));
        if !may_be_rounded && !is_exactly_known(mantissa, exponent) {
            return None;
        }
        nearest(mantissa, exponent)?
    };
    Some((with_sign(value, sign), end))
}

/// A number with an exponent of up to three digits. `None` where any other stands, or one with more than some 22 bytes
/// before its exponent; where it has no [`mantissa`]; where it is among the few that [`nearest`] cannot tell; and where
/// it is rounded, unless it `may_be_rounded`.
#[inline(never)]
pub(in crate::rows) fn scientific_at_once(around: &[u8], may_be_rounded: bool) -> Option<(f64, usize)> {
    /// More are sent by nobody: no float has as many.
    const MOST_DIGITS_OF_EXPONENT: usize = 3;
    let around: &[u8; LANES + MOST_BYTES] = around.first_chunk()?;
    let text: &[u8; MOST_BYTES] = around.last_chunk()?;
    let places = Marks::of(text).places::<true>(sign_of(text));
    let Places { sign, whole_end, end } = places;
    let (whole_digits, after_whole) = (whole_end - sign, end - whole_end);
    if whole_digits > FEW_DIGITS || after_whole == 1 || !is_whole(text[sign], whole_digits) {
        return None;
    }
    let exponent = word_at(text, end + 1)?;
    let is_negative = exponent as u8 == b'-';
    let exponent_sign = usize::from(matches!(exponent as u8, b'+' | b'-'));
    let (stated, digits) = first_digits(exponent >> (8 * exponent_sign))?;
    if !matches!(text[end], b'e' | b'E') || digits > MOST_DIGITS_OF_EXPONENT {
        return None;
    }
    let stated = stated.cast_signed();
    let count = after_whole.saturating_sub(1);
    let power = if is_negative { -stated } else { stated } - count as i64;
    let mantissa = mantissa(around, &places, count)?;
    if !may_be_rounded && !is_exactly_known(mantissa, power) {
        return None;
    }
    let value = nearest(mantissa, power)?;
    Some((with_sign(value, sign), end + 1 + exponent_sign + digits))
}

/// The digits on both sides of the point, of which `count` are decimals, as one number. `None` where it is no `u64`, or
/// where more than seven digits stand before the last sixteen decimals.
#[expect(clippy::inline_always, reason = "a part of `decimal_at_once`")]
#[inline(always)]
fn mantissa(around: &[u8; LANES + MOST_BYTES], places: &Places, count: usize) -> Option<u64> {
    let &Places { sign, whole_end, end } = places;
    let whole_digits = whole_end - sign;
    // Those before the last lanes are on both sides of the point.
    let first_digits = whole_digits + count.saturating_sub(LANES);
    if first_digits >= DIGITS_OF_WORD {
        return None;
    }
    let first = digits_before(without_byte(word_at(around, LANES + sign)?, whole_digits), first_digits);
    let rest = count.min(LANES);
    whole_and(first, last_digits_in(around[end..end + LANES].first_chunk()?, rest), rest)
}

/// The word without its byte at `at`, and what stands after it one place further ahead.
#[inline]
fn without_byte(word: u64, at: usize) -> u64 {
    let after = u64::MAX << (8 * at);
    word & !after | word >> 8 & after
}

/// A float that has none, with the sign.
#[inline]
fn with_sign(value: f64, sign: usize) -> f64 {
    f64::from_bits(value.to_bits() ^ (sign as u64) << (u64::BITS - 1))
}
