//! What the ledger says of one start.

use rusqlite::Row;
use rust_decimal::Decimal;
use serde_json::{Map, Value};

use super::process;
use crate::wire::{AgentName, JobId, Status};

/// One start, or one job that was taken up by its id. Moments are microseconds since 1970 in UTC, by the clock of this
/// machine, but for the texts that the service sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Counts up in one ledger, in the order of writing.
    pub number: i64,
    /// As the caller named it; absent where the job was started elsewhere and nobody said.
    pub agent: Option<AgentName>,
    /// As it was named to the service, where it was started from here.
    pub wire: Option<AgentName>,
    /// Completed, in the `/api/v1` form.
    pub params: Option<Map<String, Value>>,
    pub stage: Stage,
    pub job_id: Option<JobId>,
    /// The service's word.
    pub status: Option<Status>,
    pub price_per_1k_usd: Option<Decimal>,
    pub max_rows: Option<u64>,
    pub row_count: Option<u64>,
    pub cost_usd: Option<Decimal>,
    /// Why the job failed, in the service's words.
    pub error: Option<String>,
    /// Why the start is uncertain or was refused, or how that was settled.
    pub note: Option<String>,
    /// The last balance that was known before the start.
    pub balance_before_usd: Option<Decimal>,
    pub written_at: i64,
    /// When it was last sent.
    pub sent_at: Option<i64>,
    /// By when what was last sent must have been answered.
    pub due_at: Option<i64>,
    /// After this moment nobody is at it any more.
    pub answer_by: Option<i64>,
    pub started_at: Option<i64>,
    pub heard_at: Option<i64>,
    pub fetched_at: Option<i64>,
    /// When the service turned out not to have the job or its rows any more.
    pub gone_at: Option<i64>,
    pub created_at: Option<String>,
    pub completed_at: Option<String>,
    pub expires_at: Option<String>,
    /// Whether two times of creation were told: the id may have been given again.
    pub is_doubtful: bool,
}

/// How far a start came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Somebody is at it.
    Starting,
    /// Perhaps something runs.
    Uncertain,
    /// The service refused: nothing runs.
    Rejected,
    /// Nothing reached the service.
    NotSent,
    /// It was uncertain, and the service turned out not to know of it.
    NeverStarted,
    /// There is a job.
    Started,
}

impl Stage {
    const ALL: [Self; 6] =
        [Self::Starting, Self::Uncertain, Self::Rejected, Self::NotSent, Self::NeverStarted, Self::Started];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::Uncertain => "uncertain",
            Self::Rejected => "rejected",
            Self::NotSent => "not_sent",
            Self::NeverStarted => "never_started",
            Self::Started => "started",
        }
    }
}

impl Entry {
    pub(super) const COLUMNS: &'static str = "entry, agent, params, stage, job_id, status, price_per_1k_usd, max_rows, \
        row_count, cost_usd, error, note, balance_before_usd, written_at, started_at, heard_at, fetched_at, gone_at, created_at, \
        completed_at, expires_at, process, wire, sent_at, due_at, answer_by, is_doubtful";

    /// Reads a row of [`Self::COLUMNS`]. A start whose process has ended, or whose time is over, is uncertain.
    pub(super) fn of(row: &Row<'_>, now: i64) -> rusqlite::Result<Self> {
        let text = |column: &str| row.get::<_, Option<String>>(column);
        let money = |column: &str| Ok::<_, rusqlite::Error>(text(column)?.and_then(|text| text.parse().ok()));
        let count = |column: &str| Ok::<_, rusqlite::Error>(row.get::<_, Option<i64>>(column)?.map(i64::cast_unsigned));
        let written: String = row.get("stage")?;
        let mut stage = Stage::ALL.into_iter().find(|stage| stage.as_str() == written).unwrap_or(Stage::Uncertain);
        let mut note = text("note")?;
        if stage == Stage::Starting && is_given_up(text("process")?.as_deref(), row.get("answer_by")?, now) {
            stage = Stage::Uncertain;
            note = Some("whoever sent it ended before an answer was written down".to_owned());
        }
        Ok(Self {
            number: row.get("entry")?,
            agent: text("agent")?.and_then(|name| name.parse().ok()),
            wire: text("wire")?.and_then(|name| name.parse().ok()),
            params: text("params")?.and_then(|text| serde_json::from_str(&text).ok()),
            stage,
            job_id: text("job_id")?.and_then(|id| id.parse().ok()),
            status: text("status")?.map(|word| Status::parse(&word)),
            price_per_1k_usd: money("price_per_1k_usd")?,
            max_rows: count("max_rows")?,
            row_count: count("row_count")?,
            cost_usd: money("cost_usd")?,
            error: text("error")?,
            note,
            balance_before_usd: money("balance_before_usd")?,
            written_at: row.get("written_at")?,
            sent_at: row.get("sent_at")?,
            is_doubtful: row.get("is_doubtful")?,
            due_at: row.get("due_at")?,
            answer_by: row.get("answer_by")?,
            started_at: row.get("started_at")?,
            heard_at: row.get("heard_at")?,
            fetched_at: row.get("fetched_at")?,
            gone_at: row.get("gone_at")?,
            created_at: text("created_at")?,
            completed_at: text("completed_at")?,
            expires_at: text("expires_at")?,
        })
    }

    /// One word for what became of it: the service's once there is a job.
    pub fn word(&self) -> &str {
        match (&self.status, self.stage) {
            (Some(status), Stage::Started) => status.as_str(),
            (_, stage) => stage.as_str(),
        }
    }

    /// Whether it was started from here, and not taken up by its id.
    pub fn is_from_here(&self) -> bool {
        self.wire.is_some()
    }

    /// Whether a job of this agent may be its. A service may know an agent under a group of another name.
    pub fn may_be_of(&self, agent: &AgentName) -> bool {
        let mut names = [&self.wire, &self.agent].into_iter().flatten().peekable();
        names.peek().is_none() || names.any(|name| name.slug == agent.slug)
    }

    /// Whether there is a job that had not ended when it was last heard of.
    pub fn is_running(&self) -> bool {
        let has_ended = self.fetched_at.is_some() || self.status.as_ref().is_some_and(Status::is_final);
        self.stage == Stage::Started && self.gone_at.is_none() && !has_ended
    }

    /// Whether there are rows that were paid for and never fetched.
    pub fn is_unfetched(&self) -> bool {
        self.status == Some(Status::Completed) && self.fetched_at.is_none() && self.gone_at.is_none()
    }
}

/// A moment as text in UTC.
pub fn moment(micros: i64) -> String {
    jiff::Timestamp::from_microsecond(micros).unwrap_or_default().to_string()
}

fn is_given_up(process: Option<&str>, answer_by: Option<i64>, now: i64) -> bool {
    answer_by.is_some_and(|by| now > by) || process.is_some_and(process::has_ended)
}
