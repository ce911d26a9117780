//! What a service finds when it opens its database.

use std::fmt::Display;
use std::str::FromStr;
use std::time::Duration;

use jiff::Timestamp;
use rusqlite::{Connection, Error, OptionalExtension as _, Result, Row, types::Type};
use rust_decimal::Decimal;

use super::{Store, StoreError};
use crate::service::billing::Charge;
use crate::service::job::{Fate, Job, Origin, Stop, Times};

/// All that was kept. A database that holds anything else than what this program writes is not read at all.
#[derive(Debug)]
pub(in crate::service) struct Saved {
    /// What the account held at first.
    pub(in crate::service) balance: Decimal,
    pub(in crate::service) advanced: Duration,
    /// By number.
    pub(in crate::service) jobs: Vec<Job>,
    /// With the number of the job, in the order of completion.
    pub(in crate::service) charges: Vec<(usize, Charge)>,
}

impl Saved {
    /// A new account.
    pub(super) fn none(balance: Decimal) -> Self {
        Self { balance, advanced: Duration::ZERO, jobs: Vec::new(), charges: Vec::new() }
    }

    /// The latest instant anybody may have been told of.
    pub(in crate::service) fn latest(&self) -> Option<Timestamp> {
        let told = |job: &Job| job.ended_at().unwrap_or(job.times.created);
        self.jobs.iter().map(told).chain(self.charges.iter().map(|(_, charge)| charge.at)).max()
    }
}

pub(super) fn load(connection: &Connection) -> Result<Saved> {
    let (balance, advanced) = connection.query_row("SELECT balance_usd, advanced_ms FROM service", [], |row| {
        Ok((parsed(row, 0)?, Duration::from_millis(unsigned(row, 1)?)))
    })?;
    let jobs: Vec<Job> =
        connection.prepare("SELECT * FROM jobs ORDER BY number")?.query_map([], job)?.collect::<Result<_>>()?;
    let last: Option<i64> = connection.query_row("SELECT max(number) FROM jobs", [], |row| row.get(0))?;
    if last.map_or(0, |last| last + 1) != jobs.len() as i64 {
        return Err(torn("jobs are missing"));
    }
    let charges = connection
        .prepare("SELECT job, id, charges.agent, charges.rows, amount_usd, at_ms FROM charges JOIN jobs ON number = job ORDER BY at_ms, job")?
        .query_map([], charge)?
        .collect::<Result<_>>()?;
    let saved = Saved { balance, advanced, jobs, charges };
    consistent(&saved).map_err(torn)?;
    Ok(saved)
}

impl Store {
    /// A piece of the rows that were kept of a job; `None` beyond the last.
    pub(in crate::service) fn piece(&self, job: usize, piece: u64) -> std::result::Result<Option<String>, StoreError> {
        let mut look = self.connection.prepare_cached("SELECT text FROM kept WHERE job = ?1 AND piece = ?2")?;
        Ok(look.query_row([job as i64, piece as i64], |row| row.get(0)).optional()?)
    }
}

/// What holds of every database this program wrote: charges are the costs of their jobs, and the account could pay
/// them.
fn consistent(saved: &Saved) -> std::result::Result<(), &'static str> {
    let is_cost = |(number, charge): &(usize, Charge)| {
        let job = saved.jobs.get(*number);
        job.is_some_and(|job| {
            job.id == charge.job_id
                && (job.rows, job.cost.normalize()) == (charge.rows, charge.amount_usd)
                && matches!(job.fate, Fate::Timely)
        })
    };
    if !saved.charges.iter().all(is_cost) {
        return Err("a charge is not what its job cost");
    }
    let charged: Decimal = saved.charges.iter().map(|(_, charge)| charge.amount_usd).sum();
    if charged > saved.balance { Err("more was charged than the account held") } else { Ok(()) }
}

fn job(row: &Row<'_>) -> Result<Job> {
    let [params, columns] = ["params", "columns"].map(|name| row.get::<_, String>(name));
    let params = serde_json::from_str(&params?).map_err(|error| broken(3, Type::Text, error))?;
    let columns = serde_json::from_str(&columns?).map_err(|error| broken(14, Type::Text, error))?;
    let fate = match (row.get::<_, String>("fate")?.as_str(), row.get("error")?) {
        ("timely", None) => Fate::Timely,
        ("doomed", Some(why)) => Fate::Doomed(why),
        ("at work", None) => Fate::AtWork(Stop::default()),
        ("cancelled", None) => Fate::Cancelled(instant(row, 12)?),
        ("failed", Some(why)) => Fate::Failed(instant(row, 12)?, why),
        _ => return Err(torn("a job has no fate")),
    };
    Ok(Job {
        id: row.get("id")?,
        agent: row.get("agent")?,
        params,
        origin: match (row.get::<_, Option<i64>>("seed")?, row.get("samples")?) {
            (Some(seed), Some(version)) => Origin::MadeUp { seed: seed as u64, version },
            _ => Origin::Kept { columns },
        },
        rows: unsigned(row, 6)?,
        cost: parsed(row, 7)?,
        times: Times { created: instant(row, 8)?, started: instant(row, 9)?, completed: instant(row, 10)? },
        fate,
    })
}

fn charge(row: &Row<'_>) -> Result<(usize, Charge)> {
    let number = unsigned(row, 0)? as usize;
    let (job_id, agent) = (row.get(1)?, row.get(2)?);
    let (rows, amount_usd, at) = (unsigned(row, 3)?, parsed(row, 4)?, instant(row, 5)?);
    Ok((number, Charge { job_id, agent, rows, amount_usd, at }))
}

fn unsigned(row: &Row<'_>, column: usize) -> Result<u64> {
    let number: i64 = row.get(column)?;
    u64::try_from(number).map_err(|error| broken(column, Type::Integer, error))
}

fn instant(row: &Row<'_>, column: usize) -> Result<Timestamp> {
    Timestamp::from_millisecond(row.get(column)?).map_err(|error| broken(column, Type::Integer, error))
}

fn parsed<T: FromStr<Err: Display>>(row: &Row<'_>, column: usize) -> Result<T> {
    let text: String = row.get(column)?;
    text.parse().map_err(|error: T::Err| Error::FromSqlConversionFailure(column, Type::Text, error.to_string().into()))
}

fn torn(reason: &str) -> Error {
    Error::FromSqlConversionFailure(0, Type::Null, reason.into())
}

fn broken(column: usize, kind: Type, error: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::FromSqlConversionFailure(column, kind, Box::new(error))
}
