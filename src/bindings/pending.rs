//! An operation that has been described and waits to be waited for, by blocking or by `await`.

use std::sync::{Arc, Mutex};

use futures_util::FutureExt;
use pyo3::intern;
use pyo3::prelude::*;

use super::border::{self, AbortOnDrop, Answer, Work};
use super::delivery::{deliver_now, deliver_soon};
use super::ending::Inside;
use super::event_loop;
use super::origin::Origin;
use super::raise;
use crate::client::{Client, Error, Job, Phase, Progress};
use crate::lock::lock;

/// Rows of a job on their way into Python's hands: the job counts as fetched once they are there, and not where an
/// interrupt or a cancellation comes first.
#[derive(Clone)]
struct HandingOver {
    client: Client,
    job: Arc<Mutex<Option<Job>>>,
}

/// One operation. It starts when it is waited for, and it can be waited for once.
#[pyclass(frozen, module = "rowhaul._core")]
pub(super) struct Pending {
    work: Mutex<Option<Work>>,
    watcher: Mutex<Option<Py<PyAny>>>,
    /// Aborts what is awaited when nobody has this operation any more, as where its coroutine is dropped.
    awaited: Mutex<Option<AbortOnDrop>>,
    progress: Progress,
    handing_over: Option<HandingOver>,
    origin: Origin,
}

impl Pending {
    /// Describes an operation of the client; `convert` makes a Python object of its result.
    pub(super) fn new<T, F, C>(progress: Progress, work: F, convert: C) -> Self
    where
        T: Send + 'static,
        F: Future<Output = Result<T, Error>> + Send + 'static,
        C: FnOnce(Python<'_>, T) -> PyResult<Py<PyAny>> + Send + 'static,
    {
        // Not a block that awaits it: that would hold the work twice.
        let work = work.map(move |result| -> Answer {
            Box::new(move |py| match result {
                Ok(value) => convert(py, value),
                Err(error) => Err(raise::client_error(py, &error)),
            })
        });
        Self {
            work: Mutex::new(Some(Box::pin(work))),
            watcher: Mutex::new(None),
            awaited: Mutex::new(None),
            progress,
            handing_over: None,
            origin: Origin::here(),
        }
    }

    /// The same of an operation that hands over the rows of a job, which `job` names.
    pub(super) fn delivering<T, F, J, C>(client: &Client, progress: Progress, work: F, job: J, convert: C) -> Self
    where
        T: Send + 'static,
        F: Future<Output = Result<T, Error>> + Send + 'static,
        J: FnOnce(&T) -> Option<&Job> + Send + 'static,
        C: FnOnce(Python<'_>, T) -> PyResult<Py<PyAny>> + Send + 'static,
    {
        let handing_over = HandingOver { client: client.clone(), job: Arc::default() };
        let made = handing_over.clone();
        let convert = move |py: Python<'_>, value: T| {
            *lock(&made.job) = job(&value).cloned();
            convert(py, value)
        };
        Self { handing_over: Some(handing_over), ..Self::new(progress, work, convert) }
    }

    fn take(&self, py: Python<'_>) -> PyResult<Work> {
        if self.origin.is_the_parents() {
            return Err(raise::config(py, "this operation was made before a fork; make it anew in this process"));
        }
        let work = lock(&self.work).take();
        work.ok_or_else(|| raise::internal(py, "an operation can be waited for only once"))
    }

    /// The job whose rows have been made for Python, if it is that, once.
    fn made(&self) -> Option<(&Client, Job)> {
        let HandingOver { client, job } = self.handing_over.as_ref()?;
        let job = lock(job).take()?;
        Some((client, job))
    }

    /// Whether it is awaited, and was not given up.
    pub(super) fn is_awaited(&self) -> bool {
        lock(&self.awaited).is_some()
    }

    pub(super) fn is_watched(&self) -> bool {
        lock(&self.watcher).is_some()
    }

    /// Calls the watcher, if there is one, with the counters as they are now.
    pub(super) fn tick(&self, py: Python<'_>) -> PyResult<()> {
        let watcher = lock(&self.watcher).as_ref().map(|watcher| watcher.clone_ref(py));
        watcher.map_or(Ok(()), |watcher| watcher.call1(py, self.progress()).map(drop))
    }
}

#[pymethods]
impl Pending {
    /// Blocks until it is done.
    fn wait(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let made = border::wait(py, self.take(py)?, |py| self.tick(py))?;
        if self.handing_over.is_some() {
            // What is shown or logged takes time, in which a Ctrl-C may come, too.
            self.tick(py)?;
            // One that came together with the answer takes its place: nobody has the rows then.
            py.check_signals()?;
        }
        if let Some((client, job)) = self.made() {
            deliver_now(py, client, &job);
        }
        Ok(made)
    }

    fn __await__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let _inside = Inside::enter(slf.py());
        let (future, abort) = event_loop::future(slf, || slf.get().take(slf.py()))?;
        *lock(&slf.get().awaited) = Some(abort);
        future.call_method0(intern!(slf.py(), "__await__"))
    }

    /// Aborts what is awaited: nobody waits for it any more.
    fn give_up(&self) {
        drop(lock(&self.awaited).take());
    }

    /// Has it written down that rows were handed over, if they were: to be called by the one who awaited, who has them.
    fn handed_over(&self, py: Python<'_>) {
        if let Some((client, job)) = self.made() {
            deliver_soon(py, client, [&job]);
        }
    }

    /// Has a callable told of the counters, some times a second, on the thread that waits.
    #[pyo3(signature = (watcher, /))]
    fn watch(&self, watcher: Py<PyAny>) {
        *lock(&self.watcher) = Some(watcher);
    }

    /// The counters: the job's state, polls, rows, bytes.
    fn progress(&self) -> (Option<String>, u64, u64, u64) {
        let seen = &self.progress;
        (seen.status(), seen.polls(), seen.rows(), seen.bytes())
    }

    /// The job's id, as soon as it is known.
    fn job_id(&self) -> Option<String> {
        self.progress.job_id().map(|id| id.to_string())
    }

    /// Whether the job is an earlier one, whose rows are the answer: nothing was started.
    fn is_reused(&self) -> bool {
        self.progress.is_reused()
    }

    /// Whether a start is on its way, or was when the operation ended, and no job is known.
    fn is_starting(&self) -> bool {
        self.progress.phase() == Phase::Starting && self.progress.job_id().is_none()
    }
}
