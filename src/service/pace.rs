//! The request limit: no 60 seconds see more requests than it says, over all calls with the key.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::extras::Extra;
use super::response::Refusal;
use super::state::Shared;
use crate::lock::lock;

const WINDOW: Duration = Duration::from_secs(60);

/// Lets a request through, or says with 429 when to come again.
pub(super) async fn keep(State(state): State<Shared>, request: Request, next: Next) -> Response {
    let limit = state.pace.as_ref().filter(|_| state.has(Extra::RateLimit));
    let admitted = limit.map_or(Ok(()), |pace| pace.admit(state.clock.pacing()));
    match admitted {
        Ok(()) => next.run(request).await,
        Err(wait) => Refusal::too_many_requests(wait).into_response(),
    }
}

/// The times of the requests let through within the last 60 seconds.
#[derive(Debug)]
pub(super) struct Pace {
    limit: usize,
    admitted: Mutex<VecDeque<Duration>>,
}

impl Pace {
    pub(super) fn new(requests_per_minute: u32) -> Self {
        Self { limit: requests_per_minute as usize, admitted: Mutex::default() }
    }

    /// Admits a request at `now`, or says how long to wait. Requests that are refused do not count.
    fn admit(&self, now: Duration) -> Result<(), Duration> {
        let mut admitted = lock(&self.admitted);
        while admitted.front().is_some_and(|oldest| *oldest + WINDOW <= now) {
            admitted.pop_front();
        }
        match admitted.front() {
            Some(oldest) if admitted.len() >= self.limit => Err((*oldest + WINDOW).saturating_sub(now)),
            _ => {
                admitted.push_back(now);
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_sixty_seconds_see_more_than_the_limit() {
        let pace = Pace::new(2);
        let at = Duration::from_secs;
        assert!(pace.admit(at(0)).is_ok());
        assert!(pace.admit(at(50)).is_ok());
        assert_eq!(pace.admit(at(59)), Err(at(1)));
        assert!(pace.admit(at(60)).is_ok());
        assert_eq!(pace.admit(at(61)), Err(at(49)));
    }
}
