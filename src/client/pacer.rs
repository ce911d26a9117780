//! When the next request of a client may go out: one pace for all its calls, whichever task or thread they come from.
//!
//! With a known limit, a short burst is free and the rest is spread so that no minute holds more than the limit. Without
//! one, requests go at once until the service throttles; then the whole client pauses as asked, comes back at a distance
//! that doubles with every refusal, and closes up again with every success.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::deadline::Deadline;

#[derive(Debug)]
pub(super) struct Pacer(Mutex<Pace>);

impl Pacer {
    pub(super) fn new(requests_per_minute: Option<f64>, now: Instant) -> Self {
        Self(Mutex::new(Pace::new(requests_per_minute, now)))
    }

    /// Waits for this request's turn. `Err` at once, with the time the turn would have taken, where it comes after the deadline.
    pub(super) async fn turn(&self, deadline: Deadline) -> Result<(), Duration> {
        let now = Instant::now();
        let turn = self.with(|pace| pace.reserve(now, deadline));
        match turn {
            Ok(moment) if moment > now => tokio::time::sleep_until(moment).await,
            Ok(_) => {}
            Err(moment) => return Err(moment.saturating_duration_since(now)),
        }
        Ok(())
    }

    pub(super) fn throttled(&self, pause: Duration) {
        self.with(|pace| pace.throttled(Instant::now(), pause));
    }

    pub(super) fn succeeded(&self) {
        self.with(Pace::succeeded);
    }

    fn with<T>(&self, act: impl FnOnce(&mut Pace) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The pure part: moments in, moments out.
#[derive(Debug)]
struct Pace {
    /// The distance a known limit asks for, and how far ahead of it a burst may run.
    limit: Duration,
    burst: Duration,
    /// The distance learned from refusals.
    learned: Duration,
    /// When the next request would go out if all kept their distance.
    next: Instant,
    /// Nothing goes out before this: the service asked for a pause.
    pause_ends: Instant,
}

const FIRST_LEARNED: Duration = Duration::from_millis(50);
const LONGEST_LEARNED: Duration = Duration::from_secs(2);
const FORGOTTEN: Duration = Duration::from_millis(5);

impl Pace {
    fn new(requests_per_minute: Option<f64>, now: Instant) -> Self {
        let (limit, burst) = requests_per_minute.map_or((Duration::ZERO, Duration::ZERO), |rate| {
            // In any minute at most the burst plus what is spread over it goes out: a tenth and nine tenths.
            let at_once = (rate / 10.0).floor().max(1.0);
            let spread = if rate > 1.0 { rate - at_once } else { rate };
            let limit = Duration::try_from_secs_f64(60.0 / spread).unwrap_or(Duration::from_secs(3600));
            (limit, limit.mul_f64(at_once - 1.0))
        });
        Self { limit, burst, learned: Duration::ZERO, next: now, pause_ends: now }
    }

    fn reserve(&mut self, now: Instant, deadline: Deadline) -> Result<Instant, Instant> {
        let burst = if self.learned.is_zero() { self.burst } else { Duration::ZERO };
        let earliest = self.next.checked_sub(burst).unwrap_or(now);
        let moment = now.max(earliest).max(self.pause_ends);
        if !deadline.allows(moment) {
            return Err(moment);
        }
        self.next = self.next.max(moment) + self.limit.max(self.learned);
        Ok(moment)
    }

    fn throttled(&mut self, now: Instant, pause: Duration) {
        // Requests that were under way together are refused together: that is one lesson, not many.
        if now >= self.pause_ends {
            self.learned = (self.learned * 2).clamp(FIRST_LEARNED, LONGEST_LEARNED);
        }
        self.pause_ends = self.pause_ends.max(now.checked_add(pause).unwrap_or(now));
    }

    fn succeeded(&mut self) {
        self.learned -= self.learned / 16;
        if self.learned < FORGOTTEN {
            self.learned = Duration::ZERO;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn never() -> Deadline {
        Deadline::after(Instant::now(), None)
    }

    #[tokio::test(start_paused = true)]
    async fn no_minute_holds_more_than_the_limit_and_a_burst_is_free() {
        for rate in [1.0_f64, 2.0, 7.0, 60.0, 600.0] {
            let start = Instant::now();
            let mut pace = Pace::new(Some(rate), start);
            let moments: Vec<f64> =
                (0..2000).map(|_| (pace.reserve(start, never()).unwrap() - start).as_secs_f64()).collect();
            for (at, moment) in moments.iter().enumerate() {
                let within = moments[at..].iter().take_while(|later| **later < moment + 60.0 - 1e-6).count();
                assert!(within as f64 <= rate, "{within} in a minute at {rate}");
            }
            assert!(rate < 20.0 || moments[(rate / 10.0) as usize - 1] == 0.0);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn one_refusal_slows_the_whole_client_and_successes_bring_it_back() {
        let now = Instant::now();
        let mut pace = Pace::new(None, now);
        assert_eq!(pace.reserve(now, never()), Ok(now));
        let pause = Duration::from_secs(3);
        (0..50).for_each(|_| pace.throttled(now, pause));
        assert_eq!(pace.reserve(now, never()), Ok(now + pause));
        assert_eq!(pace.reserve(now, never()), Ok(now + pause + FIRST_LEARNED));
        (0..60).for_each(|_| pace.succeeded());
        let later = now + Duration::from_secs(10);
        assert_eq!(pace.reserve(later, never()), Ok(later));
        assert_eq!(pace.reserve(later, never()), Ok(later));
    }

    #[tokio::test(start_paused = true)]
    async fn a_turn_after_the_deadline_is_refused_at_once_and_takes_no_place() {
        let pacer = Pacer::new(None, Instant::now());
        pacer.throttled(Duration::from_secs(30));
        let soon = Deadline::after(Instant::now(), Some(Duration::from_secs(1)));
        assert_eq!(pacer.turn(soon).await, Err(Duration::from_secs(30)));
        let before = Instant::now();
        pacer.turn(never()).await.unwrap();
        assert_eq!(before.elapsed(), Duration::from_secs(30));
    }
}
