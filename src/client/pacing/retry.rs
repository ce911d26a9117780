//! Whether and when a failed request is repeated. Pure: no clock, and randomness is passed in.

use std::time::Duration;

/// How often and how patiently failed requests are repeated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RetryPolicy {
    /// Attempts in all, the first included. Default 5.
    pub attempts: u32,
    /// The same of a request for rows, which were paid for. Default 8: the pauses then take half a minute at most, and
    /// a quarter mostly, which is as long as a service takes to start anew.
    pub attempts_for_rows: u32,
    /// The most the first pause may last. Default 0.25 s; each further pause may last twice as long.
    pub base: Duration,
    /// The most any pause may last. Default 20 s.
    pub longest: Duration,
    /// The longest `Retry-After` that is honoured; a longer one is reported at once. Default 120 s.
    pub longest_retry_after: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            attempts: 5,
            attempts_for_rows: 8,
            base: Duration::from_millis(250),
            longest: Duration::from_secs(20),
            longest_retry_after: Duration::from_secs(120),
        }
    }
}

impl RetryPolicy {
    /// The pause before repeat number `repeat` (from 0): anything between nothing and the exponential bound, so that
    /// clients that failed together do not come back together ("full jitter").
    pub(in crate::client) fn backoff(&self, repeat: u32, rng: &mut fastrand::Rng) -> Duration {
        let bound = self.base.saturating_mul(2_u32.saturating_pow(repeat)).min(self.longest);
        bound.mul_f64(rng.f64())
    }
}

/// What a failure says about being repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::client) enum Retry {
    /// It would fail the same way, or must not be repeated.
    Never,
    /// Once may have been an accident: a garbled answer.
    Once,
    /// The same, and without a content encoding: it may have been that which was garbled, or made a bomb of rows that
    /// are much alike.
    OnceUncompressed,
    /// After a pause that grows.
    Backoff,
    /// The service asked for a pause, and said how long if this holds something.
    Throttled(Option<Duration>),
}

/// The attempts of one request so far.
#[derive(Debug, Default)]
pub(in crate::client) struct Attempts {
    are_for_rows: bool,
    failures: u32,
    throttles: u32,
    garbled: bool,
}

/// A service may throttle more often than it may fail: it is alive and says when to come back.
const THROTTLES_PER_ATTEMPT: u32 = 2;

impl Attempts {
    /// Those of a request for rows, which were paid for.
    pub(in crate::client) fn for_rows() -> Self {
        Self { are_for_rows: true, ..Self::default() }
    }

    /// The pause before the next attempt, or `None` if there is to be none.
    pub(in crate::client) fn next(
        &mut self,
        policy: &RetryPolicy,
        retry: Retry,
        rng: &mut fastrand::Rng,
    ) -> Option<Duration> {
        let attempts = if self.are_for_rows { policy.attempts_for_rows } else { policy.attempts };
        match retry {
            Retry::Never => None,
            Retry::Once | Retry::OnceUncompressed if self.garbled => None,
            Retry::Once | Retry::OnceUncompressed | Retry::Backoff => {
                self.garbled |= retry != Retry::Backoff;
                self.failures += 1;
                (self.failures < attempts).then(|| policy.backoff(self.failures - 1, rng))
            }
            Retry::Throttled(asked) => {
                self.throttles += 1;
                let jitter = policy.backoff(self.throttles - 1, rng);
                let pause = asked.map_or(jitter, |asked| asked.max(jitter.min(policy.base)));
                let is_allowed = self.throttles < attempts.saturating_mul(THROTTLES_PER_ATTEMPT)
                    && asked.is_none_or(|asked| asked <= policy.longest_retry_after);
                is_allowed.then_some(pause)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pauses_lie_anywhere_below_a_bound_that_doubles_up_to_the_longest() {
        let policy = RetryPolicy::default();
        let mut rng = fastrand::Rng::with_seed(7);
        for (repeat, bound) in [(0, 0.25), (1, 0.5), (3, 2.0), (10, 20.0), (u32::MAX, 20.0)] {
            let pauses: Vec<f64> = (0..200).map(|_| policy.backoff(repeat, &mut rng).as_secs_f64()).collect();
            assert!(pauses.iter().all(|pause| (0.0..=bound).contains(pause)));
            assert!(pauses.iter().any(|pause| *pause < bound / 4.0) && pauses.iter().any(|pause| *pause > bound / 2.0));
        }
    }

    #[test]
    fn a_failure_is_repeated_until_the_attempts_are_spent_and_a_garbled_answer_once() {
        let (policy, mut rng) = (RetryPolicy::default(), fastrand::Rng::with_seed(1));
        let mut count = |retry: Retry| {
            let mut attempts = Attempts::default();
            (0..100).take_while(|_| attempts.next(&policy, retry, &mut rng).is_some()).count()
        };
        assert_eq!(count(Retry::Backoff), 4);
        assert_eq!(count(Retry::Once), 1);
        assert_eq!(count(Retry::OnceUncompressed), 1);
        assert_eq!(count(Retry::Never), 0);
        assert_eq!(count(Retry::Throttled(Some(Duration::ZERO))), 9);
    }

    #[test]
    fn a_request_for_rows_may_fail_for_as_long_as_a_service_takes_to_start_anew() {
        let (policy, mut rng) = (RetryPolicy::default(), fastrand::Rng::with_seed(1));
        let mut attempts = Attempts::for_rows();
        let pauses: Vec<Duration> = std::iter::from_fn(|| attempts.next(&policy, Retry::Backoff, &mut rng)).collect();
        assert_eq!(pauses.len(), 7);
        let most: Duration = (0..7).map(|repeat| policy.base * 2_u32.pow(repeat)).sum();
        assert!(most > Duration::from_secs(30) && pauses.iter().sum::<Duration>() < most);
    }

    #[test]
    fn a_pause_that_was_asked_for_is_kept_and_one_beyond_two_minutes_is_not_waited_for() {
        let (policy, mut rng) = (RetryPolicy::default(), fastrand::Rng::with_seed(1));
        let mut next = |secs: u64| {
            let asked = Retry::Throttled(Some(Duration::from_secs(secs)));
            Attempts::default().next(&policy, asked, &mut rng)
        };
        assert_eq!(next(120), Some(Duration::from_mins(2)));
        assert_eq!(next(121), None);
        assert!(next(0).is_some_and(|pause| pause <= policy.base));
    }
}
