//! What became of starts that nobody answered.
//!
//! Where the service lists jobs, an uncertain start is looked for among those that the ledger does not know: of its agent, at
//! its place in the order of starts, and of its time. One such job is it; none, in a list that reaches back far enough, means
//! that it was never started; several are told and left to the caller. Times are compared on this machine's clock: the
//! service's may be another one, which a start whose answer came tells best, and the `Date` of an answer well enough.
//!
//! Where the service lists none, all that can be told is the balance before and now. Nothing is ever started from here.

use std::time::SystemTime;

use rust_decimal::Decimal;
use serde::Deserialize;
use serde_json::{Map, Value};
use tokio::time::{Instant, sleep};

use super::Client;
use super::call::Call;
use super::error::Error;
use super::fetch::Ask;
use super::job::{Job, moment};
use super::memory::{heard, micros};
use super::shown::redact_record;
use crate::ledger::{Entry, EntryId, Stage, Which};
use crate::wire::{AgentName, JobId, JobRecord};

/// How many jobs are asked for: what a service may refuse to list more than.
const LIMIT: usize = 100;

/// By how much two clocks may differ without its being known, and by how much a start may be on its way.
const MARGIN: i64 = 60_000_000;

/// An uncertain start, and what was found out about it.
#[derive(Debug)]
pub struct Settled {
    pub entry: Entry,
    pub settlement: Settlement,
    /// Jobs that may be it, where there are several.
    pub candidates: Vec<JobId>,
    pub balance_now_usd: Option<Decimal>,
    /// How it is known, in words.
    pub how: String,
}

#[derive(Debug)]
pub enum Settlement {
    /// It is this job, which the ledger has now.
    Adopted(Box<Job>),
    NeverStarted,
    StillUncertain,
}

/// A job of the service's list that the ledger does not know.
struct Stranger {
    id: JobId,
    agent: Option<AgentName>,
    /// By the service's clock, in microseconds since 1970.
    created: Option<i64>,
    /// How many of the list are newer.
    place: usize,
    record: JobRecord,
}

/// A job of the list that the ledger knows, which tells order and clock.
struct Acquaintance {
    entry: Entry,
    created: Option<i64>,
    place: usize,
}

struct List {
    strangers: Vec<Stranger>,
    acquaintances: Vec<Acquaintance>,
    /// Whether there are no older jobs than those listed.
    is_whole: bool,
    oldest: Option<i64>,
    ahead: Option<i64>,
}

#[derive(Deserialize)]
struct JobList {
    jobs: Vec<Map<String, Value>>,
}

impl Client {
    /// Settles the uncertain starts of the ledger as far as the service tells, the oldest first. Starts nothing.
    ///
    /// A start that is not in the list is looked for again until it is as old as
    /// [`ClientConfig::grace`](super::ClientConfig::grace): services spread what they know.
    pub async fn reconcile(&self) -> Result<Vec<Settled>, Error> {
        let call = Call::new(None);
        let settled = self.reconcile_within(&call).await;
        call.seal(self.key(), settled)
    }

    async fn reconcile_within(&self, call: &Call) -> Result<Vec<Settled>, Error> {
        let mut entries = self.kept(|account| account.entries(&Which::Uncertain, None)).await?;
        entries.reverse();
        if entries.is_empty() {
            return Ok(Vec::new());
        }
        let balance = self.ask_balance(call).await.ok();
        let grace = i64::try_from(self.config().grace.as_micros()).unwrap_or(i64::MAX);
        let mut pause = self.config().poll_floor;
        let found = loop {
            let Some(list) = self.list(call).await? else {
                return Ok(entries.into_iter().map(|entry| untold(entry, balance)).collect());
            };
            let found = self.find(&entries, &list);
            // One that was sent just now may not be in the list yet.
            let latest = micros(SystemTime::now()) - grace;
            let may_appear = |(ids, entry): (&Vec<usize>, &Entry)| ids.is_empty() && entry.written_at > latest;
            if !found.iter().zip(&entries).any(may_appear) {
                let ids =
                    found.into_iter().map(|places| places.iter().map(|at| list.strangers[*at].id.clone()).collect());
                let ids: Vec<Vec<JobId>> = ids.collect();
                break (ids, list);
            }
            sleep(pause).await;
            pause *= 2;
        };
        let (candidates, list) = found;
        let mut settled = Vec::new();
        for (at, entry) in entries.into_iter().enumerate() {
            let is_wanted_once = |id: &JobId| candidates.iter().filter(|ids| ids.contains(id)).count() == 1;
            settled.push(match candidates[at].as_slice() {
                [id] if is_wanted_once(id) => self.adopt(entry, id, &list, balance).await?,
                [] if list.reaches(&entry) => self.never_started(entry, balance).await?,
                [] => still(entry, Vec::new(), balance, "the service's list of jobs does not reach back far enough"),
                ids => {
                    still(entry, ids.to_vec(), balance, "more than one job may be it, or one job more than one start")
                }
            });
        }
        Ok(settled)
    }

    /// The service's list, the ledger's jobs told from others; `None` where the service has no list.
    async fn list(&self, call: &Call) -> Result<Option<List>, Error> {
        let ask = Ask::get(format!("{}?limit={LIMIT}", self.0.paths.jobs()), "the list of jobs");
        let jobs = match self.fetch_json::<JobList>(call, &ask).await {
            Ok(list) => list.jobs,
            Err(error) if matches!(error.status_code(), Some(404 | 405 | 501)) => return Ok(None),
            Err(error) => return Err(error),
        };
        let known = self.kept(|account| account.entries(&Which::All, None)).await?;
        let is_whole = jobs.len() < LIMIT;
        let (mut strangers, mut acquaintances, mut oldest) = (Vec::new(), Vec::new(), None);
        for (place, mut fields) in jobs.into_iter().enumerate() {
            redact_record(&mut fields, self.key());
            let Ok(record) = JobRecord::from_fields(fields) else { continue };
            let Some(id) = record.id.as_deref().and_then(|id| id.parse::<JobId>().ok()) else { continue };
            let created = record.created_at.as_deref().and_then(moment).map(micros);
            oldest = created.into_iter().chain(oldest).min();
            if let Some(entry) = known.iter().find(|entry| entry.job_id.as_ref() == Some(&id)) {
                acquaintances.push(Acquaintance { entry: entry.clone(), created, place });
            } else {
                let agent = record.agent.as_deref().and_then(|agent| agent.parse().ok());
                strangers.push(Stranger { id, agent, created, place, record });
            }
        }
        let ahead = self.0.clock.ahead();
        Ok(Some(List { strangers, acquaintances, is_whole, oldest, ahead }))
    }

    /// For each start, the strangers that may be it.
    fn find(&self, entries: &[Entry], list: &List) -> Vec<Vec<usize>> {
        let patience = i64::try_from(self.config().request_timeout.as_micros()).unwrap_or(i64::MAX / 4);
        let may_be = |entry: &Entry, stranger: &Stranger| {
            let (agent, wire) = (entry.agent.clone(), entry.agent.as_ref().map(|agent| self.wire_name(agent)));
            let is_of_agent = stranger.agent.is_none() || stranger.agent == agent || stranger.agent == wire;
            is_of_agent && list.is_in_order(entry, stranger, patience) && list.is_of_time(entry, stranger, patience)
        };
        let candidates = |entry: &Entry| {
            (0..list.strangers.len()).filter(|at| may_be(entry, &list.strangers[*at])).collect::<Vec<_>>()
        };
        entries.iter().map(candidates).collect()
    }

    async fn adopt(&self, entry: Entry, id: &JobId, list: &List, balance: Option<Decimal>) -> Result<Settled, Error> {
        let how = "the only job of its agent and time that the ledger did not know";
        let mut job = self.job_of(id.clone(), None, entry.clone());
        if let Some(stranger) = list.strangers.iter().find(|stranger| stranger.id == *id) {
            job = job.hearing(stranger.record.clone(), Instant::now());
        }
        let (number, heard) = (EntryId::of(entry.number), heard(&job));
        if !self.kept(move |account| account.adopt(number, &heard, how)).await? {
            return Ok(still(entry, vec![id.clone()], balance, "another process has settled it meanwhile"));
        }
        let settlement = Settlement::Adopted(Box::new(job));
        Ok(Settled { entry, settlement, candidates: vec![id.clone()], balance_now_usd: balance, how: how.to_owned() })
    }

    async fn never_started(&self, entry: Entry, balance: Option<Decimal>) -> Result<Settled, Error> {
        let how = "the service's list of jobs reaches back to it and does not have it";
        let number = EntryId::of(entry.number);
        self.kept(move |account| account.settle(number, Stage::NeverStarted, how)).await?;
        let settlement = Settlement::NeverStarted;
        Ok(Settled { entry, settlement, candidates: Vec::new(), balance_now_usd: balance, how: how.to_owned() })
    }
}

impl List {
    /// Whether a stranger stands where the start would: newer than what was answered before it was sent, older than what
    /// was sent when it was over.
    fn is_in_order(&self, entry: &Entry, stranger: &Stranger, patience: i64) -> bool {
        self.acquaintances.iter().all(|known| {
            let was_before = known.entry.started_at.is_some_and(|answered| answered <= entry.written_at);
            let was_after = known.entry.written_at > entry.written_at + patience;
            let is_older = stranger.place > known.place;
            if is_older { !was_before } else { !was_after }
        })
    }

    /// Whether a stranger was created when the start was on its way, by any clock there is to compare.
    fn is_of_time(&self, entry: &Entry, stranger: &Stranger, patience: i64) -> bool {
        let Some(created) = stranger.created else { return true };
        let mut clocks = self.clocks(entry).peekable();
        let during = entry.written_at - MARGIN..entry.written_at + patience + MARGIN;
        clocks.peek().is_none() || clocks.any(|ahead| during.contains(&(created - ahead)))
    }

    /// By how much the service's clock is ahead: by the start nearest to this one whose time both sides know, and by the
    /// last answer.
    fn clocks(&self, entry: &Entry) -> impl Iterator<Item = i64> {
        let both = self.acquaintances.iter().filter_map(|known| {
            known.entry.started_at?;
            Some((known.entry.written_at, known.created?))
        });
        let nearest = both.min_by_key(|(written, _)| (written - entry.written_at).abs());
        nearest.map(|(written, created)| created - written).into_iter().chain(self.ahead)
    }

    /// Whether the list would show the start if there were a job of it.
    fn reaches(&self, entry: &Entry) -> bool {
        let is_before = |known: &Acquaintance| known.entry.started_at.is_some_and(|at| at <= entry.written_at);
        let is_older = |oldest: i64| {
            let mut clocks = self.clocks(entry).peekable();
            clocks.peek().is_some() && clocks.all(|ahead| oldest - ahead < entry.written_at - MARGIN)
        };
        self.is_whole || self.acquaintances.iter().any(is_before) || self.oldest.is_some_and(is_older)
    }
}

/// What is known where the service lists no jobs.
fn untold(entry: Entry, balance: Option<Decimal>) -> Settled {
    let money = match (entry.balance_before_usd, balance) {
        (Some(before), Some(now)) if before == now => format!("; the balance is {now} USD, as before it"),
        (Some(before), Some(now)) => format!("; the balance was {before} USD before it and is {now} USD now"),
        (None, Some(now)) => format!("; the balance is {now} USD"),
        (_, None) => String::new(),
    };
    still(entry, Vec::new(), balance, &format!("the service lists no jobs{money}"))
}

fn still(entry: Entry, candidates: Vec<JobId>, balance_now_usd: Option<Decimal>, how: &str) -> Settled {
    Settled { entry, settlement: Settlement::StillUncertain, candidates, balance_now_usd, how: how.to_owned() }
}
