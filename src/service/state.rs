//! Everything a local service knows: its jobs, its account and its log, each change under one lock.
//!
//! Time is looked at when somebody asks. Before each look, all jobs that completed since the last one are charged, in the
//! order in which they completed, so that no answer ever shows a completed job that is not paid for.

use std::collections::{BTreeSet, HashMap};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use serde_json::{Map, Value};

use super::billing::{Account, Short, cost};
use super::clock::Clock;
use super::config::ServiceConfig;
use super::extras::{Extra, Extras};
use super::faults::{FaultPlan, Outcome};
use super::job::{Job, Phase, Times};
use super::journal::LogForm;
use super::log::{RequestLog, Start};
use super::pace::Pace;
use super::samples::{Chance, Plan};
use crate::catalogue::Agent;

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
    extras: Extras,
    api_key: String,
    seed: u64,
    job_seconds: Option<f64>,
    book: Mutex<Book>,
}

/// Jobs and money, which change together.
#[derive(Debug)]
pub(super) struct Book {
    jobs: Vec<Job>,
    numbers: HashMap<String, usize>,
    /// Jobs that are neither charged nor cancelled, by the time of their completion.
    due: BTreeSet<(Timestamp, usize)>,
    pub(super) account: Account,
}

impl State {
    pub(super) fn new(config: &ServiceConfig, api_key: String, address: SocketAddr) -> Self {
        Self {
            address,
            clock: Clock::new(config.clock),
            pace: config.requests_per_minute.map(Pace::new),
            log: Log::default(),
            faults: FaultPlan::default(),
            names: config.names.clone(),
            journal: config.log,
            row_cap: config.row_cap,
            extras: config.extras,
            api_key,
            seed: config.seed,
            job_seconds: config.job_seconds,
            book: Mutex::new(Book {
                jobs: Vec::new(),
                numbers: HashMap::new(),
                due: BTreeSet::new(),
                account: Account::new(config.balance_usd),
            }),
        }
    }

    pub(super) fn api_key(&self) -> &str {
        &self.api_key
    }

    /// Whether it does this beyond the contract.
    pub(super) fn has(&self, extra: Extra) -> bool {
        self.extras.has(extra)
    }

    /// The book as it stands now, with everything charged that has completed.
    pub(super) fn book(&self) -> (MutexGuard<'_, Book>, Timestamp) {
        let mut book = self.book.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.clock.now();
        book.settle(now);
        (book, now)
    }

    /// Accepts a run whose parameters are valid, if the account can pay for it, and shows the new job.
    pub(super) fn start<T>(
        &self,
        agent: &'static Agent,
        params: Map<String, Value>,
        outcome: Outcome,
        show: impl FnOnce(&Job, Phase) -> T,
    ) -> Result<T, Short> {
        let plan = Plan::draw(self.seed, agent, &params);
        let cost = cost(agent, plan.row_count());
        let (mut book, now) = self.book();
        book.account.reserve(cost)?;
        let number = book.jobs.len();
        let times = match outcome.seconds {
            Some(seconds) => Times::lasting(seconds, now),
            None => Times::draw(self.clock.kind(), self.job_seconds, self.seed, number, now),
        };
        let id = Chance::of(self.seed, &["job", &number.to_string()]).job_id();
        book.numbers.insert(id.clone(), number);
        book.due.insert((times.completed, number));
        book.jobs.push(Job {
            id,
            agent,
            params,
            plan: Arc::new(plan),
            cost,
            times,
            cancelled_at: None,
            error: outcome.error,
        });
        book.settle(now);
        let job = &book.jobs[number];
        Ok(show(job, job.phase(now)))
    }
}

impl Book {
    pub(super) fn job(&self, id: &str) -> Option<&Job> {
        self.numbers.get(id).map(|number| &self.jobs[*number])
    }

    /// All jobs, newest first.
    pub(super) fn jobs(&self) -> impl Iterator<Item = &Job> {
        self.jobs.iter().rev()
    }

    /// Cancels a job that is still going and gives back what was set aside for it; any other stays as it is.
    pub(super) fn cancel(&mut self, id: &str, now: Timestamp) -> Option<&Job> {
        let number = *self.numbers.get(id)?;
        let job = &mut self.jobs[number];
        if matches!(job.phase(now), Phase::Queued | Phase::Running) {
            job.cancelled_at = Some(now);
            self.due.remove(&(job.times.completed, number));
            self.account.release(job.cost);
        }
        Some(&self.jobs[number])
    }

    pub(super) fn starts(&self) -> Vec<Start> {
        let start = |job: &Job| Start {
            job_id: job.id.clone(),
            agent: job.agent_name(),
            params: job.params.clone(),
            created_at: job.times.created.to_string(),
        };
        self.jobs.iter().map(start).collect()
    }

    fn settle(&mut self, now: Timestamp) {
        while let Some((completed, number)) = self.due.first().copied().filter(|(completed, _)| *completed <= now) {
            self.due.pop_first();
            let job = &self.jobs[number];
            match &job.error {
                None => self.account.settle(&job.id, job.agent, job.plan.row_count(), completed),
                Some(_) => self.account.release(job.cost),
            }
        }
    }
}

/// The log of requests under a lock of its own, so that counting never waits for a run.
#[derive(Debug, Default)]
pub(super) struct Log(Mutex<RequestLog>);

impl Log {
    pub(super) fn lock(&self) -> MutexGuard<'_, RequestLog> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
