//! What time it is for the service: its answers say so in `Date`, and its clock may be another than this machine's.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use super::memory::record::micros;
use super::transport::Answer;

/// How far the service's clock is ahead of this machine's, in microseconds, by the last answer that told its time.
#[derive(Debug, Default)]
pub(super) struct ServiceClock(Mutex<Option<i64>>);

impl ServiceClock {
    /// Notices what an answer tells of the time.
    pub(super) fn learn(&self, answer: &Answer) {
        let told = answer.header("date").and_then(|date| httpdate::parse_http_date(date).ok());
        if let Some(told) = told {
            let ahead = micros(told) - micros(SystemTime::now());
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(ahead);
        }
    }

    pub(super) fn ahead(&self) -> Option<i64> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The time of the service where it tells it, else this machine's.
    pub(super) fn now(&self) -> SystemTime {
        let (now, ahead) = (SystemTime::now(), self.ahead().unwrap_or_default());
        let by = Duration::from_micros(ahead.unsigned_abs());
        let there = if ahead < 0 { now.checked_sub(by) } else { now.checked_add(by) };
        there.unwrap_or(now)
    }
}
