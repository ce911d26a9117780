//! The ledger: what was started, billed and fetched, in a file that outlives the process.
//!
//! Arrives: what the client is about to do and what it hears. Leaves: [`Entry`] values, newest first. The contract has
//! no key that would make a repeated start harmless and no list of jobs one can rely on, so an id that is lost is money
//! that is lost: the intent is on disk before a start is sent, the id before the start returns.
//!
//! In reading order:
//!
//! - `place`: which file; `open`: making it, checking it, refusing it; `held`: which are open here; `schema.sql`: what
//!   stands in it;
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

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Weak};

pub use account::Account;
pub use claim::Claim;
pub use entry::{Entry, Stage, moment};
pub use entry_id::EntryId;
pub use error::LedgerError;
pub use fork::{after_fork_in_child, after_fork_in_parent, before_fork};
pub use job_update::JobUpdate;
pub use kept_rows::{KeptFile, Question};
pub use list::Which;
pub use place::Place;
pub use record::{Adoption, Intent, Times};

use open::Open;

use crate::lock::lock;

/// One ledger file. Opened at its first use, and once in a process however many clients share it.
#[derive(Debug)]
pub struct Ledger {
    path: PathBuf,
    open: Arc<Mutex<Option<Open>>>,
}

/// The ledgers of this process.
static LEDGERS: Mutex<Vec<Known>> = Mutex::new(Vec::new());

/// A ledger of this process, and its file, which may outlast the ledger.
struct Known {
    ledger: Weak<Ledger>,
    open: Weak<Mutex<Option<Open>>>,
}

impl Ledger {
    /// The ledger of that path. Touches nothing yet.
    pub fn at(path: &Path) -> Arc<Self> {
        let new = || Arc::new(Self { path: path.to_owned(), open: Arc::default() });
        // Let go of last: one that nobody else has any more is closed then, which needs the gate and perhaps the list.
        let ledgers: Vec<Arc<Self>>;
        // One that cannot be entered is never opened, so it need not be known to forks.
        let Ok(_inside) = fork::enter() else { return new() };
        let mut known = lock(&LEDGERS);
        known.retain(|known| known.open.strong_count() > 0);
        ledgers = known.iter().filter_map(|known| known.ledger.upgrade()).collect();
        if let Some(ledger) = ledgers.iter().find(|ledger| ledger.path == path) {
            return Arc::clone(ledger);
        }
        let ledger = new();
        known.push(Known { ledger: Arc::downgrade(&ledger), open: Arc::downgrade(&ledger.open) });
        ledger
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Does something with the open file, which is opened before if need be: at the first use, after a fork, and where
    /// another file has taken its place.
    fn with<T>(&self, act: impl FnOnce(&mut Open) -> rusqlite::Result<T>) -> Result<T, LedgerError> {
        let _inside = fork::enter()?;
        // Whoever may have panicked with it: SQLite rolls back what was not committed.
        let mut slot = lock(&self.open);
        if slot.as_ref().is_some_and(|open| !open.is_still_at(&self.path)) {
            *slot = None;
        }
        let open = match &mut *slot {
            Some(open) => open,
            None => slot.insert(Open::new(&self.path)?),
        };
        act(open).map_err(|error| {
            if open::is_of_damage(&error) {
                // Closed first: a file that is open here cannot be looked at.
                *slot = None;
            }
            open::refused(&self.path, error)
        })
    }
}

impl Drop for Ledger {
    fn drop(&mut self) {
        // Waits for nobody: the thread that forks may be the one that drops this.
        match fork::enter_at_once() {
            Some(_inside) => *lock(&self.open) = None,
            // The fork that is about to happen closes it, or the next. In the child of one that waited in vain it is
            // the parent's, and closing it would take its log away.
            None => std::mem::forget(Arc::clone(&self.open)),
        }
    }
}

/// Closes all files; each is opened again where it is needed.
fn close_all() {
    for open in lock(&LEDGERS).iter().filter_map(|known| known.open.upgrade()) {
        *lock(&open) = None;
    }
}
