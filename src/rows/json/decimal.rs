//! Decimals to the nearest float, without a parser's long way, where one operation rounds and what goes into it is exact.

use super::digits::{DIGITS_OF_WORD, first_digits};

/// With so many digits before the point and as many behind it as a word has beside what ends them, a mantissa is within 2^53.
pub(in crate::rows) const FEW_DIGITS: usize = 8;

/// Reads the decimals with which `text` begins, behind the [`FEW_DIGITS`] of `whole` at most, and gives the number and how many
/// there were. No branch depends on that. `None` where there are none, or more than seven, or an exponent follows.
#[inline]
pub(in crate::rows) fn few_decimals(whole: u64, text: u64) -> Option<(f64, usize)> {
    /// Ten to the power of each number of digits that a word has beside what ends them.
    const TENS: [u32; DIGITS_OF_WORD] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000];
    debug_assert!(whole < 10_u64.pow(FEW_DIGITS as u32), "{whole}");
    let (decimals, count) = first_digits(text)?;
    if matches!((text >> (8 * count)) as u8, b'e' | b'E') {
        return None;
    }
    let tens = TENS[count];
    // Both are exact, and so their quotient is correctly rounded.
    let mantissa = (whole * u64::from(tens) + decimals).cast_signed();
    Some((mantissa as f64 / f64::from(tens), count))
}

/// Clinger's fast path: a mantissa within 2^53 and a power of ten within 10^22 are exact, and so is rounded their
/// product or quotient. `None` where that does not hold.
#[inline]
pub(in crate::rows) fn exact(mantissa: u64, exponent: i64) -> Option<f64> {
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
pub(in crate::rows) fn divided(mantissa: u64, exponent: i64) -> Option<f64> {
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::rows::json::cursor::Cursor;
    use crate::rows::json::number::Number;

    fn read(text: &str) -> Number<'_> {
        Cursor::new(text.as_bytes(), true).number().unwrap()
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
    }
}
