//! Run a data-collection agent and get its rows as an Arrow table.
//!
//! Data flows one way: `catalogue → wire → client/transport → rows → bindings → python/rowhaul/_rows.py`.

#[cfg(feature = "python")]
mod bindings;
pub mod catalogue;
#[cfg(feature = "python")]
mod cli;
#[cfg(feature = "client")]
pub mod client;
#[cfg(feature = "client")]
pub mod rows;
#[cfg(feature = "service")]
pub mod service;
pub mod wire;
