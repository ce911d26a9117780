//! Why a fork finds no open file.
//!
//! A process that inherits an open `SQLite` database believes that it holds locks which only its parent has, and a
//! write-ahead log may then be taken away under it. So every ledger is closed before a fork, nobody enters one
//! meanwhile, and both sides open it again when they need it. There are only atomics here: a lock that another thread
//! holds at that moment would stay locked in the child for ever.

use std::sync::Weak;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::LEDGERS;
use crate::lock::lock;

/// Forks about to happen.
static FORKS: AtomicUsize = AtomicUsize::new(0);
/// Threads that are using a ledger.
static INSIDE: AtomicUsize = AtomicUsize::new(0);

/// Those who wait look again after a pause instead of being called: whatever calls a sleeper is a lock with a list of
/// sleepers, and a fork would copy both as they are at that moment.
const PAUSE: Duration = Duration::from_micros(200);
/// How long a fork waits for a ledger in use: as long as a ledger waits for another process, and a little more.
const PATIENCE: u32 = 60_000;

/// Held while a ledger is used.
pub(super) struct Inside;

/// Waits while a fork is about to happen.
pub(super) fn enter() -> Inside {
    loop {
        INSIDE.fetch_add(1, Ordering::SeqCst);
        if FORKS.load(Ordering::SeqCst) == 0 {
            return Inside;
        }
        drop(Inside);
        std::thread::sleep(PAUSE);
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        INSIDE.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Waits until nobody uses a ledger, and closes all.
pub fn before_fork() {
    FORKS.fetch_add(1, Ordering::SeqCst);
    for _ in 0..PATIENCE {
        if INSIDE.load(Ordering::SeqCst) == 0 {
            break;
        }
        std::thread::sleep(PAUSE);
    }
    if INSIDE.load(Ordering::SeqCst) == 0 {
        lock(&LEDGERS).iter().filter_map(Weak::upgrade).for_each(|ledger| ledger.close());
    }
}

pub fn after_fork_in_parent() {
    FORKS.fetch_sub(1, Ordering::SeqCst);
}

/// The threads that used ledgers do not exist here.
pub fn after_fork_in_child() {
    INSIDE.store(0, Ordering::SeqCst);
    FORKS.store(0, Ordering::SeqCst);
}
