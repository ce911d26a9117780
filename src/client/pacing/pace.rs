//! How far apart requests go out. Pure: moments in, moments out.
//!
//! With a known limit, a short burst is free and the rest is spread so that no minute holds more than the limit: the
//! generic cell rate algorithm (GCRA), of which `next` is the theoretical arrival time and `burst` the tolerance.
//! Without one, requests go at once until the service throttles; then the whole client pauses as asked, comes back at
//! the distance at which the service had let requests through, or at that pause if it is shorter, though not at less
//! than 50 ms, and closes up again with every success. After a minute without any request all that was learned is
//! forgotten.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

#[derive(Debug)]
pub(in crate::client) struct Pace {
    /// The distance a known limit asks for, and how far ahead of it a burst may run.
    limit: Duration,
    burst: Duration,
    /// The distance learned from refusals: it doubles with each.
    learned: Duration,
    /// The mean distance of what the service had let through in the minute before it refused, but no more than the
    /// pause it asked for, after which it has room for another.
    observed: Duration,
    /// When the requests of the last minute went out.
    sent: VecDeque<Instant>,
    /// When the next request would go out if all kept their distance.
    next: Instant,
    /// Nothing goes out before this: the service asked for a pause.
    pause_ends: Instant,
}

const FIRST_LEARNED: Duration = Duration::from_millis(50);
const LONGEST_LEARNED: Duration = Duration::from_secs(2);
const FORGOTTEN: Duration = Duration::from_millis(5);

/// What limits are counted over.
const MINUTE: Duration = Duration::from_secs(60);

/// Fewer requests than this in a minute say nothing about its limit; more than that are not remembered.
const TELLING: usize = 10;
const REMEMBERED: usize = 6000;

impl Pace {
    pub(in crate::client) fn new(requests_per_minute: Option<f64>, now: Instant) -> Self {
        let (limit, burst) = requests_per_minute.map_or((Duration::ZERO, Duration::ZERO), |rate| {
            // In any minute at most the burst plus what is spread over it goes out: a tenth and nine tenths.
            let at_once = (rate / 10.0).floor().max(1.0);
            let spread = if rate > 1.0 { rate - at_once } else { rate };
            let limit = Duration::try_from_secs_f64(60.0 / spread).unwrap_or(Duration::from_secs(3600));
            (limit, limit.mul_f64(at_once - 1.0))
        });
        let (learned, observed) = (Duration::ZERO, Duration::ZERO);
        Self { limit, burst, learned, observed, sent: VecDeque::new(), next: now, pause_ends: now }
    }

    /// When a request that comes now goes out, behind so many others.
    pub(in crate::client) fn moment(&self, now: Instant, ahead: usize) -> Instant {
        let burst = if self.learned.is_zero() && self.observed.is_zero() { self.burst } else { Duration::ZERO };
        let early = |moment: Instant| moment.checked_sub(burst).unwrap_or(now);
        let first = now.max(early(self.next)).max(self.pause_ends);
        let behind = self.distance().saturating_mul(u32::try_from(ahead).unwrap_or(u32::MAX));
        first.max(early(self.next.max(first).checked_add(behind).unwrap_or(first)))
    }

    /// A request goes out at this moment.
    pub(in crate::client) fn take(&mut self, moment: Instant) {
        self.forget_if_quiet(moment);
        self.next = self.next.max(moment) + self.distance();
        while self.sent.len() >= REMEMBERED || self.sent.front().is_some_and(|sent| *sent + MINUTE <= moment) {
            self.sent.pop_front();
        }
        self.sent.push_back(moment);
    }

    /// Takes note of a refusal, after which nothing is to go out for `pause`; `asked` is what the service asked for.
    pub(in crate::client) fn throttled(&mut self, now: Instant, pause: Duration, asked: Option<Duration>) {
        // Requests that were under way together are refused together: that is one lesson, not many.
        if now >= self.pause_ends {
            self.learned = (self.learned * 2).clamp(FIRST_LEARNED, LONGEST_LEARNED);
            let within = self.sent.iter().filter(|sent| **sent + MINUTE > now).count();
            if within >= TELLING {
                // No pause at all says nothing of when there is room.
                let asked = asked.filter(|asked| !asked.is_zero());
                let longest = asked.map_or(LONGEST_LEARNED, |asked| asked.clamp(FIRST_LEARNED, LONGEST_LEARNED));
                self.observed = (MINUTE / u32::try_from(within).unwrap_or(u32::MAX)).min(longest);
            }
        }
        self.pause_ends = self.pause_ends.max(now.checked_add(pause).unwrap_or(now));
    }

    /// So much of the pause is over.
    pub(super) fn passed(&mut self, by: Duration, now: Instant) {
        self.pause_ends = self.pause_ends.checked_sub(by).unwrap_or(now);
    }

    pub(in crate::client) fn succeeded(&mut self) {
        self.learned -= self.learned / 16;
        // A limit that was seen is still there; it is tried again only slowly.
        self.observed -= self.observed / 256;
        for distance in [&mut self.learned, &mut self.observed] {
            if *distance < FORGOTTEN {
                *distance = Duration::ZERO;
            }
        }
    }

    /// Forgets what refusals have taught, where nothing has gone out for as long as limits are counted over.
    fn forget_if_quiet(&mut self, now: Instant) {
        let last = self.sent.back().copied().unwrap_or(now).max(self.pause_ends);
        if last + MINUTE <= now {
            (self.learned, self.observed) = (Duration::ZERO, Duration::ZERO);
        }
    }

    fn distance(&self) -> Duration {
        self.limit.max(self.learned).max(self.observed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reserve(pace: &mut Pace, now: Instant) -> Instant {
        let moment = pace.moment(now, 0);
        pace.take(moment);
        moment
    }

    #[tokio::test(start_paused = true)]
    async fn no_minute_holds_more_than_the_limit_and_a_burst_is_free() {
        for rate in [1.0_f64, 2.0, 7.0, 60.0, 600.0] {
            let start = Instant::now();
            let mut pace = Pace::new(Some(rate), start);
            let moments: Vec<f64> = (0..2000).map(|_| (reserve(&mut pace, start) - start).as_secs_f64()).collect();
            for (at, moment) in moments.iter().enumerate() {
                let within = moments[at..].iter().take_while(|later| **later < moment + 60.0 - 1e-6).count();
                assert!(within as f64 <= rate, "{within} in a minute at {rate}");
            }
            assert!(rate < 20.0 || moments[(rate / 10.0) as usize - 1] == 0.0);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_turn_is_foretold_as_it_then_comes() {
        let start = Instant::now();
        for rate in [None, Some(7.0), Some(60.0)] {
            let mut pace = Pace::new(rate, start);
            reserve(&mut pace, start);
            let foretold: Vec<Instant> = (0..50).map(|ahead| pace.moment(start, ahead)).collect();
            let came: Vec<Instant> = (0..50).map(|_| reserve(&mut pace, start)).collect();
            assert_eq!(foretold, came);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn one_refusal_slows_the_whole_client_and_successes_bring_it_back() {
        let now = Instant::now();
        let mut pace = Pace::new(None, now);
        assert_eq!(reserve(&mut pace, now), now);
        let pause = Duration::from_secs(3);
        (0..50).for_each(|_| pace.throttled(now, pause, Some(pause)));
        assert_eq!(reserve(&mut pace, now), now + pause);
        assert_eq!(reserve(&mut pace, now), now + pause + FIRST_LEARNED);
        (0..60).for_each(|_| pace.succeeded());
        let later = now + Duration::from_secs(10);
        assert_eq!(reserve(&mut pace, later), later);
        assert_eq!(reserve(&mut pace, later), later);
    }

    #[tokio::test(start_paused = true)]
    async fn requests_come_back_no_further_apart_than_the_pause_that_was_asked_for() {
        let now = Instant::now();
        // The last is longer than any pause that is kept, and the call gives up.
        let cases =
            [(500, Some(500), 500), (1, Some(1), 50), (0, Some(0), 2000), (500, None, 2000), (0, Some(600_000), 2000)];
        for (pause, asked, distance) in cases {
            let mut pace = Pace::new(None, now);
            for _ in 0..25 {
                reserve(&mut pace, now);
            }
            pace.throttled(now, Duration::from_millis(pause), asked.map(Duration::from_millis));
            let first = reserve(&mut pace, now);
            assert_eq!(reserve(&mut pace, now) - first, Duration::from_millis(distance), "{pause} {asked:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn after_a_minute_without_a_request_all_is_forgotten() {
        let now = Instant::now();
        let after_idling = |idle: Duration| {
            let mut pace = Pace::new(None, now);
            for _ in 0..60 {
                reserve(&mut pace, now);
            }
            pace.throttled(now, MINUTE, Some(MINUTE));
            let later = reserve(&mut pace, now + MINUTE) + idle;
            let first = reserve(&mut pace, later);
            reserve(&mut pace, first) - first
        };
        assert_eq!(after_idling(Duration::from_secs(59)), Duration::from_secs(1));
        assert_eq!(after_idling(MINUTE), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn a_refusal_after_sixty_requests_teaches_about_sixty_a_minute() {
        let now = Instant::now();
        let mut pace = Pace::new(None, now);
        for _ in 0..60 {
            reserve(&mut pace, now);
        }
        pace.throttled(now, MINUTE, Some(MINUTE));
        let after: Vec<Instant> = (0..60).map(|_| reserve(&mut pace, now)).collect();
        let (first, last) = (after[0] - now, after[59] - now);
        assert!(first == MINUTE && (118..=121).contains(&last.as_secs()), "{first:?} {last:?}");
    }
}
