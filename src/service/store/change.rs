//! What changes: each kind of change with the statement that writes it.

use std::time::Duration;

use jiff::Timestamp;
use rusqlite::{Connection, Result, params};
use serde_json::Value;

use super::{Store, StoreError};
use crate::service::billing::Charge;
use crate::service::job::{Fate, Job, Origin};

/// One fact to be written.
pub(in crate::service) enum Change<'a> {
    /// A run was accepted.
    Started(usize, &'a Job),
    /// It goes on otherwise than it began: it was cancelled, has failed, or its agent has done its work.
    Turned(usize, &'a Job),
    /// Rows of a job came in: the piece with this number.
    Kept(usize, u64, &'a str),
    /// A job completed and was paid for.
    Charged(usize, &'a Charge),
    /// The clock stands that much ahead of where it would be by itself.
    Advanced(Duration),
}

impl Store {
    /// Writes all changes, or none.
    pub(in crate::service) fn commit(&mut self, changes: &[Change<'_>]) -> std::result::Result<(), StoreError> {
        let transaction = self.connection.transaction()?;
        for change in changes {
            write(&transaction, change)?;
        }
        Ok(transaction.commit()?)
    }
}

fn write(to: &Connection, change: &Change<'_>) -> Result<()> {
    match change {
        Change::Started(number, job) => insert(to, *number, job),
        Change::Turned(number, job) => update(to, *number, job),
        Change::Kept(number, piece, text) => to
            .prepare_cached("INSERT INTO kept VALUES (?1, ?2, ?3)")?
            .execute(params![*number as i64, *piece as i64, text])
            .map(drop),
        Change::Charged(number, paid) => to
            .prepare_cached("INSERT INTO charges VALUES (?1, ?2, ?3, ?4, ?5)")?
            .execute(params![
                *number as i64,
                paid.agent,
                paid.rows as i64,
                paid.amount_usd.to_string(),
                paid.at.as_millisecond(),
            ])
            .map(drop),
        Change::Advanced(by) => to
            .prepare_cached("UPDATE service SET advanced_ms = ?1")?
            .execute([i64::try_from(by.as_millis()).unwrap_or(i64::MAX)])
            .map(drop),
    }
}

fn insert(to: &Connection, number: usize, job: &Job) -> Result<()> {
    let (seed, version) = match job.origin {
        Origin::MadeUp { seed, version } => (Some(seed as i64), Some(version)),
        Origin::Kept { .. } => (None, None),
    };
    to.prepare_cached("INSERT INTO jobs VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, NULL, ?13, ?14)")?
        .execute(params![
            number as i64,
            job.id,
            job.agent,
            Value::Object(job.params.clone()).to_string(),
            seed,
            version,
            job.rows as i64,
            job.cost.to_string(),
            job.times.created.as_millisecond(),
            job.times.started.as_millisecond(),
            job.times.completed.as_millisecond(),
            fate(job),
            why(job),
            columns(job),
        ])
        .map(drop)
}

/// Writes what may change of a job. Rows of one that has ended without completing are of no use any more.
fn update(to: &Connection, number: usize, job: &Job) -> Result<()> {
    if job.ended_at().is_some() {
        to.prepare_cached("DELETE FROM kept WHERE job = ?1")?.execute([number as i64])?;
    }
    to.prepare_cached(
        "UPDATE jobs SET rows = ?2, cost_usd = ?3, completed_ms = ?4, fate = ?5, ended_ms = ?6, error = ?7, columns = ?8
         WHERE number = ?1",
    )?
    .execute(params![
        number as i64,
        job.rows as i64,
        job.cost.to_string(),
        job.times.completed.as_millisecond(),
        fate(job),
        job.ended_at().map(Timestamp::as_millisecond),
        why(job),
        columns(job),
    ])
    .map(drop)
}

/// The word for it in the schema.
fn fate(job: &Job) -> &'static str {
    match job.fate {
        Fate::Timely => "timely",
        Fate::Doomed(_) => "doomed",
        Fate::AtWork(_) => "at work",
        Fate::Cancelled(_) => "cancelled",
        Fate::Failed(..) => "failed",
    }
}

fn why(job: &Job) -> Option<&str> {
    match &job.fate {
        Fate::Failed(_, why) | Fate::Doomed(why) => Some(why),
        _ => None,
    }
}

fn columns(job: &Job) -> String {
    match &job.origin {
        Origin::Kept { columns } => Value::from(columns.as_slice()).to_string(),
        Origin::MadeUp { .. } => "[]".to_owned(),
    }
}
