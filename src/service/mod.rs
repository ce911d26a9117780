//! The local service: all of the contract over real HTTP on this machine, with made-up rows.
//!
//! ```text
//! connection -> server -> router -> log, host, auth, pace, faults -> run | jobs | results | agents | balance -> state -> book -> store
//! ```
//!
//! [`LocalService::start`] opens a port on loopback and serves it from a thread of its own until it is stopped or
//! dropped. What a run brings follows from the seed, the agent and its parameters alone, so equal requests bring equal
//! rows; which state a job is in follows from the clock alone, so nothing runs in the background. Rows are made while
//! they are sent and never held. Money is exact, reserved when a run starts and charged when it completes. Whatever
//! changes is written to the `store` before anybody is told of it, and with a data directory it outlives the process.
//!
//! Deliberately absent: anything that reads rows back. The service writes JSON with serde and CSV with the `csv` crate,
//! so that a mistake in the decoder cannot hide on both sides.

mod config;
mod error;
mod extras;
mod local;

mod connections;
mod descriptors;
mod endpoint;
mod heads;
mod line;
mod router;
mod server;

mod auth;
mod body;
pub mod faults;
mod host;
mod pace;
mod params;
mod response;

mod agents;
mod balance;
mod csv;
mod health;
mod jobs;
mod json;
mod members;
mod offer;
mod openapi;
mod own;
mod results;
mod run;
mod served;

mod billing;
mod book;
mod clock;
mod job;
mod journal;
mod log;
mod state;
mod store;

mod samples;

pub use billing::Charge;
pub use clock::ClockKind;
pub use config::ServiceConfig;
pub use descriptors::raise as allow_more_files;
pub use endpoint::Endpoint;
pub use error::ServiceError;
pub use extras::{Extra, Extras};
pub use journal::LogForm;
pub use local::{Injected, LocalService};
pub use log::{LoggedRequest, Start};
pub use own::{Feed, FeedError, OwnAgent, OwnParameter, RowsFile, Source, Takes};
