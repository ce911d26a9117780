//! What wakes an event loop while it waits for answers: one that sleeps in its selector does not see an interrupt that
//! Jupyter sends for a top-level `await`, and a watcher is to be told how far things are. Awake, it looks into its
//! mailbox as well, should a wake-up have been lost.
//!
//! Most operations have no watcher, and all of those on one loop share a timer: a timer of its own for each would be a
//! fifth of what the loop does for a poll.

use std::cell::RefCell;
use std::sync::{Arc, Weak};

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::ending::Inside;
use super::event_loop;
use super::mailbox::Mailbox;
use super::pending::Pending;

/// Seconds between two heartbeats.
const HEARTBEAT: f64 = 0.1;

/// Held by an operation while it is waited for, so that its loop is woken.
#[derive(Debug)]
pub(super) struct Beating(#[expect(dead_code, reason = "it is counted")] Option<Arc<()>>);

/// Those who wait on one loop: each holds what is in here. Their timer holds this.
struct Waiting(Arc<()>);

thread_local! {
    /// The loop that was waited on last in this thread, by its address. Who waits there is gone with the timer, which
    /// goes with its loop, so that no other loop is taken for it.
    static LAST: RefCell<(usize, Weak<Waiting>)> = const { RefCell::new((0, Weak::new())) };
}

/// Has the running loop woken until what is given is dropped, and the watcher told if there is one.
pub(super) fn start(
    event_loop: &Bound<'_, PyAny>,
    future: &Bound<'_, PyAny>,
    pending: &Bound<'_, Pending>,
    mailbox: &Arc<Mailbox>,
) -> PyResult<Beating> {
    let (py, mailbox) = (event_loop.py(), Arc::clone(mailbox));
    if pending.get().is_watched() {
        let (future, pending) = (future.clone().unbind(), pending.clone().unbind());
        Watched::next(&Bound::new(py, Watched { mailbox, future, pending })?)?;
        return Ok(Beating(None));
    }
    let address = event_loop.as_ptr().addr();
    let timed = LAST.with_borrow(|(last, waiting)| waiting.upgrade().filter(|_| *last == address));
    if let Some(waiting) = timed {
        return Ok(Beating(Some(Arc::clone(&waiting.0))));
    }
    let held = Arc::new(());
    let shared = Shared { mailbox, waiting: Arc::new(Waiting(Arc::clone(&held))) };
    LAST.set((address, Arc::downgrade(&shared.waiting)));
    Shared::next(&Bound::new(py, shared)?)?;
    Ok(Beating(Some(held)))
}

/// Has the loop that runs call it.
fn call_later(callback: &Bound<'_, PyAny>, options: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
    let py = callback.py();
    event_loop::running(py)?.call_method(intern!(py, "call_later"), (HEARTBEAT, callback), options).map(drop)
}

/// Beats while anybody waits. It does not hold the loop, which holds it.
#[pyclass(frozen)]
struct Shared {
    mailbox: Arc<Mailbox>,
    waiting: Arc<Waiting>,
}

impl Shared {
    fn next(slf: &Bound<'_, Self>) -> PyResult<()> {
        let py = slf.py();
        // A context of nobody's: that of the first who waited would live as long as others wait.
        let options = PyDict::new(py);
        options.set_item("context", py.import(intern!(py, "contextvars"))?.call_method0(intern!(py, "Context"))?)?;
        call_later(slf, Some(&options))
    }
}

#[pymethods]
impl Shared {
    fn __call__(slf: &Bound<'_, Self>) -> PyResult<()> {
        let _inside = Inside::enter(slf.py());
        if Arc::strong_count(&slf.get().waiting.0) == 1 {
            return Ok(());
        }
        // Without its timer it must not be found, should somebody keep it: an interrupt may land here, too.
        Self::next(slf).inspect_err(|_| LAST.set((0, Weak::new())))?;
        slf.get().mailbox.empty(slf.py())
    }
}

/// Tells the watcher of one operation.
#[pyclass(frozen)]
struct Watched {
    mailbox: Arc<Mailbox>,
    future: Py<PyAny>,
    pending: Py<Pending>,
}

impl Watched {
    fn next(slf: &Bound<'_, Self>) -> PyResult<()> {
        call_later(slf, None)
    }
}

#[pymethods]
impl Watched {
    fn __call__(slf: &Bound<'_, Self>) -> PyResult<()> {
        let py = slf.py();
        let _inside = Inside::enter(py);
        let this = slf.get();
        let is_done = |py| this.future.call_method0(py, intern!(py, "done"))?.is_truthy(py);
        if is_done(py)? || !this.pending.get().is_awaited() {
            return Ok(());
        }
        match this.pending.get().tick(py) {
            Ok(()) => {
                Self::next(slf)?;
                this.mailbox.empty(py)
            }
            // What the watcher raises belongs to the one who awaits.
            Err(error) => this.future.call_method1(py, intern!(py, "set_exception"), (error,)).map(drop),
        }
    }
}
