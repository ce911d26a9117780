//! Threads for as long as one body is read: `workers` are those, `share` has them work on one list, and `affinity` sends
//! them to other cores.

#[cfg_attr(not(target_os = "linux"), path = "affinity_elsewhere.rs")]
mod affinity;
pub(super) mod share;
mod workers;

pub(super) use workers::{MAX_THREADS, Task, Workers};
