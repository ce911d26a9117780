//! The end of the interpreter, which has to come within two seconds and whatever threads do.
//!
//! A thread that asks for the interpreter's lock once that ends is taken apart by Python (before 3.14), and where Rust has a hand
//! in it, the process aborts. So whoever is without the lock inside of a call is counted until it has it back, and the end waits
//! for those. A daemon thread that has it back by then goes no further, as in Python.

#![expect(clippy::disallowed_methods, reason = "this is where the lock is given away")]

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use pyo3::intern;
use pyo3::marker::Ungil;
use pyo3::prelude::*;

use super::raise;
use crate::client::starts_under_way;

/// How long the end waits at most for threads and for starts that are on their way.
const LAST_MOMENT: Duration = Duration::from_millis(1500);

static ENDING: AtomicBool = AtomicBool::new(false);

/// Threads that are to get the interpreter's lock back, or have it for a short while.
static COMING_BACK: AtomicUsize = AtomicUsize::new(0);

/// A thread that the end waits for.
pub(super) struct ComingBack(());

impl ComingBack {
    fn new() -> Self {
        COMING_BACK.fetch_add(1, Ordering::SeqCst);
        Self(())
    }

    /// For a thread of ours that wants the lock: it waits here for ever once the end has begun.
    pub(super) fn announced() -> Self {
        let coming = Self::new();
        if is_near() {
            drop(coming);
            stay();
        }
        coming
    }
}

impl Drop for ComingBack {
    fn drop(&mut self) {
        COMING_BACK.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Whether the interpreter is about to exit.
pub(super) fn is_near() -> bool {
    ENDING.load(Ordering::SeqCst)
}

/// The error of those that are told so: every thread that the interpreter waits for before it ends.
pub(super) fn error(py: Python<'_>) -> PyErr {
    stay_if_daemon(py);
    raise::internal(py, "the interpreter is exiting; the work was given up")
}

/// Does something without the interpreter's lock, as all that may take long has to.
pub(super) fn detach<T: Ungil>(py: Python<'_>, work: impl Ungil + FnOnce() -> T) -> T {
    if is_near() {
        stay_if_daemon(py);
    }
    let coming = ComingBack::new();
    let result = py.detach(work);
    drop(coming);
    if is_near() {
        stay_if_daemon(py);
    }
    result
}

/// Begins the end: every wait ends, and no thread of ours keeps the interpreter for long. Starts that are on their way get a
/// moment for their answer, whose id is paid for.
pub(super) fn begin(py: Python<'_>) {
    ENDING.store(true, Ordering::SeqCst);
    let until = Instant::now() + LAST_MOMENT;
    py.detach(|| {
        // Counts, and not a lock with an event: a fork may come while another thread holds a lock, and the child would wait for
        // it for ever. They are looked at once in a process's life.
        while starts_under_way() + COMING_BACK.load(Ordering::SeqCst) > 0 && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(1));
        }
    });
}

/// Nobody who came without the lock comes back to the child of a fork.
pub(super) fn forget_others() {
    COMING_BACK.store(0, Ordering::SeqCst);
}

/// Only `threading` knows. The interpreter does not wait for daemon threads, and so they must not come back.
fn stay_if_daemon(py: Python<'_>) {
    let is_daemon = || {
        let thread = py.import(intern!(py, "threading"))?.call_method0(intern!(py, "current_thread"))?;
        thread.getattr(intern!(py, "daemon"))?.is_truthy()
    };
    if is_daemon().unwrap_or(false) {
        py.detach(|| stay());
    }
}

fn stay() -> ! {
    loop {
        std::thread::park();
    }
}
