//! Many runs under way together, taken one by one as they end.

use std::sync::{Arc, Mutex};

use pyo3::prelude::*;
use rust_decimal::Decimal;

use super::agents::request;
use super::delivery::deliver_soon;
use super::ending;
use super::job::PyJob;
use super::origin::DroppedHere;
use super::pending::Pending;
use super::raise;
use super::rows::PyRows;
use super::runtime;
use crate::client::{Done, Error, Job, Many, Progress};
use crate::lock::lock;
use crate::wire::JobId;

#[pyclass(frozen, name = "Many", module = "rowhaul._core")]
pub(super) struct PyMany {
    many: DroppedHere<Arc<Many>>,
    /// Those whose rows were taken and are still on their way to the user.
    taken: Mutex<Vec<Job>>,
}

/// The number of the request, the job, what it has cost, the rows, the error.
type Parts<'py> = (u64, Option<PyJob>, Option<Decimal>, Option<PyRows>, Option<Bound<'py, PyAny>>);

impl PyMany {
    pub(super) fn new(many: Many) -> Self {
        Self { many: DroppedHere::new(Arc::new(many)), taken: Mutex::default() }
    }
}

#[pymethods]
impl PyMany {
    /// How many more requests can be added now.
    fn room(&self, py: Python<'_>) -> PyResult<usize> {
        if self.many.is_the_parents() {
            return Err(raise::config(py, "these runs were begun before a fork; begin others in this process"));
        }
        Ok(self.many.room())
    }

    #[pyo3(signature = (number, agent, params))]
    fn add(&self, py: Python<'_>, number: u64, agent: &str, params: &str) -> PyResult<()> {
        let request = request(py, agent, params)?;
        let runtime = runtime::handle(py)?;
        let _inside = runtime.enter();
        self.many.add(number, request);
        Ok(())
    }

    /// Waits until one has ended, or none is under way. What has ended is not what is awaited: it would be lost with an
    /// await that is cancelled.
    fn ended(&self) -> Pending {
        let many = Arc::clone(&self.many);
        let work = async move {
            many.ended().await;
            Ok::<_, Error>(())
        };
        Pending::new(Progress::new(), work, |py, ()| Ok(py.None()))
    }

    /// One that has ended, as its parts; None where there is none. Its rows count as unfetched until they are
    /// [handed over](Self::hand_over).
    fn take<'py>(&self, py: Python<'py>) -> Option<Parts<'py>> {
        let done = ending::detach(py, || self.many.take())?;
        lock(&self.taken).extend(done.job.clone().filter(|_| done.result.is_ok()));
        Some(parts(py, done))
    }

    /// All rows that were taken are with the user.
    fn hand_over(&self, py: Python<'_>) {
        // What the parent took is with the parent.
        if self.many.is_the_parents() {
            return;
        }
        let taken = std::mem::take(&mut *lock(&self.taken));
        deliver_soon(py, self.many.client(), &taken);
    }

    /// Gives up what is under way: the jobs that go on at the service, those whose rows nobody took, and how many
    /// starts were on their way.
    fn stop(&self) -> (Vec<String>, Vec<String>, usize) {
        // What the parent began is the parent's to end.
        if self.many.is_the_parents() {
            return (Vec::new(), Vec::new(), 0);
        }
        let left = self.many.stop();
        let told = |ids: &[JobId]| ids.iter().map(ToString::to_string).collect();
        (told(&left.jobs), told(&left.untaken), left.starting)
    }
}

fn parts(py: Python<'_>, done: Done) -> Parts<'_> {
    let cost = done.cost_usd();
    let (rows, error) = match done.result {
        Ok(rows) => (Some(PyRows::new(rows)), None),
        Err(error) => (None, Some(raise::client_error(py, &error).into_value(py).into_bound(py).into_any())),
    };
    (done.number, done.job.map(PyJob), cost, rows, error)
}
