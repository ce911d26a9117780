//! The jobs that a client's calls wait for together, so that one request can tell how all of them are.
//!
//! Whoever is due first asks the service for its list of jobs and hands every other wait what the list says of its job;
//! a wait that hears is not due for a while. Whether the service has such a list is learned by asking. A lone job,
//! and one that a list does not hold, is asked about by itself.
//!
//! Absent: a task of its own. The waits do the asking, and one that is dropped while it asks leaves it to the next.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Map, Value};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use super::respite::Respite;
use crate::client::Client;
use crate::client::call::Call;
use crate::client::deadline::Deadline;
use crate::client::error::Error;
use crate::client::error_kind::{ErrorKind, Outcome};
use crate::client::job_list::COMMON_LENGTH;
use crate::lock::lock;
use crate::wire::JobId;

/// What a wait hears of its job without having asked.
pub(in crate::client) enum News {
    /// The job's record, as the list holds it.
    Record(Map<String, Value>),
    /// The list does not hold the job, or none is to be had: it is asked about alone.
    Alone,
    /// Somebody else could not have the list just now.
    Failed,
    /// The list that was asked for then could not be had, and others wait for what is found out by asking about the job
    /// alone.
    Failing(Instant),
}

/// A job that so many lists in a row did not hold is not looked for in lists any more: it is older than they reach.
const MISSES: u8 = 3;

/// Jobs asked for in one list: twice those waited for, since others may have ended meanwhile or been started with the
/// same key.
const MOST_LISTED: usize = 1000;

#[derive(Debug)]
pub(in crate::client) struct Watch {
    board: Mutex<Board>,
    /// Held by whoever asks for the list.
    asking: tokio::sync::Mutex<()>,
}

#[derive(Debug)]
struct Board {
    seats: HashMap<u64, Arc<Inbox>>,
    count: u64,
    /// The longest list the service may be asked for; 0 once it is known to have none.
    longest: usize,
    respite: Respite,
}

struct Inbox {
    job: JobId,
    news: Mutex<Option<News>>,
    arrived: Notify,
    misses: AtomicU8,
}

/// The place of one wait; given up when it is dropped.
pub(in crate::client) struct Seat<'a> {
    watch: &'a Watch,
    number: u64,
    inbox: Arc<Inbox>,
}

impl Watch {
    pub(in crate::client) fn new() -> Self {
        let board = Board { seats: HashMap::new(), count: 0, longest: MOST_LISTED, respite: Respite::default() };
        Self { board: Mutex::new(board), asking: tokio::sync::Mutex::default() }
    }

    pub(in crate::client) fn join(&self, job: &JobId) -> Seat<'_> {
        let (news, arrived, misses) = (Mutex::default(), Notify::new(), AtomicU8::new(0));
        let inbox = Arc::new(Inbox { job: job.clone(), news, arrived, misses });
        let number = self.with(|board| {
            board.count += 1;
            board.seats.insert(board.count, Arc::clone(&inbox));
            board.count
        });
        Seat { watch: self, number, inbox }
    }

    /// The jobs that are waited for, in the order in which the waits began; none while another thread is at the board,
    /// so that looking at a client never blocks.
    pub(in crate::client) fn jobs(&self) -> Vec<JobId> {
        let Ok(board) = self.board.try_lock() else { return Vec::new() };
        let mut seats: Vec<_> = board.seats.iter().map(|(number, inbox)| (*number, inbox.job.clone())).collect();
        seats.sort_unstable_by_key(|(number, _)| *number);
        seats.into_iter().map(|(_, job)| job).collect()
    }

    /// How long a list to ask for; `None` where none is to be had just now, or nobody else would gain by it.
    fn length(&self) -> Option<usize> {
        self.with(|board| {
            let in_lists = board.seats.values().filter(|inbox| inbox.is_in_lists()).count();
            let length = (2 * in_lists).clamp(COMMON_LENGTH, MOST_LISTED).min(board.longest);
            (in_lists > 1 && length > 0 && board.respite.is_over(Instant::now())).then_some(length)
        })
    }

    /// Hands each wait what the list says of its job.
    fn hand_out(&self, jobs: Vec<Map<String, Value>>) {
        let id = |job: &Map<String, Value>| {
            let id = job.get("job_id").filter(|id| id.is_string()).or_else(|| job.get("id"));
            id.and_then(Value::as_str).map(str::to_owned)
        };
        let jobs: HashMap<String, Map<String, Value>> =
            jobs.into_iter().filter_map(|job| Some((id(&job)?, job))).collect();
        self.with(|board| {
            board.respite.succeeded();
            for inbox in board.seats.values() {
                if let Some(job) = jobs.get(inbox.job.as_str()) {
                    inbox.misses.store(0, Ordering::Relaxed);
                    inbox.put(News::Record(job.clone()));
                } else {
                    inbox.misses.fetch_add(1, Ordering::Relaxed);
                    inbox.put(News::Alone);
                }
            }
        });
    }

    /// Tells the other waits that the list could not be had.
    fn tell_others(&self, except: u64) {
        self.with(|board| {
            board.seats.iter().filter(|(number, _)| **number != except).for_each(|(_, inbox)| inbox.put(News::Failed));
        });
    }

    /// The list that was asked for then has failed where a job could be asked about.
    pub(in crate::client) fn failed_alone(&self, asked: Instant) {
        self.with(|board| board.respite.failed(asked, Instant::now()));
    }

    /// The service refused a list of this length: shorter ones may be had, or none at all.
    fn was_refused(&self, length: usize, status: Option<u16>) {
        let too_long = matches!(status, Some(400 | 422)) && length > COMMON_LENGTH;
        self.with(|board| board.longest = board.longest.min(if too_long { COMMON_LENGTH } else { 0 }));
    }

    fn with<T>(&self, act: impl FnOnce(&mut Board) -> T) -> T {
        act(&mut lock(&self.board))
    }
}

impl Client {
    /// How the job of this seat is, if one list can tell that and more. The others hear of it, too.
    pub(in crate::client) async fn ask_together(&self, call: &Call, seat: &Seat<'_>) -> Result<News, Error> {
        let watch = &self.0.watch;
        if !seat.inbox.is_in_lists() || watch.length().is_none() {
            return Ok(News::Alone);
        }
        let _asking = tokio::select! {
            biased;
            news = seat.news() => return Ok(news),
            asking = watch.asking.lock() => asking,
            () = over(call.deadline) => return Ok(News::Alone),
        };
        // The one that asked before may have heard just now, or learned that there is no list.
        if let Some(news) = seat.inbox.take() {
            return Ok(news);
        }
        let Some(length) = watch.length() else { return Ok(News::Alone) };
        let asked = Instant::now();
        match self.poll_jobs(call, length).await {
            Ok(jobs) => watch.hand_out(jobs),
            // What puts this off puts off every other request as well.
            Err(error) if error.status_code() == Some(429) || error.is_put_off() => return Err(error),
            Err(error) if error.is_temporary() || is_unreadable(&error) => {
                // A deadline is this call's own affair.
                if !call.deadline.is_over(Instant::now()) {
                    watch.tell_others(seat.number);
                }
                return Ok(News::Failing(asked));
            }
            Err(error) => watch.was_refused(length, error.status_code()),
        }
        Ok(seat.inbox.take().unwrap_or(News::Alone))
    }
}

impl Seat<'_> {
    /// Waits until a moment, or until there is news of the job.
    pub(in crate::client) async fn until(&self, moment: Instant) -> Option<News> {
        loop {
            tokio::select! {
                biased;
                news = self.news() => match news {
                    // The list of somebody else does not hold the job; it is asked about when it is due.
                    News::Alone => {}
                    news => return Some(news),
                },
                () = sleep_until(moment) => return None,
            }
        }
    }

    async fn news(&self) -> News {
        loop {
            // A permit is kept for one who comes late, so nothing is missed between the look and the wait.
            let arrived = self.inbox.arrived.notified();
            if let Some(news) = self.inbox.take() {
                return news;
            }
            arrived.await;
        }
    }
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        self.watch.with(|board| board.seats.remove(&self.number));
    }
}

impl Inbox {
    fn put(&self, news: News) {
        *lock(&self.news) = Some(news);
        self.arrived.notify_one();
    }

    fn take(&self) -> Option<News> {
        lock(&self.news).take()
    }

    fn is_in_lists(&self) -> bool {
        self.misses.load(Ordering::Relaxed) < MISSES
    }
}

impl std::fmt::Debug for Inbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Inbox").field("job", &self.job).finish_non_exhaustive()
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
