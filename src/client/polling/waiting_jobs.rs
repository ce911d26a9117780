//! The jobs that a client's calls wait for together, so that one request can tell how all of them are.
//!
//! Whoever is due first asks the service for its list of jobs and hands every other wait what the list says of its job;
//! a wait that hears is not due for a while. Whether the service has such a list is learned by asking. A lone job,
//! and one that a list does not hold, is asked about by itself.
//!
//! When a list fails, the wait that asked for it asks about its own job alone, and the others hold back. If that is
//! answered, the list alone is at fault, and the circuit breaker counts it; if not, the service is down.
//!
//! Absent: a task of its own. The waits do the asking, and one that is dropped while it asks leaves it to the next.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Map, Value};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use super::circuit_breaker::{CircuitBreaker, ListFailure};
use crate::client::Client;
use crate::client::call::Call;
use crate::client::deadline::Deadline;
use crate::client::error::Error;
use crate::client::error_kind::{ErrorKind, Outcome};
use crate::client::job_list::COMMON_LENGTH;
use crate::lock::lock;
use crate::wire::JobId;

/// What a wait learns from a list of jobs, its own or another's.
pub(in crate::client) enum Update {
    /// The job's record, as the list holds it.
    Record(Map<String, Value>),
    /// The list does not hold the job, or none is to be had: it is asked about alone.
    AskAlone,
    /// Another wait has asked for the list in vain, and is finding out why.
    ListFailedElsewhere,
    /// This wait has asked for the list in vain: to ask about its job alone tells whether the service is down.
    ListFailed(ListFailure),
}

/// A job that so many lists in a row did not hold is not looked for in lists any more: it is older than they reach.
const MISSES: u8 = 3;

/// A list that took so long is to blame if a wait was over before it came.
const ENOUGH: Duration = Duration::from_secs(1);

/// Jobs asked for in one list: twice those waited for, since others may have ended meanwhile or been started with the
/// same key.
const MOST_LISTED: usize = 1000;

#[derive(Debug)]
pub(in crate::client) struct WaitingJobs {
    state: Mutex<State>,
    /// Held by whoever asks for the list.
    asking: tokio::sync::Mutex<()>,
}

#[derive(Debug)]
struct State {
    subscribers: HashMap<u64, Arc<Subscriber>>,
    last_number: u64,
    /// The longest list the service may be asked for; 0 once it is known to have none.
    longest: usize,
    breaker: CircuitBreaker,
}

struct Subscriber {
    job: JobId,
    update: Mutex<Option<Update>>,
    arrived: Notify,
    misses: AtomicU8,
}

/// By which one wait hears of its job, until it is dropped.
pub(in crate::client) struct Subscription<'a> {
    waiting_jobs: &'a WaitingJobs,
    number: u64,
    subscriber: Arc<Subscriber>,
}

impl WaitingJobs {
    pub(in crate::client) fn new() -> Self {
        let state = State {
            subscribers: HashMap::new(),
            last_number: 0,
            longest: MOST_LISTED,
            breaker: CircuitBreaker::default(),
        };
        Self { state: Mutex::new(state), asking: tokio::sync::Mutex::default() }
    }

    pub(in crate::client) fn subscribe(&self, job: &JobId) -> Subscription<'_> {
        let (update, arrived, misses) = (Mutex::default(), Notify::new(), AtomicU8::new(0));
        let subscriber = Arc::new(Subscriber { job: job.clone(), update, arrived, misses });
        let number = self.with(|state| {
            state.last_number += 1;
            state.subscribers.insert(state.last_number, Arc::clone(&subscriber));
            state.last_number
        });
        Subscription { waiting_jobs: self, number, subscriber }
    }

    /// The jobs that are waited for, in the order in which the waits began; none while another thread has them locked,
    /// so that looking at a client never blocks.
    pub(in crate::client) fn jobs(&self) -> Vec<JobId> {
        let Ok(state) = self.state.try_lock() else { return Vec::new() };
        let mut subscribers: Vec<_> =
            state.subscribers.iter().map(|(number, subscriber)| (*number, subscriber.job.clone())).collect();
        subscribers.sort_unstable_by_key(|(number, _)| *number);
        subscribers.into_iter().map(|(_, job)| job).collect()
    }

    /// How long a list to ask for; `None` where none is to be had just now, or nobody else would gain by it.
    fn length(&self) -> Option<usize> {
        self.with(|state| {
            let in_lists = state.subscribers.values().filter(|subscriber| subscriber.is_in_lists()).count();
            let length = (2 * in_lists).clamp(COMMON_LENGTH, MOST_LISTED).min(state.longest);
            (in_lists > 1 && length > 0 && state.breaker.is_closed(Instant::now())).then_some(length)
        })
    }

    /// Hands each wait what the list says of its job.
    fn publish(&self, jobs: Vec<Map<String, Value>>) {
        let id = |job: &Map<String, Value>| {
            let id = job.get("job_id").filter(|id| id.is_string()).or_else(|| job.get("id"));
            id.and_then(Value::as_str).map(str::to_owned)
        };
        let jobs: HashMap<String, Map<String, Value>> =
            jobs.into_iter().filter_map(|job| Some((id(&job)?, job))).collect();
        self.with(|state| {
            state.breaker.succeeded();
            for subscriber in state.subscribers.values() {
                if let Some(job) = jobs.get(subscriber.job.as_str()) {
                    subscriber.misses.store(0, Ordering::Relaxed);
                    subscriber.put(Update::Record(job.clone()));
                } else {
                    subscriber.misses.fetch_add(1, Ordering::Relaxed);
                    subscriber.put(Update::AskAlone);
                }
            }
        });
    }

    /// Tells the other waits that the list could not be had.
    fn publish_failure(&self, except: u64) {
        self.with(|state| {
            state
                .subscribers
                .iter()
                .filter(|(number, _)| **number != except)
                .for_each(|(_, subscriber)| subscriber.put(Update::ListFailedElsewhere));
        });
    }

    /// The list has failed where a job could be asked about.
    pub(in crate::client) fn only_the_list_failed(&self, failure: ListFailure) {
        self.with(|state| state.breaker.failed(failure));
    }

    /// The service refused a list of this length: shorter ones may be had, or none at all.
    fn limit_length(&self, length: usize, status: Option<u16>) {
        let too_long = matches!(status, Some(400 | 422)) && length > COMMON_LENGTH;
        self.with(|state| state.longest = state.longest.min(if too_long { COMMON_LENGTH } else { 0 }));
    }

    fn with<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        act(&mut lock(&self.state))
    }
}

impl Client {
    /// How the job of this subscription is, if one list can tell that and more. The others hear of it, too.
    pub(in crate::client) async fn poll_together(
        &self,
        call: &Call,
        subscription: &Subscription<'_>,
    ) -> Result<Update, Error> {
        let waiting = &self.0.waiting_jobs;
        if !subscription.subscriber.is_in_lists() || waiting.length().is_none() {
            return Ok(Update::AskAlone);
        }
        let _asking = tokio::select! {
            biased;
            update = subscription.update() => return Ok(update),
            asking = waiting.asking.lock() => asking,
            () = over(call.deadline) => return Ok(Update::AskAlone),
        };
        // The one that asked before may have heard just now, or learned that there is no list.
        if let Some(update) = subscription.subscriber.take() {
            return Ok(update);
        }
        let Some(length) = waiting.length() else { return Ok(Update::AskAlone) };
        let asked = Instant::now();
        if call.deadline.is_over(asked) {
            return Ok(Update::AskAlone);
        }
        match self.poll_jobs(call, length).await {
            Ok(jobs) => waiting.publish(jobs),
            // What puts this off puts off every other request as well.
            Err(error) if error.status_code() == Some(429) => return Err(error),
            Err(error) if error.is_put_off() => return Ok(Update::AskAlone),
            Err(error) if error.is_temporary() || is_unreadable(&error) => {
                let failed = Instant::now();
                if call.deadline.is_over(failed) {
                    // A deadline is this call's own affair, but for a list that had time enough.
                    let failure = ListFailure { asked, failed };
                    return Ok(if failed - asked < ENOUGH { Update::AskAlone } else { Update::ListFailed(failure) });
                }
                if let Some(pause) = error.retry_after() {
                    let pause = pause.min(self.config().retry.longest_retry_after);
                    waiting.with(|state| state.breaker.open_for(pause, failed));
                }
                waiting.publish_failure(subscription.number);
                return Ok(Update::ListFailed(ListFailure { asked, failed }));
            }
            Err(error) => waiting.limit_length(length, error.status_code()),
        }
        Ok(subscription.subscriber.take().unwrap_or(Update::AskAlone))
    }
}

impl Subscription<'_> {
    /// Waits until a moment, or until there is an update on the job.
    pub(in crate::client) async fn until(&self, moment: Instant) -> Option<Update> {
        loop {
            tokio::select! {
                biased;
                update = self.update() => match update {
                    // The list of somebody else does not hold the job; it is asked about when it is due.
                    Update::AskAlone => {}
                    update => return Some(update),
                },
                () = sleep_until(moment) => return None,
            }
        }
    }

    async fn update(&self) -> Update {
        loop {
            // A permit is kept for one who comes late, so nothing is missed between the look and the wait.
            let arrived = self.subscriber.arrived.notified();
            if let Some(update) = self.subscriber.take() {
                return update;
            }
            arrived.await;
        }
    }
}

impl Drop for Subscription<'_> {
    fn drop(&mut self) {
        self.waiting_jobs.with(|state| state.subscribers.remove(&self.number));
    }
}

impl Subscriber {
    fn put(&self, update: Update) {
        *lock(&self.update) = Some(update);
        self.arrived.notify_one();
    }

    fn take(&self) -> Option<Update> {
        lock(&self.update).take()
    }

    fn is_in_lists(&self) -> bool {
        self.misses.load(Ordering::Relaxed) < MISSES
    }
}

impl std::fmt::Debug for Subscriber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Subscriber").field("job", &self.job).finish_non_exhaustive()
    }
}

/// Whether there was an answer that is no list, and no redirect either: the next may be one.
fn is_unreadable(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::BadResponse) && error.outcome() != Outcome::Rejected
}

async fn over(deadline: Deadline) {
    match deadline.moment() {
        Some(moment) => sleep_until(moment).await,
        None => std::future::pending().await,
    }
}
