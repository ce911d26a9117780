//! Threads for as long as one body is read: `workers` are those, and `share` has them work on one list.

mod workers;

pub(super) mod share;

#[cfg_attr(not(target_os = "linux"), path = "affinity_elsewhere.rs")]
mod affinity;

pub(super) use workers::{MAX_THREADS, Task, Workers};
