//! A job that a caller says an uncertain start has brought. It may have an entry already, in which it is known by its
//! id alone, as it was taken up: what that says of the job then goes to the start's entry, and it makes way.

use rusqlite::{Transaction, params};

use super::account::{Account, Survives};
use super::entry::Entry;
use super::entry_id::EntryId;
use super::job_update::{known, make_way, update};
use super::list::of_job;
use super::record::{Adoption, become_job, is_unsettled};
use crate::ledger::LedgerError;
use crate::wire::{JobId, is_long_after};

/// What became of a claim.
#[derive(Debug)]
pub enum Claim {
    /// The job is that of the start now, and this is their entry.
    Granted(Box<Entry>),
    /// It is known already what became of the start, or the ledger does not have it.
    IsSettled,
    /// The job is another start's.
    IsTaken,
}

impl Account {
    /// The job becomes that of the start, if it is free and the start is open.
    pub fn claim(&self, adoption: &Adoption) -> Result<Claim, LedgerError> {
        self.write(Survives::PowerLoss, |transaction, account, _| {
            let Adoption { entry, job, .. } = adoption;
            if !is_unsettled(transaction, account, *entry)? {
                return Ok(Claim::IsSettled);
            }
            if let Some(known) = known(transaction, account, &job.job_id)? {
                let is_given_again = is_long_after(job.created_at.as_deref(), known.created_at.as_deref());
                if known.has_start && !is_given_again {
                    return Ok(Claim::IsTaken);
                }
                // What was taken up before the start was written is not what that brought.
                if !is_given_again && known.entry.written_at > entry.written_at {
                    take_over(transaction, account, &job.job_id, *entry)?;
                }
                make_way(transaction, account, &job.job_id, Some(*entry))?;
            }
            become_job(transaction, adoption)?;
            update(transaction, account, job)?;
            let entry = of_job(transaction, account, job.job_id.as_str())?;
            entry.map(Box::new).map(Claim::Granted).ok_or(rusqlite::Error::QueryReturnedNoRows)
        })
    }
}

/// Writes into the start's entry what is known of the job.
fn take_over(transaction: &Transaction<'_>, account: i64, job_id: &JobId, start: EntryId) -> rusqlite::Result<()> {
    let columns =
        "status, row_count, cost_usd, error, created_at, completed_at, expires_at, heard_at, fetched_at, gone_at,
                   is_doubtful";
    let take_over = format!(
        "UPDATE entries SET ({columns}) = (SELECT {columns} FROM entries WHERE account = ?1 AND job_id = ?2)
         WHERE entry = ?3"
    );
    transaction.prepare_cached(&take_over)?.execute(params![account, job_id.as_str(), start.number]).map(drop)
}
