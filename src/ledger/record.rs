//! The writes: what is about to be sent, what came of it, and what was heard since.

use std::sync::atomic::{AtomicI64, Ordering};

use rusqlite::{OptionalExtension, Transaction, params};
use rust_decimal::Decimal;
use serde_json::{Map, Value};

use super::account::{Account, Survives};
use super::entry::{Entry, Stage};
use super::error::LedgerError;
use crate::wire::{AgentName, JobId, is_long_after};

/// In microseconds.
const SECOND: i64 = 1_000_000;

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
    /// Whether it may be two jobs that are told of.
    pub is_doubtful: bool,
}

impl Account {
    /// Writes down that a start is about to be sent. It is on disk when this returns.
    pub fn intend(&self, intent: &Intent) -> Result<EntryId, LedgerError> {
        self.write(Survives::PowerLoss, |transaction, account, process| insert(transaction, account, intent, process))
    }

    /// The start is sent again, because it certainly was not taken: its answer is due later. It is on disk when this returns.
    ///
    /// This and what follows give the entry that the start has from now on: where its file was taken away, another is made of the
    /// intent.
    pub fn postpone(&self, entry: EntryId, intent: &Intent, times: Times) -> Result<EntryId, LedgerError> {
        self.write(Survives::PowerLoss, |transaction, account, process| {
            let entry = entry_of(transaction, account, entry, intent, process)?;
            let postpone = "UPDATE entries SET sent_at = ?, due_at = ?, answer_by = ?
                 WHERE entry = ? AND stage = 'starting'";
            let Times { sent_at, due_at, answer_by } = times;
            transaction.prepare_cached(postpone)?.execute(params![sent_at, due_at, answer_by, entry.number])?;
            Ok(entry)
        })
    }

    /// The start was answered with a job. Its id is on disk when this returns.
    ///
    /// An earlier start with this id makes way: either both have one job, or the service has forgotten all it had and gives ids
    /// again.
    pub fn started(&self, entry: EntryId, intent: &Intent, heard: &Heard) -> Result<EntryId, LedgerError> {
        self.write(Survives::PowerLoss, |transaction, account, process| {
            let entry = entry_of(transaction, account, entry, intent, process)?;
            make_way(transaction, account, &heard.job_id, Some(entry))?;
            let adopt = "UPDATE entries SET stage = 'started', job_id = ?, status = ?, started_at = ?, note = NULL
                         WHERE entry = ?";
            let adoption = params![heard.job_id.as_str(), heard.status, now(), entry.number];
            transaction.prepare_cached(adopt)?.execute(adoption)?;
            update(transaction, account, heard)?;
            Ok(entry)
        })
    }

    /// What became of a start that brought no job.
    pub fn settle(&self, entry: EntryId, intent: &Intent, stage: Stage, note: &str) -> Result<EntryId, LedgerError> {
        self.write(Survives::Process, |transaction, account, process| {
            let entry = entry_of(transaction, account, entry, intent, process)?;
            settle(transaction, entry, stage, note)?;
            Ok(entry)
        })
    }

    /// What became of an uncertain start, as far as the ledger still has it.
    pub fn resolve(&self, entry: EntryId, stage: Stage, note: &str) -> Result<(), LedgerError> {
        self.write(Survives::Process, |transaction, account, _| {
            if has(transaction, account, entry)? { settle(transaction, entry, stage, note) } else { Ok(()) }
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

    /// What was heard of a job. Gives the entry that it has, which it gets now where it was started elsewhere; `None` where its id
    /// is a later job's by now.
    pub fn heard(&self, heard: &Heard) -> Result<Option<EntryId>, LedgerError> {
        self.write(Survives::Process, |transaction, account, _| hear(transaction, account, heard))
    }

    /// The same of many jobs, all or none of them.
    pub fn heard_all(&self, all: &[Heard]) -> Result<(), LedgerError> {
        self.write(Survives::Process, |transaction, account, _| {
            all.iter().try_for_each(|heard| hear(transaction, account, heard).map(drop))
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

/// When an entry is written: now, or a moment later where this process has written one at it already.
fn moment_of_writing() -> i64 {
    static LAST: AtomicI64 = AtomicI64::new(0);
    let now = now();
    let last = LAST.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| Some(moment_after(last, now)));
    moment_after(last.unwrap_or_default(), now)
}

/// Now, or just after `last`. Where that is far ahead the clock was set back, and what is written follows the clock.
fn moment_after(last: i64, now: i64) -> i64 {
    if (now..now + SECOND).contains(&last) { last + 1 } else { now }
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

/// Writes down what was heard of a job, and gives its entry; `None` where it is old news of one whose id is a later job's by now.
fn hear(transaction: &Transaction<'_>, account: i64, heard: &Heard) -> rusqlite::Result<Option<EntryId>> {
    let known = "SELECT entry, written_at, created_at FROM entries WHERE account = ? AND job_id = ?";
    let known = transaction.prepare_cached(known)?.query_row(params![account, heard.job_id.as_str()], |row| {
        Ok((EntryId { number: row.get(0)?, written_at: row.get(1)? }, row.get::<_, Option<String>>(2)?))
    });
    let mut written_at = heard.entry.map(|entry| entry.written_at);
    if let Some((known, created_at)) = known.optional()? {
        let (told, created_at) = (heard.created_at.as_deref(), created_at.as_deref());
        let is_old = match heard.entry {
            Some(own) => !own.is_of_start(known),
            None => is_long_after(created_at, told),
        };
        if is_old {
            return Ok(None);
        }
        if !is_long_after(told, created_at) {
            update(transaction, account, heard)?;
            return Ok(Some(known));
        }
        make_way(transaction, account, &heard.job_id, None)?;
        written_at = None;
    }
    let written_at = written_at.unwrap_or_else(moment_of_writing);
    let take_up = "INSERT INTO entries (account, agent, stage, job_id, written_at) VALUES (?, ?, 'started', ?, ?)";
    let agent = heard.agent.as_ref().map(ToString::to_string);
    transaction.prepare_cached(take_up)?.execute(params![account, agent, heard.job_id.as_str(), written_at])?;
    let number = transaction.last_insert_rowid();
    update(transaction, account, heard)?;
    Ok(Some(EntryId { number, written_at }))
}

/// Whether the ledger has an entry, and no other by its number.
fn has(transaction: &Transaction<'_>, account: i64, entry: EntryId) -> rusqlite::Result<bool> {
    let known = "SELECT 1 FROM entries WHERE entry = ? AND written_at = ? AND account = ?";
    transaction.prepare_cached(known)?.exists(params![entry.number, entry.written_at, account])
}

/// The entry of a start, or another for it where that is gone with its file.
fn entry_of(
    transaction: &Transaction<'_>,
    account: i64,
    entry: EntryId,
    intent: &Intent,
    process: Option<&str>,
) -> rusqlite::Result<EntryId> {
    if has(transaction, account, entry)? { Ok(entry) } else { insert(transaction, account, intent, process) }
}

fn settle(transaction: &Transaction<'_>, entry: EntryId, stage: Stage, note: &str) -> rusqlite::Result<()> {
    let settle = "UPDATE entries SET stage = ?, note = ? WHERE entry = ? AND stage <> 'started'";
    transaction.prepare_cached(settle)?.execute(params![stage.as_str(), note, entry.number]).map(drop)
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
                      fetched_at = CASE WHEN ?13 THEN ?12 ELSE fetched_at END, is_doubtful = is_doubtful OR ?14
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
        heard.is_doubtful,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_written_one_after_the_other_and_follow_a_clock_that_is_set_back() {
        assert_eq!(moment_after(0, 5_000_000), 5_000_000);
        assert_eq!(moment_after(5_000_000, 5_000_000), 5_000_001);
        assert_eq!(moment_after(5_000_007, 5_000_000), 5_000_008);
        assert_eq!(moment_after(600_000_000, 5_000_000), 5_000_000);
    }
}
