//! The border between Python's threads and others: where one waits for what another comes to, and lets Ctrl-C in.
//!
//! The runtime's threads touch Python only to begin an agent of the local service, or to call an event loop that
//! watches no sockets.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pyo3::prelude::*;
use tokio::task::AbortHandle;

use super::ending::{self, Inside};
use super::origin::DroppedHere;
use super::own_thread::{OwnThread, Task};
use super::{raise, runtime};

/// How long a waiting call sleeps before it looks for Ctrl-C and shows its progress. No event can wake it instead: a
/// signal only sets a flag in the interpreter, which the main thread has to come and ask for, and the descriptor that
/// signals can be written to (`signal.set_wakeup_fd`) is the program's, or its event loop's.
const TICK: Duration = Duration::from_millis(50);

/// What an operation comes to: a conversion that runs on the thread that waited.
pub(super) type Answer = Box<dyn FnOnce(Python<'_>) -> PyResult<Py<PyAny>> + Send>;

/// An operation under way; it fails only by panicking, errors are answers.
pub(super) type Work = BoxFuture<'static, Answer>;

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

/// Runs work on the runtime and blocks until it is done. Ctrl-C is answered within a tick and aborts the work; `tick`
/// runs on this thread while it waits.
pub(super) fn wait(py: Python<'_>, work: Work, tick: impl Fn(Python<'_>) -> PyResult<()>) -> PyResult<Py<PyAny>> {
    let _inside = Inside::enter(py);
    let (sender, receiver) = sync_channel(1);
    let task = runtime::handle(py)?.spawn(async move {
        let _ = sender.send(AssertUnwindSafe(work).catch_unwind().await);
    });
    let _abort = AbortOnDrop::new(task.abort_handle());
    let answer = receive(py, receiver, tick)?;
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
    let runtime = runtime::handle(py)?;
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
    receive(py, receiver, |_| Ok(()))
}

/// Waits for what another thread comes to, without the interpreter's lock, and looks up at each tick: for Ctrl-C, for
/// the end of the interpreter, and for what the caller wants done meanwhile.
fn receive<T: Send>(
    py: Python<'_>,
    mut receiver: Receiver<Result<T, Box<dyn Any + Send>>>,
    tick: impl Fn(Python<'_>) -> PyResult<()>,
) -> PyResult<T> {
    loop {
        let (outcome, back) = ending::detach(py, move || (receiver.recv_timeout(TICK), receiver));
        receiver = back;
        match outcome {
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

/// What a panic becomes: it never crosses into Python as one.
pub(super) fn panicked(py: Python<'_>, panic: &(dyn Any + Send)) -> PyErr {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    raise::internal(py, text.unwrap_or("a fault without a message"))
}
