//! How far an operation is, for a caller that waits and looks.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use super::shown::clipped_word;
use crate::lock::lock;
use crate::wire::JobId;

/// Counters of one operation, shared with whoever shows them. The client writes, the waiting caller reads whenever it
/// likes; no callback crosses a thread.
#[derive(Debug, Clone, Default)]
pub struct Progress(Arc<Counters>);

#[derive(Debug, Default)]
struct Counters {
    phase: AtomicU8,
    polls: AtomicU64,
    rows: AtomicU64,
    bytes: AtomicU64,
    job: Mutex<Option<JobId>>,
    status: Mutex<Option<String>>,
    is_reused: AtomicBool,
}

/// What an operation is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum Phase {
    #[default]
    Idle = 0,
    /// Price and balance are asked for.
    Quoting = 1,
    /// The start is on its way. Dropping the operation now leaves it uncertain whether the run was started, and what is
    /// reserved for it goes by this.
    Starting = 2,
    /// The job is polled.
    Waiting = 3,
    /// Rows are received and decoded.
    Fetching = 4,
    Done = 5,
}

impl Progress {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn phase(&self) -> Phase {
        let all = [Phase::Idle, Phase::Quoting, Phase::Starting, Phase::Waiting, Phase::Fetching, Phase::Done];
        all.get(usize::from(self.0.phase.load(Ordering::Relaxed))).copied().unwrap_or_default()
    }

    /// Status calls answered so far.
    pub fn polls(&self) -> u64 {
        self.0.polls.load(Ordering::Relaxed)
    }

    /// Whole rows decoded so far.
    pub fn rows(&self) -> u64 {
        self.0.rows.load(Ordering::Relaxed)
    }

    /// Bytes of the results received so far, decompressed.
    pub fn bytes(&self) -> u64 {
        self.0.bytes.load(Ordering::Relaxed)
    }

    /// The job, from the moment its id is known.
    pub fn job_id(&self) -> Option<JobId> {
        lock(&self.0.job).clone()
    }

    /// The last status the service named, and that it does not answer where it does not.
    pub fn status(&self) -> Option<String> {
        lock(&self.0.status).clone()
    }

    /// Whether the job is an earlier one, so that nothing was started.
    pub fn is_reused(&self) -> bool {
        self.0.is_reused.load(Ordering::Relaxed)
    }

    /// The job that will be named is an earlier one.
    pub(super) fn reuse(&self) {
        self.0.is_reused.store(true, Ordering::Relaxed);
    }

    /// Forgets an earlier job, which is not the answer.
    pub(super) fn begin_anew(&self) {
        self.enter(Phase::Idle);
        self.0.polls.store(0, Ordering::Relaxed);
        self.received(0, 0);
        *lock(&self.0.job) = None;
        *lock(&self.0.status) = None;
        self.0.is_reused.store(false, Ordering::Relaxed);
    }

    pub(super) fn enter(&self, phase: Phase) {
        self.0.phase.store(phase as u8, Ordering::Relaxed);
    }

    pub(super) fn know_job(&self, id: &JobId) {
        *lock(&self.0.job) = Some(id.clone());
    }

    pub(super) fn polled(&self, status: &str) {
        self.0.polls.fetch_add(1, Ordering::Relaxed);
        self.see_status(status);
    }

    pub(super) fn see_status(&self, status: &str) {
        *lock(&self.0.status) = Some(clipped_word(status));
    }

    /// The service does not answer, and is asked again.
    pub(super) fn lose_sight(&self, status: &str) {
        *lock(&self.0.status) = Some(format!("{} (no answer)", clipped_word(status)));
    }

    /// Sets what the present attempt has received; a repeated download starts again from nothing.
    pub(super) fn received(&self, bytes: u64, rows: u64) {
        self.0.bytes.store(bytes, Ordering::Relaxed);
        self.0.rows.store(rows, Ordering::Relaxed);
    }
}
