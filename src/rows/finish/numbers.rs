//! Text that is a number, where a caller asks for numbers: what it says has to come out of the type again, however it
//! is written.
//!
//! Nothing else is a number than what JSON has for one: no `007`, which may be an id, no `+1`, no `NaN`.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::cast::AsArray;
use arrow_schema::DataType;

use super::cast::cast_strictly;

/// Text as numbers of a type, if every text is one that the type holds to its last digit.
pub(super) fn of_texts(texts: &ArrayRef, target: &DataType) -> Option<ArrayRef> {
    let converted = cast_strictly(texts, target)?;
    // A narrow float is compared by its digits as an f64: the shortest text that reads back as it stands for many
    // others.
    let told =
        if target.is_floating() { cast_strictly(&converted, &DataType::Float64)? } else { Arc::clone(&converted) };
    let back = cast_strictly(&told, &DataType::Utf8)?;
    let both = || texts.as_string::<i32>().iter().zip(back.as_string::<i32>());
    let is_same = |(sent, held): (Option<&str>, Option<&str>)| match (sent, held) {
        (Some(sent), Some(held)) => {
            DecimalText::parse(sent).is_some_and(|number| DecimalText::parse(held) == Some(number))
        }
        (sent, held) => sent == held,
    };
    both().all(is_same).then_some(converted)
}

/// A number as it is told from others: its digits from the first to the last that is not zero, and where they stand.
#[derive(Debug)]
struct DecimalText<'t> {
    is_negative: bool,
    whole: &'t [u8],
    fraction: &'t [u8],
    /// Of the last digit.
    exponent: i64,
}

impl<'t> DecimalText<'t> {
    /// Reads a number as JSON writes them; `None` where it is none.
    fn parse(text: &'t str) -> Option<Self> {
        let (is_negative, rest) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (digits, exponent) = match rest.find(['e', 'E']) {
            Some(at) => (&rest[..at], Some(&rest[at + 1..])),
            None => (rest, None),
        };
        let (whole, fraction) = digits.split_once('.').map_or((digits, None), |(whole, rest)| (whole, Some(rest)));
        let are_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let unsigned = exponent.map(|exponent| exponent.strip_prefix(['+', '-']).unwrap_or(exponent));
        let is_number = are_digits(whole)
            && (whole == "0" || !whole.starts_with('0'))
            && fraction.is_none_or(are_digits)
            && unsigned.is_none_or(are_digits);
        if !is_number {
            return None;
        }
        let exponent = exponent.map_or(Some(0), |exponent| exponent.parse().ok())?;
        Self::normalized(is_negative, whole.as_bytes(), fraction.unwrap_or_default().as_bytes(), exponent)
    }

    /// Without the zeros before the first other digit and after the last; `None` where the exponent of that is beyond
    /// what is counted.
    fn normalized(is_negative: bool, mut whole: &'t [u8], mut fraction: &'t [u8], exponent: i64) -> Option<Self> {
        while let [rest @ .., b'0'] = fraction {
            fraction = rest;
        }
        let mut exponent = exponent.checked_sub(fraction.len() as i64)?;
        while fraction.is_empty()
            && let [rest @ .., b'0'] = whole
        {
            whole = rest;
            exponent = exponent.checked_add(1)?;
        }
        while let [b'0', rest @ ..] = whole {
            whole = rest;
        }
        while whole.is_empty()
            && let [b'0', rest @ ..] = fraction
        {
            fraction = rest;
        }
        let is_zero = whole.is_empty() && fraction.is_empty();
        Some(Self { is_negative, whole, fraction, exponent: if is_zero { 0 } else { exponent } })
    }
}

impl PartialEq for DecimalText<'_> {
    fn eq(&self, other: &Self) -> bool {
        let digits = |number: &Self| (number.whole.len() + number.fraction.len(), number.is_negative, number.exponent);
        digits(self) == digits(other)
            && self.whole.iter().chain(self.fraction).eq(other.whole.iter().chain(other.fraction))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_the_same_however_they_are_written() {
        for alike in [
            &["5", "5.0", "5.00", "0.5e1", "50e-1", "500E-2", "5e+0"][..],
            &["-1200", "-1.2e3", "-1200.0", "-12e2", "-0.012e5"],
            &["0", "0.0", "0e7", "0.00E-3"],
            &["-0", "-0.0"],
            &["0.001", "1e-3", "0.0010"],
            &["10203.0405", "1.02030405e4"],
        ] {
            assert!(alike.iter().all(|text| DecimalText::parse(text) == DecimalText::parse(alike[0])), "{alike:?}");
            assert!(DecimalText::parse(alike[0]).is_some());
        }
        let different = ["0", "-0", "1", "-1", "10", "0.1", "1.01", "1001", "11", "1e400", "1e-400"];
        for (at, one) in different.iter().enumerate() {
            assert!(
                different[at + 1..].iter().all(|other| DecimalText::parse(one) != DecimalText::parse(other)),
                "{one}"
            );
        }
    }

    #[test]
    fn what_json_does_not_write_so_is_no_number() {
        let others = ["", "-", "007", "00", "+1", ".5", "5.", "1e", "1e+", " 1", "1 ", "0x1", "1_000", "NaN", "inf"];
        assert!(
            others
                .into_iter()
                .chain(["1e99999999999999999999", "-e1", "1.e1", "١"])
                .all(|text| DecimalText::parse(text).is_none())
        );
    }
}
