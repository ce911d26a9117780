//! What outlives the process: jobs, charges, the rows of own agents and the clock, in an SQLite database.
//!
//! A change arrives as a list of [`Change`]s and is on disk, whole, before the book knows of it and long before anybody
//! is answered. So what was answered survives `kill -9`, and what could not be written never happened. Without a
//! directory the database is a private, temporary one: the code is the same.
//!
//! Deliberately absent: the key, which a service is given or makes anew at each start, and the log of requests.

mod change;
mod error;
mod folder;
mod load;
mod open;

pub(super) use change::Change;
pub(super) use error::StoreError;
pub(super) use load::Saved;
pub(super) use open::{Store, open};
