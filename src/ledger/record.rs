//! The writes of a start: what is about to be sent, and what came of it.

use rusqlite::{Transaction, params};
use rust_decimal::Decimal;
use serde_json::{Map, Value};

use super::account::{Account, Survives};
use super::entry::Stage;
use super::entry_id::{EntryId, moment_of_writing, now};
use super::error::LedgerError;
use super::job_update::{JobUpdate, make_way, update};
use super::one_form::canonical;
use crate::wire::AgentName;

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

/// An uncertain start that turned out to be a job.
pub struct Adoption {
    pub entry: EntryId,
    pub job: JobUpdate,
    /// Whether the job is what this very start asked for.
    pub knows_request: bool,
    /// How it is known, in words.
    pub note: String,
}

impl Account {
    /// Writes down that a start is about to be sent. It is on disk when this returns.
    pub fn intend(&self, intent: &Intent) -> Result<EntryId, LedgerError> {
        self.write(Survives::PowerLoss, |transaction, account, process| insert(transaction, account, intent, process))
    }

    /// The start is sent again, because it certainly was not taken: its answer is due later. It is on disk when this
    /// returns.
    ///
    /// This and what follows give the entry that the start has from now on: where its file was taken away, another is
    /// made of the intent.
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
    /// An earlier start with this id makes way: either both have one job, or the service has forgotten all it had and
    /// gives ids again.
    pub fn started(&self, entry: EntryId, intent: &Intent, job: &JobUpdate) -> Result<EntryId, LedgerError> {
        self.write(Survives::PowerLoss, |transaction, account, process| {
            let entry = entry_of(transaction, account, entry, intent, process)?;
            make_way(transaction, account, &job.job_id, Some(entry))?;
            let adopt = "UPDATE entries SET stage = 'started', job_id = ?, status = ?, started_at = ?, note = NULL
                         WHERE entry = ?";
            let adoption = params![job.job_id.as_str(), job.status, now(), entry.number];
            transaction.prepare_cached(adopt)?.execute(adoption)?;
            update(transaction, account, job)?;
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

    /// What became of an uncertain start; `false` where it is settled already.
    pub fn resolve(&self, entry: EntryId, stage: Stage, note: &str) -> Result<bool, LedgerError> {
        self.write(Survives::Process, |transaction, account, _| {
            if !is_unsettled(transaction, account, entry)? {
                return Ok(false);
            }
            settle(transaction, entry, stage, note).map(|()| true)
        })
    }

    /// Uncertain starts turned out to be these jobs: all of them, or none is written down and this is `false`, as where
    /// one of the starts is settled, or one of the jobs has an entry already, for then it is another start's.
    pub fn adopt(&self, adoptions: &[Adoption]) -> Result<bool, LedgerError> {
        self.write(Survives::PowerLoss, |transaction, account, _| {
            let is_taken = "SELECT 1 FROM entries WHERE account = ? AND job_id = ?";
            for Adoption { entry, job, .. } in adoptions {
                let is_taken = transaction.prepare_cached(is_taken)?.exists(params![account, job.job_id.as_str()])?;
                if is_taken || !is_unsettled(transaction, account, *entry)? {
                    return Ok(false);
                }
            }
            for adoption in adoptions {
                become_job(transaction, adoption)?;
                update(transaction, account, &adoption.job)?;
            }
            Ok(true)
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

/// Whether an entry is of a start of which it is not known what became of it.
pub(super) fn is_unsettled(transaction: &Transaction<'_>, account: i64, entry: EntryId) -> rusqlite::Result<bool> {
    let is_unsettled = "SELECT 1 FROM entries WHERE entry = ? AND written_at = ? AND account = ?
                        AND stage IN ('starting', 'uncertain')";
    transaction.prepare_cached(is_unsettled)?.exists(params![entry.number, entry.written_at, account])
}

/// Makes an uncertain start that of a job.
pub(super) fn become_job(transaction: &Transaction<'_>, adoption: &Adoption) -> rusqlite::Result<()> {
    let become_job = "UPDATE entries SET stage = 'started', job_id = ?1, started_at = ?3, note = ?4,
                          status = CASE WHEN status = 'completed' THEN status ELSE ?2 END,
                          params = CASE WHEN ?6 THEN params END, max_rows = CASE WHEN ?6 THEN max_rows END
                      WHERE entry = ?5";
    let Adoption { entry, job, knows_request, note } = adoption;
    let values = params![job.job_id.as_str(), job.status, now(), note, entry.number, knows_request];
    transaction.prepare_cached(become_job)?.execute(values).map(drop)
}
