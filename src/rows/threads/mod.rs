//! Threads for a moment: `share` has several of them work on one list, and `affinity` sends them to other cores.

#[cfg_attr(not(target_os = "linux"), path = "affinity_elsewhere.rs")]
pub(super) mod affinity;
pub(super) mod share;
