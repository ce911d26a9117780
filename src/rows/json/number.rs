//! Numbers, read exactly: integers to the last digit, the others correctly rounded.

use super::any_float::{any_float, is_exactly_known_from};
use super::cursor::{Cursor, ReadResult, Stop};
use super::decimal::{FEW_DIGITS, few_decimals, is_exactly_known, many_decimals, nearest};
use super::digits::{DIGITS_OF_I64, DIGITS_OF_U64, digit_at, first_digits, whole_and, word_at};
use super::unexpected::Expected;

/// A number of the body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::rows) enum Number<'a> {
    /// An integer within i64; `-0` is 0.
    Int(i64),
    /// An integer above i64 and within u64.
    UInt(u64),
    /// An integer beyond both, as sent.
    Huge(&'a [u8]),
    /// With fraction or exponent, correctly rounded. It tells which number was sent: a whole one below 2^53, or the
    /// only one of as few digits that is rounded to it.
    Float(f64),
    /// The same, where it does not: of more than 15 significant digits, or so near 0 that floats have fewer.
    Rounded(f64),
    /// With fraction or exponent and outside the range of f64, as sent.
    Overflow(&'a [u8]),
}

impl<'a> Cursor<'a> {
    /// Takes a number; the cursor stands on its first byte.
    #[inline]
    pub(in crate::rows) fn number(&mut self) -> ReadResult<Number<'a>> {
        let start = self.at;
        let is_negative = self.bytes[start] == b'-';
        let digits = start + usize::from(is_negative);
        let mut at = digits;
        let mut magnitude: u64 = 0;
        let after = loop {
            let Some(&byte) = self.bytes.get(at) else { break None };
            let digit = byte.wrapping_sub(b'0');
            if digit >= 10 {
                break Some(byte);
            }
            // Wraps beyond 19 digits, of which only the text is looked at.
            magnitude = magnitude.wrapping_mul(10).wrapping_add(u64::from(digit));
            at += 1;
        };
        let is_plain = after.is_some_and(|byte| !goes_on(byte));
        if is_plain && (1..=DIGITS_OF_I64).contains(&(at - digits)) && (at - digits == 1 || self.bytes[digits] != b'0')
        {
            self.at = at;
            return Ok(Number::Int(if is_negative { -(magnitude as i64) } else { magnitude as i64 }));
        }
        self.other_number(digits, at, magnitude)
    }

    /// The rest of a number that is not an integer of few digits, or is none; its integer digits stand from `digits` to
    /// `at`.
    #[inline(never)]
    fn other_number(&mut self, digits: usize, at: usize, magnitude: u64) -> ReadResult<Number<'a>> {
        let start = self.at;
        if at == self.bytes.len() && (at == digits || !self.is_last) {
            return Err(Stop::NeedMore);
        }
        if at == digits {
            return Err(Self { at, ..*self }.unexpected(Expected::Digits));
        }
        if self.bytes[digits] == b'0' && at > digits + 1 {
            return Err(Self::bad_at(digits, "a number must not start with 0"));
        }
        if self.bytes.get(at).is_some_and(|&byte| goes_on(byte)) {
            return self.fractional(digits, at, magnitude);
        }
        self.at = at;
        let text = &self.bytes[start..at];
        let count = at - digits;
        if count > DIGITS_OF_U64 {
            // One more may be within u64 still, but not within i64, for none begins with 0.
            let in_u64 = (digits == start && count == DIGITS_OF_U64 + 1).then(|| whole_u64(text)).flatten();
            return Ok(in_u64.map_or(Number::Huge(text), Number::UInt));
        }
        Ok(match (digits > start, i64::try_from(magnitude)) {
            (false, Ok(value)) => Number::Int(value),
            (false, Err(_)) => Number::UInt(magnitude),
            (true, Ok(value)) => Number::Int(-value),
            (true, Err(_)) if magnitude == 1 << 63 => Number::Int(i64::MIN),
            (true, Err(_)) => Number::Huge(text),
        })
    }

    /// The rest of a number with fraction or exponent; its integer digits stand from `digits` to `at`.
    fn fractional(&mut self, digits: usize, mut at: usize, whole: u64) -> ReadResult<Number<'a>> {
        let (bytes, start) = (self.bytes, self.at);
        let signed = |value: f64| if digits > start { -value } else { value };
        // All digits as an integer; `None` where it would be too large.
        let mut mantissa = (at - digits <= DIGITS_OF_U64).then_some(whole);
        let mut exponent: i64 = 0;
        if bytes[at] == b'.' {
            let first = at + 1;
            if at - digits <= FEW_DIGITS
                && let Some(text) = word_at(bytes, first)
                && let Some((value, count)) = few_decimals(whole, text)
            {
                self.at = first + count;
                return Ok(Number::Float(signed(value)));
            }
            (mantissa, at) = self.decimals(mantissa, first)?;
            exponent = -((at - first) as i64);
        }
        if matches!(bytes.get(at), Some(b'e' | b'E')) {
            at += 1;
            let is_negative = bytes.get(at) == Some(&b'-');
            at += usize::from(matches!(bytes.get(at), Some(b'+' | b'-')));
            let first = at;
            let mut stated: i64 = 0;
            while let Some(digit) = digit_at(bytes, at) {
                stated = stated.saturating_mul(10).saturating_add(i64::from(digit)).min(1 << 40);
                at += 1;
            }
            self.need_digits(first, at)?;
            exponent += if is_negative { -stated } else { stated };
        }
        self.at = at;
        let text = &bytes[start..at];
        if let Some(mantissa) = mantissa
            && let Some(value) = nearest(mantissa, exponent)
        {
            let float = if is_exactly_known(mantissa, exponent) { Number::Float } else { Number::Rounded };
            return Ok(float(signed(value)));
        }
        let float =
            |value| if is_exactly_known_from(text, value) { Number::Float(value) } else { Number::Rounded(value) };
        Ok(any_float(text).map_or(Number::Overflow(text), float))
    }

    /// Puts the decimals that stand from `first` on after the digits of `whole`, and says where they end.
    #[inline]
    fn decimals(&self, whole: Option<u64>, first: usize) -> ReadResult<(Option<u64>, usize)> {
        let in_words = |whole| match word_at(self.bytes, first).and_then(first_digits) {
            Some((few, count)) => Some((whole_and(whole, few, count)?, count)),
            None => many_decimals(whole, self.bytes, first),
        };
        if let Some((mantissa, count)) = whole.and_then(in_words) {
            return Ok((Some(mantissa), first + count));
        }
        let (mut mantissa, mut at) = (whole, first);
        while let Some(digit) = digit_at(self.bytes, at) {
            mantissa = mantissa.and_then(|mantissa| mantissa.checked_mul(10)?.checked_add(u64::from(digit)));
            at += 1;
        }
        self.need_digits(first, at)?;
        Ok((mantissa, at))
    }

    /// Digits have to stand from `first` to `at`, and must not end with the window.
    fn need_digits(&self, first: usize, at: usize) -> ReadResult<()> {
        if at == self.bytes.len() && (at == first || !self.is_last) {
            Err(Stop::NeedMore)
        } else if at == first {
            Err(Self { at, ..*self }.unexpected(Expected::Digits))
        } else {
            Ok(())
        }
    }
}

/// Whether a number goes on with this byte after its digits.
#[inline]
pub(super) fn goes_on(byte: u8) -> bool {
    matches!(byte, b'.' | b'e' | b'E')
}

/// The number that these digits are, if it is within u64.
fn whole_u64(digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(0_u64, |whole, digit| whole.checked_mul(10)?.checked_add(u64::from(digit - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::json::number_text::write_number;
    use proptest::prelude::*;

    fn read(text: &str) -> Number<'_> {
        Cursor::new(text.as_bytes(), true).number().unwrap()
    }

    #[test]
    fn integers_are_exact_at_every_edge() {
        assert_eq!(read("-0"), Number::Int(0));
        assert_eq!(read("9223372036854775807"), Number::Int(i64::MAX));
        assert_eq!(read("-9223372036854775808"), Number::Int(i64::MIN));
        assert_eq!(read("9223372036854775808"), Number::UInt(1 << 63));
        assert_eq!(read("18446744073709551615"), Number::UInt(u64::MAX));
        assert_eq!(read("18446744073709551616"), Number::Huge(b"18446744073709551616"));
        assert_eq!(read("-18446744073709551615"), Number::Huge(b"-18446744073709551615"));
        assert_eq!(read("99999999999999999999"), Number::Huge(b"99999999999999999999"));
        assert_eq!(read("-9223372036854775809"), Number::Huge(b"-9223372036854775809"));
    }

    #[test]
    fn floats_beyond_the_range_keep_their_text() {
        assert_eq!(read("1e400"), Number::Overflow(b"1e400"));
        assert_eq!(read("-1E+400"), Number::Overflow(b"-1E+400"));
        assert_eq!(read("1e-400"), Number::Rounded(0.0));
        assert_eq!(read("123456789012345678901234567890.5e-10"), Number::Rounded(12_345_678_901_234_567_000.0));
    }

    #[test]
    fn few_digits_on_either_side_of_the_point_are_read_as_many_are() {
        let texts = [
            "0.0",
            "-0.0",
            "0.1",
            "-0.0000001",
            "12345678.1234567",
            "12345678.12345678",
            "99999999.9999999",
            "999999999.9999999",
            "123456789.1234567",
            "1.5e3",
            "1.5E3",
            "1.5E-3",
        ];
        for text in texts {
            let body = format!("{text},\"more\":123456");
            let (Number::Float(value) | Number::Rounded(value)) = read(&body) else { panic!("{text}") };
            assert_eq!(value.to_bits(), text.parse::<f64>().unwrap().to_bits(), "{text}");
        }
    }

    /// The digits from the first to the last that is not zero, and the power of ten of the last.
    fn significant(text: &str) -> (String, i64) {
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{}{fraction}", whole.trim_start_matches('-'));
        let digits = all.trim_end_matches('0');
        let power = exponent.parse::<i64>().unwrap() - fraction.len() as i64 + (all.len() - digits.len()) as i64;
        (digits.trim_start_matches('0').to_owned(), if digits.is_empty() { 0 } else { power })
    }

    #[test]
    fn a_float_tells_what_was_sent_only_where_few_digits_were() {
        for text in [
            "0.1",
            "1.50000000000000000000",
            "-0.0",
            "0.00000000000000000000000000",
            "123456789012345e3",
            "1e-307",
            "9007199254740991.0",
            "-9007199254740991.000000000000",
            "900719925474099.1e1",
            "900719925474099.10000000000e1",
        ] {
            assert!(matches!(read(text), Number::Float(_)), "{text}");
        }
        for text in [
            "8.300000000000001",
            "0.30000000000000001",
            "1.00000000000000000001",
            "1e-400",
            "1e-320",
            "4503599627370497.3",
        ] {
            assert!(matches!(read(text), Number::Rounded(_)), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_float_that_is_not_rounded_is_that_of_one_number_of_few_digits(
            text in "-?(0|[1-9][0-9]{0,20})(\\.[0-9]{1,12}(0{0,12}|[0-9]{0,12}))(e-?[0-9]{1,3})?",
        ) {
            let digits = significant(&text).0.len();
            match read(&text) {
                Number::Float(value) => prop_assert_eq!(significant(&format!("{value:e}")), significant(&text)),
                Number::Rounded(value) => prop_assert!(digits > 15 || !value.is_normal()),
                other => prop_assert!(matches!(other, Number::Overflow(_))),
            }
        }

        #[test]
        fn integers_are_written_as_they_are_read(value in any::<i64>(), shift in 0u32..64) {
            let mut text = Vec::new();
            write_number(Number::Int(value >> shift), &mut text);
            prop_assert_eq!(String::from_utf8(text).unwrap(), (value >> shift).to_string());
        }

        #[test]
        fn floats_are_read_back_as_they_were_written(bits in any::<u64>(), value in -1e4..1e4) {
            for value in [f64::from_bits(bits), value, value / 1e9].into_iter().filter(|value| value.is_finite()) {
                match read(&format!("{value:?}")) {
                    Number::Float(read) | Number::Rounded(read) => prop_assert_eq!(read.to_bits(), value.to_bits()),
                    other => prop_assert!(false, "{:?}", other),
                }
            }
        }

        #[test]
        fn floats_are_correctly_rounded(whole in "0|[1-9][0-9]{0,25}", part in "[0-9]{1,25}", exponent in prop_oneof![-340i32..340, -20..20]) {
            let text = format!("{whole}.{part}e{exponent}");
            let expected: f64 = text.parse().unwrap();
            match read(&text) {
                Number::Float(value) | Number::Rounded(value) => prop_assert_eq!(value.to_bits(), expected.to_bits()),
                other => prop_assert!(expected.is_infinite(), "{:?}", other),
            }
        }

        #[test]
        fn what_stands_after_a_float_makes_no_difference(
            text in "-?(0|[1-9][0-9]{0,9})\\.([0-9]{1,9}|[0-9]{8,26})([eE][+-]?[0-9])?",
            after in prop::sample::select(vec!["", ",", "]", "}", " ,", ",\"a\":1.5,", ",00000000", "]}]0000000", ",éééééééé"]),
        ) {
            let body = format!("{text}{after}");
            let mut cursor = Cursor::new(body.as_bytes(), true);
            let expected: f64 = text.parse().unwrap();
            match cursor.number().unwrap() {
                Number::Float(value) | Number::Rounded(value) => prop_assert_eq!(value.to_bits(), expected.to_bits()),
                other => prop_assert!(false, "{:?}", other),
            }
            prop_assert_eq!(cursor.at, text.len());
        }
    }
}
