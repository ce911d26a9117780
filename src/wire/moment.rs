//! Times as services write them.

use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// Two tellings of one time may be cut to other units, and one of them may lack the offset that the other has.
const ONE_TIME: Duration = Duration::from_secs(24 * 3600);

/// Units that one time may be told in, in nanoseconds.
const SECOND: i128 = 1_000_000_000;
const MINUTE: i128 = 60 * SECOND;

/// An offset from UTC is a multiple of this, and no more than the other.
const OFFSETS: i128 = 15 * MINUTE;
const FARTHEST: i128 = 14 * 60 * MINUTE;

/// A time before 1971 stands for one that was not set: in 1970, or in the year 1.
const EARLIEST: Duration = Duration::from_secs(365 * 24 * 3600);

/// Reads a time as services write them: ISO 8601 with an offset or `Z`; without one it is taken as UTC.
pub fn moment(text: &str) -> Option<SystemTime> {
    told(text).map(|(time, _)| time)
}

/// A time, and whether its offset was told.
fn told(text: &str) -> Option<(SystemTime, bool)> {
    let text = text.trim();
    if !text.contains(':') {
        return None; // a date alone is a whole day
    }
    let without_offset =
        || text.parse::<DateTime>().and_then(|time| time.to_zoned(TimeZone::UTC)).map(|time| (time.timestamp(), false));
    let (time, has_offset) = text.parse::<Timestamp>().map(|time| (time, true)).or_else(|_| without_offset()).ok()?;
    let time = SystemTime::from(time);
    (time >= SystemTime::UNIX_EPOCH + EARLIEST).then_some((time, has_offset))
}

/// Whether a time is certainly later than another: not where they may be tellings of one, or one of them is not told.
pub fn is_long_after(time: Option<&str>, other: Option<&str>) -> bool {
    let passed = || moment(time?)?.duration_since(moment(other?)?).ok();
    passed().is_some_and(|passed| passed > ONE_TIME)
}

/// Whether two times are told that cannot be one: to the second or the minute, with an offset or without.
pub fn are_apart(time: Option<&str>, other: Option<&str>) -> bool {
    let apart = || {
        let ((time, has_offset), (other, has_other)) = (told(time?)?, told(other?)?);
        let [mut time, other] = [time, other].map(|time| Timestamp::try_from(time).map_or(0, Timestamp::as_nanosecond));
        if has_offset != has_other {
            let offset = (time - other + OFFSETS / 2).div_euclid(OFFSETS) * OFFSETS;
            time -= if offset.abs() <= FARTHEST { offset } else { 0 };
        }
        let apart = (time - other).abs();
        let is_cut = apart < MINUTE && time.min(other) % MINUTE == 0;
        Some(apart >= SECOND && !is_cut)
    };
    apart().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_with_and_without_an_offset() {
        let expected = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        for text in ["2023-11-14T22:13:20Z", "2023-11-14T23:13:20+01:00", "2023-11-14T22:13:20", "2023-11-14 22:13:20Z"]
        {
            assert_eq!(moment(text), Some(expected), "{text}");
        }
        for text in ["soon", "2023-11-14", "0001-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "1970-01-01T01:00:00"] {
            assert_eq!(moment(text), None, "{text}");
        }
    }

    #[test]
    fn a_time_is_long_after_another_where_neither_rounding_nor_a_missing_offset_explains_it() {
        let noon = Some("2026-01-01T12:00:00Z");
        for time in ["2026-01-02T12:00:01Z", "2026-01-02T13:00:01+01:00", "2027-01-01T12:00:00"] {
            assert!(is_long_after(Some(time), noon), "{time}");
        }
        for time in
            ["2026-01-01T12:00:37Z", "2026-01-02T02:00:00", "2025-01-01T12:00:00Z", "0001-01-01T00:00:00Z", "soon"]
        {
            assert!(!is_long_after(Some(time), noon), "{time}");
            assert!(!is_long_after(noon, Some(time)) || time.starts_with("2025"), "{time}");
        }
        assert!(!is_long_after(None, noon) && !is_long_after(noon, None));
        assert!(!are_apart(Some("2026-01-01T13:00:00.999+01:00"), noon) && !are_apart(None, noon));
    }

    #[test]
    fn times_are_apart_where_no_unit_and_no_missing_offset_makes_them_one() {
        let noon = Some("2026-01-01T12:00:37Z");
        for time in [
            "2026-01-01T12:00:37.9Z",
            "2026-01-01T12:00:00Z",
            "2026-01-01T12:00:00.000Z",
            "2026-01-01T14:00",
            "2026-01-01T17:45:36.1",
            "2026-01-01T17:45:37.9",
            "2026-01-01T13:00:37+01:00",
            "soon",
        ] {
            assert!(!are_apart(Some(time), noon) && !are_apart(noon, Some(time)), "{time}");
        }
        for time in [
            "2026-01-01T12:00:39Z",
            "2026-01-01T12:01:00Z",
            "2026-01-01T12:00:00.9Z",
            "2026-01-01T13:00:37Z",
            "2026-01-01T13:00:38",
            "2026-01-02T03:00:37",
        ] {
            assert!(are_apart(Some(time), noon) && are_apart(noon, Some(time)), "{time}");
        }
    }
}
