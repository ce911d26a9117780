//! What outlives the process: jobs, charges, the rows of own agents and the clock, in an SQLite database.
//!
//! A change arrives as a list of [`Change`]s and is on disk, whole, before the book knows of it and long before anybody
//! is answered. So what was answered survives `kill -9`, and what could not be written never happened. Without a
//! directory the database is a private, temporary one: the code is the same.
//!
//! Deliberately absent: the key, which a service is given or makes anew at each start, and the log of requests.

mod change;
mod folder;
mod load;
mod open;

use std::fmt;

use rusqlite::Connection;

pub(super) use change::Change;
use folder::Lock;
pub(super) use load::Saved;
pub(super) use open::open;

/// The database of one service, which no other process can open meanwhile.
#[derive(Debug)]
pub(super) struct Store {
    connection: Connection,
    /// Held until the connection is closed: fields are dropped in this order.
    _lock: Option<Lock>,
}

/// Why something could not be written or read. Nothing of it happened.
#[derive(Debug)]
pub(super) enum StoreError {
    Closed,
    Failed(rusqlite::Error),
    /// The rows that were kept of a job are not the JSON that they were.
    Damaged(serde_json::Error),
}

impl StoreError {
    /// The service has stopped.
    pub(super) fn closed() -> Self {
        Self::Closed
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed => f.write_str("the service has stopped"),
            Self::Failed(error) => write!(f, "the service cannot keep its data: {error}"),
            Self::Damaged(error) => write!(f, "the rows that were kept cannot be read: {error}"),
        }
    }
}

impl std::error::Error for StoreError {}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Failed(error)
    }
}
