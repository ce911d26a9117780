//! ISO 8601 text: dates, moments, and times of day.

use std::ops::RangeInclusive;

use arrow_schema::TimeUnit;
use chrono::{Datelike, NaiveDate};

const DAYS_TO_EPOCH: i64 = 719_163;
/// The days of the years 1 to 9999, beyond which a date has no text of four digits for its year.
pub(super) const DAYS: RangeInclusive<i64> = 1 - DAYS_TO_EPOCH..=3_652_059 - DAYS_TO_EPOCH;
pub(super) const SECONDS_OF_DAY: i64 = 86_400;
const MICROS_OF_DAY: i64 = SECONDS_OF_DAY * 1_000_000;
const MICROS_OF_MINUTE: i64 = 60_000_000;

/// What a text says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Iso8601 {
    /// Days since 1970.
    Date(i64),
    /// A date and a time of day, wherever that is.
    Local(Moment),
    /// A time with an offset, taken to UTC.
    Utc(Moment),
}

/// A time, to the nanosecond: since 1970, or since midnight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Moment {
    micros: i64,
    /// Those after the last whole microsecond, less than a thousand.
    nanos: i64,
}

impl Iso8601 {
    /// `None` for anything but a date or a date with a time.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (date, time) = match text.split_once(['T', 't', ' ']) {
            Some((date, time)) => (date, Some(time)),
            None => (text, None),
        };
        let days = days_since_1970(date)?;
        let Some(time) = time else { return Some(Self::Date(days)) };
        let (time, offset) = time_of_day(time)?;
        let micros = days * MICROS_OF_DAY + time.micros - offset.unwrap_or_default() * MICROS_OF_MINUTE;
        // An offset may lead out of the first year or the last.
        if !DAYS.contains(&micros.div_euclid(MICROS_OF_DAY)) {
            return None;
        }
        let moment = Moment { micros, ..time };
        Some(if offset.is_some() { Self::Utc(moment) } else { Self::Local(moment) })
    }
}

impl Moment {
    /// When one of these [`DAYS`] begins.
    pub(super) fn midnight(day: i64) -> Self {
        Self { micros: day * MICROS_OF_DAY, nanos: 0 }
    }

    /// Whether it is finer than a microsecond.
    pub(super) fn is_fine(self) -> bool {
        self.nanos != 0
    }

    /// How many of a unit it is, if it is so many exactly.
    pub(super) fn in_unit(self, unit: TimeUnit) -> Option<i64> {
        let Self { micros, nanos } = self;
        let of = |size: i64| (nanos == 0 && micros % size == 0).then_some(micros / size);
        match unit {
            TimeUnit::Second => of(1_000_000),
            TimeUnit::Millisecond => of(1000),
            TimeUnit::Microsecond => of(1),
            // In more bits: the microsecond in which the first nanosecond lies begins before what i64 counts.
            TimeUnit::Nanosecond => i64::try_from(i128::from(micros) * 1000 + i128::from(nanos)).ok(),
        }
    }
}

fn days_since_1970(date: &str) -> Option<i64> {
    let (year, rest) = number(date, 4)?;
    let (month, rest) = number(rest.strip_prefix('-')?, 2)?;
    let (day, rest) = number(rest.strip_prefix('-')?, 2)?;
    if !rest.is_empty() || year == 0 {
        return None;
    }
    let date = NaiveDate::from_ymd_opt(year as i32, month, day)?;
    Some(i64::from(date.num_days_from_ce()) - DAYS_TO_EPOCH)
}

/// A time since midnight, and minutes east of UTC where the text says so.
pub(super) fn time_of_day(text: &str) -> Option<(Moment, Option<i64>)> {
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
    let micros = i64::from(hour * 3600 + minute * 60 + second) * 1_000_000 + nanos / 1000;
    Some((Moment { micros, nanos: nanos % 1000 }, offset(rest)?))
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
    let (minutes, rest) = if rest.is_empty() { (0, "") } else { number(rest.strip_prefix(':').unwrap_or(rest), 2)? };
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

    fn local(micros: i64, nanos: i64) -> Iso8601 {
        Iso8601::Local(Moment { micros, nanos })
    }

    fn utc(micros: i64, nanos: i64) -> Iso8601 {
        Iso8601::Utc(Moment { micros, nanos })
    }

    #[test]
    fn each_kind_is_read_exactly() {
        for (text, read) in [
            ("1970-01-02", Iso8601::Date(1)),
            ("1970-01-01T00:00:01.5", local(1_500_000, 0)),
            ("1970-01-01T00:00:00.000000001000", local(0, 1)),
            ("1970-01-01T01:00:00+01:00", utc(0, 0)),
            ("1970-01-01 00:00Z", utc(0, 0)),
            ("1969-12-31T23:59:59.123456000Z", utc(-876_544, 0)),
            ("1969-12-31T23:59:59.1234567Z", utc(-876_544, 700)),
            ("0001-01-01T01:00:00+01:00", utc(-719_162 * 86_400_000_000, 0)),
        ] {
            assert_eq!(Iso8601::parse(text), Some(read), "{text}");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for text in [
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
            "2024-01-01T00:00:00+00:",
            "0001-01-01T00:00:00+01:00",
            "9999-12-31T23:59:59-05:00",
        ] {
            assert_eq!(Iso8601::parse(text), None, "{text}");
        }
    }

    #[test]
    fn nanoseconds_are_counted_from_the_first_that_there_is() {
        let in_nanoseconds = |text: &str| match Iso8601::parse(text) {
            Some(Iso8601::Local(moment)) => moment.in_unit(TimeUnit::Nanosecond),
            other => panic!("{other:?}"),
        };
        assert_eq!(in_nanoseconds("1677-09-21T00:12:43.145224192"), Some(i64::MIN));
        assert_eq!(in_nanoseconds("1677-09-21T00:12:43.145224191"), None);
    }
}
