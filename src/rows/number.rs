//! Numbers, read exactly: integers to the last digit, the others correctly rounded.

use std::io::Write as _;

use super::cursor::{Cursor, Scan, Stop};
use super::unexpected::Expected;

/// So many digits are within i64 whatever they are, and so many within u64.
const DIGITS_OF_I64: usize = 18;
const DIGITS_OF_U64: usize = 19;

/// A number of the body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Number<'a> {
    /// An integer within i64; `-0` is 0.
    Int(i64),
    /// An integer above i64 and within u64.
    UInt(u64),
    /// An integer beyond both, as sent.
    Huge(&'a [u8]),
    /// With fraction or exponent, correctly rounded.
    Float(f64),
    /// With fraction or exponent and outside the range of f64, as sent.
    Overflow(&'a [u8]),
}

impl<'a> Cursor<'a> {
    /// Takes a number; the cursor stands on its first byte.
    #[inline]
    pub(super) fn number(&mut self) -> Scan<Number<'a>> {
        let start = self.at;
        let is_negative = self.bytes[start] == b'-';
        let digits = start + usize::from(is_negative);
        let mut at = digits;
        let mut magnitude: u64 = 0;
        let behind = loop {
            let Some(&byte) = self.bytes.get(at) else { break None };
            let digit = byte.wrapping_sub(b'0');
            if digit >= 10 {
                break Some(byte);
            }
            // Wraps beyond 19 digits; those are read again from their text.
            magnitude = magnitude.wrapping_mul(10).wrapping_add(u64::from(digit));
            at += 1;
        };
        let is_plain = matches!(behind, Some(byte) if !matches!(byte, b'.' | b'e' | b'E'));
        if is_plain && (1..=DIGITS_OF_I64).contains(&(at - digits)) && (at - digits == 1 || self.bytes[digits] != b'0')
        {
            self.at = at;
            return Ok(Number::Int(if is_negative { -(magnitude as i64) } else { magnitude as i64 }));
        }
        self.other_number(digits, at, magnitude)
    }

    /// The rest of a number that is not an integer of few digits, or is none; its integer digits stand from `digits` to `at`.
    #[inline(never)]
    fn other_number(&mut self, digits: usize, at: usize, magnitude: u64) -> Scan<Number<'a>> {
        let start = self.at;
        if at == self.bytes.len() && (at == digits || !self.is_last) {
            return Err(Stop::More);
        }
        if at == digits {
            return Err(Self { at, ..*self }.unexpected(Expected::Digits));
        }
        if self.bytes[digits] == b'0' && at > digits + 1 {
            return Err(Self::bad_at(digits, "a number must not start with 0"));
        }
        if matches!(self.bytes.get(at), Some(b'.' | b'e' | b'E')) {
            return self.fractional(digits, at, magnitude);
        }
        self.at = at;
        let text = &self.bytes[start..at];
        if at - digits > DIGITS_OF_U64 {
            return Ok(long_integer(text));
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
    fn fractional(&mut self, digits: usize, mut at: usize, mut mantissa: u64) -> Scan<Number<'a>> {
        let (bytes, start) = (self.bytes, self.at);
        let mut significant = at - digits;
        let mut exponent: i64 = 0;
        if bytes[at] == b'.' {
            let first = at + 1;
            at = first;
            while let Some(digits) = eight_digits_at(bytes, at) {
                mantissa = mantissa.wrapping_mul(100_000_000).wrapping_add(digits);
                at += 8;
            }
            while let Some(digit) = digit_at(bytes, at) {
                mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(digit));
                at += 1;
            }
            self.need_digits(first, at)?;
            exponent -= (at - first) as i64;
            significant += at - first;
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
        if significant <= DIGITS_OF_U64
            && let Some(value) = exact(mantissa, exponent).or_else(|| divided(mantissa, exponent))
        {
            return Ok(Number::Float(if digits > start { -value } else { value }));
        }
        match fast_float2::parse::<f64, _>(text) {
            Ok(value) if value.is_finite() => Ok(Number::Float(value)),
            _ => Ok(Number::Overflow(text)),
        }
    }

    /// Digits have to stand from `first` to `at`, and must not end with the window.
    fn need_digits(&self, first: usize, at: usize) -> Scan<()> {
        if at == self.bytes.len() && (at == first || !self.is_last) {
            Err(Stop::More)
        } else if at == first {
            Err(Self { at, ..*self }.unexpected(Expected::Digits))
        } else {
            Ok(())
        }
    }
}

/// Clinger's fast path: a mantissa within 2^53 and a power of ten within 10^22 are exact, and so is rounded their
/// product or quotient. `None` where that does not hold.
#[inline]
fn exact(mantissa: u64, exponent: i64) -> Option<f64> {
    #[rustfmt::skip]
    const POWERS: [f64; 23] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    ];
    if mantissa > 1 << 53 {
        return None;
    }
    let power = *POWERS.get(usize::try_from(exponent.unsigned_abs()).ok()?)?;
    Some(if exponent < 0 { mantissa as f64 / power } else { mantissa as f64 * power })
}

/// Any mantissa over a power of ten that is not too large, as languages write floats with all their digits. The quotient is
/// taken to 63 bits at least, and that something is left over is noted in the last: so rounding it once rounds it correctly.
/// `None` for other powers, and for zero, which has no first bit.
#[inline]
fn divided(mantissa: u64, exponent: i64) -> Option<f64> {
    /// All that are within 2^63.
    const POWERS_OF_FIVE: [u64; 28] = {
        let mut powers = [1; 28];
        let mut at = 1;
        while at < powers.len() {
            powers[at] = 5 * powers[at - 1];
            at += 1;
        }
        powers
    };
    let power = *POWERS_OF_FIVE.get(usize::try_from(-exponent).ok()?)?;
    if mantissa == 0 {
        return None;
    }
    let (up, power_up) = (mantissa.leading_zeros(), power.leading_zeros());
    let (dividend, divisor) = (u128::from(mantissa << up) << 63, u128::from(power << power_up));
    let quotient = (dividend / divisor) as u64 | u64::from(dividend % divisor > 0);
    // Of 10^n, 5^n is divided by, and 2^n goes into the scale.
    let scale = i64::from(power_up) - i64::from(up) - 63 + exponent;
    Some(quotient as f64 * f64::from_bits(((1023 + scale) as u64) << 52))
}

#[cold]
fn long_integer(text: &[u8]) -> Number<'_> {
    let parsed = std::str::from_utf8(text).ok().and_then(|text| text.parse::<i128>().ok());
    match parsed {
        Some(value) => match (i64::try_from(value), u64::try_from(value)) {
            (Ok(value), _) => Number::Int(value),
            (_, Ok(value)) => Number::UInt(value),
            _ => Number::Huge(text),
        },
        None => Number::Huge(text),
    }
}

/// The number that eight digits are, if so many stand there.
#[inline]
fn eight_digits_at(bytes: &[u8], at: usize) -> Option<u64> {
    const ZEROS: u64 = u64::from_le_bytes([b'0'; 8]);
    const ABOVE_NINE: u64 = u64::from_le_bytes([0x80 - (b'9' + 1); 8]);
    const HIGH: u64 = u64::from_le_bytes([0x80; 8]);
    let text = u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?);
    if (text.wrapping_add(ABOVE_NINE) | text.wrapping_sub(ZEROS) | text) & HIGH != 0 {
        return None;
    }
    // Neighbours are put together: to pairs, to fours, to all eight. The first digit is the lowest byte.
    let digits = text - ZEROS;
    let pairs = (digits * 10 + (digits >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs * 100 + (pairs >> 16)) & 0x0000_ffff_0000_ffff;
    Some((fours * 10_000 + (fours >> 32)) & 0xffff_ffff)
}

#[inline]
fn digit_at(bytes: &[u8], at: usize) -> Option<u8> {
    bytes.get(at).map(|byte| byte.wrapping_sub(b'0')).filter(|&digit| digit < 10)
}

impl Number<'_> {
    /// Hands the number's JSON text to `read`: integers with all their digits, the others as RFC 8785 has them, and what is
    /// outside f64's range as it was sent.
    pub(super) fn with_text<R>(self, read: impl FnOnce(&[u8]) -> R) -> R {
        match self {
            Self::Int(value) => read(itoa::Buffer::new().format(value).as_bytes()),
            Self::UInt(value) => read(itoa::Buffer::new().format(value).as_bytes()),
            // The shortest form that reads back equal, as ECMAScript writes it.
            Self::Float(value) => read(ryu_js::Buffer::new().format_finite(value).as_bytes()),
            Self::Huge(text) | Self::Overflow(text) => read(text),
        }
    }

    /// Writes the number's JSON text.
    pub(super) fn write(self, out: &mut Vec<u8>) {
        self.with_text(|text| out.extend_from_slice(text));
    }
}

pub(super) fn write_display(value: impl std::fmt::Display, out: &mut Vec<u8>) {
    write!(out, "{value}").expect("writing to memory does not fail");
}

#[cfg(test)]
mod tests {
    use super::*;
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
        assert_eq!(read("-9223372036854775809"), Number::Huge(b"-9223372036854775809"));
    }

    #[test]
    fn floats_beyond_the_range_keep_their_text() {
        assert_eq!(read("1e400"), Number::Overflow(b"1e400"));
        assert_eq!(read("-1E+400"), Number::Overflow(b"-1E+400"));
        assert_eq!(read("1e-400"), Number::Float(0.0));
        assert_eq!(read("123456789012345678901234567890.5e-10"), Number::Float(12_345_678_901_234_567_000.0));
    }

    #[test]
    fn what_is_left_over_of_a_division_counts() {
        let texts = [
            "6676026686.46297884",
            "-39976848029.861866",
            "21667215.315784337",
            "49635104864332591e-25",
            "7033198686119155005e-27",
        ];
        for text in texts {
            assert_eq!(read(text), Number::Float(text.parse().unwrap()), "{text}");
        }
    }

    proptest! {
        #[test]
        fn integers_are_written_as_they_are_read(value in any::<i64>(), shift in 0u32..64) {
            let mut text = Vec::new();
            Number::Int(value >> shift).write(&mut text);
            prop_assert_eq!(String::from_utf8(text).unwrap(), (value >> shift).to_string());
        }

        #[test]
        fn floats_are_read_back_as_they_were_written(bits in any::<u64>(), value in -1e4..1e4) {
            for value in [f64::from_bits(bits), value, value / 1e9].into_iter().filter(|value| value.is_finite()) {
                match read(&format!("{value:?}")) {
                    Number::Float(read) => prop_assert_eq!(read.to_bits(), value.to_bits()),
                    other => prop_assert!(false, "{:?}", other),
                }
            }
        }

        #[test]
        fn halves_between_two_floats_go_to_the_even_one(mantissa in 1u64 << 53..1 << 54, twos in 0i32..4) {
            // Odd ones lie right between two floats; a power of two is written with as many places as it has factors.
            let halfway = mantissa | 1;
            let value = (u128::from(halfway) * 5_u128.pow(twos as u32)).to_string();
            let text = format!("{value}e-{twos}");
            let expected: f64 = text.parse().unwrap();
            match read(&text) {
                Number::Float(value) => prop_assert_eq!(value.to_bits(), expected.to_bits()),
                other => prop_assert!(false, "{:?}", other),
            }
        }

        #[test]
        fn floats_are_correctly_rounded(whole in "0|[1-9][0-9]{0,25}", part in "[0-9]{1,25}", exponent in prop_oneof![-340i32..340, -20..20]) {
            let text = format!("{whole}.{part}e{exponent}");
            let expected: f64 = text.parse().unwrap();
            match read(&text) {
                Number::Float(value) => prop_assert_eq!(value.to_bits(), expected.to_bits()),
                other => prop_assert!(expected.is_infinite(), "{:?}", other),
            }
        }
    }
}
