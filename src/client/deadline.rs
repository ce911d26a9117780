//! A moment on the monotonic clock by which something must have ended, or none.

use std::time::Duration;

use tokio::time::Instant;

/// Never the wall clock: setting it a day back or forth changes no deadline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Deadline(Option<Instant>);

impl Deadline {
    /// `None` and durations beyond what the clock can say mean never.
    pub(super) fn after(now: Instant, duration: Option<Duration>) -> Self {
        Self(duration.and_then(|duration| now.checked_add(duration)))
    }

    pub(super) fn moment(self) -> Option<Instant> {
        self.0
    }

    pub(super) fn allows(self, moment: Instant) -> bool {
        self.0.is_none_or(|deadline| moment <= deadline)
    }

    pub(super) fn is_over(self, now: Instant) -> bool {
        self.0.is_some_and(|deadline| now >= deadline)
    }

    /// `duration` from now on, cut where this deadline ends.
    pub(super) fn cut(self, now: Instant, duration: Duration) -> Duration {
        self.0.map_or(duration, |deadline| duration.min(deadline.saturating_duration_since(now)))
    }

    /// This deadline, or a short while from now if that is later.
    pub(super) fn or_at_least(self, now: Instant, allowance: Duration) -> Self {
        Self(self.0.map(|deadline| deadline.max(now + allowance)))
    }
}
