//! How a job is, until it has ended.
//!
//! `status` asks once, or cancels; `wait` asks until the job is over, at the moments that `poll` plans; `waiting_jobs`
//! joins all waits of a client, so that one list of jobs can answer for many; `circuit_breaker` says when that list is
//! left alone.

mod circuit_breaker;
mod poll;
pub(super) mod status;
mod wait;
pub(super) mod waiting_jobs;
