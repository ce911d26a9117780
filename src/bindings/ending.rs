//! The end of the interpreter, in its two steps: first waits end, because Python joins its threads; then it is over.
//!
//! A thread that asks for the interpreter's lock once that is over is taken apart by Python (before 3.14), and where Rust has a
//! hand in it, the process aborts. So whoever gave the lock away with [`detach`] comes back through a gate, which the last of
//! what Python does before closes: daemon threads wait there until the process is gone. Not covered is what Python does when
//! Rust calls it.

#![expect(clippy::disallowed_methods, reason = "this is where the lock is given away")]

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use pyo3::intern;
use pyo3::prelude::*;

use super::raise;
use crate::client::starts_under_way;

/// How long the end waits for starts that are on their way: it has to come within two seconds.
const LAST_MOMENT: Duration = Duration::from_millis(1500);

/// How long it waits for those who are at the gate.
const AT_GATE: Duration = Duration::from_millis(200);

/// A thread that is still there after so long goes through: somebody may wait for it in what Python does last.
const BEHIND_GATE: Duration = Duration::from_secs(2);

static IS_NEAR: AtomicBool = AtomicBool::new(false);
/// The thread that ends the interpreter, once the gate is closed: it alone goes through.
static GATE: OnceLock<ThreadId> = OnceLock::new();
/// Threads that are on their way through the gate.
static COMING_BACK: AtomicUsize = AtomicUsize::new(0);

/// Held by a thread from the gate until it has the lock.
struct ComingBack;

impl ComingBack {
    fn new() -> Self {
        COMING_BACK.fetch_add(1, Ordering::SeqCst);
        Self
    }
}

impl Drop for ComingBack {
    fn drop(&mut self) {
        COMING_BACK.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Whether waits are to end: the interpreter is about to exit.
pub(super) fn is_near() -> bool {
    IS_NEAR.load(Ordering::Relaxed)
}

/// The error of those whose waits end so. What became of their requests nobody can say any more.
pub(super) fn error(py: Python<'_>) -> PyErr {
    if GATE.get().is_some() {
        // Only threads that nobody waits for are left: they go no further, and have nothing to complain about.
        detach(py, || ());
    }
    let error = raise::internal(py, "the interpreter is exiting; the work was given up");
    // Where it cannot be said, it was not said before.
    let _ = error.value(py).setattr(intern!(py, "outcome"), "unknown");
    error
}

/// Does something without the interpreter's lock, as all that may take long has to.
pub(super) fn detach<T: Send>(py: Python<'_>, work: impl Send + FnOnce() -> T) -> T {
    let (result, _coming) = py.detach(|| (work(), come_back()));
    result
}

/// Waits at the gate while that is closed.
fn come_back() -> ComingBack {
    let coming = ComingBack::new();
    if GATE.get().is_none_or(|last| *last == thread::current().id()) {
        return coming;
    }
    drop(coming);
    thread::sleep(BEHIND_GATE);
    ComingBack::new()
}

/// Ends every wait: the interpreter is about to join its threads, and none of ours may keep it for long. Starts that are on
/// their way get a moment for their answer, whose id is paid for.
pub(super) fn begin(py: Python<'_>) {
    IS_NEAR.store(true, Ordering::Relaxed);
    wait_while(py, LAST_MOMENT, || starts_under_way() > 0);
}

/// Has the gate closed by what Python does last, which is what it was told of first.
pub(super) fn close_gate_at_exit(py: Python<'_>) -> PyResult<()> {
    py.import("atexit")?.call_method1("register", (wrap_pyfunction!(close_gate, py)?,)).map(drop)
}

#[pyfunction]
fn close_gate(py: Python<'_>) {
    // Closed already in the child of a fork that a thread made meanwhile.
    let _ = GATE.set(thread::current().id());
    wait_while(py, AT_GATE, || COMING_BACK.load(Ordering::SeqCst) > 0);
}

/// Looks again and again, once in a process's life, instead of being called: a fork may come while another thread holds a
/// lock with a list of sleepers, and the child would wait for it for ever.
fn wait_while(py: Python<'_>, at_most: Duration, is_so: impl Fn() -> bool + Sync) {
    let until = Instant::now() + at_most;
    py.detach(|| {
        while is_so() && Instant::now() < until {
            thread::sleep(Duration::from_millis(1));
        }
    });
}

/// Nobody who was on his way is in the child of a fork.
pub(super) fn forget_others() {
    COMING_BACK.store(0, Ordering::SeqCst);
}

/// For a thread of ours that wants the lock: waits at the gate, and does it.
pub(super) fn attach<T>(work: impl FnOnce(Python<'_>) -> T) -> Option<T> {
    let coming = come_back();
    Python::try_attach(move |py| {
        drop(coming);
        work(py)
    })
}
