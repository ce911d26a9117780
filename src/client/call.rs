//! One operation of a caller: since when, until when, with how many requests, about which job.
//!
//! Every public method makes a [`Call`] and hands it to an inner one, mostly named `…_within`, which may be a part of a
//! larger operation as well: `run` starts, waits and fetches within one call. Errors leave through [`Call::finish`]
//! alone, which adds what the call knows of them and takes the API key out of every text.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::time::Instant;

use super::api_key::ApiKey;
use super::deadline::Deadline;
use super::error::Error;
use crate::wire::JobId;

/// The frame of an operation. Every public method makes one and lets its errors out through [`Call::finish`].
#[derive(Debug)]
pub(super) struct Call {
    pub deadline: Deadline,
    begun: Instant,
    attempts: Arc<AtomicU32>,
    job_id: Arc<OnceLock<JobId>>,
}

impl Call {
    pub(super) fn new(timeout: Option<Duration>) -> Self {
        let begun = Instant::now();
        let deadline = Deadline::after(begun, timeout);
        Self { deadline, begun, attempts: Arc::default(), job_id: Arc::default() }
    }

    /// From now on the operation is about this job: its id is in every error.
    pub(super) fn is_about(&self, id: &JobId) {
        let _ = self.job_id.set(id.clone());
    }

    /// The same operation under another deadline.
    pub(super) fn until(&self, deadline: Deadline) -> Self {
        let (attempts, job_id) = (Arc::clone(&self.attempts), Arc::clone(&self.job_id));
        Self { deadline, begun: self.begun, attempts, job_id }
    }

    pub(super) fn count_attempt(&self) {
        self.attempts.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether any request was sent.
    pub(super) fn has_asked(&self) -> bool {
        self.attempts.load(Ordering::Relaxed) > 0
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    /// Completes an error with what is known of the operation, and takes the key out of it.
    pub(super) fn finish<T>(&self, key: &ApiKey, result: Result<T, Error>) -> Result<T, Error> {
        result
            .map_err(|error| error.seal(key, self.job_id.get(), self.attempts.load(Ordering::Relaxed), self.elapsed()))
    }
}
