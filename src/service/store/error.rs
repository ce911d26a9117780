//! What can go wrong with the database while the service runs.

use std::fmt;

/// Why something could not be written or read. Nothing of it happened.
#[derive(Debug)]
pub(in crate::service) enum StoreError {
    Closed,
    Failed(rusqlite::Error),
    /// The rows that were kept of a job are not the JSON that they were.
    Damaged(serde_json::Error),
}

impl StoreError {
    /// The service has stopped.
    pub(in crate::service) fn closed() -> Self {
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
