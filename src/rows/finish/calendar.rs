//! Which numbers stand for a date, a time or a span. Arrow's casts take any number for one.

use std::ops::RangeInclusive;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, TimeUnit};

use super::iso8601::{DAYS, SECONDS_OF_DAY};

/// The durations that Python's `timedelta` holds.
const SPAN_DAYS: RangeInclusive<i64> = -999_999_999..=999_999_999;

/// Whether every value is a date, a time or a span that there is. Of other types every value is.
pub(super) fn all_in_range(array: &ArrayRef) -> bool {
    let (size_of_day, days, is_whole) = match array.data_type() {
        DataType::Date32 => (1, DAYS, true),
        DataType::Date64 => (1000 * SECONDS_OF_DAY, DAYS, true),
        DataType::Timestamp(unit, _) => (per_second(*unit) * SECONDS_OF_DAY, DAYS, false),
        DataType::Time32(unit) | DataType::Time64(unit) => (per_second(*unit) * SECONDS_OF_DAY, 0..=0, false),
        DataType::Duration(unit) => (per_second(*unit) * SECONDS_OF_DAY, SPAN_DAYS, false),
        _ => return true,
    };
    let is_narrow = matches!(array.data_type(), DataType::Date32 | DataType::Time32(_));
    let counts = if is_narrow { arrow_cast::cast(array, &DataType::Int32) } else { Ok(Arc::clone(array)) };
    let Ok(counts) = counts.and_then(|counts| arrow_cast::cast(&counts, &DataType::Int64)) else { return false };
    let is_there =
        |count: i64| days.contains(&count.div_euclid(size_of_day)) && (!is_whole || count.rem_euclid(size_of_day) == 0);
    counts.as_primitive::<Int64Type>().iter().flatten().all(is_there)
}

fn per_second(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    }
}
