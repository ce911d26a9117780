//! When the next request of a client may go out: one pace for all its calls, whichever task or thread they come from.
//!
//! Requests that have to wait stand in one queue. What moves runs on comes first (starts and results), then what a
//! person waits for, then polls, which only tell how things are; among equals the first to come is the first to go.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use super::pace::Pace;
use crate::client::deadline::Deadline;
use crate::lock::lock;

/// What a request is for: the earlier ones here go out first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::client) enum Priority {
    /// Starts, results, cancelling, and the price of what was run.
    Work,
    /// Everything else that somebody called for.
    Call,
    /// How a job is.
    Poll,
}

#[derive(Debug)]
pub(in crate::client) struct Pacer(Mutex<Queue>);

#[derive(Debug)]
struct Queue {
    pace: Pace,
    waiting: BTreeMap<Place, Arc<Notify>>,
    /// Calls that have come so far.
    count: u64,
}

/// Priority, then order of coming.
type Place = (Priority, u64);

/// What one that waits has to do next.
enum Step {
    Go,
    /// It is the first, and this is its moment.
    At(Instant),
    /// It is called when it is the first.
    NotFirst,
}

impl Pacer {
    pub(in crate::client) fn new(requests_per_minute: Option<f64>, now: Instant) -> Self {
        let pace = Pace::new(requests_per_minute, now);
        Self(Mutex::new(Queue { pace, waiting: BTreeMap::new(), count: 0 }))
    }

    /// Waits for this request's turn. `Err` at once, with the time the turn would have taken, where it comes after the
    /// deadline; later where others that come first put it off so far.
    pub(in crate::client) async fn turn(&self, priority: Priority, deadline: Deadline) -> Result<(), Duration> {
        let waiting = self.enter(priority, deadline)?;
        loop {
            let now = Instant::now();
            let moment = match self.with(|queue| queue.step(waiting.place, now)) {
                Step::Go => return Ok(()),
                Step::At(moment) if deadline.allows(moment) => Some(moment),
                Step::At(moment) => return Err(moment - now),
                Step::NotFirst => None,
            };
            if deadline.is_over(now) {
                return Err(self.with(|queue| queue.turn_of(waiting.place, now)).saturating_duration_since(now));
            }
            let wake = moment.or(deadline.moment());
            tokio::select! {
                () = waiting.called.notified() => {}
                () = sleep_until(wake.unwrap_or(now)), if wake.is_some() => {}
            }
        }
    }

    /// See [`Pace::throttled`].
    pub(in crate::client) fn throttled(&self, pause: Duration, asked: Option<Duration>) {
        self.with(|queue| queue.pace.throttled(Instant::now(), pause, asked));
    }

    /// So much time has passed for the service beside that of this machine.
    pub(in crate::client) fn passed(&self, by: Duration, now: Instant) {
        self.with(|queue| {
            queue.pace.passed(by, now);
            queue.call_first();
        });
    }

    pub(in crate::client) fn succeeded(&self) {
        self.with(|queue| queue.pace.succeeded());
    }

    fn enter(&self, priority: Priority, deadline: Deadline) -> Result<Waiting<'_>, Duration> {
        let now = Instant::now();
        self.with(|queue| {
            let place = (priority, queue.count);
            let turn = queue.turn_of(place, now);
            if !deadline.allows(turn) {
                return Err(turn.saturating_duration_since(now));
            }
            queue.count += 1;
            let called = Arc::new(Notify::new());
            queue.waiting.insert(place, Arc::clone(&called));
            Ok(Waiting { pacer: self, place, called })
        })
    }

    fn with<T>(&self, act: impl FnOnce(&mut Queue) -> T) -> T {
        act(&mut lock(&self.0))
    }
}

impl Queue {
    fn step(&mut self, place: Place, now: Instant) -> Step {
        if self.waiting.first_key_value().is_some_and(|(first, _)| *first != place) {
            return Step::NotFirst;
        }
        match self.pace.moment(now, 0) {
            moment if moment > now => Step::At(moment),
            moment => {
                self.pace.take(moment);
                Step::Go
            }
        }
    }

    /// When this place's turn comes if nobody comes who goes first.
    fn turn_of(&self, place: Place, now: Instant) -> Instant {
        self.pace.moment(now, self.waiting.range(..place).count())
    }

    fn call_first(&self) {
        if let Some((_, first)) = self.waiting.first_key_value() {
            first.notify_one();
        }
    }
}

/// A place in the queue; given up, or used, the next is called.
struct Waiting<'a> {
    pacer: &'a Pacer,
    place: Place,
    called: Arc<Notify>,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.pacer.with(|queue| {
            queue.waiting.remove(&self.place);
            queue.call_first();
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn never() -> Deadline {
        Deadline::after(Instant::now(), None)
    }

    fn within(seconds: u64) -> Deadline {
        Deadline::after(Instant::now(), Some(Duration::from_secs(seconds)))
    }

    #[tokio::test(start_paused = true)]
    async fn a_turn_after_the_deadline_is_refused_at_once_and_takes_no_place() {
        let pacer = Pacer::new(None, Instant::now());
        pacer.throttled(Duration::from_secs(30), None);
        assert_eq!(pacer.turn(Priority::Work, within(1)).await, Err(Duration::from_secs(30)));
        let before = Instant::now();
        pacer.turn(Priority::Work, never()).await.unwrap();
        assert_eq!(before.elapsed(), Duration::from_secs(30));
    }

    #[tokio::test(start_paused = true)]
    async fn what_moves_runs_on_goes_before_calls_and_calls_before_polls() {
        let pacer = Arc::new(Pacer::new(Some(1.0), Instant::now()));
        pacer.turn(Priority::Poll, never()).await.unwrap();
        let order = Arc::new(Mutex::new(Vec::new()));
        let mut tasks = tokio::task::JoinSet::new();
        for (name, priority) in [
            ("poll 1", Priority::Poll),
            ("call", Priority::Call),
            ("work 1", Priority::Work),
            ("poll 2", Priority::Poll),
        ]
        .into_iter()
        .chain([("work 2", Priority::Work)])
        {
            let (pacer, order) = (Arc::clone(&pacer), Arc::clone(&order));
            tasks.spawn(async move {
                pacer.turn(priority, never()).await.unwrap();
                order.lock().unwrap().push(name);
            });
            tokio::task::yield_now().await;
        }
        tasks.join_all().await;
        assert_eq!(*order.lock().unwrap(), ["work 1", "work 2", "call", "poll 1", "poll 2"]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_pause_is_over_as_soon_as_the_time_has_passed_for_the_service() {
        let pacer = Pacer::new(None, Instant::now());
        let begun = Instant::now();
        pacer.throttled(Duration::from_secs(3600), None);
        let mut turn = Box::pin(pacer.turn(Priority::Work, never()));
        assert!(tokio::time::timeout(Duration::ZERO, &mut turn).await.is_err());
        pacer.passed(Duration::from_secs(3599), begun);
        assert!(tokio::time::timeout(Duration::ZERO, &mut turn).await.is_err());
        turn.await.unwrap();
        assert_eq!(begun.elapsed(), Duration::from_secs(1));
    }

    #[tokio::test(start_paused = true)]
    async fn one_that_is_put_off_beyond_its_deadline_is_told_and_one_that_leaves_holds_up_nobody() {
        let pacer = Arc::new(Pacer::new(Some(1.0), Instant::now()));
        pacer.turn(Priority::Work, never()).await.unwrap();
        let poll = tokio::spawn({
            let pacer = Arc::clone(&pacer);
            async move { pacer.turn(Priority::Poll, within(70)).await }
        });
        tokio::task::yield_now().await;
        let mut first = Box::pin(pacer.turn(Priority::Work, never()));
        let second = tokio::spawn({
            let pacer = Arc::clone(&pacer);
            async move { pacer.turn(Priority::Work, never()).await }
        });
        assert!(tokio::time::timeout(Duration::ZERO, &mut first).await.is_err());
        tokio::task::yield_now().await;
        assert!(poll.await.unwrap().is_err());
        let before = Instant::now();
        drop(first);
        second.await.unwrap().unwrap();
        assert!(before.elapsed() < Duration::from_secs(60));
    }
}
