//! The border between Python's threads and the runtime's: the one place that builds a runtime, lets Ctrl-C in and
//! notices a fork.
//!
//! Invariants: the runtime's threads touch Python only to begin an agent of the local service, or to call an event loop
//! that watches no sockets. The slot is only locked while attached to the interpreter and never across a detach, so a
//! fork (which Python does attached) never copies a locked slot. What was built before a fork is forgotten, not
//! dropped, because its threads do not exist in the child. Ledgers are closed before a fork.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::Notify;
use tokio::task::AbortHandle;

use super::ending::{self, Inside};
use super::origin::DroppedHere;
use super::own_thread::{OwnThread, Task};
use super::raise;
use crate::client::{Client, Job, forget_ledger_writes};
use crate::ledger;
use crate::lock::lock;

/// How long a waiting call sleeps before it looks for Ctrl-C and shows its progress. No event can wake it instead: a
/// signal only sets a flag in the interpreter, which the main thread has to come and ask for, and the descriptor that
/// signals can be written to (`signal.set_wakeup_fd`) is the program's, or its event loop's.
const TICK: Duration = Duration::from_millis(50);

/// What an operation comes to: a conversion that runs on the thread that waited.
pub(super) type Answer = Box<dyn FnOnce(Python<'_>) -> PyResult<Py<PyAny>> + Send>;

/// An operation under way; it fails only by panicking, errors are answers.
pub(super) type Work = BoxFuture<'static, Answer>;

static SLOT: Mutex<Option<DroppedHere<Slot>>> = Mutex::new(None);

/// What is built once in each process.
struct Slot {
    runtime: Runtime,
    /// Tells what is awaited that the interpreter is about to exit.
    near: Arc<Notify>,
}

/// Aborts the work when nobody waits for it any more; in a fork, where that is not under way, nothing.
pub(super) struct AbortOnDrop(DroppedHere<AbortHandle>);

impl AbortOnDrop {
    pub(super) fn new(task: AbortHandle) -> Self {
        Self(DroppedHere::new(task))
    }
}

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        if !self.0.is_the_parents() {
            self.0.abort();
        }
    }
}

/// The runtime of this process, built at the first need and again after a fork.
pub(super) fn runtime(py: Python<'_>) -> PyResult<Handle> {
    with_slot(py, |slot| slot.runtime.handle().clone())
}

/// What an operation that is awaited needs: the runtime, and what tells it of the end of the interpreter.
pub(super) fn for_awaited(py: Python<'_>) -> PyResult<(Handle, Arc<Notify>)> {
    with_slot(py, |slot| (slot.runtime.handle().clone(), Arc::clone(&slot.near)))
}

/// Ends what is awaited in this process; what the parent of a fork awaits is not touched, for its lists may be locked.
pub(super) fn end_awaited() {
    if let Some(slot) = slot().as_ref() {
        slot.near.notify_waiters();
    }
}

fn with_slot<T>(py: Python<'_>, take: impl FnOnce(&Slot) -> T) -> PyResult<T> {
    if ending::is_near() {
        return Err(ending::error(py));
    }
    let mut slot = slot();
    if let Some(slot) = slot.as_ref() {
        return Ok(take(slot));
    }
    let built = DroppedHere::new(Slot { runtime: build()?, near: Arc::default() });
    Ok(take(slot.insert(built)))
}

/// The slot, empty where nothing was built in this process.
fn slot() -> MutexGuard<'static, Option<DroppedHere<Slot>>> {
    let mut slot = lock(&SLOT);
    if slot.as_ref().is_some_and(DroppedHere::is_the_parents) {
        *slot = None;
    }
    slot
}

fn build() -> std::io::Result<Runtime> {
    Builder::new_multi_thread().worker_threads(2).thread_name("rowhaul").enable_all().build()
}

/// Runs work on the runtime and blocks until it is done. Ctrl-C is answered within a tick and aborts the work; `tick`
/// runs on this thread while it waits.
pub(super) fn wait(py: Python<'_>, work: Work, tick: impl Fn(Python<'_>) -> PyResult<()>) -> PyResult<Py<PyAny>> {
    let _inside = Inside::enter(py);
    let (sender, receiver) = sync_channel(1);
    let task = runtime(py)?.spawn(async move {
        let _ = sender.send(AssertUnwindSafe(work).catch_unwind().await);
    });
    let _abort = AbortOnDrop::new(task.abort_handle());
    let answer = hear(py, receiver, tick)?;
    answered(py, Ok(answer))
}

/// What work has come to, made for Python.
pub(super) fn answered(py: Python<'_>, outcome: std::thread::Result<Answer>) -> PyResult<Py<PyAny>> {
    let result = outcome.and_then(|answer| catch_unwind(AssertUnwindSafe(|| answer(py))));
    result.unwrap_or_else(|panic| Err(panicked(py, &*panic)))
}

/// Runs blocking, synchronous work (decoding, writing a file) on a thread of the runtime, as [`wait`] does. Such work
/// cannot be aborted from outside: given up, it goes on to its end, and what it comes to is dropped.
pub(super) fn block<T, F>(py: Python<'_>, work: F) -> PyResult<T>
where
    T: Send + 'static,
    F: FnOnce() -> T + Send + 'static,
{
    let runtime = runtime(py)?;
    block_by(py, work, |task| {
        runtime.spawn_blocking(task);
        Ok(())
    })
}

/// Runs work that mostly takes far less than a tick on the thread that asks for it, where no other has to be woken and
/// what the work reads and writes is in the caches. Ctrl-C waits for its end, and it has no more stack than Python gave
/// this thread.
pub(super) fn work_here<T: Send>(py: Python<'_>, work: impl Send + FnOnce() -> T) -> PyResult<T> {
    if ending::is_near() {
        return Err(ending::error(py));
    }
    let _inside = Inside::enter(py);
    ending::detach(py, || catch_unwind(AssertUnwindSafe(work))).map_err(|panic| panicked(py, &*panic))
}

/// What [`block`] does, on a thread of the caller's.
pub(super) fn block_with<T, F>(py: Python<'_>, thread: &OwnThread, work: F) -> PyResult<T>
where
    T: Send + 'static,
    F: FnOnce() -> T + Send + 'static,
{
    if ending::is_near() {
        return Err(ending::error(py));
    }
    block_by(py, work, |task| thread.give(task))
}

fn block_by<T, F>(py: Python<'_>, work: F, give: impl FnOnce(Task) -> std::io::Result<()>) -> PyResult<T>
where
    T: Send + 'static,
    F: FnOnce() -> T + Send + 'static,
{
    let _inside = Inside::enter(py);
    let (sender, receiver) = sync_channel(1);
    give(Box::new(move || {
        let _ = sender.send(catch_unwind(AssertUnwindSafe(work)));
    }))?;
    hear(py, receiver, |_| Ok(()))
}

/// Waits for what another thread comes to, without the interpreter's lock, and looks up at each tick: for Ctrl-C, for
/// the end of the interpreter, and for what the caller wants done meanwhile.
fn hear<T: Send>(
    py: Python<'_>,
    mut receiver: Receiver<Result<T, Box<dyn Any + Send>>>,
    tick: impl Fn(Python<'_>) -> PyResult<()>,
) -> PyResult<T> {
    loop {
        let (heard, back) = ending::detach(py, move || (receiver.recv_timeout(TICK), receiver));
        receiver = back;
        match heard {
            Ok(Ok(value)) => return Ok(value),
            Ok(Err(panic)) => return Err(panicked(py, &*panic)),
            Err(RecvTimeoutError::Disconnected) => return Err(ending::error(py)),
            Err(RecvTimeoutError::Timeout) => {
                py.check_signals()?;
                if ending::is_near() {
                    return Err(ending::error(py));
                }
                tick(py)?;
            }
        }
    }
}

/// Has it written down that the rows of jobs were handed over, beside what Python does next: neither a caller nor an
/// event loop waits for a disk.
pub(super) fn deliver<'a>(py: Python<'_>, client: &Client, jobs: impl IntoIterator<Item = &'a Job>) -> PyResult<()> {
    let mut written = None;
    for job in jobs {
        // Of those before nobody waits: the last writes all of them.
        written = Some(client.delivered(job));
    }
    if let Some(written) = written {
        runtime(py)?.spawn(written);
    }
    Ok(())
}

/// The same, and the next one who looks into the ledger finds it, unless another process keeps that for long: then it
/// goes on beside Python.
pub(super) fn deliver_first(py: Python<'_>, client: &Client, job: &Job) {
    let (sender, receiver) = sync_channel(1);
    let written = client.delivered(job);
    // Where Python is closing it is not written down, and the rows are handed over all the same.
    let Ok(runtime) = runtime(py) else { return };
    runtime.spawn(async move {
        written.await;
        let _ = sender.send(());
    });
    let _ = ending::detach(py, move || receiver.recv_timeout(TICK));
}

/// Has Python close every ledger before it forks: an open database does not survive that.
pub(super) fn close_ledgers_at_fork(py: Python<'_>) -> PyResult<()> {
    // Not there where there is no fork.
    let Some(register) = py.import("os")?.getattr_opt("register_at_fork")? else { return Ok(()) };
    let hooks = PyDict::new(py);
    hooks.set_item("before", wrap_pyfunction!(before_fork, py)?)?;
    hooks.set_item("after_in_parent", wrap_pyfunction!(after_fork_in_parent, py)?)?;
    hooks.set_item("after_in_child", wrap_pyfunction!(after_fork_in_child, py)?)?;
    register.call((), Some(&hooks)).map(drop)
}

#[pyfunction]
fn before_fork() {
    ledger::before_fork();
}

#[pyfunction]
fn after_fork_in_parent() {
    ledger::after_fork_in_parent();
}

#[pyfunction]
fn after_fork_in_child() {
    ledger::after_fork_in_child();
    super::logging::after_fork_in_child();
    forget_ledger_writes();
    ending::forget_others();
}

/// What a panic becomes: it never crosses into Python as one.
pub(super) fn panicked(py: Python<'_>, panic: &(dyn Any + Send)) -> PyErr {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    raise::internal(py, text.unwrap_or("a fault without a message"))
}
