//! What was heard of jobs, written into the entry that has the job's id.
//!
//! An id is no proof: a service that was set up anew, as a local one is, counts its jobs anew and gives ids again.
//! Times of creation that are far apart tell two jobs from each other; the newer one gets the id, and the entry of the
//! older one makes way. Where times only disagree the entry is doubtful, and rows of it are never kept for its request.

use std::sync::Arc;

use rusqlite::{OptionalExtension, Transaction, params};
use rust_decimal::Decimal;
use serde_json::{Map, Value};

use super::account::{Account, Survives};
use super::entry_id::{EntryId, moment_of_writing, now};
use super::error::LedgerError;
use super::one_form::canonical;
use crate::wire::{AgentName, JobId, Status, are_apart, is_long_after};

/// What is known of a job now; what is absent leaves its column as it is.
#[derive(Debug, Clone)]
pub struct JobUpdate {
    pub job_id: JobId,
    /// The entry of its start, where that is known.
    pub entry: Option<EntryId>,
    pub agent: Option<AgentName>,
    /// Of its start, for an entry that is made now.
    pub params: Option<Arc<Map<String, Value>>>,
    pub max_rows: Option<u64>,
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

/// The entry that has the id of a job so far.
pub(super) struct Known {
    pub entry: EntryId,
    /// Whether a start from here made it, be it in a file that is gone.
    pub has_start: bool,
    pub created_at: Option<String>,
}

/// Whose entry that is.
#[derive(Debug, PartialEq, Eq)]
enum Whose {
    /// The job's that was heard of.
    Its,
    /// That of a later job: what was heard is old news.
    Later,
    /// That of an earlier job, whose id was given again.
    Earlier,
}

impl Account {
    /// What was heard of a job. Gives the entry that it has, which it gets now where it was started elsewhere; `None`
    /// where its id is a later job's by now.
    pub fn update_job(&self, job: &JobUpdate) -> Result<Option<EntryId>, LedgerError> {
        self.write(Survives::Process, |transaction, account, _| apply(transaction, account, job))
    }

    /// The same of many jobs, all or none of them.
    pub fn update_jobs(&self, all: &[JobUpdate]) -> Result<(), LedgerError> {
        self.write(Survives::Process, |transaction, account, _| {
            all.iter().try_for_each(|job| apply(transaction, account, job).map(drop))
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
}

fn apply(transaction: &Transaction<'_>, account: i64, job: &JobUpdate) -> rusqlite::Result<Option<EntryId>> {
    let Some(known) = known(transaction, account, &job.job_id)? else {
        return take_up(transaction, account, job).map(Some);
    };
    let is_doubtful = job.is_doubtful || are_apart(job.created_at.as_deref(), known.created_at.as_deref());
    match whose(job, &known) {
        Whose::Later => Ok(None),
        Whose::Its => {
            update(transaction, account, &JobUpdate { is_doubtful, ..job.clone() })?;
            Ok(Some(known.entry))
        }
        Whose::Earlier => {
            make_way(transaction, account, &job.job_id, None)?;
            // A start had the entry that made way, so this job is not its.
            let later = if job.entry.is_some() { without_start(job.clone()) } else { job.clone() };
            take_up(transaction, account, &later).map(Some)
        }
    }
}

pub(super) fn known(transaction: &Transaction<'_>, account: i64, job_id: &JobId) -> rusqlite::Result<Option<Known>> {
    let known = "SELECT entry, written_at, wire IS NOT NULL OR params IS NOT NULL, created_at
                 FROM entries WHERE account = ? AND job_id = ?";
    let mut known = transaction.prepare_cached(known)?;
    let read = known.query_row(params![account, job_id.as_str()], |row| {
        let entry = EntryId { number: row.get(0)?, written_at: row.get(1)? };
        Ok(Known { entry, has_start: row.get(2)?, created_at: row.get(3)? })
    });
    read.optional()
}

fn whose(job: &JobUpdate, known: &Known) -> Whose {
    let (told, created_at) = (job.created_at.as_deref(), known.created_at.as_deref());
    match job.entry {
        Some(own) if !own.is_of_start(known.entry) => Whose::Later,
        _ if is_long_after(told, created_at) => Whose::Earlier,
        None if is_long_after(created_at, told) => Whose::Later,
        _ => Whose::Its,
    }
}

/// Makes an entry for a job that has none.
fn take_up(transaction: &Transaction<'_>, account: i64, job: &JobUpdate) -> rusqlite::Result<EntryId> {
    let written_at = job.entry.map_or_else(moment_of_writing, |entry| entry.written_at);
    let take_up =
        "INSERT INTO entries (account, stage, job_id, params, max_rows, written_at) VALUES (?, 'started', ?, ?, ?, ?)";
    let (id, params) = (job.job_id.as_str(), job.params.as_deref().map(canonical));
    let values = params![account, id, params, job.max_rows.map(u64::cast_signed), written_at];
    transaction.prepare_cached(take_up)?.execute(values)?;
    let number = transaction.last_insert_rowid();
    update(transaction, account, job)?;
    Ok(EntryId { number, written_at })
}

/// What was heard of a job that the start is not of.
fn without_start(job: JobUpdate) -> JobUpdate {
    let (entry, agent, params, max_rows, price_per_1k_usd, cost_usd) = (None, None, None, None, None, None);
    JobUpdate { entry, agent, params, max_rows, price_per_1k_usd, cost_usd, is_doubtful: false, ..job }
}

/// Takes away the entry that has an id so far, unless it is `entry`: a service that forgets all it had may give ids
/// again.
pub(super) fn make_way(
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

/// Brings the entry of a job up to date. A job that has ended does not go on again, whatever an old snapshot says, and
/// what is told of rows and cost while it goes on says nothing of the job that has ended. One that is heard of is not
/// gone, but rows that are gone only come back by being fetched.
pub(super) fn update(transaction: &Transaction<'_>, account: i64, job: &JobUpdate) -> rusqlite::Result<()> {
    let was_over = "(coalesce(status, '') IN ('completed', 'failed', 'cancelled'))";
    let as_known_then = |column: &str, told: &str| {
        format!(
            "{column} = CASE WHEN {was_over} = ?15 THEN coalesce({told}, {column})
                             WHEN ?15 THEN {told} ELSE {column} END"
        )
    };
    let (row_count, cost_usd) = (as_known_then("row_count", "?6"), as_known_then("cost_usd", "?7"));
    let update = format!(
        "UPDATE entries SET
             agent = coalesce(agent, ?3),
             status = CASE WHEN status = 'completed' OR {was_over} AND NOT ?15 THEN status ELSE ?4 END,
             price_per_1k_usd = coalesce(?5, price_per_1k_usd),
             {row_count}, {cost_usd}, error = coalesce(?8, error),
             created_at = coalesce(?9, created_at), completed_at = coalesce(?10, completed_at),
             expires_at = coalesce(?11, expires_at), heard_at = ?12,
             gone_at = CASE WHEN status = 'completed' AND NOT ?13 THEN gone_at END,
             fetched_at = CASE WHEN ?13 THEN ?12 ELSE fetched_at END, is_doubtful = is_doubtful OR ?14
         WHERE account = ?1 AND job_id = ?2"
    );
    let is_over = !matches!(Status::parse(&job.status), Status::Going(_));
    let told = params![
        account,
        job.job_id.as_str(),
        job.agent.as_ref().map(ToString::to_string),
        job.status,
        job.price_per_1k_usd.map(|price| price.to_string()),
        job.row_count.map(u64::cast_signed),
        job.cost_usd.map(|cost| cost.to_string()),
        job.error,
        job.created_at,
        job.completed_at,
        job.expires_at,
        now(),
        job.is_fetched,
        job.is_doubtful,
        is_over,
    ];
    transaction.prepare_cached(&update)?.execute(told).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whose_an_entry_is_depends_on_its_start_and_on_when_the_job_was_created() {
        let [mine, other] = [1, 2].map(|written_at| EntryId { number: 1, written_at });
        let [early, late] = ["2026-01-01T10:00:00Z", "2026-01-05T10:00:00Z"];
        for (own, entry, created_at, told, expected) in [
            (None, mine, None, Some(late), Whose::Its),
            (None, mine, Some(early), Some(early), Whose::Its),
            (None, mine, Some(early), Some(late), Whose::Earlier),
            (None, mine, Some(late), Some(early), Whose::Later),
            (Some(mine), mine, Some(late), Some(early), Whose::Its),
            (Some(mine), mine, Some(early), Some(late), Whose::Earlier),
            (Some(mine), other, None, None, Whose::Later),
            (Some(mine), other, Some(early), Some(late), Whose::Later),
        ] {
            let known = Known { entry, has_start: true, created_at: created_at.map(str::to_owned) };
            let job = JobUpdate { entry: own, created_at: told.map(str::to_owned), ..nothing() };
            assert_eq!(whose(&job, &known), expected, "{own:?} {created_at:?} {told:?}");
        }
    }

    fn nothing() -> JobUpdate {
        JobUpdate {
            job_id: "j1".parse().unwrap(),
            entry: None,
            agent: None,
            params: None,
            max_rows: None,
            status: "running".to_owned(),
            price_per_1k_usd: None,
            row_count: None,
            cost_usd: None,
            error: None,
            created_at: None,
            completed_at: None,
            expires_at: None,
            is_fetched: false,
            is_doubtful: false,
        }
    }
}
