//! How a job is, until it has ended.
//!
//! `status` asks once, or cancels; `wait` asks until the job is over, at the moments that `poll` plans; `watch` joins
//! all waits of a client, so that one list of jobs can answer for many; `respite` is when that list is left alone.

mod poll;
mod respite;
pub(super) mod status;
mod wait;
pub(super) mod watch;
