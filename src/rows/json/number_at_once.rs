//! Numbers read at once: where one ends is found for all of its bytes together, and its digits are put together eight
//! at a time. Hardly a branch depends on how long it is.

use super::cursor::Cursor;
use super::decimal::{FEW_DIGITS, nearest, quotient};
use super::digits::{
    DIGITS_OF_I64, DIGITS_OF_WORD, POWERS_OF_TEN, TENS, any_digits_before, digits_before, eight_digits,
    few_digits_before, whole_and, word_at,
};
use super::number::goes_on;
use super::scan::{LANES, not_digits_in};

/// What is loaded of a number that may be long, and has to end within.
const MOST_BYTES: usize = 2 * LANES;

impl Cursor<'_> {
    /// The integer of up to 15 digits that stands here, and where it ends; nothing is taken. `None` where any other
    /// number stands, or one that is negative and may not be, or none; and where the window ends soon.
    #[expect(clippy::inline_always, reason = "a third of what it takes would be to hand over what was read")]
    #[inline(always)]
    pub(in crate::rows) fn integer_at_once<const MAY_BE_NEGATIVE: bool>(&self) -> Option<(i64, usize)> {
        let (sign, text) = self.after_sign::<LANES>(MAY_BE_NEGATIVE)?;
        let end = not_digits_in(text).trailing_zeros() as usize;
        let word = word_at(text, 0)?;
        if end >= LANES || !is_whole(word, end) || goes_on(text[end]) {
            return None;
        }
        let magnitude = if end <= DIGITS_OF_WORD {
            digits_before(word, end)
        } else {
            let more = end - DIGITS_OF_WORD;
            eight_digits(word) * u64::from(TENS[more]) + digits_before(word_at(text, DIGITS_OF_WORD)?, more)
        };
        Some((signed(magnitude, sign), self.at + sign + end))
    }

    /// The integer of 16 to 18 digits that stands here, with a sign or none, and where it ends; nothing is taken.
    pub(in crate::rows) fn long_integer_at_once(&self) -> Option<(i64, usize)> {
        let (sign, text) = self.after_sign::<MOST_BYTES>(true)?;
        if not_digits_in(text.first_chunk()?) != 0 {
            return None;
        }
        let more = not_digits_in(text.last_chunk()?).trailing_zeros() as usize;
        let end = LANES + more;
        let word = word_at(text, 0)?;
        if end > DIGITS_OF_I64 || !is_whole(word, end) || goes_on(text[end]) {
            return None;
        }
        let sixteen = eight_digits(word) * POWERS_OF_TEN[DIGITS_OF_WORD] + eight_digits(word_at(text, DIGITS_OF_WORD)?);
        let magnitude = sixteen * u64::from(TENS[more]) + few_digits_before(word_at(text, LANES)?, more);
        Some((signed(magnitude, sign), self.at + sign + end))
    }

    /// The number with decimals that stands here, and where it ends; nothing is taken. `None` where there is none;
    /// where it has an exponent, more than eight digits before its point, more than 23 after it, or more in all than a
    /// `u64` holds; where it is among the few that [`nearest`] cannot tell; and where the window ends soon.
    #[expect(clippy::inline_always, reason = "see `integer_at_once`")]
    #[inline(always)]
    pub(in crate::rows) fn decimal_at_once(&self) -> Option<(f64, usize)> {
        let (sign, text) = self.after_sign::<MOST_BYTES>(true)?;
        // The first that is no digit ends those before the point, and the next those after.
        let others = not_digits_in(text.first_chunk()?) | not_digits_in(text.last_chunk()?) << LANES;
        let later_others = others & others.wrapping_sub(1);
        let (point, end) = (others.trailing_zeros() as usize, later_others.trailing_zeros() as usize);
        let word = word_at(text, 0)?;
        if point > FEW_DIGITS || end >= MOST_BYTES || text[point] != b'.' || !is_whole(word, point) {
            return None;
        }
        let (first, count) = (point + 1, end - point - 1);
        if count == 0 || goes_on(text[end]) {
            return None;
        }
        let whole = digits_before(word, point);
        let value = if count < TENS.len() {
            quotient(whole, digits_before(word_at(text, first)?, count), count)
        } else {
            let decimals = many_digits(text, first, count)?;
            let mantissa = if whole == 0 { decimals } else { whole_and(whole, decimals, count)? };
            nearest(mantissa, -(count as i64))?
        };
        let value = f64::from_bits(value.to_bits() ^ (sign as u64) << (u64::BITS - 1));
        Some((value, self.at + sign + end))
    }

    /// How many bytes a sign has here, and what stands after it. No branch depends on whether there is one.
    #[inline]
    fn after_sign<const COUNT: usize>(&self, may_be_negative: bool) -> Option<(usize, &[u8; COUNT])> {
        let sign = usize::from(may_be_negative && *self.bytes.get(self.at)? == b'-');
        Some((sign, self.bytes.get(self.at + sign..)?.first_chunk()?))
    }
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
    // With eight digits before the point it would end after the text: but then no `u64` holds a 17th decimal.
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
    use crate::rows::json::number::Number;
    use proptest::prelude::*;

    /// What was read at once, as bits, and where it ends.
    fn at_once(cursor: &Cursor<'_>) -> Option<(Result<i64, u64>, usize)> {
        let integer = cursor.integer_at_once::<true>().or_else(|| cursor.long_integer_at_once());
        integer
            .map(|(value, end)| (Ok(value), end))
            .or_else(|| cursor.decimal_at_once().map(|(value, end)| (Err(value.to_bits()), end)))
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
            let mut cursor = Cursor::new(body.as_bytes(), false);
            let unsigned = cursor.integer_at_once::<false>();
            prop_assert_eq!(unsigned, cursor.integer_at_once::<true>().filter(|_| !text.starts_with('-')));
            if let Some((read, end)) = at_once(&cursor) {
                let number = match cursor.number().unwrap() {
                    Number::Int(value) => Ok(value),
                    Number::Float(value) => Err(value.to_bits()),
                    other => panic!("{other:?}"),
                };
                prop_assert_eq!((read, end), (number, cursor.at));
            }
        }
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
            "1234567890123456",
            "123456789012345678",
            "-123456789012345678",
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
            "1234567890123456789",
            "12.1234567890123456789",
            "null",
        ];
        for (texts, is_read) in [(&read[..], true), (&left, false)] {
            for text in texts {
                let body = format!("{text},\"name\":\"more text than a number has bytes\"");
                assert_eq!(at_once(&Cursor::new(body.as_bytes(), false)).is_some(), is_read, "{text}");
            }
        }
    }
}
