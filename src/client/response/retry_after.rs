//! How long a service asks to wait: every way it may be said, and the ways it may be said wrongly.

use std::time::{Duration, SystemTime};

/// Longer pauses are told as this one: it stays within what any caller's clock can say.
const LONGEST: Duration = Duration::from_secs(10_000_000_000);

/// Reads the `Retry-After` headers and, where they say nothing, the `retry_after` of the body.
///
/// Seconds and the three date forms are understood. Negative seconds and dates in the past ask for no pause. What
/// cannot be read says nothing; of several headers the longest counts. `now` is the server's own clock where its answer
/// told it.
pub(in crate::client) fn parse<'a>(
    headers: impl Iterator<Item = &'a str>,
    in_body: Option<f64>,
    now: SystemTime,
) -> Option<Duration> {
    headers.filter_map(|text| parse_one(text.trim(), now)).max().or_else(|| in_body.and_then(seconds))
}

fn parse_one(text: &str, now: SystemTime) -> Option<Duration> {
    if let Ok(number) = text.parse::<f64>() {
        return seconds(number);
    }
    let date = httpdate::parse_http_date(text).ok()?;
    Some(date.duration_since(now).unwrap_or(Duration::ZERO).min(LONGEST))
}

fn seconds(number: f64) -> Option<Duration> {
    if number.is_nan() {
        return None;
    }
    Some(Duration::try_from_secs_f64(number.max(0.0)).map_or(LONGEST, |pause| pause.min(LONGEST)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(headers: &[&str]) -> Option<Duration> {
        let now = httpdate::parse_http_date("Sun, 06 Nov 1994 08:49:07 GMT").unwrap();
        parse(headers.iter().copied(), None, now)
    }

    #[test]
    fn seconds_and_the_three_date_forms_are_understood() {
        for text in [
            "30",
            " 30 ",
            "Sun, 06 Nov 1994 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994",
        ] {
            assert_eq!(read(&[text]), Some(Duration::from_secs(30)), "{text}");
        }
    }

    #[test]
    fn zero_negative_and_past_ask_for_no_pause_and_junk_says_nothing() {
        for text in ["0", "-5", "Tue, 06 Nov 1984 08:49:37 GMT", "-1e400"] {
            assert_eq!(read(&[text]), Some(Duration::ZERO), "{text}");
        }
        for text in ["", "soon", "NaN", "Sun, 99 Nov 1994 08:49:37 GMT", "5, 10"] {
            assert_eq!(read(&[text]), None, "{text}");
        }
    }

    #[test]
    fn a_pause_beyond_all_clocks_is_told_as_the_longest() {
        assert_eq!(read(&["1000000000"]), Some(Duration::from_secs(1_000_000_000)));
        for text in ["18446744073709551616", "1e400", "inf", "999999999999999999999999999999999999999999"] {
            assert_eq!(read(&[text]), Some(LONGEST), "{text}");
        }
    }

    #[test]
    fn the_longest_of_several_headers_counts_and_the_body_is_asked_last() {
        assert_eq!(read(&["2", "soon", "7"]), Some(Duration::from_secs(7)));
        let now = SystemTime::UNIX_EPOCH;
        assert_eq!(parse(["soon"].into_iter(), Some(1.5), now), Some(Duration::from_millis(1500)));
        assert_eq!(parse(["3"].into_iter(), Some(1.5), now), Some(Duration::from_secs(3)));
        assert_eq!(parse(std::iter::empty(), Some(-2.0), now), Some(Duration::ZERO));
        assert_eq!(parse(std::iter::empty(), None, now), None);
    }
}
