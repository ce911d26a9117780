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
pub(super) struct Respite {
    /// How many times in a row the list failed and nothing else did.
    failures: u32,
    last: Option<Instant>,
    until: Option<Instant>,
}

impl Respite {
    pub(super) fn is_over(&self, now: Instant) -> bool {
        self.until.is_none_or(|until| until <= now)
    }

    /// The list that was asked for then has failed where a job could be asked about. Lists that failed at one time
    /// failed once.
    pub(super) fn failed(&mut self, asked: Instant, now: Instant) {
        if self.last.is_some_and(|last| asked <= last) {
            return;
        }
        self.last = Some(now);
        self.failures = self.failures.saturating_add(1);
        if let Some(further) = self.failures.checked_sub(FAILURES) {
            let respite = 2_u32.checked_pow(further).map_or(LONGEST, |times| FIRST.saturating_mul(times).min(LONGEST));
            self.until = Some(now + respite);
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

    const SECOND: Duration = Duration::from_secs(1);
    const MINUTE: Duration = Duration::from_mins(1);

    #[test]
    fn a_list_that_goes_on_failing_is_asked_for_ever_more_rarely_but_at_least_hourly() {
        let (mut respite, mut now, mut respites) = (Respite::default(), Instant::now(), Vec::new());
        for _ in 0..40 {
            now += SECOND;
            assert!(respite.is_over(now));
            respite.failed(now, now);
            let minutes = (0..=60).find(|minutes| respite.is_over(now + *minutes * MINUTE));
            let minutes = minutes.expect("an hour is the longest");
            now += minutes * MINUTE;
            respites.push(minutes);
        }
        assert_eq!(respites[..10], [0, 0, 1, 2, 4, 8, 16, 32, 60, 60]);
        assert_eq!(respites.last(), Some(&60));
    }

    #[test]
    fn lists_that_failed_at_one_time_failed_once() {
        let (mut respite, asked) = (Respite::default(), Instant::now());
        (0..10).for_each(|number| respite.failed(asked + number * SECOND, asked + 20 * SECOND));
        assert!(respite.is_over(asked + 20 * SECOND));
        assert_eq!(respite.failures, 1);
    }

    #[test]
    fn a_list_that_could_be_had_is_trusted_as_before() {
        let (mut respite, start) = (Respite::default(), Instant::now());
        (1..10).for_each(|second| respite.failed(start + second * SECOND, start + second * SECOND));
        let now = start + 10 * SECOND;
        assert!(!respite.is_over(now));
        respite.succeeded();
        respite.failed(now, now);
        assert!(respite.is_over(now));
    }
}
