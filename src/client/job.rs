//! A job as it was last seen: a snapshot, never a live object.

use std::sync::Arc;
use std::time::SystemTime;

use rust_decimal::Decimal;
use serde_json::{Map, Value};
use tokio::time::Instant;

use super::shown::clipped_word;
use crate::ledger::EntryId;
use crate::wire::{AgentName, JobId, JobRecord, Status, are_apart, is_long_after, moment};

/// One run of an agent. Operations take a snapshot and return the next one.
#[derive(Debug, Clone)]
pub struct Job {
    id: JobId,
    agent: Option<AgentName>,
    record: JobRecord,
    price_per_1k_usd: Option<Decimal>,
    notes: Vec<String>,
    /// The parameters of its start, where this client or the ledger knows them.
    pub(super) params: Option<Arc<Map<String, Value>>>,
    /// Its start in the ledger.
    pub(super) entry: Option<EntryId>,
    /// Whether two times of its creation were told, so that it may be another job with the same id.
    pub(super) is_doubtful: bool,
    /// Whether it answers a request that equals the one it was started for.
    pub(super) is_reused: bool,
    /// Whether the ledger has it, and not that its rows were fetched.
    pub(super) is_unfetched: bool,
    /// What the ledger says that it cost, of a job that was not heard of since.
    recalled_cost_usd: Option<Decimal>,
    /// Why its id could not be written down: it is nowhere but here.
    pub(super) unwritten: Option<String>,
    /// The bound on rows that the parameters of the start gave.
    pub(super) max_rows: Option<u64>,
    /// When this client started it, and when it last heard of it.
    pub(super) started: Option<Instant>,
    pub(super) heard_at: Option<Instant>,
}

/// The word shown while no answer has told the status.
const UNKNOWN: &str = "unknown";

impl Job {
    pub(super) fn new(id: JobId, agent: Option<AgentName>, price_per_1k_usd: Option<Decimal>) -> Self {
        let record = JobRecord {
            id: Some(id.as_str().to_owned()),
            status: Status::Going(UNKNOWN.to_owned()),
            agent: None,
            row_count: None,
            error: None,
            created_at: None,
            started_at: None,
            completed_at: None,
            expires_at: None,
            extra: Map::new(),
        };
        Self {
            id,
            agent,
            record,
            price_per_1k_usd,
            notes: Vec::new(),
            params: None,
            entry: None,
            is_doubtful: false,
            is_reused: false,
            is_unfetched: false,
            recalled_cost_usd: None,
            unwritten: None,
            max_rows: None,
            started: None,
            heard_at: None,
        }
    }

    pub fn id(&self) -> &JobId {
        &self.id
    }

    /// The agent as the start named it, else as the service does, else `None`.
    pub fn agent(&self) -> Option<AgentName> {
        self.agent.clone().or_else(|| self.record.agent.as_deref()?.parse().ok())
    }

    /// What the service last said; `status` is the word `unknown` until it said something.
    pub fn record(&self) -> &JobRecord {
        &self.record
    }

    pub fn status(&self) -> &Status {
        &self.record.status
    }

    pub fn row_count(&self) -> Option<u64> {
        self.record.row_count
    }

    /// USD for 1000 rows, where it is known.
    pub fn price_per_1k_usd(&self) -> Option<Decimal> {
        self.price_per_1k_usd
    }

    /// Rows times price, exactly; `None` while either is unknown. One that ended without rows cost what it was billed.
    pub fn cost_usd(&self) -> Option<Decimal> {
        match self.status() {
            // What it used is not written down, but what that cost.
            Status::Failed if self.heard_at.is_none() => self.recalled_cost_usd,
            Status::Failed | Status::Cancelled => self.billed_usd(None),
            Status::Going(_) | Status::Completed => cost(self.record.row_count?, self.price_per_1k_usd?),
        }
    }

    /// What it was certainly billed, at this price or its own; `None` while it goes on, and where that is not known.
    /// One that was cancelled cost nothing, and one that failed nothing unless the service says that it used something.
    pub(super) fn billed_usd(&self, price_per_1k_usd: Option<Decimal>) -> Option<Decimal> {
        let of_rows = || cost(self.record.row_count?, self.price_per_1k_usd.max(price_per_1k_usd)?);
        match self.status() {
            Status::Going(_) => None,
            Status::Cancelled => Some(Decimal::ZERO),
            Status::Completed => of_rows(),
            Status::Failed if self.record.row_count.is_some_and(|rows| rows > 0) => of_rows(),
            Status::Failed => match self.record.extra.get("credits_used") {
                Some(used) if !used.is_null() && used.as_f64() != Some(0.0) => None,
                _ => Some(Decimal::ZERO),
            },
        }
    }

    /// The parameters of its start, completed, where they are known.
    pub fn params(&self) -> Option<&Map<String, Value>> {
        self.params.as_deref()
    }

    /// Whether it answered a later request, which cost nothing.
    pub fn is_reused(&self) -> bool {
        self.is_reused
    }

    /// Why its id is not in the ledger, where it should be: whoever holds this snapshot has to keep it.
    pub fn unwritten(&self) -> Option<&str> {
        self.unwritten.as_deref()
    }

    /// Whether it was started lately, and this snapshot heard no more than the answer to that.
    pub(super) fn is_just_started(&self) -> bool {
        self.started.is_some() && self.heard_at.is_none_or(|moment| self.started == Some(moment))
    }

    /// What was odd about the service's answers, in the order it was seen.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// When the rows go away, if the service said so in a way that can be read.
    pub fn expires_at(&self) -> Option<SystemTime> {
        moment(self.record.expires_at.as_deref()?)
    }

    pub(super) fn set_price(&mut self, price_per_1k_usd: Option<Decimal>) {
        self.price_per_1k_usd = price_per_1k_usd;
    }

    pub(super) fn is_completed(&self) -> bool {
        self.record.status == Status::Completed
    }

    pub(super) fn note(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !self.notes.contains(&text) {
            self.notes.push(text);
        }
    }

    /// The next snapshot: `record` was heard at `now`. A job once completed stays so, whatever comes after.
    pub(super) fn with_record(&self, record: JobRecord, now: Instant) -> Self {
        let mut next = self.clone();
        next.heard_at = Some(now);
        let (known, told) = (self.record.created_at.as_deref(), record.created_at.as_deref());
        next.is_doubtful |= are_apart(known, told);
        if is_long_after(told, known) {
            next.record = record;
            next.forget_start();
        } else if self.is_completed() && record.status != Status::Completed {
            let word = clipped_word(record.status.as_str());
            next.note(format!("the service called the job `{word}` after it had been completed; completed is final"));
        } else {
            next.record = record;
        }
        next
    }

    /// Takes the entry in which the ledger has what was heard of it. Where that is another start's, its id is another
    /// job's now.
    pub(super) fn take_entry(&mut self, entry: Option<EntryId>) {
        let Some(entry) = entry else { return };
        if self.entry.is_some_and(|own| !own.is_of_start(entry)) {
            self.forget_start();
        }
        self.entry = Some(entry);
    }

    /// Its id is another job's now: a service that forgets all it had may give ids again.
    fn forget_start(&mut self) {
        self.note("created long after the job that had this id before: what started it is not known");
        self.agent = None;
        self.price_per_1k_usd = None;
        self.params = None;
        self.max_rows = None;
        self.entry = None;
        self.is_doubtful = false;
    }

    /// The snapshot that a record of earlier tells.
    pub(super) fn recalled(mut self, record: JobRecord, cost_usd: Option<Decimal>) -> Self {
        (self.record, self.recalled_cost_usd) = (record, cost_usd);
        self
    }

    /// The same as the answer to a later request.
    pub(super) fn reused(mut self) -> Self {
        self.is_reused = true;
        self
    }

    /// The snapshot after its rows were read.
    pub(super) fn with_rows(mut self, rows: u64) -> Self {
        if let Some(told) = self.record.row_count.filter(|told| *told != rows) {
            self.note(format!("the service had told {told} rows for the job, its results hold {rows}"));
        }
        self.record.status = Status::Completed;
        self.record.row_count = Some(rows);
        self
    }
}

/// Exact money: rows times the price of a thousand. `None` only where it is beyond what a decimal can say.
pub(super) fn cost(rows: u64, price_per_1k_usd: Decimal) -> Option<Decimal> {
    Some((Decimal::from(rows).checked_mul(price_per_1k_usd)? / Decimal::ONE_THOUSAND).normalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job() -> Job {
        Job::new("j1".parse().unwrap(), None, Some(Decimal::from(10)))
    }

    fn next(job: &Job, body: &str) -> Job {
        let now = tokio::time::Instant::now();
        job.with_record(JobRecord::parse(body.as_bytes()).unwrap(), now)
    }

    #[test]
    fn completed_is_final_and_what_came_after_is_noted() {
        let done = next(&job(), r#"{"status": "completed", "row_count": 3}"#);
        let after = next(&done, r#"{"status": "running"}"#);
        assert!(after.is_completed() && after.row_count() == Some(3));
        assert_eq!(after.notes().len(), 1);
        assert_eq!(next(&after, r#"{"status": "running"}"#).notes().len(), 1);
    }

    #[test]
    fn a_job_that_was_created_long_after_is_another_job_with_the_same_id() {
        let mut first =
            next(&job(), r#"{"status": "completed", "created_at": "2026-01-01T10:00:00Z", "row_count": 3}"#);
        first.params = Some(Arc::default());
        let same = next(&first, r#"{"status": "completed", "created_at": "2026-01-01T11:00:00.25+01:00"}"#);
        assert!(same.params().is_some() && same.notes().is_empty());
        let other = next(&first, r#"{"status": "queued", "created_at": "2026-01-03T10:01:00Z", "agent": "a/b"}"#);
        assert!(other.params().is_none() && !other.is_completed() && other.price_per_1k_usd().is_none());
        assert_eq!(other.agent(), Some("a/b".parse().unwrap()));
        assert_eq!(other.notes().len(), 1);
    }

    #[test]
    fn the_cost_is_exact_and_unknown_rather_than_guessed() {
        assert_eq!(job().cost_usd(), None);
        assert_eq!(job().with_rows(1_234_567).cost_usd(), Some("12345.67".parse().unwrap()));
        assert_eq!(cost(3, "0.001".parse().unwrap()), Some("0.000003".parse().unwrap()));
        assert_eq!(cost(u64::MAX, Decimal::MAX), None);
    }

    #[test]
    fn a_failed_job_is_free_only_where_nothing_says_that_it_used_something() {
        for (told, billed) in [
            (r#"{"status": "failed"}"#, Some("0")),
            (r#"{"status": "failed", "row_count": 0, "credits_used": 0}"#, Some("0")),
            (r#"{"status": "failed", "row_count": 5}"#, Some("0.05")),
            (r#"{"status": "failed", "row_count": 0, "credits_used": 7}"#, None),
            (r#"{"status": "failed", "credits_used": "7"}"#, None),
            (r#"{"status": "cancelled", "row_count": 5}"#, Some("0")),
            (r#"{"status": "running", "row_count": 5}"#, None),
            (r#"{"status": "completed"}"#, None),
        ] {
            let billed = billed.map(|billed| billed.parse().unwrap());
            assert_eq!(next(&job(), told).billed_usd(None), billed, "{told}");
        }
    }
}
