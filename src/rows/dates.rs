//! ISO 8601 text as dates and timestamps, where a caller asks for it.
//!
//! A column converts only if every value is of one kind: all dates, all local times, or all times with an offset (these
//! become UTC). Digits beyond microseconds do not convert unless they are zeros: nothing is rounded away.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::TimestampMicrosecondType;
use arrow_array::{Array, ArrayRef, Date32Array, Int32Array, Int64Array, PrimitiveArray};
use arrow_schema::{DataType, TimeUnit};
use chrono::{Datelike, NaiveDate};

const DAYS_TO_EPOCH: i64 = 719_163;

/// What the values of a text column have turned out to be so far.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Dates {
    kind: Option<Kind>,
    is_impossible: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Date,
    Local,
    Utc,
}

impl Dates {
    pub(super) fn impossible() -> Self {
        Self { kind: None, is_impossible: true }
    }

    pub(super) fn observe(&mut self, array: &ArrayRef) {
        let Some(texts) = array.as_string_opt::<i32>() else {
            self.is_impossible |= array.data_type() != &DataType::Null;
            return;
        };
        for text in texts.iter().flatten() {
            match (parse(text), self.kind) {
                (Some((kind, _)), None) => self.kind = Some(kind),
                (Some((kind, _)), Some(known)) if kind == known => {}
                _ => self.is_impossible = true,
            }
            if self.is_impossible {
                return;
            }
        }
    }

    /// The type the column converts to; `None` where it does not.
    pub(super) fn data_type(self) -> Option<DataType> {
        match self.kind.filter(|_| !self.is_impossible)? {
            Kind::Date => Some(DataType::Date32),
            Kind::Local => Some(DataType::Timestamp(TimeUnit::Microsecond, None)),
            Kind::Utc => Some(DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()))),
        }
    }

    pub(super) fn convert(self, array: &ArrayRef) -> Option<ArrayRef> {
        let target = self.data_type()?;
        let Some(texts) = array.as_string_opt::<i32>() else {
            return Some(arrow_array::new_null_array(&target, array.len()));
        };
        let values = texts.iter().map(|text| match text.map(parse) {
            None => Some(None),
            Some(parsed) => parsed.map(|(_, value)| Some(value)),
        });
        let values = values.collect::<Option<Vec<Option<i64>>>>()?;
        if target == DataType::Date32 {
            return Some(Arc::new(values.into_iter().map(|day| day.map(|day| day as i32)).collect::<Date32Array>()));
        }
        let array: PrimitiveArray<TimestampMicrosecondType> = values.into_iter().collect();
        Some(Arc::new(array.with_data_type(target)))
    }
}

/// The text of an array as `target`, if every value is of that kind and the unit has room for all of it.
pub(super) fn convert_to(array: &ArrayRef, target: &DataType) -> Option<ArrayRef> {
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

/// The number that stands for a text in `target`.
fn in_type(text: &str, target: &DataType) -> Option<i64> {
    let of_kind = |wanted: Kind| parse(text).filter(|(kind, _)| *kind == wanted).map(|(_, value)| value);
    match target {
        DataType::Date32 => of_kind(Kind::Date),
        DataType::Date64 => of_kind(Kind::Date)?.checked_mul(86_400_000),
        DataType::Timestamp(unit, None) => in_unit(of_kind(Kind::Local)?, *unit),
        DataType::Timestamp(unit, Some(_)) => in_unit(of_kind(Kind::Utc)?, *unit),
        DataType::Time32(unit) | DataType::Time64(unit) => match time_of_day(text)? {
            (micros, None) => in_unit(micros, *unit),
            (_, Some(_)) => None,
        },
        _ => None,
    }
}

/// Microseconds in a unit that holds them exactly.
fn in_unit(micros: i64, unit: TimeUnit) -> Option<i64> {
    let whole = |size: i64| (micros % size == 0).then_some(micros / size);
    match unit {
        TimeUnit::Second => whole(1_000_000),
        TimeUnit::Millisecond => whole(1000),
        TimeUnit::Microsecond => Some(micros),
        TimeUnit::Nanosecond => micros.checked_mul(1000),
    }
}

/// Days since 1970 for a date, microseconds since 1970 for a time; `None` for anything else.
fn parse(text: &str) -> Option<(Kind, i64)> {
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
    let Some(time) = time else { return Some((Kind::Date, days)) };
    let (micros, offset) = time_of_day(time)?;
    let local = days * 86_400_000_000 + micros;
    Some(match offset {
        None => (Kind::Local, local),
        Some(minutes) => (Kind::Utc, local - minutes * 60_000_000),
    })
}

/// Microseconds of a time of day, and minutes east of UTC where it says so.
fn time_of_day(text: &str) -> Option<(i64, Option<i64>)> {
    let (hour, rest) = number(text, 2)?;
    let (minute, mut rest) = number(rest.strip_prefix(':')?, 2)?;
    let mut second = 0;
    let mut micros = 0;
    if let Some(seconds) = rest.strip_prefix(':') {
        (second, rest) = number(seconds, 2)?;
        if let Some(fraction) = rest.strip_prefix(['.', ',']) {
            let digits = fraction.bytes().take_while(u8::is_ascii_digit).count();
            (micros, rest) = (fraction_micros(&fraction[..digits])?, &fraction[digits..]);
        }
    }
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let whole = i64::from(hour * 3600 + minute * 60 + second) * 1_000_000;
    Some((whole + micros, offset(rest)?))
}

fn fraction_micros(digits: &str) -> Option<i64> {
    let (exact, beyond) = digits.split_at(digits.len().min(6));
    if exact.is_empty() || beyond.bytes().any(|digit| digit != b'0') {
        return None;
    }
    format!("{exact:0<6}").parse().ok()
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

    #[test]
    fn each_kind_is_read_exactly_and_the_rest_refused() {
        assert_eq!(parse("1970-01-02"), Some((Kind::Date, 1)));
        assert_eq!(parse("1970-01-01T00:00:01.5"), Some((Kind::Local, 1_500_000)));
        assert_eq!(parse("1970-01-01T01:00:00+01:00"), Some((Kind::Utc, 0)));
        assert_eq!(parse("1970-01-01 00:00Z"), Some((Kind::Utc, 0)));
        assert_eq!(parse("1969-12-31T23:59:59.123456000Z"), Some((Kind::Utc, -876_544)));
        for bad in [
            "",
            "NA",
            "2024",
            "2024-02-30",
            "2024-01-01T25:00",
            "2024-01-01T00:00:00.1234567Z",
            "2024-01-01T",
            "٢٠٢٤-01-01",
            "2024-01-01T00:00:00+",
        ] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }
}
