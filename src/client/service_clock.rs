//! What time it is for the service: its answers say so in `Date`, and its clock may be another than this machine's.
//!
//! The clock of a service of one's own may be advanced, by its owner or by whoever waits: pauses between requests then
//! take as long as that does.

use std::sync::{Mutex, OnceLock};
use std::time::{Duration, SystemTime};

use tokio::sync::Notify;
use tokio::sync::futures::Notified;
use tokio::time::Instant;

use super::Client;
use super::records::record::micros;
use super::transport::Response;
use crate::lock::lock;

#[derive(Default)]
pub(super) struct ServiceClock {
    /// How far it is ahead of this machine's, in microseconds, by the last answer that told its time.
    ahead: Mutex<Option<i64>>,
    /// Advances it.
    advance: OnceLock<Advance>,
    /// When somebody advanced it last, and who waits for that.
    advanced_at: Mutex<Option<Instant>>,
    advanced: Notify,
}

type Advance = Box<dyn Fn(Duration) + Send + Sync>;

impl Client {
    /// From now on this client advances the service's clock where it would pause before it repeats a request.
    pub fn advance_instead_of_pausing(&self, advance: impl Fn(Duration) + Send + Sync + 'static) {
        let _ = self.0.clock.advance.set(Box::new(advance));
    }

    /// Waits until so much time has passed for the service.
    pub(super) async fn let_pass(&self, pause: Duration) {
        if !self.0.clock.pass(pause) {
            tokio::time::sleep(pause).await;
        }
    }

    /// The service's clock was advanced: pauses that the service had asked for are so much shorter, and jobs may
    /// have ended.
    pub fn clock_was_advanced(&self, by: Duration) {
        let now = Instant::now();
        self.0.pacer.passed(by, now);
        *lock(&self.0.clock.advanced_at) = Some(now);
        self.0.clock.advanced.notify_waiters();
    }
}

impl ServiceClock {
    /// Lets a pause pass by advancing the clock; `false` where time has to pass by itself.
    pub(super) fn pass(&self, pause: Duration) -> bool {
        let advance = self.advance.get();
        advance.inspect(|advance| advance(pause)).is_some()
    }

    /// Whether somebody advanced it since then.
    pub(super) fn was_advanced_since(&self, moment: Instant) -> bool {
        lock(&self.advanced_at).is_some_and(|advanced_at| advanced_at >= moment)
    }

    /// Ends when somebody advances it.
    pub(super) fn advanced(&self) -> Notified<'_> {
        self.advanced.notified()
    }

    /// Notices what an answer tells of the time.
    pub(super) fn learn(&self, answer: &Response) {
        let told = answer.header("date").and_then(|date| httpdate::parse_http_date(date).ok());
        if let Some(told) = told {
            let ahead = micros(told) - micros(SystemTime::now());
            *lock(&self.ahead) = Some(ahead);
        }
    }

    pub(super) fn ahead(&self) -> Option<i64> {
        *lock(&self.ahead)
    }

    /// The time of the service where it tells it, else this machine's.
    pub(super) fn now(&self) -> SystemTime {
        let (now, ahead) = (SystemTime::now(), self.ahead().unwrap_or_default());
        let by = Duration::from_micros(ahead.unsigned_abs());
        let there = if ahead < 0 { now.checked_sub(by) } else { now.checked_add(by) };
        there.unwrap_or(now)
    }
}
