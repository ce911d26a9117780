//! Numbers read at once: where one ends is found for all of its bytes together, and its digits are put together eight
//! at a time. Hardly a branch depends on how long it is.

use super::decimal::{FEW_DIGITS, nearest, quotient};
use super::digits::{
    DIGITS_OF_U64, DIGITS_OF_WORD, POWERS_OF_TEN, TENS, any_digits_before, digits_before, eight_digits,
    few_digits_before, whole_and, word_at,
};
use super::number::goes_on;
use super::scan::{LANES, not_digits_in, points_in};

/// What is loaded of a number that may be long, and has to end within.
const MOST_BYTES: usize = 2 * LANES;

/// The integer of up to 15 digits with which `text` begins, and how many bytes it has. `None` where any other number
/// stands, or one that is negative and may not be, or none; and where the text soon ends.
#[expect(clippy::inline_always, reason = "a third of what it takes would be to hand over what was read")]
#[inline(always)]
pub(in crate::rows) fn integer_at_once<const MAY_BE_NEGATIVE: bool>(text: &[u8]) -> Option<(i64, usize)> {
    // A byte more than lanes, which a sign may take.
    let text: &[u8; LANES + 1] = text.first_chunk()?;
    let sign = if MAY_BE_NEGATIVE { sign_of(text) } else { 0 };
    // The lanes are the same with a sign or without, so that they need not wait for it: its bit is taken out. The byte
    // after them ends the digits, or is one too many.
    let end = (not_digits_in(text.first_chunk()?) & !(sign as u32) | 1 << LANES).trailing_zeros() as usize;
    let (word, count) = (word_at(text, sign)?, end - sign);
    if count >= LANES || !is_whole(word, count) || goes_on(text[end]) || end == LANES && text[end].is_ascii_digit() {
        return None;
    }
    let magnitude = if count <= DIGITS_OF_WORD {
        digits_before(word, count)
    } else {
        let more = count - DIGITS_OF_WORD;
        eight_digits(word) * u64::from(TENS[more]) + digits_before(word_at(text, sign + DIGITS_OF_WORD)?, more)
    };
    Some((signed(magnitude, sign), end))
}

/// The same of an integer of 16 to 19 digits that is within i64 and not the least, with a sign or none.
pub(in crate::rows) fn long_integer_at_once(text: &[u8]) -> Option<(i64, usize)> {
    let sign = sign_of(text.first_chunk::<1>()?);
    let text: &[u8; MOST_BYTES] = text[sign..].first_chunk()?;
    if not_digits_in(text.first_chunk()?) != 0 {
        return None;
    }
    let more = not_digits_in(text.last_chunk()?).trailing_zeros() as usize;
    let end = LANES + more;
    let word = word_at(text, 0)?;
    if end > DIGITS_OF_U64 || !is_whole(word, end) || goes_on(text[end]) {
        return None;
    }
    let sixteen = eight_digits(word) * POWERS_OF_TEN[DIGITS_OF_WORD] + eight_digits(word_at(text, DIGITS_OF_WORD)?);
    let magnitude = sixteen * u64::from(TENS[more]) + few_digits_before(word_at(text, LANES)?, more);
    i64::try_from(magnitude).is_ok().then(|| (signed(magnitude, sign), sign + end))
}

/// The number with decimals with which `text` begins, and how many bytes it has; it may also be a whole number without
/// a sign, where that is asked for. `None` where there is none; where it has an exponent, more than eight digits before
/// its point, more than 23 after it, or more in all than a `u64` holds; where it is among the few that [`nearest`]
/// cannot tell; and where the text soon ends.
#[expect(clippy::inline_always, reason = "see `integer_at_once`")]
#[inline(always)]
pub(in crate::rows) fn decimal_at_once<const MAY_BE_WHOLE: bool>(text: &[u8]) -> Option<(f64, usize)> {
    let text: &[u8; MOST_BYTES] = text.first_chunk()?;
    let sign = sign_of(text);
    let others = in_both_halves(text, not_digits_in) & !(sign as u32);
    // The first that is no digit ends those before the point; if it is the point, the next ends those after it.
    let first_other = others & others.wrapping_neg();
    let point = if MAY_BE_WHOLE { first_other & in_both_halves(text, points_in) } else { first_other };
    let (whole_end, end) = (others.trailing_zeros() as usize, (others ^ point).trailing_zeros() as usize);
    let (word, whole_digits) = (word_at(text, sign)?, whole_end - sign);
    if whole_digits > FEW_DIGITS || end >= MOST_BYTES || !is_whole(word, whole_digits) || goes_on(text[end]) {
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
    let (first, count) = (whole_end + 1, after_whole.saturating_sub(1));
    let whole = digits_before(word, whole_digits);
    let value = if count < TENS.len() {
        let word = word_at(text, first)?;
        let decimals = if MAY_BE_WHOLE { few_digits_before(word, count) } else { digits_before(word, count) };
        quotient(whole, decimals, count)
    } else {
        let decimals = many_digits(text, first, count)?;
        let mantissa = if whole == 0 { decimals } else { whole_and(whole, decimals, count)? };
        nearest(mantissa, -(count as i64))?
    };
    Some((f64::from_bits(value.to_bits() ^ (sign as u64) << (u64::BITS - 1)), end))
}

/// What is marked in both halves of a text, the first in the lower bits.
#[inline]
fn in_both_halves(text: &[u8; MOST_BYTES], mark: impl Fn(&[u8; LANES]) -> u32) -> u32 {
    let (halves, _) = text.as_chunks();
    mark(&halves[0]) | mark(&halves[1]) << LANES
}

/// How many bytes a sign has here: one, or none. No branch depends on whether there is one.
#[inline]
fn sign_of<const COUNT: usize>(text: &[u8; COUNT]) -> usize {
    usize::from(text[0] == b'-')
}

/// The number that the `count` digits from `first` on are, of which there are eight at least. `None` where they are
/// more than 23, or no `u64`.
#[inline]
fn many_digits(text: &[u8; MOST_BYTES], first: usize, count: usize) -> Option<u64> {
    let after_eight = (count - DIGITS_OF_WORD).min(DIGITS_OF_WORD);
    let after_sixteen = count.saturating_sub(2 * DIGITS_OF_WORD);
    if after_sixteen >= DIGITS_OF_WORD {
        return None;
    }
    let eight = eight_digits(word_at(text, first)?);
    let second = any_digits_before(word_at(text, first + DIGITS_OF_WORD)?, after_eight);
    // With eight bytes or more before the point, a sign among them, the third word would end after the text. But then
    // no `u64` holds 17 decimals.
    let third = (first + 2 * DIGITS_OF_WORD).min(MOST_BYTES - DIGITS_OF_WORD);
    let third = few_digits_before(word_at(text, third)?, after_sixteen);
    whole_and(eight * POWERS_OF_TEN[after_eight] + second, third, after_sixteen)
}

/// Whether so many digits are a whole number: there is one, and none after a 0 that is the first.
#[inline]
fn is_whole(word: u64, count: usize) -> bool {
    count > 0 && (word as u8 != b'0' || count == 1)
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

    /// What was read at once, as bits, and how many bytes it has.
    fn at_once(text: &[u8]) -> Option<(Result<i64, u64>, usize)> {
        let integer = integer_at_once::<true>(text).or_else(|| long_integer_at_once(text));
        integer
            .map(|(value, end)| (Ok(value), end))
            .or_else(|| decimal_at_once::<false>(text).map(|(value, end)| (Err(value.to_bits()), end)))
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
                "[-0-9.eE]{1,9}",
            ],
            after in prop::sample::select(vec![",", "}", "]", " ", "\n", "e3", "E-1", ".5", "-", "/", ":", ""]),
            more in "[0-9\\[ ,.\"]{0,40}",
        ) {
            let body = format!("{text}{after}{more}");
            let unsigned = integer_at_once::<false>(body.as_bytes());
            let signed = integer_at_once::<true>(body.as_bytes());
            prop_assert_eq!(unsigned, signed.filter(|_| !text.starts_with('-')));
            let mut cursor = Cursor::new(body.as_bytes(), false);
            let number = cursor.number().ok();
            if let Some((read, end)) = at_once(body.as_bytes()) {
                let number = match number.unwrap() {
                    Number::Int(value) => Ok(value),
                    Number::Float(value) => Err(value.to_bits()),
                    other => panic!("{other:?}"),
                };
                prop_assert_eq!((read, end), (number, cursor.at));
            }
            if let Some((read, end)) = decimal_at_once::<true>(body.as_bytes()) {
                let number = match number.unwrap() {
                    Number::Int(value) => value as f64,
                    Number::Float(value) => value,
                    other => panic!("{other:?}"),
                };
                prop_assert_eq!((read.to_bits(), end), (number.to_bits(), cursor.at));
            }
        }
    }

    #[test]
    fn whole_numbers_among_decimals_are_read_at_once_unless_they_have_a_sign() {
        let read = |text: &str| decimal_at_once::<true>(format!("{text},{}", " ".repeat(40)).as_bytes());
        let values = ["0", "7", "12345678", "7.5", "-7.5"].map(|text| read(text).map(|(value, _)| value));
        assert_eq!(values, [0.0, 7.0, 12_345_678.0, 7.5, -7.5].map(Some));
        assert_eq!(["-7", "-0", "07", "7.", "7e1", "123456789", ""].map(read), [None; 7]);
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
            "12345678.12345678",
            "-12345678.12345678901",
        ];
        let left = [
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
                let body = format!("{text},\"name\":\"more text than a number has bytes\"");
                assert_eq!(at_once(body.as_bytes()).is_some(), is_read, "{text}");
            }
        }
    }
}
