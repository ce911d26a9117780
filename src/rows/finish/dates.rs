//! ISO 8601 text as dates and timestamps, where a caller asks for it.
//!
//! By `parse_dates` a column converts only if every value is of one kind: all dates, all local times, or all times with
//! an offset (these become UTC). Times are counted in microseconds, and in nanoseconds where a value is finer; nothing
//! is rounded away. A schema may ask for a type: its unit has to hold every value, and of local times a date is one,
//! too.

use std::ops::RangeInclusive;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, Int32Array, Int64Array, new_null_array};
use arrow_schema::{DataType, TimeUnit};
use chrono::{Datelike, NaiveDate};

const DAYS_TO_EPOCH: i64 = 719_163;
/// The days of the years 1 to 9999, beyond which a date has no text of four digits for its year.
const DAYS: RangeInclusive<i64> = 1 - DAYS_TO_EPOCH..=3_652_059 - DAYS_TO_EPOCH;
/// The durations that Python's `timedelta` holds.
const SPAN_DAYS: RangeInclusive<i64> = -999_999_999..=999_999_999;
const SECONDS_OF_DAY: i64 = 86_400;
const MILLISECONDS_OF_DAY: i64 = SECONDS_OF_DAY * 1_000;

/// What the values of a text column have turned out to be so far.
#[derive(Debug, Default)]
pub(in crate::rows) struct Dates {
    kind: Option<Kind>,
    /// The first text that is none of them, or of another kind than those before.
    misfit: Option<String>,
    /// Whether a value is finer than a microsecond.
    is_fine: bool,
    /// Whether a value is too far from 1970 to be counted in nanoseconds.
    is_far: bool,
    is_impossible: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Date,
    Local,
    Utc,
}

/// A day or a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Parsed {
    kind: Kind,
    count: Count,
}

/// Days since 1970, or microseconds and the nanoseconds after them, of which there are less than a thousand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Count {
    whole: i64,
    nanos: i64,
}

impl Dates {
    pub(in crate::rows) fn impossible() -> Self {
        Self { is_impossible: true, ..Self::default() }
    }

    pub(in crate::rows) fn observe(&mut self, array: &ArrayRef) {
        if self.is_impossible {
            return;
        }
        let Some(texts) = array.as_string_opt::<i32>() else {
            self.is_impossible |= array.data_type() != &DataType::Null;
            return;
        };
        for text in texts.iter().flatten() {
            let parsed = parse(text).filter(|parsed| *self.kind.get_or_insert(parsed.kind) == parsed.kind);
            let Some(Parsed { count, .. }) = parsed else {
                self.misfit = Some(text.to_owned());
                self.is_impossible = true;
                return;
            };
            self.is_fine |= count.nanos != 0;
            self.is_far |= count.in_unit(TimeUnit::Nanosecond).is_none();
        }
    }

    /// The type the column converts to; `None` where it does not.
    pub(in crate::rows) fn data_type(&self) -> Option<DataType> {
        if self.have_no_unit() {
            return None;
        }
        let unit = if self.is_fine { TimeUnit::Nanosecond } else { TimeUnit::Microsecond };
        match self.kind.filter(|_| !self.is_impossible)? {
            Kind::Date => Some(DataType::Date32),
            Kind::Local => Some(DataType::Timestamp(unit, None)),
            Kind::Utc => Some(DataType::Timestamp(unit, Some("UTC".into()))),
        }
    }

    /// Whether they are times of one kind, of which some are too fine for microseconds and some too far for
    /// nanoseconds.
    pub(in crate::rows) fn have_no_unit(&self) -> bool {
        self.is_fine && self.is_far && !self.is_impossible
    }

    /// Whether there were dates or times before a value that is none of their kind. Of a column that begins otherwise
    /// it is not known: nothing is read after the first value that is none.
    pub(in crate::rows) fn were_some(&self) -> bool {
        self.is_impossible && self.kind.is_some()
    }

    /// The first text that is none of them, or of another kind than those before.
    pub(in crate::rows) fn misfit(&self) -> Option<&str> {
        self.misfit.as_deref()
    }

    pub(in crate::rows) fn convert(&self, array: &ArrayRef) -> Option<ArrayRef> {
        let target = self.data_type()?;
        if array.data_type() == &DataType::Null {
            return Some(new_null_array(&target, array.len()));
        }
        convert_to(array, &target)
    }
}

/// The text of an array as `target`, if that takes every value and its unit has room for all of it.
pub(in crate::rows) fn convert_to(array: &ArrayRef, target: &DataType) -> Option<ArrayRef> {
    let values = array.as_string_opt::<i32>()?.iter().map(|text| match text {
        None => Some(None),
        Some(text) => in_type(text, target).map(Some),
    });
    let values = values.collect::<Option<Vec<Option<i64>>>>()?;
    match target {
        DataType::Date32 | DataType::Time32(_) => {
            let narrow = values.into_iter().map(|value| value.map(|value| value as i32));
            arrow_cast::cast(&narrow.collect::<Int32Array>(), target).ok()
        }
        _ => arrow_cast::cast(&Int64Array::from(values), target).ok(),
    }
}

/// Whether every value of a temporal array, which numbers were taken for, is a date, a time or a span that there is.
pub(in crate::rows) fn are_there(array: &ArrayRef) -> bool {
    let per_second = |unit: TimeUnit| match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    };
    let (size_of_day, days, is_whole) = match array.data_type() {
        DataType::Date32 => (1, DAYS, true),
        DataType::Date64 => (1000 * SECONDS_OF_DAY, DAYS, true),
        DataType::Timestamp(unit, _) => (per_second(*unit) * SECONDS_OF_DAY, DAYS, false),
        DataType::Time32(unit) | DataType::Time64(unit) => (per_second(*unit) * SECONDS_OF_DAY, 0..=0, false),
        DataType::Duration(unit) => (per_second(*unit) * SECONDS_OF_DAY, SPAN_DAYS, false),
        _ => return true,
    };
    let narrow = matches!(array.data_type(), DataType::Date32 | DataType::Time32(_));
    let counts = if narrow { arrow_cast::cast(array, &DataType::Int32) } else { Ok(Arc::clone(array)) };
    let Ok(counts) = counts.and_then(|counts| arrow_cast::cast(&counts, &DataType::Int64)) else { return false };
    counts
        .as_primitive::<Int64Type>()
        .iter()
        .flatten()
        .all(|count| days.contains(&count.div_euclid(size_of_day)) && (!is_whole || count.rem_euclid(size_of_day) == 0))
}

/// The number that stands for a text in `target`.
fn in_type(text: &str, target: &DataType) -> Option<i64> {
    let of_kind = |wanted: Kind| parse(text).filter(|parsed| parsed.kind == wanted).map(|parsed| parsed.count);
    match target {
        DataType::Date32 => Some(of_kind(Kind::Date)?.whole),
        DataType::Date64 => of_kind(Kind::Date)?.whole.checked_mul(MILLISECONDS_OF_DAY),
        DataType::Timestamp(unit, None) => {
            of_kind(Kind::Local).or_else(|| midnight(of_kind(Kind::Date)?))?.in_unit(*unit)
        }
        DataType::Timestamp(unit, Some(_)) => of_kind(Kind::Utc)?.in_unit(*unit),
        DataType::Time32(unit) | DataType::Time64(unit) => match time_of_day(text)? {
            (time, None) => time.in_unit(*unit),
            (_, Some(_)) => None,
        },
        _ => None,
    }
}

/// Why a text is not in a timestamp of that unit, with a zone or without.
pub(in crate::rows) fn why_no_timestamp(text: &str, unit: TimeUnit, has_zone: bool) -> &'static str {
    match parse(text).map(|parsed| parsed.kind) {
        None => "is not an ISO 8601 date or time",
        Some(Kind::Utc) if !has_zone => "has an offset, and a timestamp without a zone takes none",
        Some(Kind::Date | Kind::Local) if has_zone => "has no offset, and a timestamp with a zone needs one",
        Some(_) if unit == TimeUnit::Nanosecond => "is too far from 1970 to be counted in its unit",
        Some(_) => "is finer than its unit",
    }
}

/// When a day begins, which is what a date is to whoever asks for moments.
fn midnight(day: Count) -> Option<Count> {
    Some(Count { whole: day.whole.checked_mul(1_000_000 * SECONDS_OF_DAY)?, nanos: 0 })
}

impl Count {
    /// A moment in a unit that holds it exactly.
    fn in_unit(self, unit: TimeUnit) -> Option<i64> {
        let Self { whole, nanos } = self;
        let of = |size: i64| (nanos == 0 && whole % size == 0).then_some(whole / size);
        match unit {
            TimeUnit::Second => of(1_000_000),
            TimeUnit::Millisecond => of(1000),
            TimeUnit::Microsecond => of(1),
            // In more bits: the microsecond in which the first nanosecond lies begins before what i64 counts.
            TimeUnit::Nanosecond => i64::try_from(i128::from(whole) * 1000 + i128::from(nanos)).ok(),
        }
    }
}

/// `None` for anything but a date or a time.
fn parse(text: &str) -> Option<Parsed> {
    let (date, time) = match text.split_once(['T', 't', ' ']) {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    let (year, rest) = number(date, 4)?;
    let (month, rest) = number(rest.strip_prefix('-')?, 2)?;
    let (day, rest) = number(rest.strip_prefix('-')?, 2)?;
    if !rest.is_empty() || year == 0 {
        return None;
    }
    let date = NaiveDate::from_ymd_opt(year as i32, month, day)?;
    let days = i64::from(date.num_days_from_ce()) - DAYS_TO_EPOCH;
    let Some(time) = time else { return Some(Parsed { kind: Kind::Date, count: Count { whole: days, nanos: 0 } }) };
    let (time, offset) = time_of_day(time)?;
    let kind = if offset.is_some() { Kind::Utc } else { Kind::Local };
    let micros = 1_000_000 * SECONDS_OF_DAY;
    let whole = days * micros + time.whole - offset.unwrap_or_default() * 60_000_000;
    // An offset may lead out of the first year or the last.
    DAYS.contains(&whole.div_euclid(micros)).then_some(Parsed { kind, count: Count { whole, ..time } })
}

/// A time of day, and minutes east of UTC where it says so.
fn time_of_day(text: &str) -> Option<(Count, Option<i64>)> {
    let (hour, rest) = number(text, 2)?;
    let (minute, mut rest) = number(rest.strip_prefix(':')?, 2)?;
    let mut second = 0;
    let mut nanos = 0;
    if let Some(seconds) = rest.strip_prefix(':') {
        (second, rest) = number(seconds, 2)?;
        if let Some(fraction) = rest.strip_prefix(['.', ',']) {
            let digits = fraction.bytes().take_while(u8::is_ascii_digit).count();
            (nanos, rest) = (fraction_nanos(&fraction[..digits])?, &fraction[digits..]);
        }
    }
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let whole = i64::from(hour * 3600 + minute * 60 + second) * 1_000_000 + nanos / 1000;
    Some((Count { whole, nanos: nanos % 1000 }, offset(rest)?))
}

/// Digits beyond nanoseconds may only be zeros.
fn fraction_nanos(digits: &str) -> Option<i64> {
    let (exact, beyond) = digits.split_at(digits.len().min(9));
    if beyond.bytes().any(|digit| digit != b'0') {
        return None;
    }
    let value: i64 = exact.parse().ok()?;
    Some(value * 10_i64.pow(9 - exact.len() as u32))
}

/// `None` inside for no offset at all.
#[expect(clippy::option_option, reason = "no offset and no valid offset are different answers")]
fn offset(text: &str) -> Option<Option<i64>> {
    let sign = match text.as_bytes().first() {
        None => return Some(None),
        Some(b'Z' | b'z') if text.len() == 1 => return Some(Some(0)),
        Some(b'+') => 1,
        Some(b'-') => -1,
        Some(_) => return None,
    };
    let (hours, rest) = number(&text[1..], 2)?;
    let rest = rest.strip_prefix(':').unwrap_or(rest);
    let (minutes, rest) = if rest.is_empty() { (0, "") } else { number(rest, 2)? };
    (rest.is_empty() && hours < 24 && minutes < 60).then_some(Some(sign * i64::from(hours * 60 + minutes)))
}

/// Exactly `width` ASCII digits, and what follows.
fn number(text: &str, width: usize) -> Option<(u32, &str)> {
    let digits = text.get(..width)?;
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    Some((digits.parse().ok().filter(|_| is_number)?, &text[width..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(kind: Kind, whole: i64, nanos: i64) -> Parsed {
        Parsed { kind, count: Count { whole, nanos } }
    }

    #[test]
    fn each_kind_is_read_exactly_and_the_rest_refused() {
        assert_eq!(parse("1970-01-02"), Some(parsed(Kind::Date, 1, 0)));
        assert_eq!(parse("1970-01-01T00:00:01.5"), Some(parsed(Kind::Local, 1_500_000, 0)));
        assert_eq!(parse("1970-01-01T01:00:00+01:00"), Some(parsed(Kind::Utc, 0, 0)));
        assert_eq!(parse("1970-01-01 00:00Z"), Some(parsed(Kind::Utc, 0, 0)));
        assert_eq!(parse("1969-12-31T23:59:59.123456000Z"), Some(parsed(Kind::Utc, -876_544, 0)));
        assert_eq!(parse("1969-12-31T23:59:59.1234567Z"), Some(parsed(Kind::Utc, -876_544, 700)));
        assert_eq!(parse("1970-01-01T00:00:00.000000001000"), Some(parsed(Kind::Local, 0, 1)));
        let first = parse("1677-09-21T00:12:43.145224192").unwrap().count;
        assert_eq!(first.in_unit(TimeUnit::Nanosecond), Some(i64::MIN));
        assert_eq!(parse("1677-09-21T00:12:43.145224191").unwrap().count.in_unit(TimeUnit::Nanosecond), None);
        assert_eq!(parse("0001-01-01T01:00:00+01:00"), Some(parsed(Kind::Utc, -719_162 * 86_400_000_000, 0)));
        for bad in [
            "",
            "NA",
            "2024",
            "2024-02-30",
            "2024-01-01T25:00",
            "2024-01-01T00:00:00.1234567891Z",
            "2024-01-01T00:00:00.Z",
            "2024-01-01T",
            "٢٠٢٤-01-01",
            "2024-01-01T00:00:00+",
            "0001-01-01T00:00:00+01:00",
            "9999-12-31T23:59:59-05:00",
        ] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }
}
