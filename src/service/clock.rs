//! What time it is for the service: the machine's, or one that a test advances.

use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp, Unit};
use tokio::sync::watch;

/// The instant at which instant and manual clocks begin, and around which made-up rows are dated: 2026-11-01T00:00:00Z.
pub(super) const EPOCH: Timestamp = Timestamp::constant(1_793_491_200, 0);

/// How time passes in a local service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ClockKind {
    /// As on the machine; jobs take 0.5 to 2 seconds.
    #[default]
    Real,
    /// Time stands still and jobs are completed as they start.
    Instant,
    /// Time moves by [`super::LocalService::advance`] only.
    Manual,
}

/// A clock that never runs backwards, whatever happens to the machine's.
#[derive(Debug)]
pub(super) struct Clock {
    kind: ClockKind,
    origin: Timestamp,
    started: Instant,
    /// How far it was advanced; whoever waits for a time hears of it.
    advanced: watch::Sender<Duration>,
}

impl Clock {
    /// A clock that has been advanced before, and that is past `latest` whatever became of the machine's.
    pub(super) fn resume(kind: ClockKind, advanced: Duration, latest: Option<Timestamp>) -> Self {
        let natural = if kind == ClockKind::Real { Timestamp::now() } else { EPOCH };
        let behind = latest.and_then(|latest| Duration::try_from(latest.duration_since(after(natural, advanced))).ok());
        let origin = after(natural, behind.unwrap_or_default());
        Self { kind, origin, started: Instant::now(), advanced: watch::Sender::new(advanced) }
    }

    pub(super) fn kind(&self) -> ClockKind {
        self.kind
    }

    /// Skips ahead; on a real clock on top of the time that passes by itself.
    pub(super) fn advance(&self, by: Duration) {
        self.advanced.send_modify(|advanced| *advanced = advanced.saturating_add(by));
    }

    /// The present, in whole milliseconds.
    pub(super) fn now(&self) -> Timestamp {
        let elapsed = match self.kind {
            ClockKind::Real => self.started.elapsed(),
            ClockKind::Instant | ClockKind::Manual => Duration::ZERO,
        };
        let now = after(self.origin, elapsed.saturating_add(self.advanced()));
        now.round(Unit::Millisecond).unwrap_or(now)
    }

    /// The present as the header `Date` has it.
    pub(super) fn http_date(&self) -> String {
        self.now().strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()
    }

    /// Time for counting requests. On an instant clock it passes as on the machine: a caller that is told to wait a
    /// while waits in real time, and would otherwise wait in vain.
    pub(super) fn pacing(&self) -> Duration {
        match self.kind {
            ClockKind::Real | ClockKind::Instant => self.started.elapsed().saturating_add(self.advanced()),
            ClockKind::Manual => self.advanced(),
        }
    }

    /// By how much it was advanced in all.
    pub(super) fn advanced(&self) -> Duration {
        *self.advanced.borrow()
    }

    /// Waits for a time as [`Clock::pacing`] tells it.
    pub(super) async fn reach(&self, until: Duration) {
        let mut advanced = self.advanced.subscribe();
        loop {
            let left = until.saturating_sub(self.pacing());
            if left.is_zero() {
                return;
            }
            let by_itself = match self.kind {
                ClockKind::Manual => None,
                ClockKind::Real | ClockKind::Instant => Some(left),
            };
            tokio::select! {
                () = elapsed(by_itself) => {}
                _ = advanced.changed() => {}
            }
        }
    }
}

async fn elapsed(real: Option<Duration>) {
    match real {
        Some(real) => tokio::time::sleep(real).await,
        None => std::future::pending().await,
    }
}

/// A later instant; the end of time where there is none so late.
pub(super) fn after(instant: Timestamp, duration: Duration) -> Timestamp {
    let duration = SignedDuration::try_from(duration).unwrap_or(SignedDuration::MAX);
    instant.checked_add(duration).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manual_clock_begins_at_the_epoch_and_moves_only_when_advanced() {
        let clock = Clock::resume(ClockKind::Manual, Duration::ZERO, None);
        assert_eq!(clock.now().to_string(), "2026-11-01T00:00:00Z");
        clock.advance(Duration::from_millis(1500));
        assert_eq!(clock.now().to_string(), "2026-11-01T00:00:01.5Z");
        clock.advance(Duration::MAX);
        assert_eq!(clock.now(), Timestamp::MAX);
    }

    #[test]
    fn a_clock_that_is_taken_up_again_goes_on_and_never_back() {
        let second = Duration::from_secs(1);
        let clock = Clock::resume(ClockKind::Manual, second, None);
        assert_eq!(clock.now(), after(EPOCH, second));
        let clock = Clock::resume(ClockKind::Manual, second, Some(after(EPOCH, second * 5)));
        assert_eq!(clock.now(), after(EPOCH, second * 5));
        let tomorrow = after(Timestamp::now(), second * 86_400);
        assert!(
            Clock::resume(ClockKind::Real, Duration::ZERO, Some(tomorrow)).now()
                >= tomorrow.round(Unit::Millisecond).unwrap()
        );
    }
}
