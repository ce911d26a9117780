//! Many runs under way together, taken one by one as they end.

use std::sync::Arc;

use pyo3::prelude::*;
use rust_decimal::Decimal;

use super::agents::request;
use super::border;
use super::job::PyJob;
use super::pending::Pending;
use super::raise;
use super::rows::PyRows;
use crate::client::{Done, Many, Progress};

#[pyclass(frozen, name = "Many", module = "rowhaul._core")]
pub(super) struct PyMany(Arc<Many>);

/// The number of the request, the job, what it has cost, the rows, the error.
type Parts<'py> = (u64, Option<PyJob>, Option<Decimal>, Option<PyRows>, Option<Bound<'py, PyAny>>);

impl PyMany {
    pub(super) fn new(many: Many) -> Self {
        Self(Arc::new(many))
    }
}

#[pymethods]
impl PyMany {
    /// How many more requests can be added now.
    fn room(&self) -> usize {
        self.0.room()
    }

    #[pyo3(signature = (number, agent, params))]
    fn add(&self, py: Python<'_>, number: u64, agent: &str, params: &str) -> PyResult<()> {
        let request = request(py, agent, params)?;
        let runtime = border::runtime(py)?;
        let _inside = runtime.enter();
        self.0.add(number, request);
        Ok(())
    }

    /// The next that ends, as its parts; None when none is under way.
    fn next(&self) -> Pending {
        let many = Arc::clone(&self.0);
        Pending::new(Progress::new(), async move { Ok(many.next().await) }, |py, done: Option<Done>| {
            Ok(done.map(|done| parts(py, done)).into_pyobject(py)?.unbind())
        })
    }

    /// Gives up what is under way: the jobs that go on at the service, and how many starts were on their way.
    fn stop(&self) -> (Vec<String>, usize) {
        let left = self.0.stop();
        (left.jobs.iter().map(ToString::to_string).collect(), left.starting)
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
