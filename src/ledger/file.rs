//! One ledger: a file that is opened at its first use, and once in a process however many clients share it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Weak};

use super::error::LedgerError;
use super::fork;
use super::open::{self, Open};
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
    pub(super) fn with<T>(&self, act: impl FnOnce(&mut Open) -> rusqlite::Result<T>) -> Result<T, LedgerError> {
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
pub(super) fn close_all() {
    for open in lock(&LEDGERS).iter().filter_map(|known| known.open.upgrade()) {
        *lock(&open) = None;
    }
}
