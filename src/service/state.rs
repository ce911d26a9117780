//! Everything a local service knows: its book of jobs and money under one lock, its clock and its log.
//!
//! Time is looked at when somebody asks. Before each look, all jobs that completed since the last one are charged, in
//! the order in which they completed, so that no answer ever shows a completed job that is not paid for.

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use jiff::Timestamp;
use rust_decimal::Decimal;
use serde_json::{Map, Value};
use tokio::sync::Notify;

use super::billing::cost;
use super::book::{Book, NotKept, NotStarted};
use super::clock::{Clock, ClockKind};
use super::config::ServiceConfig;
use super::extras::{Extra, Extras};
use super::faults::{FaultPlan, Outcome};
use super::job::{Fate, Job, Origin, Phase, Stop, Times};
use super::journal::LogForm;
use super::log::RequestLog;
use super::offer::{Offer, Offers};
use super::own::{Crew, Feed, OwnAgent, Task};
use super::pace::Pace;
use super::samples::{self, Chance, Plan};
use super::store::{Saved, Store, StoreError};
use crate::lock::lock;

pub(super) type Shared = Arc<State>;

#[derive(Debug)]
pub(super) struct State {
    pub(super) address: SocketAddr,
    pub(super) clock: Clock,
    pub(super) pace: Option<Pace>,
    pub(super) log: Log,
    pub(super) faults: FaultPlan,
    pub(super) names: Vec<String>,
    pub(super) journal: LogForm,
    pub(super) row_cap: Option<u64>,
    pub(super) head_time: Duration,
    pub(super) max_connections: usize,
    extras: Extras,
    pub(super) offers: Offers,
    crew: Arc<Crew>,
    /// Told of each own agent that ends its work.
    has_ended: Notify,
    api_key: String,
    seed: u64,
    id_seed: u64,
    job_seconds: Option<f64>,
    book: Mutex<Book>,
}

impl State {
    pub(super) fn new(
        config: &ServiceConfig,
        api_key: String,
        address: SocketAddr,
        store: Store,
        saved: Saved,
    ) -> Result<Self, StoreError> {
        let clock = Clock::resume(config.clock, saved.advanced, saved.latest());
        let book = Book::open(store, saved, config.max_jobs, clock.now())?;
        let id_seed = if config.fresh_ids { fastrand::u64(..) } else { config.seed };
        Ok(Self {
            address,
            clock,
            pace: config.requests_per_minute.map(Pace::new),
            log: Log::default(),
            faults: FaultPlan::default(),
            names: config.names.clone(),
            journal: config.log,
            row_cap: config.row_cap,
            head_time: config.head_time,
            max_connections: config.max_connections,
            extras: config.extras,
            offers: Offers::default(),
            crew: Arc::default(),
            has_ended: Notify::new(),
            api_key,
            seed: config.seed,
            id_seed,
            job_seconds: config.job_seconds,
            book: Mutex::new(book),
        })
    }

    pub(super) fn api_key(&self) -> &str {
        &self.api_key
    }

    /// Whether it does this beyond the contract.
    pub(super) fn has(&self, extra: Extra) -> bool {
        self.extras.has(extra)
    }

    /// The book as it stands now, with everything charged that has completed.
    pub(super) fn book(&self) -> Result<(MutexGuard<'_, Book>, Timestamp), StoreError> {
        let mut book = self.lock();
        let now = self.clock.now();
        book.settle(now, self.clock.advanced())?;
        Ok((book, now))
    }

    /// The book as it stands now, or, where that cannot be written, as it last stood.
    pub(super) fn last_book(&self) -> MutexGuard<'_, Book> {
        self.book().map_or_else(|_| self.lock(), |(book, _)| book)
    }

    /// Accepts a run whose parameters are valid, if the account can pay for it, and shows the new job. An own agent
    /// sets to work.
    pub(super) fn start<T>(
        self: &Arc<Self>,
        offer: &Offer,
        params: Map<String, Value>,
        outcome: Outcome,
        show: impl FnOnce(&Job, Phase) -> T,
    ) -> Result<T, NotStarted> {
        let (origin, fate, rows) = match offer {
            Offer::Known(agent) => {
                let origin = Origin::MadeUp { seed: self.seed, version: samples::VERSION };
                (origin, Fate::Timely, Plan::draw(self.seed, agent, &params).row_count())
            }
            Offer::Own(_) => (Origin::Kept { columns: Vec::new() }, Fate::AtWork(Stop::default()), 0),
        };
        let fate = outcome.error.map_or(fate, Fate::Doomed);
        let work = match (offer, &fate) {
            (Offer::Own(own), Fate::AtWork(stop)) => Some((Arc::clone(own), stop.clone(), params.clone())),
            _ => None,
        };
        let (mut book, now) = self.book()?;
        let number = book.next_number();
        let job = Job {
            id: Chance::of(self.id_seed, &["job", &number.to_string()]).job_id(),
            agent: offer.name().to_string(),
            params,
            origin,
            rows,
            cost: cost(offer.price_per_1k(), rows),
            times: match outcome.seconds {
                Some(seconds) => Times::lasting(seconds, now),
                None => Times::draw(self.clock.kind(), self.job_seconds_of(offer), self.seed, number, now),
            },
            fate,
        };
        let is_free = matches!(offer, Offer::Own(own) if own.billed_per_1k_usd().is_zero());
        let job = book.start(job, is_free, now)?;
        let shown = show(job, job.phase(now));
        drop(book);
        if let Some((own, stop, params)) = work {
            self.set_to_work(number, own, stop, &params);
        }
        Ok(shown)
    }

    /// How long a run takes; `None` for as long as the seed says. On a real clock an own agent takes its own time.
    fn job_seconds_of(&self, offer: &Offer) -> Option<f64> {
        let takes_its_time = matches!(offer, Offer::Own(_)) && self.clock.kind() == ClockKind::Real;
        self.job_seconds.or(takes_its_time.then_some(0.0))
    }

    fn set_to_work(self: &Arc<Self>, number: usize, own: Arc<OwnAgent>, stop: Stop, params: &Map<String, Value>) {
        let source = Arc::clone(&own.source);
        // They are valid: the run was accepted.
        let params = own.takes.completed(params).ok().flatten().unwrap_or_default();
        self.crew.send(Task { source, params, feed: Feed::new(Arc::clone(self), number, own, stop) });
    }

    /// Keeps rows of an agent at work.
    pub(super) fn keep(&self, number: usize, piece: u64, text: &str, rows: u64, price: Decimal) -> Result<(), NotKept> {
        self.lock().keep(number, piece, text, rows, cost(price, rows))
    }

    /// An agent has done its work.
    pub(super) fn finish(&self, number: usize, columns: Vec<String>) {
        let now = self.clock.now();
        let mut book = self.lock();
        if let Err(error) = book.finish(number, columns, now) {
            book.fail(number, &error.to_string(), now);
        }
        drop(book);
        self.has_ended.notify_waiters();
    }

    /// An agent has failed.
    pub(super) fn fail(&self, number: usize, why: &str) {
        self.lock().fail(number, why, self.clock.now());
        self.has_ended.notify_waiters();
    }

    /// Waits until a job is no longer going on, and shows it then.
    pub(super) async fn ended<T>(&self, id: &str, show: impl Fn(&Job, Phase) -> T) -> Option<T> {
        loop {
            let mut told = pin!(self.has_ended.notified());
            // From here on it hears of every end.
            told.as_mut().enable();
            {
                let (book, now) = self.book().ok()?;
                let job = book.job(id)?;
                let phase = job.phase(now);
                if !matches!(phase, Phase::Queued | Phase::Running) {
                    return Some(show(job, phase));
                }
            }
            told.await;
        }
    }

    /// A piece of the kept rows of a job; `None` beyond the last.
    pub(super) fn piece(&self, number: usize, piece: u64) -> Result<Option<String>, StoreError> {
        self.lock().piece(number, piece)
    }

    /// Turns the clock forward. Whatever completes by that is charged now or, where that cannot be written, before the
    /// next answer.
    pub(super) fn advance(&self, by: Duration) {
        self.clock.advance(by);
        drop(self.last_book());
    }

    /// Lets go of the data directory.
    pub(super) fn close(&self) {
        self.last_book().close();
        self.crew.close();
    }

    fn lock(&self) -> MutexGuard<'_, Book> {
        lock(&self.book)
    }
}

/// The log of requests under a lock of its own, so that counting never waits for a run.
#[derive(Debug, Default)]
pub(super) struct Log(Mutex<RequestLog>);

impl Log {
    pub(super) fn lock(&self) -> MutexGuard<'_, RequestLog> {
        lock(&self.0)
    }
}
