//! Run a data-collection agent and get its rows as an Arrow table.
//!
//! Data flows one way: `catalogue → wire → client/transport → rows → bindings → python/rowhaul/_rows.py`. Which
//! module may name which is another order, which `tests/rust/house.rs` holds them to.
//!
//! | module | what it is |
//! |---|---|
//! | [`catalogue`] | the nine agents as data: parameters, columns, row bounds |
//! | [`wire`] | the contract: paths and bodies, no I/O |
//! | [`rows`] | bytes to Arrow; synchronous, no I/O |
//! | [`inflate`] | compressed bodies, as their bytes arrive |
//! | [`ledger`] | what was started, billed and fetched, on disk |
//! | [`client`] | transport, retry, polling: the safe way to start a run and fetch its rows |
//! | [`service`] | the local service; shares `wire` and `catalogue` only |
//! | `cli` | the command line, thin over client and service |
//! | `bindings` | the only place that knows Python |
//! | `allocator` | where the extension's memory comes from |
//! | [`files`], `near`, `lock` | files that appear whole or not at all; what a misspelt name may have meant; mutexes |
//!
//! Three features make the compiler check the direction: `client`, `service` and `python`, which needs both. A fourth,
//! `allocator`, is apart for sanitizers, which see faults of memory only where it comes from the allocator they know.

pub mod catalogue;
pub mod wire;

#[cfg(feature = "client")]
pub mod client;
#[cfg(feature = "client")]
pub mod files;
#[cfg(feature = "client")]
pub mod inflate;
#[cfg(feature = "client")]
pub mod ledger;
mod lock;
#[cfg(feature = "client")]
mod near;
#[cfg(feature = "client")]
pub mod rows;
#[cfg(feature = "service")]
pub mod service;

#[cfg(feature = "allocator")]
mod allocator;
#[cfg(feature = "python")]
mod bindings;
#[cfg(feature = "python")]
mod cli;
