//! Why a fork finds no open file.
//!
//! A process that inherits an open `SQLite` database believes that it holds locks which only its parent has, and a
//! write-ahead log may then be taken away under it. So every ledger is closed before a fork, nobody enters one
//! meanwhile, and both sides open it again when they need it. A ledger that is in use for longer than a fork waits
//! stays open, and locked by a thread that the child does not have: the child then has no ledger at all.

use std::sync::Weak;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use super::LEDGERS;
use super::error::LedgerError;
use crate::lock::lock;

/// Threads look again after a pause instead of being called: whatever calls a sleeper is a lock with a list of
/// sleepers, and a fork would copy both as they are at that moment.
const PAUSE: Duration = Duration::from_micros(200);
/// How often a fork looks whether the ledgers are free: for as long as a ledger waits for another process, and a little
/// more.
const LOOKS_BEFORE_FORK: u32 = 60_000;

static GATE: Gate = Gate::new();

/// Who may use a ledger now. It has only atomics: a lock that another thread holds while the process forks would stay
/// locked in the child for ever.
struct Gate {
    /// Forks about to happen.
    forks: AtomicUsize,
    /// Threads that are using a ledger.
    inside: AtomicUsize,
    /// Whether this process was forked while a thread of its parent was inside.
    is_shut: AtomicBool,
}

/// Held while a ledger is used.
pub(super) struct Inside(&'static Gate);

impl Gate {
    const fn new() -> Self {
        Self { forks: AtomicUsize::new(0), inside: AtomicUsize::new(0), is_shut: AtomicBool::new(false) }
    }

    fn enter(&'static self) -> Result<Inside, LedgerError> {
        loop {
            if self.is_shut.load(Ordering::SeqCst) {
                let message = "this process was forked while its parent was using a ledger, and can use none";
                return Err(LedgerError::new(message).hinting("start processes anew instead, as with `spawn`"));
            }
            self.inside.fetch_add(1, Ordering::SeqCst);
            let inside = Inside(self);
            if self.forks.load(Ordering::SeqCst) == 0 {
                return Ok(inside);
            }
            drop(inside);
            std::thread::sleep(PAUSE);
        }
    }

    /// Lets nobody enter until the fork is over. Gives whether all left in time.
    fn close_for_fork(&self, looks: u32) -> bool {
        self.forks.fetch_add(1, Ordering::SeqCst);
        for _ in 0..looks {
            if self.inside.load(Ordering::SeqCst) == 0 {
                return true;
            }
            std::thread::sleep(PAUSE);
        }
        false
    }

    fn open_in_parent(&self) {
        self.forks.fetch_sub(1, Ordering::SeqCst);
    }

    /// The threads that were inside do not exist in the child.
    fn open_in_child(&self) {
        if self.inside.swap(0, Ordering::SeqCst) > 0 {
            self.is_shut.store(true, Ordering::SeqCst);
        }
        self.forks.store(0, Ordering::SeqCst);
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        self.0.inside.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Waits while a fork is about to happen.
///
/// # Errors
/// In a process that was forked while a ledger was in use: what it has of it cannot be used.
pub(super) fn enter() -> Result<Inside, LedgerError> {
    GATE.enter()
}

/// Whether nobody can enter in this process.
pub(super) fn is_shut() -> bool {
    GATE.is_shut.load(Ordering::SeqCst)
}

/// Waits until nobody uses a ledger, and closes all.
pub fn before_fork() {
    if GATE.close_for_fork(LOOKS_BEFORE_FORK) && !is_shut() {
        lock(&LEDGERS).iter().filter_map(Weak::upgrade).for_each(|ledger| ledger.close());
    }
}

pub fn after_fork_in_parent() {
    GATE.open_in_parent();
}

pub fn after_fork_in_child() {
    GATE.open_in_child();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fork_finds_nobody_inside_and_lets_nobody_enter_until_it_is_over() {
        static GATE: Gate = Gate::new();
        let inside = GATE.enter().unwrap();
        let entered = std::thread::scope(|scope| {
            let fork = scope.spawn(|| GATE.close_for_fork(u32::MAX));
            while GATE.forks.load(Ordering::SeqCst) == 0 {
                std::thread::yield_now();
            }
            let entered = scope.spawn(|| GATE.enter().map(drop));
            drop(inside);
            assert!(fork.join().unwrap() && !entered.is_finished());
            GATE.open_in_parent();
            entered.join().unwrap()
        });
        entered.unwrap();
    }

    #[test]
    fn the_child_of_a_fork_that_waited_in_vain_is_told_that_it_has_no_ledger() {
        static GATE: Gate = Gate::new();
        let inside = GATE.enter().unwrap();
        assert!(!GATE.close_for_fork(2));
        GATE.open_in_child();
        let told = GATE.enter().map(drop).unwrap_err();
        assert!(told.to_string().contains("was forked"));
        // Of a thread that only the parent has.
        std::mem::forget(inside);
        assert!(GATE.close_for_fork(2));
        GATE.open_in_child();
        GATE.enter().map(drop).unwrap_err();
    }
}
