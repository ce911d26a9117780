//! Numbers read at once: where one ends is found for all of its bytes together, and its digits are put together
//! sixteen at a time. Hardly a branch depends on how long it is.
//!
//! The sixteen bytes that end where a number does may begin before it. So each reader is given what is `around` the
//! number, which begins [`LANES`] bytes before it and goes on after it. It gives the number and how many bytes it has,
//! or `None`, also where what is around it soon ends.

use super::decimal::{EXACT_DIGITS, FEW_DIGITS, nearest, quotient};
use super::digits::{
    DIGITS_OF_U64, DIGITS_OF_WORD, POWERS_OF_TEN, digits_before, few_digits_before, first_digits, whole_and, word_at,
};
use super::number::goes_on;
use super::scan::{LANES, last_digits_in, not_digits_in, points_in};

/// What is loaded of a number that may be long, and has to end within.
const MOST_BYTES: usize = 2 * LANES;

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

/// The same of an integer of 16 to 19 digits that is within i64 and not the least, with a sign or none.
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

/// A number with decimals, or also a whole number without a sign, where that is asked for. `None` where there is none;
/// where it has an exponent, or more than eight digits before its point; of those of more than 15 digits, where it has
/// more than seven before its last sixteen decimals or more in all than a `u64` holds, and where it is among the few
/// that [`nearest`] cannot tell.
#[expect(clippy::inline_always, reason = "see `integer_at_once`")]
#[inline(always)]
pub(in crate::rows) fn decimal_at_once<const MAY_BE_WHOLE: bool>(around: &[u8]) -> Option<(f64, usize)> {
    let around: &[u8; LANES + MOST_BYTES] = around.first_chunk()?;
    let text: &[u8; MOST_BYTES] = around.last_chunk()?;
    let places = places::<MAY_BE_WHOLE>(text);
    let Places { sign, whole_end, end } = places;
    let whole_digits = whole_end - sign;
    if whole_digits > FEW_DIGITS || end >= MOST_BYTES || !is_whole(text[sign], whole_digits) || goes_on(text[end]) {
        return None;
    }
    // With nothing after its whole digits it is an integer; with one byte, the point has no decimals.
    let after_whole = end - whole_end;
    // Left are integers with a sign, or all where none is asked for. One comparison tells both of the former: two would
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
        nearest(mantissa(around, &places, count)?, -(count as i64))?
    };
    Some((with_sign(value, sign), end))
}

/// A number with an exponent of up to three digits. `None` where any other stands; where it has more than 19 digits
/// or some 22 bytes before its exponent, and where it is among the few that [`nearest`] cannot tell.
#[inline(never)]
pub(in crate::rows) fn scientific_at_once(around: &[u8]) -> Option<(f64, usize)> {
    /// More are sent by nobody: no float has as many.
    const MOST_DIGITS_OF_EXPONENT: usize = 3;
    let around: &[u8; LANES + MOST_BYTES] = around.first_chunk()?;
    let text: &[u8; MOST_BYTES] = around.last_chunk()?;
    let places = places::<true>(text);
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
    let value = nearest(mantissa(around, &places, count)?, power)?;
    Some((with_sign(value, sign), end + 1 + exponent_sign + digits))
}

/// Where the parts of a number with decimals are.
struct Places {
    /// How many bytes its sign has.
    sign: usize,
    /// Where the digits before its point end.
    whole_end: usize,
    /// Where its decimals end, or the digits before its point if it has none.
    end: usize,
}

/// Finds them; where a number has to have a point, all that ends its whole digits is taken for one.
#[expect(clippy::inline_always, reason = "a part of `decimal_at_once`")]
#[inline(always)]
fn places<const MAY_BE_WHOLE: bool>(text: &[u8; MOST_BYTES]) -> Places {
    let sign = sign_of(text);
    let others = in_both_halves(text, not_digits_in) & !(sign as u32);
    // The first that is no digit ends those before the point; if it is the point, the next ends those after it.
    let first_other = others & others.wrapping_neg();
    let point = if MAY_BE_WHOLE { first_other & in_both_halves(text, points_in) } else { first_other };
    Places { sign, whole_end: others.trailing_zeros() as usize, end: (others ^ point).trailing_zeros() as usize }
}

/// The digits on both sides of the point, of which `count` are decimals, as one number. `None` where it is no `u64`, or
/// where more than seven stand before the last sixteen decimals.
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

/// What is marked in both halves of a text, the first in the lower bits.
#[inline]
fn in_both_halves(text: &[u8; MOST_BYTES], mark: impl Fn(&[u8; LANES]) -> u32) -> u32 {
    let (halves, _) = text.as_chunks();
    mark(&halves[0]) | mark(&halves[1]) << LANES
}

/// The word without its byte at `at`, and what stands after it one place further ahead.
#[inline]
fn without_byte(word: u64, at: usize) -> u64 {
    let after = u64::MAX << (8 * at);
    word & !after | word >> 8 & after
}

/// How many bytes a sign has here: one, or none. No branch depends on whether there is one.
#[inline]
fn sign_of<const COUNT: usize>(text: &[u8; COUNT]) -> usize {
    usize::from(text[0] == b'-')
}

/// Whether so many digits, of which this is the first, are a whole number: there is one, and none after a 0.
#[inline]
fn is_whole(first: u8, count: usize) -> bool {
    count > 0 && (first != b'0' || count == 1)
}

/// A float that has none, with the sign.
#[inline]
fn with_sign(value: f64, sign: usize) -> f64 {
    f64::from_bits(value.to_bits() ^ (sign as u64) << (u64::BITS - 1))
}

#[inline]
fn signed(magnitude: u64, sign: usize) -> i64 {
    let (magnitude, sign) = (magnitude.cast_signed(), sign as i64);
    (magnitude ^ -sign) + sign
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::json::cursor::Cursor;
    use crate::rows::json::number::Number;
    use proptest::prelude::*;

    const BEFORE: &str = "\"data\":[{\"item\":";
    const AFTER: &str = ",\"name\":\"more text than a number has bytes\"";

    /// What was read at once, as bits, and how many bytes it has.
    fn at_once(around: &[u8]) -> Option<(Result<i64, u64>, usize)> {
        let integer = integer_at_once::<true>(around).or_else(|| long_integer_at_once(around));
        integer
            .map(|(value, end)| (Ok(value), end))
            .or_else(|| decimal_at_once::<false>(around).map(|(value, end)| (Err(value.to_bits()), end)))
    }

    proptest! {
        #[test]
        fn a_number_at_once_is_what_any_number_is(
            text in prop_oneof![
                "-?[0-9]{1,20}",
                "-?[1-9][0-9]{0,19}",
                "-?(0|[1-9][0-9]{0,9})\\.[0-9]{1,21}",
                "-?0\\.0{0,9}[0-9]{8,17}",
                "-?0[0-9]{0,2}(\\.[0-9]{0,3})?",
                "-?(0|[1-9][0-9]{0,9})(\\.[0-9]{1,19})?[eE][-+]?[0-9]{1,4}",
                "[-0-9.eE]{1,9}",
            ],
            after in prop::sample::select(vec![",", "}", "]", " ", "\n", "e3", "E-1", ".5", "-", "/", ":", ""]),
            before in "[0-9\\[ ,.\"]{16}",
            more in "[0-9\\[ ,.\"]{0,40}",
        ) {
            let body = format!("{before}{text}{after}{more}");
            let around = body.as_bytes();
            let unsigned = integer_at_once::<false>(around);
            let signed = integer_at_once::<true>(around);
            prop_assert_eq!(unsigned, signed.filter(|_| !text.starts_with('-')));
            let mut cursor = Cursor { at: LANES, ..Cursor::new(around, false) };
            let number = cursor.number().ok();
            if let Some((read, end)) = at_once(around) {
                let number = match number.unwrap() {
                    Number::Int(value) => Ok(value),
                    Number::Float(value) => Err(value.to_bits()),
                    other => panic!("{other:?}"),
                };
                prop_assert_eq!((read, LANES + end), (number, cursor.at));
            }
            let float = decimal_at_once::<true>(around).or_else(|| scientific_at_once(around));
            if let Some((read, end)) = float {
                let number = match number.unwrap() {
                    Number::Int(value) => value as f64,
                    Number::Float(value) => value,
                    other => panic!("{other:?}"),
                };
                prop_assert_eq!((read.to_bits(), LANES + end), (number.to_bits(), cursor.at));
            }
        }
    }

    #[test]
    fn whole_numbers_among_decimals_are_read_at_once_unless_they_have_a_sign() {
        let read = |text: &str| decimal_at_once::<true>(format!("{BEFORE}{text}{AFTER}").as_bytes());
        let values = ["0", "7", "12345678", "7.5", "-7.5"].map(|text| read(text).map(|(value, _)| value));
        assert_eq!(values, [0.0, 7.0, 12_345_678.0, 7.5, -7.5].map(Some));
        assert_eq!(["-7", "-0", "07", "7.", "7e1", "123456789", ""].map(read), [None; 7]);
    }

    #[test]
    fn numbers_with_an_exponent_are_read_at_once() {
        let read = |text: &str| scientific_at_once(format!("{BEFORE}{text}{AFTER}").as_bytes());
        let texts = ["1e-05", "-1E5", "6.02e+23", "-1.2345678901234567e-9", "1234567.12345e0", "0e7", "1e027"];
        for text in texts {
            assert_eq!(read(text), Some((text.parse().unwrap(), text.len())), "{text}");
        }
        let left =
            ["1e", "1e+", "1.e5", ".5e5", "01e5", "-e5", "1e0005", "1e300", "1.5", "15", "12345678901234567890e1"];
        assert_eq!(left.map(read), [None; 11]);
    }

    #[test]
    fn most_numbers_are_read_at_once() {
        let read = [
            "0",
            "-0",
            "7",
            "-12",
            "123456789",
            "123456789012345",
            "-123456789012345",
            "1234567890123456",
            "123456789012345678",
            "-123456789012345678",
            "9223372036854775807",
            "-9223372036854775807",
            "0.5",
            "-0.0",
            "12345678.1234567",
            "-122.4194155",
            "-122.41941550000001",
            "0.1234567890123456789",
            "0.00012345678901234567",
            "1234567.12345678901",
            "-1234567.123456789012",
            "0.0000001234567890123456",
        ];
        let left = [
            "12345678.12345678",
            "0.00000001234567890123456",
            "01",
            "-",
            "1.",
            ".5",
            "-01.5",
            "123456789.5",
            "1e3",
            "1.5e3",
            "9223372036854775808",
            "-9223372036854775808",
            "0123456789012345678",
            "1234567890123456789.5",
            "1234567890123456789e3",
            "12.1234567890123456789",
            "null",
        ];
        for (texts, is_read) in [(&read[..], true), (&left, false)] {
            for text in texts {
                let body = format!("{BEFORE}{text}{AFTER}");
                assert_eq!(at_once(body.as_bytes()).is_some(), is_read, "{text}");
            }
        }
    }
}
