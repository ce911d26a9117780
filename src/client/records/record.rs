//! What the client writes down, and what it takes up again: all that it does with its ledger goes through here.
//!
//! The ledger blocks, so it is called on threads that may: one at a time for a client, however many calls wait. A write
//! once begun is made even if whoever asked for it is gone. Before a start a ledger that fails is an error; afterwards
//! it is a note on the job, because what was paid for matters more than the record of it.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, SystemTime};

use rust_decimal::Decimal;
use tokio::time::Instant;

use super::under_way::Counted;
use crate::client::Client;
use crate::client::api_key::ApiKey;
use crate::client::config::ClientConfig;
use crate::client::error::Error;
use crate::client::error_kind::{ErrorKind, Outcome};
use crate::client::job::Job;
use crate::client::shown::clipped_to;
use crate::ledger::{Account, Entry, EntryId, JobUpdate, Ledger, LedgerError, Place};
use crate::lock::lock;
use crate::wire::{AgentName, JobId, JobRecord};

/// Bytes of a server's text that the ledger takes.
const LONGEST: usize = 512;

pub(in crate::client) struct Records {
    place: Place,
    key: ApiKey,
    address: String,
    /// Opened at the first use, so that a client without a home can do all that needs no ledger.
    account: Mutex<Option<Account>>,
    turn: Arc<tokio::sync::Mutex<()>>,
    /// The last balance that was written down.
    balance: Mutex<Option<Decimal>>,
    /// Jobs whose rows were handed over, which is not written down yet.
    delivered: Mutex<Vec<JobUpdate>>,
    /// Held by whoever writes those down: when it is free and there are none, all are written.
    delivering: Mutex<()>,
}

impl Records {
    pub(in crate::client) fn new(config: &ClientConfig, address: &str) -> Self {
        Self {
            place: config.ledger.clone(),
            key: config.api_key.clone(),
            address: address.to_owned(),
            account: Mutex::default(),
            turn: Arc::default(),
            balance: Mutex::default(),
            delivered: Mutex::default(),
            delivering: Mutex::default(),
        }
    }

    pub(in crate::client) fn is_off(&self) -> bool {
        self.place == Place::Off
    }

    /// This account's part of the ledger; `None` where there is no ledger. Blocks.
    fn account(&self) -> Result<Option<Account>, LedgerError> {
        let mut account = lock(&self.account);
        if account.is_none() {
            let Some(path) = self.place.path()? else { return Ok(None) };
            let (key, address) = (self.key.clone(), self.address.clone());
            *account = Some(Account::new(Ledger::at(&path), move |salt| key.mark(salt, &address)));
        }
        Ok(account.clone())
    }
}

impl Client {
    /// Does something with the ledger on a thread that may block; `None` where there is no ledger.
    pub(in crate::client) async fn in_ledger<T: Send + 'static>(
        &self,
        act: impl FnOnce(&Account) -> Result<T, LedgerError> + Send + 'static,
    ) -> Result<Option<T>, LedgerError> {
        if self.0.records.is_off() {
            return Ok(None);
        }
        let turn = Arc::clone(&self.0.records.turn).lock_owned().await;
        let client = self.clone();
        let done = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            client.in_ledger_now(act)
        });
        done.await.unwrap_or_else(|lost| match lost.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => Err(LedgerError::given_up()),
        })
    }

    /// The same on this thread.
    pub(in crate::client) fn in_ledger_now<T>(
        &self,
        act: impl FnOnce(&Account) -> Result<T, LedgerError>,
    ) -> Result<Option<T>, LedgerError> {
        let Some(account) = self.0.records.account()? else { return Ok(None) };
        self.write_delivered(&account);
        act(&account).map(Some)
    }

    /// What cannot be done without a ledger.
    pub(in crate::client) async fn require_ledger<T: Send + 'static>(
        &self,
        act: impl FnOnce(&Account) -> Result<T, LedgerError> + Send + 'static,
    ) -> Result<T, Error> {
        self.in_ledger(act).await.map_err(unreadable)?.ok_or_else(|| {
            Error::new(ErrorKind::Ledger, "this client keeps no ledger, so it does not know what was started")
                .with_hint("make it without `ledger=False`, and with `ROWHAUL_LEDGER` not `off`")
        })
    }

    /// Says that the rows of a job are where they were wanted: with the user, or in a file. Until then they count as
    /// unfetched, for [`Client::run`] and [`Client::rows`] cannot know whether what they return arrives.
    ///
    /// The future writes it down; dropped, it is written with whatever this client does next with its ledger. Where
    /// that fails, the rows still count as unfetched, which costs nothing but time.
    pub fn delivered(&self, job: &Job) -> impl Future<Output = ()> + Send + use<> {
        // What answers from an earlier run was handed over then, unless that came to an end before.
        if !self.0.records.is_off() && (!job.is_reused() || job.is_unfetched) {
            self.deliveries().push(JobUpdate { is_fetched: true, ..update_of(job) });
        }
        let (client, counted) = (self.clone(), Counted::new());
        async move {
            let _counted = counted;
            if !client.deliveries().is_empty() {
                let _ = client.in_ledger(|_| Ok(())).await;
            }
        }
    }

    fn write_delivered(&self, account: &Account) {
        let _delivering = lock(&self.0.records.delivering);
        let mut waiting = std::mem::take(&mut *self.deliveries());
        if !waiting.is_empty() && account.update_jobs(&waiting).is_err() {
            self.deliveries().append(&mut waiting);
        }
    }

    fn deliveries(&self) -> MutexGuard<'_, Vec<JobUpdate>> {
        lock(&self.0.records.delivered)
    }

    /// Writes down what was heard of a job, if it is news.
    pub(in crate::client) async fn remember(&self, before: &Job, job: Job) -> Job {
        if is_news(before, &job) { self.write_down(job).await } else { job }
    }

    async fn write_down(&self, mut job: Job) -> Job {
        let update = update_of(&job);
        match self.in_ledger(move |account| account.update_job(&update)).await {
            Ok(entry) => job.take_entry(entry.flatten()),
            Err(error) => job.note(format!("not written down: {error}")),
        }
        job
    }

    /// Writes down that the service has a job, or its rows, no more, so that it is not taken up again, if this error
    /// certainly says so: a 404 alone says as much as a wrong key or address does. Where that fails, it is found out
    /// once more.
    pub(in crate::client) async fn note_if_gone(&self, job: &Job, error: &Error) {
        let is_over = || job.expires_at().is_some_and(|expires| expires <= self.0.clock.now());
        let is_gone = match error.status_code() {
            Some(410) => true,
            Some(404) => is_over(),
            _ => false,
        };
        if is_gone {
            let (id, entry) = (job.id().clone(), job.entry);
            let _ = self.in_ledger(move |account| account.gone(&id, entry)).await;
        }
    }

    /// Keeps the balance for judging later starts; it is only a help there, so a failure is no matter here.
    pub(in crate::client) async fn remember_balance(&self, balance: Decimal) {
        let is_news = {
            let mut known = lock(&self.0.records.balance);
            known.replace(balance) != Some(balance)
        };
        if is_news {
            let _ = self.in_ledger(move |account| account.balance(balance)).await;
        }
    }

    /// A job by its id, with what the ledger knows of it. One read, on this thread: it waits for no other process.
    pub(in crate::client) fn recall(&self, id: JobId, agent: Option<AgentName>) -> Job {
        let (entry, fault) = match self.in_ledger_now(|account| account.entry(id.as_str())) {
            Ok(entry) => (entry.flatten(), None),
            Err(error) => (None, Some(error)),
        };
        let mut job = if let Some(entry) = entry {
            self.job_of(id, agent, entry)
        } else {
            let price = agent.as_ref().and_then(|agent| self.known_price(agent));
            Job::new(id, agent, price)
        };
        if let Some(fault) = fault {
            job.note(format!("what was written down of it is not known: {fault}"));
        }
        job
    }

    /// The job of an entry, as it was when it was last heard of.
    pub(in crate::client) fn job_of(&self, id: JobId, agent: Option<AgentName>, entry: Entry) -> Job {
        let start = EntryId::of(&entry);
        let agent = agent.or(entry.agent);
        let price = agent.as_ref().and_then(|agent| self.known_price(agent)).max(entry.price_per_1k_usd);
        let mut job = Job::new(id, agent, price);
        job.entry = Some(start);
        job.started = entry.started_at.and_then(|started| self.recent_start(started));
        job.params = entry.params.map(Arc::new);
        job.max_rows = entry.max_rows;
        job.is_doubtful = entry.is_doubtful;
        job.is_unfetched = entry.fetched_at.is_none();
        let record = JobRecord {
            status: entry.status.unwrap_or_else(|| job.status().clone()),
            row_count: entry.row_count,
            error: entry.error,
            created_at: entry.created_at,
            completed_at: entry.completed_at,
            expires_at: entry.expires_at,
            ..job.record().clone()
        };
        job.recalled(record, entry.cost_usd)
    }

    /// When a job was started, if the service need not know of it everywhere yet.
    fn recent_start(&self, started_at: i64) -> Option<Instant> {
        let age = u64::try_from(micros(SystemTime::now()) - started_at).ok().map(Duration::from_micros)?;
        if age < self.config().grace { Instant::now().checked_sub(age) } else { None }
    }
}

/// What the ledger takes of a job.
pub(in crate::client) fn update_of(job: &Job) -> JobUpdate {
    let record = job.record();
    let short = |text: &Option<String>| text.as_deref().map(|text| clipped_to(text, LONGEST));
    JobUpdate {
        job_id: job.id().clone(),
        entry: job.entry,
        agent: job.agent(),
        params: job.params.clone(),
        max_rows: job.max_rows,
        status: clipped_to(job.status().as_str(), LONGEST),
        price_per_1k_usd: job.price_per_1k_usd(),
        row_count: job.row_count(),
        cost_usd: job.cost_usd(),
        error: short(&record.error),
        created_at: short(&record.created_at),
        completed_at: short(&record.completed_at),
        expires_at: short(&record.expires_at),
        is_fetched: false,
        is_doubtful: job.is_doubtful,
    }
}

fn is_news(before: &Job, after: &Job) -> bool {
    let told = |job: &Job| {
        let record = job.record();
        let times = (record.created_at.clone(), record.completed_at.clone(), record.expires_at.clone());
        (job.status().clone(), job.row_count(), job.price_per_1k_usd(), record.error.clone(), times)
    };
    before.heard_at.is_none() || told(before) != told(after)
}

/// The error of a start that cannot be written down.
pub(in crate::client) fn unwritable(error: LedgerError) -> Error {
    let way_out = "`ledger=PATH` takes another file, `ledger=False` goes without: then an id that is lost is lost";
    let hint = error.hint().map_or(way_out.to_owned(), |hint| format!("{hint}; {way_out}"));
    let message = format!("nothing was started, because it could not be written down: {error}");
    Error::new(ErrorKind::Ledger, message).with_outcome(Outcome::NotSent).with_hint(hint).with_source(error)
}

/// The error of a ledger that cannot be read.
pub(in crate::client) fn unreadable(error: LedgerError) -> Error {
    let hint = error.hint().unwrap_or("`ledger=PATH` takes another file").to_owned();
    Error::new(ErrorKind::Ledger, error.to_string()).with_hint(hint).with_source(error)
}

/// A moment of this machine as the ledger counts them: microseconds since 1970.
pub(in crate::client) fn micros(moment: SystemTime) -> i64 {
    let since = moment.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}
