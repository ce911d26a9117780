//! The one type of a column, if there is one.

use std::sync::Arc;

use arrow_schema::DataType::{
    self, Date32, Date64, Decimal32, Decimal64, Decimal128, Decimal256, Dictionary, Duration, Int32, Int64, LargeList,
    List, Null, Struct, Time32, Time64, Timestamp, UInt32, UInt64,
};
use arrow_schema::{
    DECIMAL32_MAX_PRECISION, DECIMAL64_MAX_PRECISION, DECIMAL128_MAX_PRECISION, DECIMAL256_MAX_PRECISION, Field,
    FieldRef,
};

/// The type that holds the values of all, if there is one besides text: the finest of those that count time in
/// different units, UTC for times of different zones, a decimal with all digits of decimals, one with keys of 32 bits
/// or more of dictionaries, and the same of what is nested.
pub(super) fn common_type<'t>(mut types: impl Iterator<Item = &'t DataType>) -> Option<DataType> {
    let first = types.next()?.clone();
    types.try_fold(first, |one, other| common(&one, other))
}

fn common(one: &DataType, other: &DataType) -> Option<DataType> {
    Some(match (one, other) {
        (one, other) if one == other => one.clone(),
        (Timestamp(unit, zone), Timestamp(other_unit, same)) if zone == same => {
            Timestamp((*unit).max(*other_unit), zone.clone())
        }
        // Of two zones neither is before the other.
        (Timestamp(unit, Some(_)), Timestamp(other_unit, Some(_))) => {
            Timestamp((*unit).max(*other_unit), Some("UTC".into()))
        }
        (Time32(unit), Time32(other_unit)) => Time32((*unit).max(*other_unit)),
        (Time64(unit), Time64(other_unit)) => Time64((*unit).max(*other_unit)),
        (Time32(_), Time64(unit)) | (Time64(unit), Time32(_)) => Time64(*unit),
        (Date32, Date64) | (Date64, Date32) => Date64,
        (Duration(unit), Duration(other_unit)) => Duration((*unit).max(*other_unit)),
        (one, other) if one.is_decimal() && other.is_decimal() => common_decimal(one, other)?,
        // Whether few keys do for all values is not known here.
        (Dictionary(keys, values), Dictionary(other_keys, others)) if values == others => {
            let are_many = |keys: &DataType| matches!(keys, Int64 | UInt64 | UInt32);
            let keys = if are_many(keys) || are_many(other_keys) { Int64 } else { Int32 };
            Dictionary(Box::new(keys), values.clone())
        }
        (List(one), List(other)) => List(common_field(one, other)?),
        (LargeList(one), LargeList(other)) => LargeList(common_field(one, other)?),
        (Struct(ones), Struct(others)) if ones.len() == others.len() => {
            let both = || ones.iter().zip(others);
            if both().any(|(one, other)| one.name() != other.name()) {
                return None;
            }
            Struct(both().map(|(one, other)| common_field(one, other)).collect::<Option<_>>()?)
        }
        // A null-only member beside text stays undecided: whether that text is JSON text is not known.
        (Null, other) | (other, Null) if !other.is_string() && !other.is_nested() => other.clone(),
        _ => return None,
    })
}

/// A decimal with all digits before and behind the point that either has.
fn common_decimal(one: &DataType, other: &DataType) -> Option<DataType> {
    let (width, precision, scale) = decimal(one)?;
    let (other_width, other_precision, other_scale) = decimal(other)?;
    let before_point = |precision: u8, scale: i8| i16::from(precision) - i16::from(scale);
    let digits = before_point(precision, scale).max(before_point(other_precision, other_scale));
    let scale = scale.max(other_scale);
    let precision = u8::try_from(digits + i16::from(scale)).ok()?;
    let most = [DECIMAL32_MAX_PRECISION, DECIMAL64_MAX_PRECISION, DECIMAL128_MAX_PRECISION, DECIMAL256_MAX_PRECISION];
    let wide_enough = most.iter().position(|most| precision <= *most)?;
    let make = [Decimal32, Decimal64, Decimal128, Decimal256][wide_enough.max(width).max(other_width)];
    Some(make(precision, scale))
}

/// How wide a decimal is, from the narrowest on, its precision and its scale.
fn decimal(data_type: &DataType) -> Option<(usize, u8, i8)> {
    Some(match *data_type {
        Decimal32(precision, scale) => (0, precision, scale),
        Decimal64(precision, scale) => (1, precision, scale),
        Decimal128(precision, scale) => (2, precision, scale),
        Decimal256(precision, scale) => (3, precision, scale),
        _ => return None,
    })
}

/// What holds the members, or the elements, of both.
fn common_field(one: &FieldRef, other: &FieldRef) -> Option<FieldRef> {
    let mut metadata = one.metadata().clone();
    metadata.retain(|key, value| other.metadata().get(key) == Some(value));
    let data_type = common(one.data_type(), other.data_type())?;
    let field = Field::new(one.name(), data_type, one.is_nullable() || other.is_nullable());
    Some(Arc::new(field.with_metadata(metadata)))
}
