//! The writes: what is about to be sent, what came of it, and what was heard since.

use std::sync::atomic::{AtomicI64, Ordering};

use rusqlite::{OptionalExtension, Transaction, params};
use rust_decimal::Decimal;
use serde_json::{Map, Value};

use super::account::{Account, Survives};
use super::entry::{Entry, Stage};
use super::error::LedgerError;
use crate::wire::{AgentName, JobId, is_long_after};

/// A start that is about to be sent.
#[derive(Debug, Clone)]
pub struct Intent {
    pub agent: AgentName,
    pub params: Map<String, Value>,
    pub price_per_1k_usd: Option<Decimal>,
    pub max_rows: Option<u64>,
    /// As the service is told it.
    pub wire: AgentName,
    pub times: Times,
}

/// When a start was sent, and until when it is waited for, in microseconds since 1970.
#[derive(Debug, Clone, Copy)]
pub struct Times {
    pub sent_at: i64,
    /// By when this sending must have been answered.
    pub due_at: i64,
    /// After this moment nobody is at the start any more: neither sending it again nor waiting to.
    pub answer_by: i64,
}

/// Which entry a start has. Its number alone would not do: a ledger whose file was taken away counts from one again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntryId {
    number: i64,
    /// No two entries of a process are written at one moment.
    written_at: i64,
}

impl EntryId {
    /// Of an entry that was read.
    pub fn of(entry: &Entry) -> Self {
        Self { number: entry.number, written_at: entry.written_at }
    }

    /// Whether an entry is of the same start, be it in a file that was made anew.
    pub fn is_of_start(self, other: Self) -> bool {
        self.written_at == other.written_at
    }
}

/// What is known of a job now. What is absent leaves what stands there.
#[derive(Debug, Clone)]
pub struct Heard {
    pub job_id: JobId,
    /// The entry of its start, where that is known: what is heard of a job whose id is a later start's by now is old news.
    pub entry: Option<EntryId>,
    pub agent: Option<AgentName>,
    pub status: String,
    pub price_per_1k_usd: Option<Decimal>,
    pub row_count: Option<u64>,
    pub cost_usd: Option<Decimal>,
    pub error: Option<String>,
    pub created_at: Option<String>,
    pub completed_at: Option<String>,
    pub expires_at: Option<String>,
    /// Whether the rows are here now.
    pub is_fetched: bool,
}

impl Account {
    /// Writes down that a start is about to be sent. It is on disk when this returns.
    pub fn intend(&self, intent: &Intent) -> Result<EntryId, LedgerError> {
        self.write(Survives::PowerLoss, |transaction, account, process| insert(transaction, account, intent, process))
    }

    /// The start is sent again, because it certainly was not taken: its answer is due later. It is on disk when this returns.
    pub fn postpone(&self, entry: EntryId, times: Times) -> Result<(), LedgerError> {
        self.write(Survives::PowerLoss, |transaction, _, _| {
            let postpone = "UPDATE entries SET sent_at = ?, due_at = ?, answer_by = ?
                 WHERE entry = ? AND written_at = ? AND stage = 'starting'";
            let Times { sent_at, due_at, answer_by } = times;
            let EntryId { number, written_at } = entry;
            let times = params![sent_at, due_at, answer_by, number, written_at];
            transaction.prepare_cached(postpone)?.execute(times).map(drop)
        })
    }

    /// The start was answered with a job. Its id is on disk when this returns, which gives the entry that has it.
    ///
    /// An earlier start with this id makes way: either both have one job, or the service has forgotten all it had and gives ids
    /// again. The intent is given again for the case that its file was taken away meanwhile.
    pub fn started(&self, entry: EntryId, intent: &Intent, heard: &Heard) -> Result<EntryId, LedgerError> {
        self.write(Survives::PowerLoss, |transaction, account, process| {
            make_way(transaction, account, &heard.job_id, Some(entry))?;
            let id = heard.job_id.as_str();
            let adopt = "UPDATE entries SET stage = 'started', job_id = ?, status = ?, started_at = ?, note = NULL
                         WHERE entry = ? AND written_at = ? AND account = ?";
            let mut adopt = transaction.prepare_cached(adopt)?;
            let mut link = |EntryId { number, written_at }| {
                adopt.execute(params![id, heard.status, now(), number, written_at, account])
            };
            let mut entry = entry;
            if link(entry)? == 0 {
                entry = insert(transaction, account, intent, process)?;
                link(entry)?;
            }
            update(transaction, account, heard)?;
            Ok(entry)
        })
    }

    /// What became of a start that brought no job.
    pub fn settle(&self, entry: EntryId, stage: Stage, note: &str) -> Result<(), LedgerError> {
        self.write(Survives::Process, |transaction, account, _| {
            let settle =
                "UPDATE entries SET stage = ?, note = ? WHERE entry = ? AND written_at = ? AND account = ? AND stage <> 'started'";
            let EntryId { number, written_at } = entry;
            let settled = params![stage.as_str(), note, number, written_at, account];
            transaction.prepare_cached(settle)?.execute(settled).map(drop)
        })
    }

    /// An uncertain start turned out to be this job.
    ///
    /// # Errors
    /// Also where the job has an entry already: then it is another start's.
    pub fn adopt(&self, entry: EntryId, heard: &Heard, note: &str) -> Result<bool, LedgerError> {
        self.write(Survives::PowerLoss, |transaction, account, _| {
            let adopt = "UPDATE entries SET stage = 'started', job_id = ?1, status = ?2, started_at = ?3, note = ?4
                         WHERE entry = ?5 AND written_at = ?7 AND account = ?6 AND stage <> 'started'
                         AND NOT EXISTS (SELECT 1 FROM entries WHERE account = ?6 AND job_id = ?1)";
            let id = heard.job_id.as_str();
            let EntryId { number, written_at } = entry;
            let adoption = params![id, heard.status, now(), note, number, account, written_at];
            let adopted = transaction.prepare_cached(adopt)?.execute(adoption)?;
            if adopted > 0 {
                update(transaction, account, heard)?;
            }
            Ok(adopted > 0)
        })
    }

    /// What was heard of a job. One that was started elsewhere gets its entry now.
    pub fn heard(&self, heard: &Heard) -> Result<(), LedgerError> {
        self.write(Survives::Process, |transaction, account, _| {
            let known = "SELECT written_at, created_at FROM entries WHERE account = ? AND job_id = ?";
            let mut known = transaction.prepare_cached(known)?;
            let known: Option<(i64, Option<String>)> = known
                .query_row(params![account, heard.job_id.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()?;
            match (heard.entry, known) {
                // Its id is a later start's by now.
                (Some(mine), Some((written_at, _))) if mine.written_at != written_at => return Ok(()),
                (None, Some((_, created_at))) if is_long_after(heard.created_at.as_deref(), created_at.as_deref()) => {
                    make_way(transaction, account, &heard.job_id, None)?;
                }
                _ => {}
            }
            if update(transaction, account, heard)? > 0 {
                return Ok(());
            }
            let take_up =
                "INSERT INTO entries (account, agent, stage, job_id, written_at) VALUES (?, ?, 'started', ?, ?)";
            let agent = heard.agent.as_ref().map(ToString::to_string);
            let written_at = heard.entry.map_or_else(moment_of_writing, |entry| entry.written_at);
            transaction.prepare_cached(take_up)?.execute(params![account, agent, heard.job_id.as_str(), written_at])?;
            update(transaction, account, heard).map(drop)
        })
    }

    /// The service does not have a job, or its rows, any more; `entry` is that of its start, where it is known.
    pub fn gone(&self, job_id: &JobId, entry: Option<EntryId>) -> Result<(), LedgerError> {
        self.write(Survives::Process, |transaction, account, _| {
            let gone = "UPDATE entries SET gone_at = ?1 WHERE account = ?2 AND job_id = ?3 AND gone_at IS NULL
                        AND (?4 IS NULL OR written_at = ?4)";
            let written_at = entry.map(|entry| entry.written_at);
            transaction.prepare_cached(gone)?.execute(params![now(), account, job_id.as_str(), written_at]).map(drop)
        })
    }

    /// The balance as the service told it now.
    pub fn balance(&self, balance_usd: Decimal) -> Result<(), LedgerError> {
        self.write(Survives::Process, |transaction, account, _| {
            let balance = "UPDATE accounts SET balance_usd = ? WHERE account = ?";
            transaction.prepare_cached(balance)?.execute(params![balance_usd.to_string(), account]).map(drop)
        })
    }
}

/// Now, in microseconds since 1970.
pub(super) fn now() -> i64 {
    jiff::Timestamp::now().as_microsecond()
}

/// Now, or a moment later where this process has written an entry at it already.
fn moment_of_writing() -> i64 {
    static LAST: AtomicI64 = AtomicI64::new(0);
    let now = now();
    let last = LAST.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| Some(now.max(last + 1)));
    now.max(last.unwrap_or_default() + 1)
}

fn insert(
    transaction: &Transaction<'_>,
    account: i64,
    intent: &Intent,
    process: Option<&str>,
) -> rusqlite::Result<EntryId> {
    let written_at = moment_of_writing();
    let insert = "INSERT INTO entries (account, agent, params, stage, price_per_1k_usd, max_rows, balance_before_usd,
                      process, answer_by, written_at, wire, sent_at, due_at)
                  VALUES (?1, ?2, ?3, 'starting', ?4, ?5, (SELECT balance_usd FROM accounts WHERE account = ?1),
                      ?6, ?7, ?8, ?9, ?10, ?11)";
    transaction.prepare_cached(insert)?.execute(params![
        account,
        intent.agent.to_string(),
        canonical(&intent.params),
        intent.price_per_1k_usd.map(|price| price.to_string()),
        intent.max_rows.map(u64::cast_signed),
        process,
        intent.times.answer_by,
        written_at,
        intent.wire.to_string(),
        intent.times.sent_at,
        intent.times.due_at,
    ])?;
    Ok(EntryId { number: transaction.last_insert_rowid(), written_at })
}

/// Takes away the entry that has an id so far, unless it is `entry`: a service that forgets all it had may give ids again.
fn make_way(
    transaction: &Transaction<'_>,
    account: i64,
    job_id: &JobId,
    entry: Option<EntryId>,
) -> rusqlite::Result<()> {
    let make_way = "DELETE FROM entries WHERE account = ?1 AND job_id = ?2
                    AND (?3 IS NULL OR entry <> ?3 OR written_at <> ?4)";
    let (number, written_at) = entry.map(|EntryId { number, written_at }| (number, written_at)).unzip();
    transaction.prepare_cached(make_way)?.execute(params![account, job_id.as_str(), number, written_at]).map(drop)
}

/// Brings the entry of a job up to date; how many there are of it. A job that has ended does not go on again, whatever an old
/// snapshot says; one that is heard of is not gone.
fn update(transaction: &Transaction<'_>, account: i64, heard: &Heard) -> rusqlite::Result<usize> {
    let update = "UPDATE entries SET
                      agent = coalesce(agent, ?3),
                      status = CASE
                          WHEN status = 'completed' THEN status
                          WHEN status IN ('failed', 'cancelled') AND ?4 NOT IN ('completed', 'failed', 'cancelled')
                              THEN status
                          ELSE ?4 END,
                      price_per_1k_usd = coalesce(?5, price_per_1k_usd),
                      row_count = coalesce(?6, row_count), cost_usd = coalesce(?7, cost_usd), error = coalesce(?8, error),
                      created_at = coalesce(?9, created_at), completed_at = coalesce(?10, completed_at),
                      expires_at = coalesce(?11, expires_at), heard_at = ?12, gone_at = NULL,
                      fetched_at = CASE WHEN ?13 THEN ?12 ELSE fetched_at END
                  WHERE account = ?1 AND job_id = ?2";
    transaction.prepare_cached(update)?.execute(params![
        account,
        heard.job_id.as_str(),
        heard.agent.as_ref().map(ToString::to_string),
        heard.status,
        heard.price_per_1k_usd.map(|price| price.to_string()),
        heard.row_count.map(u64::cast_signed),
        heard.cost_usd.map(|cost| cost.to_string()),
        heard.error,
        heard.created_at,
        heard.completed_at,
        heard.expires_at,
        now(),
        heard.is_fetched,
    ])
}

/// Parameters in one form, so that equal ones are equal texts: keys in order, at every depth.
pub(super) fn canonical(params: &Map<String, Value>) -> String {
    fn sorted(value: &Value) -> Value {
        match value {
            Value::Object(fields) => {
                let mut fields: Vec<_> = fields.iter().map(|(name, value)| (name.clone(), sorted(value))).collect();
                fields.sort_by(|(one, _), (other, _)| one.cmp(other));
                Value::Object(fields.into_iter().collect())
            }
            Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
            plain => plain.clone(),
        }
    }
    sorted(&Value::Object(params.clone())).to_string()
}
