//! Times as services write them.

use std::cmp::Ordering;
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// Two tellings of one time may be cut or rounded to other units.
const UNIT: Duration = Duration::from_secs(1);

/// Reads a time as services write them: ISO 8601 with an offset or `Z`; without one it is taken as UTC.
pub fn moment(text: &str) -> Option<SystemTime> {
    let text = text.trim();
    if !text.contains(':') {
        return None; // a date alone is a whole day
    }
    let without_offset =
        || text.parse::<DateTime>().and_then(|time| time.to_zoned(TimeZone::UTC)).map(|time| time.timestamp());
    text.parse::<Timestamp>().or_else(|_| without_offset()).map(SystemTime::from).ok()
}

/// Which of two times is certainly the earlier; `None` where they may be one, or one of them is not told.
pub fn time_order(one: Option<&str>, other: Option<&str>) -> Option<Ordering> {
    let (one, other) = (moment(one?)?, moment(other?)?);
    let apart = one.duration_since(other).unwrap_or_else(|earlier| earlier.duration());
    (apart >= UNIT).then(|| one.cmp(&other))
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
        for text in ["soon", "2023-11-14"] {
            assert_eq!(moment(text), None, "{text}");
        }
    }

    #[test]
    fn times_are_apart_where_no_rounding_explains_it() {
        let between = |one, other| time_order(Some(one), Some(other));
        assert_eq!(between("2026-01-01T10:00:00Z", "2026-01-01T10:00:00.999Z"), None);
        assert_eq!(between("2026-01-01T10:00:00Z", "2026-01-01T10:00:01Z"), Some(Ordering::Less));
        assert_eq!(between("2026-01-01T10:00:00Z", "2026-01-01T10:00:01+01:00"), Some(Ordering::Greater));
        assert_eq!(between("soon", "2026-01-01T10:00:01Z"), None);
        assert_eq!(time_order(None, Some("2026-01-01T10:00:01Z")), None);
    }
}
