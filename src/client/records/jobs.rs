//! What the ledger knows of this account's jobs.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::client::Client;
use crate::client::error::Error;
use crate::client::job::Job;
use crate::client::shown::clipped;
use crate::ledger::{Entry, Which};
use crate::rows::breaks_lines;

/// What jobs and starts are called by this ledger, and by the services that are known.
const WORDS: [&str; 11] = [
    "cancelled",
    "completed",
    "failed",
    "never_started",
    "not_sent",
    "queued",
    "rejected",
    "running",
    "starting",
    "uncertain",
    "unfetched",
];

impl Client {
    /// The newest entries of that kind, at most so many. Sends nothing.
    ///
    /// # Errors
    /// `Ledger` where it cannot be read, or where this client keeps none.
    pub async fn jobs(&self, which: Which, limit: Option<usize>) -> Result<Vec<Entry>, Error> {
        self.require_ledger(move |account| account.entries(&which, limit)).await
    }

    /// That no job is called so, where none ever was, and what there is to ask for: a service may call its jobs what it
    /// likes, so no word is wrong. Sends nothing.
    ///
    /// # Errors
    /// As [`Client::jobs`].
    pub async fn unknown_status(&self, which: &Which) -> Result<Option<String>, Error> {
        let Which::Called(word) = which else { return Ok(None) };
        if WORDS.contains(&word.as_str()) {
            return Ok(None);
        }
        let entries = self.jobs(Which::All, None).await?;
        let others: BTreeSet<&str> = entries.iter().map(Entry::word).chain(WORDS).collect();
        if others.contains(word.as_str()) {
            return Ok(None);
        }
        let words: Vec<String> = others.into_iter().map(|word| format!("`{}`", clipped(word))).collect();
        Ok(Some(format!("no job here was ever called `{}`\nhint: there are {}", clipped(word), words.join(", "))))
    }

    /// The parameters of an entry as JSON text, fit to be shown in a line: without the key, should it be among them.
    pub fn shown_params(&self, entry: &Entry) -> Option<String> {
        let text = Value::Object(entry.params.clone()?).to_string();
        let visible = |c| if breaks_lines(c) { ' ' } else { c };
        Some(self.key().redact_json(&text).chars().map(visible).collect())
    }

    /// The job of an entry, as it was when it was last heard of; `None` where there is none.
    pub fn job_in(&self, entry: &Entry) -> Option<Job> {
        let id = entry.job_id.clone()?;
        Some(self.job_of(id, None, entry.clone()))
    }
}
