//! When the list of jobs is left alone: a circuit breaker, which opens after some failures for ever longer. Pure.

use std::time::Duration;

use tokio::time::Instant;

/// After so many failures in a row it opens.
const FAILURES: u32 = 3;

/// For how long at first, and twice as long after each further failure, up to the longest: lists may be had again, and
/// until then the jobs are asked about one by one.
const FIRST: Duration = Duration::from_secs(60);
const LONGEST: Duration = Duration::from_secs(60 * 60);

#[derive(Debug, Default)]
pub(super) struct CircuitBreaker {
    /// How many times in a row the list failed where a job could be asked about.
    failures: u32,
    last_failure: Option<Instant>,
    open_until: Option<Instant>,
}

impl CircuitBreaker {
    /// Whether the list may be asked for.
    pub(super) fn is_closed(&self, now: Instant) -> bool {
        self.open_until.is_none_or(|until| until <= now)
    }

    /// The list that was asked for then has failed where a job could be asked about. Lists that failed at one time
    /// failed once.
    pub(super) fn failed(&mut self, asked: Instant, now: Instant) {
        if self.last_failure.is_some_and(|last| asked <= last) {
            return;
        }
        self.last_failure = Some(now);
        self.failures = self.failures.saturating_add(1);
        if let Some(further) = self.failures.checked_sub(FAILURES) {
            let open = 2_u32.checked_pow(further).map_or(LONGEST, |times| FIRST.saturating_mul(times).min(LONGEST));
            self.open_until = Some(now + open);
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
        let (mut breaker, mut now, mut minutes_open) = (CircuitBreaker::default(), Instant::now(), Vec::new());
        for _ in 0..40 {
            now += SECOND;
            assert!(breaker.is_closed(now));
            breaker.failed(now, now);
            let minutes = (0..=60).find(|minutes| breaker.is_closed(now + *minutes * MINUTE));
            let minutes = minutes.expect("an hour is the longest");
            now += minutes * MINUTE;
            minutes_open.push(minutes);
        }
        assert_eq!(minutes_open[..10], [0, 0, 1, 2, 4, 8, 16, 32, 60, 60]);
        assert_eq!(minutes_open.last(), Some(&60));
    }

    #[test]
    fn lists_that_failed_at_one_time_failed_once() {
        let (mut breaker, asked) = (CircuitBreaker::default(), Instant::now());
        (0..10).for_each(|number| breaker.failed(asked + number * SECOND, asked + 20 * SECOND));
        assert!(breaker.is_closed(asked + 20 * SECOND));
        assert_eq!(breaker.failures, 1);
    }

    #[test]
    fn a_list_that_could_be_had_is_trusted_as_before() {
        let (mut breaker, start) = (CircuitBreaker::default(), Instant::now());
        (1..10).for_each(|second| breaker.failed(start + second * SECOND, start + second * SECOND));
        let now = start + 10 * SECOND;
        assert!(!breaker.is_closed(now));
        breaker.succeeded();
        breaker.failed(now, now);
        assert!(breaker.is_closed(now));
    }
}
