//! When the list of jobs is left alone: a circuit breaker, which opens after some failures for ever longer. Pure.

use std::time::Duration;

use tokio::time::Instant;

/// After so many failures in a row it opens.
const FAILURES: u32 = 3;

/// For how long it is open at first, and twice as long after each further failure; until then the jobs are asked about
/// one by one.
const FIRST: Duration = Duration::from_secs(60);
/// For how long it is open at most: lists may be had again.
const LONGEST: Duration = Duration::from_secs(60 * 60);

/// A list that could not be had.
#[derive(Debug, Clone, Copy)]
pub(in crate::client) struct ListFailure {
    pub(super) asked: Instant,
    pub(super) failed: Instant,
}

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

    /// The list has failed where a job could be asked about. Lists that failed at one time failed once.
    pub(super) fn failed(&mut self, failure: ListFailure) {
        let ListFailure { asked, failed } = failure;
        if self.last_failure.is_some_and(|last| asked <= last) {
            return;
        }
        self.last_failure = Some(failed);
        self.failures = self.failures.saturating_add(1);
        if let Some(further) = self.failures.checked_sub(FAILURES) {
            self.open_for(FIRST.saturating_mul(2_u32.saturating_pow(further)), failed);
        }
    }

    /// Leaves the list alone for so long, as the service may want it to be, but no longer than the longest.
    pub(super) fn open_for(&mut self, time: Duration, now: Instant) {
        self.open_until = self.open_until.max(Some(now + time.min(LONGEST)));
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

    fn failure(asked: Instant, failed: Instant) -> ListFailure {
        ListFailure { asked, failed }
    }

    #[test]
    fn a_list_that_goes_on_failing_is_asked_for_ever_more_rarely_but_at_least_hourly() {
        let (mut breaker, mut now, mut minutes_open) = (CircuitBreaker::default(), Instant::now(), Vec::new());
        for _ in 0..40 {
            now += SECOND;
            assert!(breaker.is_closed(now));
            breaker.failed(failure(now, now));
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
        (0..10).for_each(|number| breaker.failed(failure(asked + number * SECOND, asked + 20 * SECOND)));
        assert!(breaker.is_closed(asked + 20 * SECOND));
        assert_eq!(breaker.failures, 1);
    }

    #[test]
    fn a_list_that_could_be_had_is_trusted_as_before() {
        let (mut breaker, start) = (CircuitBreaker::default(), Instant::now());
        (1..10).for_each(|second| breaker.failed(failure(start + second * SECOND, start + second * SECOND)));
        let now = start + 10 * SECOND;
        assert!(!breaker.is_closed(now));
        breaker.succeeded();
        breaker.failed(failure(now, now));
        assert!(breaker.is_closed(now));
    }

    #[test]
    fn a_list_is_left_alone_for_as_long_as_the_service_wants_up_to_an_hour() {
        for (asked, minutes) in [(2 * MINUTE, 2), (Duration::MAX, 60)] {
            let (mut breaker, now) = (CircuitBreaker::default(), Instant::now());
            breaker.open_for(asked, now);
            assert!(!breaker.is_closed(now + minutes * MINUTE - SECOND));
            assert!(breaker.is_closed(now + minutes * MINUTE));
        }
    }
}
