//! Floats as decimals, where a caller asks for it: as far as a float tells which decimal was sent.

use std::fmt::Write;
use std::sync::Arc;

use arrow_array::builder::Decimal128Builder;
use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DECIMAL128_MAX_PRECISION, DataType};

use super::cast::cast_strictly;
use crate::rows::json::decimal::EXACT_DIGITS;

/// Floats as the decimals they were read from. Arrow's own cast takes all digits of the binary fraction, which were
/// never sent.
pub(super) fn of_floats(array: &ArrayRef, target: &DataType) -> Option<ArrayRef> {
    let (precision, scale) = match *target {
        DataType::Decimal32(precision, scale)
        | DataType::Decimal64(precision, scale)
        | DataType::Decimal128(precision, scale)
        | DataType::Decimal256(precision, scale) => (precision.min(DECIMAL128_MAX_PRECISION), scale),
        _ => return None,
    };
    let (mut text, mut decimals) = (String::new(), Decimal128Builder::with_capacity(array.len()));
    for value in array.as_primitive::<Float64Type>() {
        match value {
            Some(value) => decimals.append_value(decimal(value, precision, scale, &mut text)?),
            None => decimals.append_null(),
        }
    }
    let decimals = decimals.finish().with_precision_and_scale(precision, scale).ok()?;
    cast_strictly(&(Arc::new(decimals) as ArrayRef), target)
}

/// A float in units of the scale, by way of the shortest decimal that reads back equal, which is laid out in `text`.
fn decimal(value: f64, precision: u8, scale: i8, text: &mut String) -> Option<i128> {
    text.clear();
    write!(text, "{value:e}").ok()?;
    let (digits, exponent) = text.split_once('e')?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let count = whole.trim_start_matches('-').len() + fraction.len();
    // No digit may come after the last that the type has, nor stand before its first.
    let shift = i32::from(scale) + exponent.parse::<i32>().ok()? - i32::try_from(fraction.len()).ok()?;
    if value == 0.0 {
        return Some(0);
    }
    let shift = usize::try_from(shift).ok().filter(|shift| count + shift <= usize::from(precision))?;
    if count > EXACT_DIGITS {
        return None;
    }
    let digits = digits.bytes().filter(u8::is_ascii_digit);
    let magnitude = digits.fold(0, |all, digit| 10 * all + i128::from(digit - b'0')) * 10_i128.pow(shift as u32);
    Some(if value < 0.0 { -magnitude } else { magnitude })
}
