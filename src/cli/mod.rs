//! The command line, thin over client and service: `command` tells which was asked for, each has a file, `adopt` and
//! `dismiss` one together (`by_hand`), and what they share is in `asked`, `connection`, `follow`, `print`, `said`,
//! `save` and `table`.
//!
//! A command is a future that ends with an exit code. Whoever runs it decides how Ctrl-C ends it: dropping the future
//! stops what it started.

/// Prints a line; see [`print::line`].
macro_rules! say {
    () => { say!("") };
    ($($text:tt)*) => { $crate::cli::print::line(format_args!($($text)*)) };
}

mod agents;
mod asked;
mod balance;
mod by_hand;
mod cancel;
mod command;
mod connection;
mod demo;
mod estimate;
mod follow;
mod job;
mod jobs;
mod print;
mod reconcile;
mod resume;
mod run;
mod said;
mod save;
mod serve;
pub(crate) mod table;

use command::Failure;
pub(crate) use command::{given_up, main};
