//! Decimals to the nearest float, by the quick ways that are known for it: those of few digits by one division of exact
//! floats (Clinger's), the others by a product with the first 64 bits of a power of five, of which it is checked that
//! what is cut off does not matter (after Eisel and Lemire). What neither settles is left to `any_float`.

use super::digits::{DIGITS_OF_WORD, POWERS_OF_TEN, eight_digits_at, first_digits, leading_digits, whole_and, word_at};

/// With so many digits before the point, and after it the seven that fit into a word of eight bytes with the byte that
/// ends them, a mantissa is within 2^53.
pub(in crate::rows) const FEW_DIGITS: usize = 8;

/// So many digits are within 2^53, whatever they are.
pub(in crate::rows) const EXACT_DIGITS: usize = 15;
const _: () = assert!(10_u64.pow(EXACT_DIGITS as u32) <= 1 << f64::MANTISSA_DIGITS, "a float holds them all");

/// Reads the decimals with which `text` begins, after the [`FEW_DIGITS`] of `whole` at most, and gives the number and
/// how many there were. No branch depends on that. `None` where there are none, or more than seven, or an exponent
/// follows.
#[inline]
pub(in crate::rows) fn few_decimals(whole: u64, text: u64) -> Option<(f64, usize)> {
    debug_assert!(whole < 10_u64.pow(FEW_DIGITS as u32), "{whole}");
    let (decimals, count) = first_digits(text)?;
    if matches!((text >> (8 * count)) as u8, b'e' | b'E') {
        return None;
    }
    Some((quotient(whole, decimals, count), count))
}

/// The number with these digits before its point and these `count` decimals, [`EXACT_DIGITS`] in all at most.
#[inline]
pub(in crate::rows) fn quotient(whole: u64, decimals: u64, count: usize) -> f64 {
    let tens = POWERS_OF_TEN[count];
    // Both are exact, and so their quotient is correctly rounded.
    let mantissa = (whole * tens + decimals).cast_signed();
    mantissa as f64 / tens.cast_signed() as f64
}

/// The least of more than [`EXACT_DIGITS`] digits.
const FIRST_OF_MANY_DIGITS: u64 = 10_u64.pow(EXACT_DIGITS as u32);

/// Every whole number below this is a float, and one that stands for no other.
pub(in crate::rows) const EXACT_BELOW: u64 = 1 << f64::MANTISSA_DIGITS;

/// Whether the float nearest to `mantissa` times ten to the power of `exponent`, a normal one, tells which number that
/// is: of at most 15 digits from the first to the last that is not zero, or whole and below 2^53.
#[inline]
pub(in crate::rows) fn is_exactly_known(mantissa: u64, exponent: i64) -> bool {
    mantissa < FIRST_OF_MANY_DIGITS || is_exactly_known_without_zeros(mantissa, exponent)
}

#[cold]
fn is_exactly_known_without_zeros(mut mantissa: u64, mut exponent: i64) -> bool {
    while mantissa >= FIRST_OF_MANY_DIGITS && mantissa.is_multiple_of(10) {
        (mantissa, exponent) = (mantissa / 10, exponent + 1);
    }
    mantissa < FIRST_OF_MANY_DIGITS || exponent == 0 && mantissa < EXACT_BELOW
}

/// Puts the decimals that stand at `at` after the digits of `whole`, and says how many there were. `None` where they
/// are fewer than eight, where the digits are no `u64`, or where the window ends soon.
#[inline]
pub(in crate::rows) fn many_decimals(whole: u64, bytes: &[u8], at: usize) -> Option<(u64, usize)> {
    let (mut mantissa, mut count) = (whole_and(whole, eight_digits_at(bytes, at)?, DIGITS_OF_WORD)?, DIGITS_OF_WORD);
    if let Some(second) = eight_digits_at(bytes, at + count) {
        (mantissa, count) = (whole_and(mantissa, second, DIGITS_OF_WORD)?, count + DIGITS_OF_WORD);
    }
    let (last, more) = leading_digits(word_at(bytes, at + count)?)?;
    Some((whole_and(mantissa, last, more)?, count + more))
}

/// The smallest power of ten that [`nearest`] knows: five to its negative is a divisor of 126 bits.
const LEAST_POWER: i64 = -54;
/// The largest: five to it has 63 bits.
const MOST_POWER: i64 = 27;

/// Five to each of these powers: its first 64 bits, with the rest cut off.
const POWERS_OF_FIVE: [u64; (MOST_POWER - LEAST_POWER) as usize + 1] = {
    let mut powers = [0; (MOST_POWER - LEAST_POWER) as usize + 1];
    let mut power = LEAST_POWER;
    while power <= MOST_POWER {
        powers[(power - LEAST_POWER) as usize] = if power < 0 {
            one_over(5_u128.pow(power.unsigned_abs() as u32))
        } else {
            let power = 5_u64.pow(power as u32);
            power << power.leading_zeros()
        };
        power += 1;
    }
    powers
};

/// The first 64 bits of one over the divisor, which is no power of two and within 2^127.
const fn one_over(divisor: u128) -> u64 {
    let (mut rest, mut quotient) = (1, 0_u64);
    while quotient.leading_zeros() > 0 {
        rest *= 2;
        quotient = 2 * quotient + (rest >= divisor) as u64;
        rest -= if rest >= divisor { divisor } else { 0 };
    }
    quotient
}

/// The float that is nearest to `mantissa` times ten to the power of `exponent`. `None` where that is too close to the
/// middle between two floats to be told by 64 bits of the power, which is one number in some hundreds, and for powers
/// of which none are known.
#[expect(clippy::inline_always, reason = "where it is a call, numbers of 17 digits take a sixth more time")]
#[inline(always)]
pub(in crate::rows) fn nearest(mantissa: u64, exponent: i64) -> Option<f64> {
    let power = *POWERS_OF_FIVE.get(usize::try_from(exponent - LEAST_POWER).ok()?)?;
    if mantissa == 0 {
        return Some(0.0);
    }
    let up = mantissa.leading_zeros();
    // The power was cut by less than one, so the product is too small by less than 2^64: half a unit of what is left
    // after the shift, which cuts off less than one more. So the exact value lies between `least` and `least + 2`, and
    // where both are rounded to the same float that is the result.
    let least = ((u128::from(mantissa << up) * u128::from(power)) >> 65) as i64;
    let rounded = least as f64;
    if rounded.to_bits() != (least.wrapping_add(2) as f64).to_bits() {
        return None;
    }
    // 10^n is 5^n times 2^n, and the first bit of 5^n is worth two to the power of this, log2(5) being 2.32193.
    let of_five = (exponent * 152_170) >> 16;
    let scale = 2 + of_five + exponent - i64::from(up);
    Some(rounded * f64::from_bits(((1023 + scale) as u64) << 52))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rows::json::cursor::Cursor;
    use crate::rows::json::number::Number;

    fn read(text: &str) -> Number<'_> {
        Cursor::new(text.as_bytes(), true).number().unwrap()
    }

    #[test]
    fn what_is_cut_off_a_power_counts() {
        let texts = [
            "6676026686.46297884",
            "-39976848029.861866",
            "21667215.315784337",
            "49635104864332591e-25",
            "7033198686119155005e-27",
            "9007199254740993e0",
            "1e23",
            "18446744073709551615e27",
            "18446744073709551615e-54",
            "1e-54",
        ];
        for text in texts {
            let (Number::Float(value) | Number::Rounded(value)) = read(text) else { panic!("{text}") };
            assert_eq!(value.to_bits(), text.parse::<f64>().unwrap().to_bits(), "{text}");
        }
    }

    #[test]
    fn few_numbers_are_left_to_a_parser() {
        for exponent in [LEAST_POWER, -17, -16, -1, 0, 1, MOST_POWER] {
            let mantissas = (1_u64..10_000).map(|at| at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (at % 60));
            let left = mantissas.filter(|&mantissa| nearest(mantissa, exponent).is_none()).count();
            assert!(left < 100, "{left} at {exponent}");
        }
        assert_eq!(
            [LEAST_POWER - 1, MOST_POWER + 1, 1 << 50, -(1 << 50)].map(|exponent| nearest(1, exponent)),
            [None; 4]
        );
    }

    proptest! {
        #[test]
        fn the_nearest_is_what_a_parser_finds(mantissa in any::<u64>(), shift in 0u32..64, exponent in LEAST_POWER..=MOST_POWER) {
            let mantissa = mantissa >> shift;
            let expected: f64 = format!("{mantissa}e{exponent}").parse().unwrap();
            if let Some(value) = nearest(mantissa, exponent) {
                prop_assert_eq!(value.to_bits(), expected.to_bits());
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
                Number::Float(value) | Number::Rounded(value) => prop_assert_eq!(value.to_bits(), expected.to_bits()),
                other => prop_assert!(false, "{:?}", other),
            }
        }
    }
}
