//! Plain numbers in arrays, with few digits before the point and no exponent, read as words: hardly a branch depends on
//! how many digits they have.

use super::cursor::Cursor;
use super::decimal::{few_decimals, many_decimals, nearest};
use super::digits::{first_digits, word_at};
use super::step::ends_element;

impl Cursor<'_> {
    /// Takes an integer of few digits, if a comma or a bracket stands after it. `None` where something else stands, or
    /// where the window may end before; nothing is taken then.
    #[inline]
    pub(in crate::rows) fn plain_integer(&mut self, may_be_negative: bool) -> Option<i64> {
        let text = word_at(self.bytes, self.at)?;
        let is_negative = may_be_negative && text as u8 == b'-';
        let (value, count, after) = whole(text >> (8 * u32::from(is_negative)))?;
        if !ends_element(after) {
            return None;
        }
        self.at += usize::from(is_negative) + count;
        let value = value.cast_signed();
        Some(if is_negative { -value } else { value })
    }

    /// The same of a number with decimals.
    #[inline]
    pub(in crate::rows) fn plain_decimal(&mut self) -> Option<f64> {
        let text = word_at(self.bytes, self.at)?;
        let is_negative = text as u8 == b'-';
        let (value, count, after) = whole(text >> (8 * u32::from(is_negative)))?;
        if after != b'.' {
            return None;
        }
        let first = self.at + usize::from(is_negative) + count + 1;
        let (value, count) = few_decimals(value, word_at(self.bytes, first)?).or_else(|| {
            let (mantissa, count) = many_decimals(value, self.bytes, first)?;
            Some((nearest(mantissa, -(count as i64))?, count))
        })?;
        let end = first + count;
        if !ends_element(*self.bytes.get(end)?) {
            return None;
        }
        self.at = end;
        Some(if is_negative { -value } else { value })
    }
}

/// The integer with which a word of text begins, how many digits it has, and what stands after them.
#[inline]
fn whole(text: u64) -> Option<(u64, usize, u8)> {
    let (value, count) = first_digits(text)?;
    let after = (text >> (8 * count)) as u8;
    // Any other must not start with 0.
    let is_number = text as u8 != b'0' || count == 1;
    is_number.then_some((value, count, after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::json::number::Number;
    use proptest::prelude::*;

    fn number() -> impl Strategy<Value = String> {
        let digits = || prop_oneof!["[0-9]{1,9}", "[1-9][0-9]{0,6}"];
        let sign = || prop_oneof![Just(""), Just("-")];
        prop_oneof![
            (sign(), digits()).prop_map(|(sign, whole)| format!("{sign}{whole}")),
            (sign(), digits(), digits()).prop_map(|(sign, whole, decimals)| format!("{sign}{whole}.{decimals}")),
            (sign(), digits(), "[0-9]{8,26}").prop_map(|(sign, whole, decimals)| format!("{sign}{whole}.{decimals}")),
            "[-0-9.eE]{1,9}",
        ]
    }

    proptest! {
        #[test]
        fn a_plain_number_is_what_any_number_is(
            text in number(),
            after in prop_oneof![Just(","), Just(", "), Just(",  "), Just("]"), Just(" ,"), Just("e3,"), Just("")],
            more in "[0-9\\[ ,.]{0,30}",
        ) {
            let body = format!("{text}{after}{more}");
            let mut slow = Cursor::new(body.as_bytes(), false);
            let read = slow.number();
            for (is_whole, may_be_negative) in [(true, true), (true, false), (false, true)] {
                let mut cursor = Cursor::new(body.as_bytes(), false);
                let plain = if is_whole {
                    cursor.plain_integer(may_be_negative).map(Number::Int)
                } else {
                    cursor.plain_decimal().map(Number::Float)
                };
                match plain {
                    None => prop_assert_eq!(cursor.at, 0),
                    Some(plain) => {
                        let bits = |number| match number {
                            Number::Float(value) => Err(value.to_bits()),
                            other => Ok(other),
                        };
                        let read = *read.as_ref().unwrap();
                        prop_assert_eq!((bits(plain), cursor.at), (bits(read), slow.at));
                        prop_assert!(matches!(body.as_bytes()[cursor.at], b',' | b']'));
                    }
                }
            }
        }
    }
}
