//! What the ledger knows of this account's jobs.

use super::record::unreadable;
use crate::client::Client;
use crate::client::error::Error;
use crate::client::error_kind::ErrorKind;
use crate::client::job::Job;
use crate::ledger::{Account, Entry, LedgerError, Which};

impl Client {
    /// The newest entries of that kind, at most so many. Sends nothing.
    ///
    /// # Errors
    /// `Ledger` where it cannot be read, or where this client keeps none.
    pub async fn jobs(&self, which: Which, limit: Option<usize>) -> Result<Vec<Entry>, Error> {
        self.kept(move |account| account.entries(&which, limit)).await
    }

    /// The job of an entry, as it was when it was last heard of; `None` where there is none.
    pub fn job_in(&self, entry: &Entry) -> Option<Job> {
        let id = entry.job_id.clone()?;
        Some(self.job_of(id, None, entry.clone()))
    }

    /// What cannot be done without a ledger.
    pub(in crate::client) async fn kept<T: Send + 'static>(
        &self,
        act: impl FnOnce(&Account) -> Result<T, LedgerError> + Send + 'static,
    ) -> Result<T, Error> {
        self.in_ledger(act).await.map_err(unreadable)?.ok_or_else(|| {
            Error::new(ErrorKind::Ledger, "this client keeps no ledger, so it does not know what was started")
                .with_hint("make it without `ledger=False`, and with `ROWHAUL_LEDGER` not `off`")
        })
    }
}
