//! The Rust core, tested through its public door. What Python users see is tested in `tests/*.py`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has to stop")]

#[cfg(feature = "client")]
mod client;
mod house;
#[cfg(feature = "client")]
mod rows;
#[cfg(feature = "service")]
mod service;
#[cfg(feature = "client")]
mod support;
