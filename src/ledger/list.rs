//! The reads: one entry by its job, or many, newest first.

use rusqlite::{Connection, OptionalExtension, ToSql, params};

use super::account::Account;
use super::entry::{Entry, Stage};
use super::entry_id::now;
use super::error::LedgerError;

/// Which entries are wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Which {
    #[default]
    All,
    /// A job that had not ended when it was last heard of.
    Running,
    /// Completed, and its rows were never fetched.
    Unfetched,
    /// Perhaps started.
    Uncertain,
    /// One of this word, be it the ledger's or the service's.
    Called(String),
}

impl Which {
    pub fn parse(word: &str) -> Self {
        match word {
            "running" => Self::Running,
            "unfetched" => Self::Unfetched,
            "uncertain" => Self::Uncertain,
            other => Self::Called(other.to_owned()),
        }
    }

    /// What narrows the search; what it lets through is judged by [`Self::takes`].
    fn condition(&self) -> &'static str {
        match self {
            Self::All => "TRUE",
            Self::Running => {
                "stage = 'started' AND fetched_at IS NULL \
                 AND coalesce(status, '') NOT IN ('completed', 'failed', 'cancelled')"
            }
            Self::Unfetched => "status = 'completed' AND fetched_at IS NULL",
            Self::Uncertain => "stage IN ('starting', 'uncertain')",
            Self::Called(_) => "?2 IN (stage, status)",
        }
    }

    fn takes(&self, entry: &Entry) -> bool {
        match self {
            Self::All => true,
            Self::Running => entry.is_running(),
            Self::Unfetched => entry.is_unfetched(),
            Self::Uncertain => entry.stage == Stage::Uncertain,
            Self::Called(word) => entry.word() == word,
        }
    }
}

impl Account {
    /// The newest entries of that kind, at most so many.
    pub fn entries(&self, which: &Which, limit: Option<usize>) -> Result<Vec<Entry>, LedgerError> {
        self.read(|connection, account| {
            let (columns, condition) = (Entry::COLUMNS, which.condition());
            let query = format!("SELECT {columns} FROM entries WHERE account = ?1 AND {condition} ORDER BY entry DESC");
            let mut statement = connection.prepare_cached(&query)?;
            let word = if let Which::Called(word) = which { Some(word) } else { None };
            let mut wanted: Vec<&dyn ToSql> = vec![&account];
            wanted.extend(word.as_ref().map(|word| word as &dyn ToSql));
            let now = now();
            let entries = statement.query_map(wanted.as_slice(), |row| Entry::of(row, now))?;
            let is_wanted = |entry: &rusqlite::Result<Entry>| entry.as_ref().map_or(true, |entry| which.takes(entry));
            entries.filter(is_wanted).take(limit.unwrap_or(usize::MAX)).collect()
        })
    }

    /// The entry of a job.
    pub fn entry(&self, job_id: &str) -> Result<Option<Entry>, LedgerError> {
        self.read(|connection, account| of_job(connection, account, job_id))
    }
}

/// The entry of a job, also for who is within a transaction and wants what it has written.
pub(super) fn of_job(connection: &Connection, account: i64, job_id: &str) -> rusqlite::Result<Option<Entry>> {
    let query = format!("SELECT {} FROM entries WHERE account = ? AND job_id = ?", Entry::COLUMNS);
    let now = now();
    let mut statement = connection.prepare_cached(&query)?;
    statement.query_row(params![account, job_id], |row| Entry::of(row, now)).optional()
}
