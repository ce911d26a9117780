//! Short numbers, which stand in sixteen bytes with what ends them: where that is, is seen at once, and hardly a branch
//! depends on it.

use super::cursor::Cursor;
use super::decimal::quotient;
use super::digits::{DIGITS_OF_WORD, TENS, digits_before, word_at};
use super::number::Number;
use super::scan::{LANES, not_digits_in};

/// What turns a minus into the digit 0, which before others changes nothing.
const MINUS_TO_ZERO: u64 = (b'-' ^ b'0') as u64;

impl Cursor<'_> {
    /// The number that stands here, and where it ends; nothing is taken. `None` where there is none; where it has an
    /// exponent, more than seven decimals, or more than eight bytes before them; and where two bytes that are no
    /// digits, its sign not counted, do not stand in the next sixteen.
    #[inline]
    pub(in crate::rows) fn short_number(&self) -> Option<(Number<'static>, usize)> {
        let text: &[u8; LANES] = self.bytes.get(self.at..)?.first_chunk()?;
        let others = not_digits_in(text);
        // The first is a digit or the sign; what is no digit after it ends those before the point, and the next those
        // after.
        let later_others = others & !1;
        let after_point = later_others & later_others.wrapping_sub(1);
        if after_point == 0 {
            return None;
        }
        let word = u64::from_le_bytes(*text.first_chunk()?);
        let is_negative = word as u8 == b'-';
        let first = usize::from(is_negative);
        let (point, end) = (later_others.trailing_zeros() as usize, after_point.trailing_zeros() as usize);
        let starts_with_zero = (word >> (8 * first)) as u8 == b'0';
        #[expect(clippy::needless_bitwise_bool, reason = "a branch on whether it starts with 0 would be guessed wrong")]
        let is_number =
            (others & 1 == u32::from(is_negative)) & (point > first) & (!starts_with_zero | (point == first + 1));
        if !is_number {
            return None;
        }
        let word = word ^ (MINUS_TO_ZERO * u64::from(is_negative));
        let mut whole = digits_before(word, point.min(DIGITS_OF_WORD));
        if text[point] != b'.' {
            if let Some(more) = point.checked_sub(DIGITS_OF_WORD).filter(|&more| more > 0) {
                whole = whole * u64::from(TENS[more]) + digits_before(u64::from_le_bytes(*text.last_chunk()?), more);
            }
            let value = whole.cast_signed();
            let is_integer = !matches!(text[point], b'e' | b'E');
            return is_integer.then_some((Number::Int(if is_negative { -value } else { value }), self.at + point));
        }
        let count = end - point - 1;
        if point > DIGITS_OF_WORD || !(1..TENS.len()).contains(&count) || matches!(text[end], b'e' | b'E') {
            return None;
        }
        let decimals = digits_before(word_at(self.bytes, self.at + point + 1)?, count);
        let value = quotient(whole, decimals, count);
        Some((Number::Float(if is_negative { -value } else { value }), self.at + end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_short_number_is_what_any_number_is(
            text in prop_oneof![
                "-?[0-9]{1,17}",
                "-?(0|[1-9][0-9]{0,9})\\.[0-9]{1,9}",
                "-?0[0-9]{0,2}(\\.[0-9]{0,3})?",
                "[-0-9.eE]{1,9}",
            ],
            after in prop::sample::select(vec![",", "}", "]", " ", "\n", "e3", "E-1", ".5", "-", "/", ":", ""]),
            more in "[0-9\\[ ,.\"]{0,30}",
        ) {
            let body = format!("{text}{after}{more}");
            let mut cursor = Cursor::new(body.as_bytes(), false);
            if let Some((short, end)) = cursor.short_number() {
                let bits = |number| match number {
                    Number::Float(value) => Err(value.to_bits()),
                    other => Ok(other),
                };
                prop_assert_eq!(bits(short), bits(cursor.number().unwrap()));
                prop_assert_eq!(end, cursor.at);
            }
        }
    }

    #[test]
    fn numbers_of_few_digits_are_short() {
        let short =
            ["0", "-0", "7", "-12", "123456789012", "-1234567890123", "0.5", "-0.0", "12345678.12345", "-122.4194155"];
        let long = ["01", "-", "1.", ".5", "1.12345678", "123456789.5", "1e3", "1.5e3", "12345678901234567", "null"];
        for (texts, is_short) in [(short, true), (long, false)] {
            for text in texts {
                let body = format!("{text},\"name\":\"more of it\"");
                assert_eq!(Cursor::new(body.as_bytes(), false).short_number().is_some(), is_short, "{text}");
            }
        }
    }
}
