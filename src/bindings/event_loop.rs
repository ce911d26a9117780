//! How an operation is awaited: its work begins, and a future of the running loop waits for what it comes to.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use super::border::{AbortOnDrop, Work};
use super::ending;
use super::heartbeat;
use super::mailbox::{Completion, Mailbox};
use super::pending::Pending;
use super::runtime;

/// Starts the work, which is taken once all else is there, and gives a future of the running loop for it and what
/// aborts it.
pub(super) fn future<'py>(
    pending: &Bound<'py, Pending>,
    work: impl FnOnce() -> PyResult<Work>,
) -> PyResult<(Bound<'py, PyAny>, AbortOnDrop)> {
    let py = pending.py();
    let (runtime, near) = runtime::for_awaited(py)?;
    let event_loop = running(py)?;
    let future = event_loop.call_method0(intern!(py, "create_future"))?;
    let mailbox = Mailbox::of(&event_loop, &runtime)?;
    let work = work()?;
    let beating = heartbeat::start(&event_loop, &future, pending, &mailbox)?;
    let addressee = future.clone().unbind();
    let task = runtime.spawn(async move {
        let work = ending::unless_near(&near, AssertUnwindSafe(work).catch_unwind());
        // Nobody hears an answer in a loop that was closed, and what waits for one would keep the loop.
        let Some(outcome) = mailbox.unless_closed(work).await else { return };
        let outcome = outcome.unwrap_or_else(|| Ok(Box::new(|py| Err(ending::error(py)))));
        mailbox.put(Completion { future: addressee, outcome, beating });
    });
    Ok((future, AbortOnDrop::new(task.abort_handle())))
}

/// The loop that runs in this thread.
pub(super) fn running(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    static GET: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    GET.import(py, "asyncio", "get_running_loop")?.call0()
}
