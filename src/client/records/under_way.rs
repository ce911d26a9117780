//! What is on its way into the ledger, for a process that ends to wait for.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Requests whose answer is to be written down, and rows that were handed over.
static UNDER_WAY: AtomicUsize = AtomicUsize::new(0);

/// How many writes of this process are on their way: worth a moment's waiting before it ends.
pub fn ledger_writes_under_way() -> usize {
    UNDER_WAY.load(Ordering::Relaxed)
}

/// After a fork: the writes on their way are the parent's.
pub fn forget_ledger_writes() {
    UNDER_WAY.store(0, Ordering::Relaxed);
}

/// One of them, however it ends.
pub(in crate::client) struct Counted;

impl Counted {
    pub(in crate::client) fn new() -> Self {
        UNDER_WAY.fetch_add(1, Ordering::Relaxed);
        Self
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        // Saturating: a child of a fork has forgotten what its parent counted.
        let less = |count: usize| Some(count.saturating_sub(1));
        let _ = UNDER_WAY.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
    }
}
