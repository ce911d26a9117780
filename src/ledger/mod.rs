//! The ledger: what was started, billed and fetched, in a file that outlives the process.
//!
//! Arrives: what the client is about to do and what it hears. Leaves: [`Entry`] values, newest first. The contract has
//! no key that would make a repeated start harmless and no list of jobs one can rely on, so an id that is lost is money
//! that is lost: the intent is on disk before a start is sent, the id before the start returns.
//!
//! In reading order:
//!
//! - `file`: one ledger, opened at its first use; `place`: which file that is; `open`: making it, checking it, refusing
//!   it; `held`: which are open here; `schema.sql`: what stands in it;
//! - `account`: whose entries; `entry`: what one says; `entry_id`: which one a start has;
//! - `record`: what is written of a start; `job_update`: what is of its job since; `claim`: which job a caller says it
//!   is; `list`: the reads;
//! - `kept_rows`: which file holds the rows that answer a request, and when it is taken away;
//! - `one_form`: parameters as a text;
//! - `process`: whether whoever wrote an intent still lives; `fork`: why a fork finds no open file.
//!
//! Invariants: the intent and the id are synced to disk, everything else survives the process alone. Every write is one
//! short transaction that takes the write lock first. A file that is damaged, foreign or newer is refused and left as
//! it is. What is absent: the key (accounts are told apart by a keyed hash), what stands in a file of rows, HTTP, and
//! any retry of a start.
//!
//! `SQLite` blocks, for some twenty microseconds and where it syncs for as long as the disk likes: whoever calls from a
//! runtime hands the call to a thread that may block.

mod account;
mod claim;
mod entry;
mod entry_id;
mod error;
mod file;
mod fork;
mod held;
mod job_update;
mod kept_rows;
mod list;
mod one_form;
mod open;
mod place;
mod process;
mod record;

pub use account::Account;
pub use claim::Claim;
pub use entry::{Entry, Stage, moment};
pub use entry_id::EntryId;
pub use error::LedgerError;
pub use file::Ledger;
pub use fork::{after_fork_in_child, after_fork_in_parent, before_fork};
pub use job_update::JobUpdate;
pub use kept_rows::{KeptFile, Question};
pub use list::Which;
pub use place::Place;
pub use record::{Adoption, Intent, Times};
