//! Floats that take a parser: one in some hundreds, and those of many digits.

use std::borrow::Cow;

use super::decimal::{EXACT_BELOW, EXACT_DIGITS};

/// The parser reads digits of an exponent until they make 65,536 or more. Fewer digits than this beside it do not bring
/// such a number back into range, and zero stays zero.
const LONG: usize = 1 << 15;

/// The number that is written so, correctly rounded; `None` where it is outside the range of f64.
#[cold]
pub(super) fn any_float(text: &[u8]) -> Option<f64> {
    let text = if text.len() < LONG { Cow::from(text) } else { Cow::from(in_range(text)) };
    fast_float2::parse(&*text).ok().filter(|value: &f64| value.is_finite())
}

/// As [`is_exactly_known`](super::decimal::is_exactly_known), of the float that was read from a text of any length. One
/// below the normal floats never is, unless zero was sent.
pub(super) fn is_exactly_known_from(text: &[u8], value: f64) -> bool {
    let end = text.iter().position(|byte| matches!(byte, b'e' | b'E')).unwrap_or(text.len());
    let (mantissa, exponent) = text.split_at(end);
    let is_digit = |byte: &u8| matches!(byte, b'1'..=b'9');
    let Some(first) = mantissa.iter().position(is_digit) else { return true };
    let last = mantissa.iter().rposition(is_digit).expect("there is a first");
    let digits = mantissa[first..=last].iter().filter(|byte| byte.is_ascii_digit()).take(EXACT_DIGITS + 1).count();
    let point = mantissa.iter().position(|&byte| byte == b'.').unwrap_or(end);
    // The power of ten of the last digit that is not zero.
    let power = exponent_of(exponent) + point as i64 - last as i64 - i64::from(last < point);
    value.is_normal() && (digits <= EXACT_DIGITS || power >= 0 && value.abs() < EXACT_BELOW as f64)
}

/// The same number as a fraction with no 0 after its point, unless all digits are, and the exponent that this takes.
fn in_range(text: &[u8]) -> Vec<u8> {
    /// Far outside of what any float has.
    const OUTSIDE: i64 = 9999;
    let (sign, unsigned) = text.split_at(usize::from(text[0] == b'-'));
    let end = unsigned.iter().position(|byte| matches!(byte, b'e' | b'E')).unwrap_or(unsigned.len());
    let (mantissa, exponent) = unsigned.split_at(end);
    let whole = mantissa.iter().position(|&byte| byte == b'.').unwrap_or(end);
    let digits = || mantissa.iter().filter(|&&byte| byte != b'.');
    let zeros = digits().take_while(|&&digit| digit == b'0').count();
    let power = exponent_of(exponent) + whole as i64 - zeros as i64;
    let mut written = [sign, b"0."].concat();
    written.extend(digits().skip(zeros));
    // So that there is a digit where all were zeros.
    written.push(b'0');
    written.extend_from_slice(format!("e{}", power.clamp(-OUTSIDE, OUTSIDE)).as_bytes());
    written
}

/// What an exponent says, its letter before it; nothing says 0.
fn exponent_of(text: &[u8]) -> i64 {
    let digits = text.iter().filter(|byte| byte.is_ascii_digit());
    let magnitude =
        digits.fold(0_i64, |number, digit| number.saturating_mul(10).saturating_add(i64::from(digit - b'0')));
    // There are far fewer digits before and after the point than this.
    let magnitude = magnitude.min(1 << 40);
    if text.contains(&b'-') { -magnitude } else { magnitude }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(text: &str) -> Option<u64> {
        any_float(text.as_bytes()).map(f64::to_bits)
    }

    #[test]
    fn however_many_digits_there_are_the_exponent_counts_to_its_last() {
        for zeros in [0, 400, 32_000, 65_000, 70_000, 655_340, 700_000] {
            let (before, after) = (format!("1{}", "0".repeat(zeros)), format!("0.{}1", "0".repeat(zeros)));
            for power in [-400_i64, -324, -323, -300, -5, 0, 22, 23, 308, 309, 400] {
                let expected = format!("1e{power}").parse().ok().filter(|value: &f64| value.is_finite());
                let up = format!("{after}e{}", power + zeros as i64 + 1);
                let down = format!("-{before}E{}", power - zeros as i64);
                assert_eq!(bits(&up), expected.map(f64::to_bits), "{zeros} {power}");
                assert_eq!(bits(&down), expected.map(|value: f64| (-value).to_bits()), "{zeros} {power}");
            }
        }
    }

    #[test]
    fn digits_that_decide_may_stand_anywhere() {
        let ninths = "9".repeat(40_000);
        let zeros = "0".repeat(40_000);
        for (text, expected) in [
            (format!("0.{ninths}e0"), 1.0),
            (format!("9007199254740993.{zeros}"), 9_007_199_254_740_992.0),
            (format!("9007199254740993.{zeros}1"), 9_007_199_254_740_994.0),
            (format!("0.{zeros}e99999999999999999999"), 0.0),
            (format!("-{zeros}.0"), -0.0),
        ] {
            assert_eq!(bits(&text), Some(f64::to_bits(expected)));
        }
        assert_eq!(any_float(format!("1.{zeros}e99999999999999999999").as_bytes()), None);
        assert_eq!(any_float(format!("1.{zeros}e-99999999999999999999").as_bytes()), Some(0.0));
    }
}
