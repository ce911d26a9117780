//! When the list of jobs is left alone. Pure.

use std::time::Duration;

use tokio::time::Instant;

/// A list that failed so many times in a row where a job could be asked about is left alone for a while.
const FAILURES: u32 = 3;

/// For how long at first, and twice as long after each further failure, up to the longest: lists may be had again, and
/// until then the jobs are asked about one by one.
const FIRST: Duration = Duration::from_secs(60);
const LONGEST: Duration = Duration::from_secs(60 * 60);

#[derive(Debug, Default)]
pub(super) struct Rest {
    /// How many times in a row the list failed and nothing else did.
    failures: u32,
    until: Option<Instant>,
}

impl Rest {
    pub(super) fn is_over(&self, now: Instant) -> bool {
        self.until.is_none_or(|until| until <= now)
    }

    /// The list failed where a job could be asked about.
    pub(super) fn failed(&mut self, now: Instant) {
        self.failures = self.failures.saturating_add(1);
        if let Some(further) = self.failures.checked_sub(FAILURES) {
            let rest = 2_u32.checked_pow(further).map_or(LONGEST, |times| FIRST.saturating_mul(times).min(LONGEST));
            self.until = Some(now + rest);
        }
    }

    /// The list could be had.
    pub(super) fn succeeded(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_mins(1);

    #[test]
    fn a_list_that_goes_on_failing_is_asked_for_ever_more_rarely_but_at_least_hourly() {
        let (mut rest, mut now, mut rests) = (Rest::default(), Instant::now(), Vec::new());
        for _ in 0..40 {
            assert!(rest.is_over(now));
            rest.failed(now);
            let minutes = (0..=60).find(|minutes| rest.is_over(now + *minutes * MINUTE));
            let minutes = minutes.expect("an hour is the longest");
            now += minutes * MINUTE;
            rests.push(minutes);
        }
        assert_eq!(rests[..10], [0, 0, 1, 2, 4, 8, 16, 32, 60, 60]);
        assert_eq!(rests.last(), Some(&60));
    }

    #[test]
    fn a_list_that_could_be_had_is_trusted_as_before() {
        let (mut rest, now) = (Rest::default(), Instant::now());
        (0..9).for_each(|_| rest.failed(now));
        assert!(!rest.is_over(now));
        rest.succeeded();
        rest.failed(now);
        assert!(rest.is_over(now));
    }
}
