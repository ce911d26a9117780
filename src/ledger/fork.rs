//! Why a fork finds no open file.
//!
//! A process that inherits an open `SQLite` database believes that it holds locks which only its parent has, and a
//! write-ahead log may then be taken away under it. So every ledger is closed before a fork, nobody enters one
//! meanwhile, and both sides open it again when they need it. A ledger that is in use for longer than a fork waits
//! stays open, and locked by a thread that the child does not have: the child then has no ledger at all.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use super::error::LedgerError;
use super::file::close_all;

/// Threads look again after a pause instead of being called: whatever calls a sleeper is a lock with a list of
/// sleepers, and a fork would copy both as they are at that moment.
const PAUSE: Duration = Duration::from_micros(200);
/// How often a fork looks whether the ledgers are free: for as long as a ledger waits for another process, and a little
/// more.
const LOOKS_BEFORE_FORK: u32 = 60_000;

static GATE: Gate = Gate::new();

thread_local! {
    /// Whether the fork that this thread is about to make leaves no ledger open that was opened in this process.
    static ARE_CLOSED: Cell<bool> = const { Cell::new(false) };
}

/// Who may use a ledger now. It has only atomics: a lock that another thread holds while the process forks would stay
/// locked in the child for ever.
struct Gate {
    /// Forks about to happen.
    forks: AtomicUsize,
    /// Threads that are using a ledger.
    inside: AtomicUsize,
    /// Whether this process descends from a fork that found a ledger in use.
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
                let message = "this process was forked while a ledger was in use, and can use none";
                return Err(LedgerError::new(message)
                    .hinting("start processes anew: `multiprocessing` does with the start method `spawn`"));
            }
            if let Some(inside) = self.enter_at_once() {
                return Ok(inside);
            }
            std::thread::sleep(PAUSE);
        }
    }

    fn enter_at_once(&'static self) -> Option<Inside> {
        let is_free = || self.forks.load(Ordering::SeqCst) == 0 && !self.is_shut.load(Ordering::SeqCst);
        if !is_free() {
            return None;
        }
        self.inside.fetch_add(1, Ordering::SeqCst);
        let inside = Inside(self);
        // A fork that came between these two may have seen nobody inside.
        is_free().then_some(inside)
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

    /// The threads that were inside do not exist in the child. Whether any was at the moment of the fork does not
    /// matter: what was not closed before it cannot be used.
    fn open_in_child(&self, are_closed: bool) {
        self.is_shut.fetch_or(!are_closed, Ordering::SeqCst);
        self.inside.store(0, Ordering::SeqCst);
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
/// In a process that was forked while a ledger was in use: its copy of what was open cannot be used.
pub(super) fn enter() -> Result<Inside, LedgerError> {
    GATE.enter()
}

/// Enters without waiting; `None` where a fork is about to happen, and in a process that can use no ledger.
pub(super) fn enter_at_once() -> Option<Inside> {
    GATE.enter_at_once()
}

/// Waits until nobody uses a ledger, and closes all.
pub fn before_fork() {
    let are_free = GATE.close_for_fork(LOOKS_BEFORE_FORK);
    // Where the gate is shut none was opened here, and the list of them may be locked for ever.
    if are_free && !GATE.is_shut.load(Ordering::SeqCst) {
        close_all();
    }
    ARE_CLOSED.set(are_free);
}

pub fn after_fork_in_parent() {
    GATE.open_in_parent();
}

pub fn after_fork_in_child() {
    GATE.open_in_child(ARE_CLOSED.get());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fork_finds_nobody_inside_and_lets_nobody_enter_until_it_is_over() {
        static GATE: Gate = Gate::new();
        let inside = GATE.enter().unwrap();
        std::thread::scope(|scope| {
            let fork = scope.spawn(|| GATE.close_for_fork(u32::MAX));
            while GATE.forks.load(Ordering::SeqCst) == 0 {
                std::thread::yield_now();
            }
            let entered = scope.spawn(|| GATE.enter().map(drop));
            drop(inside);
            let (are_free, has_entered) = (fork.join().unwrap(), entered.is_finished());
            let enters_at_once = GATE.enter_at_once().is_some();
            GATE.open_in_parent();
            assert!(are_free && !has_entered && !enters_at_once);
            entered.join().unwrap().unwrap();
        });
    }

    #[test]
    fn the_child_of_a_fork_that_waited_in_vain_has_no_ledger_even_if_the_last_thread_left_in_time() {
        static GATE: Gate = Gate::new();
        let inside = GATE.enter().unwrap();
        let are_free = GATE.close_for_fork(2);
        drop(inside);
        assert!(!are_free);
        GATE.open_in_child(are_free);
        assert!(GATE.enter().map(drop).unwrap_err().to_string().contains("was forked"));
        // Nor has its own child.
        let are_free = GATE.close_for_fork(2);
        GATE.open_in_child(are_free);
        GATE.enter().map(drop).unwrap_err();
    }

    #[test]
    fn threads_that_only_wait_for_a_fork_to_be_over_do_not_take_the_ledger_from_its_child() {
        static GATE: Gate = Gate::new();
        let are_free = GATE.close_for_fork(2);
        // As a thread is between its two looks.
        GATE.inside.fetch_add(1, Ordering::SeqCst);
        GATE.open_in_child(are_free);
        GATE.enter().map(drop).unwrap();
    }
}
