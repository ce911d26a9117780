//! The end of the interpreter, in its two steps: first waits end, because Python joins its threads; then it is over.
//!
//! Before Python 3.14 a thread that asks for the GIL after finalisation is killed, which aborts the process if Rust
//! frames are on its stack. So every [`detach`] re-attaches through a gate that closes in the last `atexit` callback:
//! daemon threads are held there, but no longer than `HELD_AT_GATE`. Threads that are [`Inside`], where Rust calls
//! Python, which may release the GIL as well, are waited for briefly.

#![expect(clippy::disallowed_methods, reason = "this is where the lock is given away")]

use std::cell::Cell;
use std::pin::pin;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use tokio::sync::Notify;

use super::{raise, runtime};
use crate::client::ledger_writes_under_way;

/// How long the end waits for starts that are on their way: it has to come within two seconds.
const LAST_MOMENT: Duration = Duration::from_millis(1500);

/// How long it waits for those who come through the gate or are inside.
const AT_GATE: Duration = Duration::from_millis(200);

/// A thread that is still there after so long goes through: somebody may wait for it in what Python does last.
const HELD_AT_GATE: Duration = Duration::from_secs(2);

static IS_NEAR: AtomicBool = AtomicBool::new(false);
/// The thread that ends the interpreter, once the gate is closed: it alone goes through.
static GATE: OnceLock<ThreadId> = OnceLock::new();
/// Threads on their way through the gate, and those who are inside and have the lock.
static ON_THEIR_WAY: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static IS_INSIDE: Cell<bool> = const { Cell::new(false) };
    /// Whether this thread has waited at the gate for as long as it has to.
    static WENT_THROUGH: Cell<bool> = const { Cell::new(false) };
}

/// Counts a thread that the end has to wait for.
struct Counted;

impl Counted {
    fn new() -> Self {
        ON_THEIR_WAY.fetch_add(1, Ordering::SeqCst);
        Self
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        // Saturating: the child of a fork has forgotten what its parent counted.
        let less = |count: usize| Some(count.saturating_sub(1));
        let _ = ON_THEIR_WAY.fetch_update(Ordering::SeqCst, Ordering::SeqCst, less);
    }
}

/// Held by a thread where Rust calls Python, which may give the lock away. While it has given it away by [`detach`], it
/// is not waited for.
pub(super) struct Inside(Option<Counted>);

impl Inside {
    /// For a thread of Python's, which goes no further once the gate is closed.
    pub(super) fn enter(py: Python<'_>) -> Self {
        let inside = Self::counted_by(Counted::new());
        if is_closed() {
            detach(py, || ());
        }
        inside
    }

    fn counted_by(counted: Counted) -> Self {
        Self((!IS_INSIDE.replace(true)).then_some(counted))
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        if self.0.is_some() {
            IS_INSIDE.set(false);
        }
    }
}

/// Takes a thread that is inside out of the count until it is dropped.
struct Outside;

impl Outside {
    fn new() -> Self {
        drop(Counted);
        Self
    }
}

impl Drop for Outside {
    fn drop(&mut self) {
        std::mem::forget(Counted::new());
    }
}

/// Whether waits are to end: the interpreter is about to exit.
pub(super) fn is_near() -> bool {
    IS_NEAR.load(Ordering::SeqCst)
}

/// Whether the gate is closed to this thread.
fn is_closed() -> bool {
    GATE.get().is_some_and(|last| *last != thread::current().id()) && !WENT_THROUGH.get()
}

/// The error of those whose waits end so.
pub(super) fn error(py: Python<'_>) -> PyErr {
    if is_closed() {
        // Only threads that nobody waits for are left: they go no further, and have nothing to complain about.
        detach(py, || ());
    }
    raise::given_up(py, "the interpreter is exiting; the work was given up")
}

/// Does something without the interpreter's lock, as all that may take long has to.
pub(super) fn detach<T: Send>(py: Python<'_>, work: impl Send + FnOnce() -> T) -> T {
    let outside = IS_INSIDE.get().then(Outside::new);
    let (result, coming) = py.detach(|| (work(), come_back()));
    // In this order, so that it is counted all the time.
    drop(outside);
    drop(coming);
    result
}

/// What work comes to, unless the end comes first, of which `near` tells.
pub(super) async fn unless_near<T>(near: &Notify, work: impl Future<Output = T>) -> Option<T> {
    let mut near = pin!(near.notified());
    near.as_mut().enable();
    if is_near() {
        return None;
    }
    tokio::select! {
        biased;
        done = work => Some(done),
        () = near => None,
    }
}

/// Waits at the gate while that is closed.
fn come_back() -> Counted {
    let coming = Counted::new();
    if !is_closed() {
        return coming;
    }
    drop(coming);
    thread::sleep(HELD_AT_GATE);
    WENT_THROUGH.set(true);
    Counted::new()
}

/// Has the waits ended before the interpreter joins its threads, which would otherwise wait for theirs. Only
/// `threading` knows that moment; where it does not tell (its function is private), `atexit` is the next best.
pub(super) fn begin_at_exit(py: Python<'_>, module: &Bound<'_, PyModule>) -> PyResult<()> {
    // Joins the threads of its pools at the same moment; the one that registers last is called first.
    py.import("concurrent.futures.thread")?;
    let register = match py.import("threading")?.getattr_opt("_register_atexit")? {
        Some(register) => register,
        None => py.import("atexit")?.getattr("register")?,
    };
    if register.call1((module.getattr("shutdown")?,)).is_err() {
        // It is about to exit already.
        IS_NEAR.store(true, Ordering::SeqCst);
    }
    Ok(())
}

/// Ends every wait, because the interpreter is about to exit.
#[pyfunction]
#[pyo3(signature = ())]
pub(super) fn shutdown(py: Python<'_>) {
    begin();
    runtime::end_awaited();
    wait_for_starts(py);
}

/// Ends every wait that blocks: the interpreter is about to join its threads, and none of ours may keep it for long.
fn begin() {
    IS_NEAR.store(true, Ordering::SeqCst);
}

/// Gives starts that are on their way a moment for their answer, whose id is paid for.
fn wait_for_starts(py: Python<'_>) {
    wait_while(py, LAST_MOMENT, || ledger_writes_under_way() > 0);
}

/// Has the gate closed by what Python does last, which is what it was told of first.
pub(super) fn close_gate_at_exit(py: Python<'_>) -> PyResult<()> {
    py.import("atexit")?.call_method1("register", (wrap_pyfunction!(close_gate, py)?,)).map(drop)
}

#[pyfunction]
fn close_gate(py: Python<'_>) {
    // Closed already in the child of a fork that a thread made meanwhile.
    let _ = GATE.set(thread::current().id());
    wait_while(py, AT_GATE, || ON_THEIR_WAY.load(Ordering::SeqCst) > 0);
}

/// Looks again and again, once in a process's life, instead of being called: a fork may come while another thread holds
/// a lock with a list of sleepers, and the child would wait for it for ever.
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
    ON_THEIR_WAY.store(0, Ordering::SeqCst);
}

/// For a thread of ours that wants the lock: waits at the gate, and does it.
pub(super) fn attach<T>(work: impl FnOnce(Python<'_>) -> T) -> Option<T> {
    let coming = come_back();
    Python::try_attach(move |py| {
        let _inside = Inside::counted_by(coming);
        work(py)
    })
}
