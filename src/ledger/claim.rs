//! A job that a caller says an uncertain start has brought. It may have an entry already, in which it is known by its
//! id alone, as it was taken up: what that says of the job then goes to the start's entry, and it makes way.

use rusqlite::{OptionalExtension, Transaction, params};

use super::account::{Account, Survives};
use super::entry_id::EntryId;
use super::heard::{make_way, update};
use super::record::{Adoption, become_job, is_unsettled};
use crate::ledger::LedgerError;
use crate::wire::{JobId, is_long_after};

/// The entry that has the job's id so far.
struct Known {
    /// Whether a start from here made it, be it in a file that is gone.
    is_of_start: bool,
    written_at: i64,
    created_at: Option<String>,
}

impl Account {
    /// The job becomes that of the start; `false` where the start is settled, or the job is another start's.
    pub fn claim(&self, adoption: &Adoption) -> Result<bool, LedgerError> {
        self.write(Survives::PowerLoss, |transaction, account, _| {
            let Adoption { entry, heard, .. } = adoption;
            if !is_unsettled(transaction, account, *entry)? {
                return Ok(false);
            }
            if let Some(known) = known(transaction, account, &heard.job_id)? {
                let is_given_again = is_long_after(heard.created_at.as_deref(), known.created_at.as_deref());
                if known.is_of_start && !is_given_again {
                    return Ok(false);
                }
                // What was taken up before the start was written is not what that brought.
                if !is_given_again && known.written_at > entry.written_at {
                    take_over(transaction, account, &heard.job_id, *entry)?;
                }
                make_way(transaction, account, &heard.job_id, Some(*entry))?;
            }
            become_job(transaction, adoption)?;
            update(transaction, account, heard)?;
            Ok(true)
        })
    }
}

fn known(transaction: &Transaction<'_>, account: i64, job_id: &JobId) -> rusqlite::Result<Option<Known>> {
    let known = "SELECT wire IS NOT NULL OR params IS NOT NULL, written_at, created_at
                 FROM entries WHERE account = ? AND job_id = ?";
    let mut known = transaction.prepare_cached(known)?;
    let read = known.query_row(params![account, job_id.as_str()], |row| {
        Ok(Known { is_of_start: row.get(0)?, written_at: row.get(1)?, created_at: row.get(2)? })
    });
    read.optional()
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
