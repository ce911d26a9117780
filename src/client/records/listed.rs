//! The service's list of jobs, held against the ledger: which of them may be a start that nobody answered.
//!
//! Three measures of proof, for what is told may be little, and clocks differ:
//!
//! - *plausible*: neither the agent of the job, nor its time, nor its place in the list speaks against it;
//! - *proven*: agent and time are told and fit, and the rows, where they are told, are not too many. Only proven jobs
//!   are adopted: one alone, where start and job are plausible for each other only, or a whole group (`together`);
//! - *not excluded*: it may be the start's even if a clock was set meanwhile. Only where no job in the list is that,
//!   and the list goes back far enough, is a start believed never to have been received.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::record::micros;
use crate::client::api_key::ApiKey;
use crate::client::shown::redact_record;
use crate::ledger::{Entry, Stage};
use crate::wire::{AgentName, JobId, JobRecord, are_apart, moment};

const MINUTE_MICROS: i64 = 60 * 1_000_000;

/// By how much two clocks may differ without its being known, and for how long a start may be on its way.
const MARGIN_MICROS: i64 = MINUTE_MICROS;

/// By how much a clock may have been set while a start was under way or since: a day.
const MOST_SET_MICROS: i64 = 24 * 60 * MINUTE_MICROS;

/// Later than any moment that is told, and far enough from the largest number for sums.
const NEVER_MICROS: i64 = i64::MAX / 4;

/// A job of the service's list that the ledger does not know.
pub(in crate::client) struct UnknownJob {
    pub id: JobId,
    pub record: JobRecord,
    agent: Option<AgentName>,
    /// By the service's clock, in microseconds since 1970.
    created: Option<i64>,
    /// How many of the list are before it.
    place: usize,
}

impl UnknownJob {
    fn may_be_of_agent(&self, start: &Entry) -> bool {
        self.agent.as_ref().is_none_or(|agent| start.may_be_of(agent))
    }
}

/// A job of the list that the ledger knows, which tells order and clock.
struct KnownJob {
    entry: Entry,
    created: Option<i64>,
    place: usize,
    has_ended: bool,
}

/// A job of the list whose id the ledger has, and which may be an unanswered start's all the same: somebody took it up,
/// or the service has given the id again.
struct KnownById {
    job: UnknownJob,
    /// It is of no start that was written later than this entry; `None` where that is not known.
    entry: Option<i64>,
}

pub(in crate::client) struct List {
    pub unknown: Vec<UnknownJob>,
    /// Jobs of which the ledger has no more than the id for certain.
    by_id: Vec<KnownById>,
    known: Vec<KnownJob>,
    /// Starts that somebody is at: their jobs may be listed already.
    under_way: Vec<Entry>,
    /// Whether what can be told of the order says that the newest come first.
    is_newest_first: bool,
    /// Jobs of which nothing can be told.
    pub unreadable: usize,
    /// By how much the service's clock is ahead by its last answer.
    ahead: Option<i64>,
}

impl List {
    pub(in crate::client) fn new(
        jobs: Vec<Map<String, Value>>,
        entries: &[Entry],
        ahead: Option<i64>,
        key: &ApiKey,
    ) -> Self {
        let under_way = entries.iter().filter(|entry| entry.stage == Stage::Starting).cloned().collect();
        let (unknown, by_id, known) = (Vec::new(), Vec::new(), Vec::new());
        let mut list = Self { unknown, by_id, known, under_way, is_newest_first: false, unreadable: 0, ahead };
        let (mut times, mut ids) = (Vec::new(), HashSet::new());
        for (place, mut fields) in jobs.into_iter().enumerate() {
            redact_record(&mut fields, key);
            let record = JobRecord::from_fields(fields).ok();
            let named = record.and_then(|record| Some((record.id.as_deref()?.parse::<JobId>().ok()?, record)));
            let Some((id, record)) = named else {
                list.unreadable += 1;
                continue;
            };
            if !ids.insert(id.clone()) {
                // Of two records of one job it is not known which holds.
                list.unreadable += 1;
                continue;
            }
            let created_at = |text: Option<&str>| text.and_then(moment).map(micros);
            let created = created_at(record.created_at.as_deref());
            times.extend(created);
            let agent = record.agent.as_deref().and_then(|agent| agent.parse().ok());
            let has_ended = record.status.is_final();
            let mut job = UnknownJob { id, record, agent, created, place };
            let Some(entry) = entries.iter().find(|entry| entry.job_id.as_ref() == Some(&job.id)) else {
                list.unknown.push(job);
                continue;
            };
            let is_another =
                entry.is_doubtful || are_apart(job.record.created_at.as_deref(), entry.created_at.as_deref());
            if is_another {
                list.by_id.push(KnownById { job, entry: None });
                continue;
            }
            list.known.push(KnownJob { entry: entry.clone(), created, place, has_ended });
            if !entry.is_from_here() {
                job.agent = job.agent.or_else(|| entry.agent.clone());
                job.created = created.or_else(|| created_at(entry.created_at.as_deref()));
                list.by_id.push(KnownById { job, entry: Some(entry.number) });
            }
        }
        list.is_newest_first = list.is_in_falling_order(&times);
        list
    }

    /// The places of the unknown jobs that are plausible for a start.
    pub(in crate::client) fn plausible(&self, entry: &Entry) -> Vec<usize> {
        (0..self.unknown.len()).filter(|at| self.is_plausible(entry, &self.unknown[*at])).collect()
    }

    /// The places of the unknown jobs that are not excluded for a start.
    pub(in crate::client) fn not_excluded(&self, entry: &Entry) -> Vec<usize> {
        (0..self.unknown.len()).filter(|at| self.is_not_excluded(entry, &self.unknown[*at])).collect()
    }

    /// The jobs that the ledger has by their id and that are plausible for a start.
    pub(in crate::client) fn plausible_by_id(&self, entry: &Entry) -> Vec<JobId> {
        self.known_by_id(entry, |job| self.is_plausible(entry, job))
    }

    /// The jobs that the ledger has by their id and that are not excluded for a start.
    pub(in crate::client) fn not_excluded_by_id(&self, entry: &Entry) -> Vec<JobId> {
        self.known_by_id(entry, |job| self.is_not_excluded(entry, job))
    }

    fn known_by_id(&self, start: &Entry, is_it: impl Fn(&UnknownJob) -> bool) -> Vec<JobId> {
        // Where the list tells a time, that says more than the ledger: the id may have been given again since.
        let may_be_its = |known: &&KnownById| {
            known.job.record.created_at.is_some() || known.entry.is_none_or(|entry| entry > start.number)
        };
        let jobs = self.by_id.iter().filter(may_be_its).map(|known| &known.job);
        jobs.filter(|job| is_it(job)).map(|job| job.id.clone()).collect()
    }

    /// Whether the unknown job at that place is proven to be what the start brought.
    pub(in crate::client) fn is_proven(&self, entry: &Entry, at: usize) -> bool {
        let job = &self.unknown[at];
        let is_of_agent = job.agent.is_some() && job.agent == entry.wire;
        let fits_rows = match (job.record.row_count, entry.max_rows) {
            (Some(rows), Some(most)) => rows <= most,
            _ => true,
        };
        // A start that both sides know the time of tells the clock better than an answer, which a proxy may have
        // written.
        let clock = self.nearest_clock(entry).or(self.ahead);
        let is_of_time = job.created.zip(clock).is_some_and(|(created, ahead)| during(entry, created - ahead));
        is_of_agent && fits_rows && is_of_time
    }

    /// Unknown jobs in the order in which they were created.
    pub(in crate::client) fn oldest_first(&self, mut places: Vec<usize>) -> Vec<usize> {
        places.sort_by_key(|at| (self.unknown[*at].created, std::cmp::Reverse(self.unknown[*at].place)));
        places
    }

    /// Whether a job may as well be that of a start which is under way now.
    pub(in crate::client) fn may_be_under_way(&self, at: usize) -> bool {
        self.under_way.iter().any(|entry| self.is_plausible(entry, &self.unknown[at]))
    }

    /// Whether the list goes back beyond the start, ended jobs included: only then would it show the start's job.
    pub(in crate::client) fn reaches(&self, entry: &Entry) -> bool {
        let is_before = |known: &&KnownJob| was_before(&known.entry, entry);
        let is_older = |job: &UnknownJob| {
            let clocks = self.clock_bounds().zip(job.created);
            clocks.is_some_and(|((least, _), created)| created < entry.written_at + least - MARGIN_MICROS)
        };
        let ended_before = self.known.iter().filter(is_before).any(|known| known.has_ended);
        let ended_older = self.unknown.iter().any(|job| job.record.status.is_final() && is_older(job));
        self.is_newest_first && (ended_before || ended_older)
    }

    fn is_not_excluded(&self, entry: &Entry, job: &UnknownJob) -> bool {
        job.may_be_of_agent(entry) && !self.is_of_another_time(entry, job)
    }

    fn is_plausible(&self, entry: &Entry, job: &UnknownJob) -> bool {
        let is_in_order = !self.is_newest_first || self.is_in_order(entry, job);
        job.may_be_of_agent(entry) && is_in_order && self.is_of_time(entry, job)
    }

    /// Whether a job stands where the start would: newer than what was answered before it was sent, older than
    /// what was sent when it was over.
    fn is_in_order(&self, entry: &Entry, job: &UnknownJob) -> bool {
        self.known.iter().all(|known| {
            let was_after =
                known.entry.is_from_here() && known.entry.number > entry.number && known.entry.written_at > over(entry);
            let is_older = job.place > known.place;
            if is_older { !was_before(&known.entry, entry) } else { !was_after }
        })
    }

    /// Whether a job was created when the start was on its way, by any clock there is to compare.
    fn is_of_time(&self, entry: &Entry, job: &UnknownJob) -> bool {
        let Some(created) = job.created else { return true };
        let mut clocks = self.nearest_clock(entry).into_iter().chain(self.ahead).peekable();
        clocks.peek().is_none() || clocks.any(|ahead| during(entry, created - ahead))
    }

    /// Whether a job certainly was not created when the start was on its way: by the service's own clock, as
    /// starts that both sides know tell it, at its least and at its most.
    fn is_of_another_time(&self, entry: &Entry, job: &UnknownJob) -> bool {
        let Some(((least, most), created)) = self.clock_bounds().zip(job.created) else { return false };
        // Where it stands in the list says more than a clock that may have been set.
        let is_where_it_would_be = self.is_newest_first && self.is_in_order(entry, job);
        let margin = if is_where_it_would_be { MOST_SET_MICROS } else { MARGIN_MICROS };
        created < entry.written_at + least - margin || created > over(entry).saturating_add(most + margin)
    }

    /// By how much the service's clock is ahead, by the start nearest to this one.
    fn nearest_clock(&self, entry: &Entry) -> Option<i64> {
        let both = self.known.iter().filter_map(|known| {
            known.entry.started_at?;
            Some((known.entry.sent_at?, known.created?))
        });
        let nearest = both.min_by_key(|(sent, _)| (sent - entry.written_at).abs());
        nearest.map(|(sent, created)| created - sent)
    }

    /// By how much the service's clock is ahead at least and at most: a job is created between sending and answer. The
    /// clock of this machine may have been set meanwhile, so what it shows now counts, too, and that it is right.
    fn clock_bounds(&self) -> Option<(i64, i64)> {
        let both = self.known.iter().filter_map(|known| {
            let (sent, answered, created) = (known.entry.sent_at?, known.entry.started_at?, known.created?);
            Some((created - answered, created - sent))
        });
        let told = self.ahead.unwrap_or_default();
        let now = (told.min(0), told.max(0));
        both.reduce(|(least, most), (low, high)| (least.min(low), most.max(high)))
            .map(|(least, most)| (least.min(now.0), most.max(now.1)))
    }

    /// Whether nothing speaks against the newest being first: neither the times told nor the order of known starts.
    /// Several of one time say nothing of the order.
    fn is_in_falling_order(&self, times: &[i64]) -> bool {
        let falls = times.windows(2).all(|pair| pair[0] >= pair[1]);
        let says_so = times.len() < 2 || times.first() != times.last();
        let is_upside_down = |newer: &KnownJob, older: &KnownJob| {
            newer.entry.started_at.zip(older.entry.sent_at).is_some_and(|(answered, sent)| answered < sent)
        };
        falls && says_so && !self.known.windows(2).any(|pair| is_upside_down(&pair[0], &pair[1]))
    }
}

/// Whether a moment of this machine's clock is one at which the start was on its way.
fn during(entry: &Entry, moment: i64) -> bool {
    let due = entry.due_at.unwrap_or(entry.written_at);
    (entry.written_at - MARGIN_MICROS..=due.saturating_add(MARGIN_MICROS)).contains(&moment)
}

/// Whether a known start was answered before the other was sent. The clock may have been set back between them.
fn was_before(known: &Entry, entry: &Entry) -> bool {
    known.number < entry.number && known.started_at.is_some_and(|answered| answered <= entry.written_at)
}

/// When the start was certainly over.
fn over(entry: &Entry) -> i64 {
    entry.answer_by.unwrap_or(NEVER_MICROS)
}
