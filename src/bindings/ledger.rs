//! What the ledger knows, and what becomes of what it holds.

use std::sync::Arc;

use pyo3::exceptions::PyBaseException;
use pyo3::prelude::*;
use rust_decimal::Decimal;
use serde_json::Value;

use super::delivery::deliver_soon;
use super::ending;
use super::job::PyJob;
use super::origin::DroppedHere;
use super::pending::Pending;
use super::raise;
use super::rows::PyRows;
use crate::client::{Client, Error, Progress, Resumed, Resuming, Settled, Settlement};
use crate::ledger::{Entry, moment};

/// One start. Moments are text in UTC: this machine's for what happened here, the service's for what it told.
#[pyclass(frozen, name = "Entry", module = "rowhaul._core")]
pub(super) struct PyEntry(pub(super) Entry);

#[pymethods]
impl PyEntry {
    #[getter]
    fn number(&self) -> i64 {
        self.0.number
    }

    #[getter]
    fn job_id(&self) -> Option<String> {
        self.0.job_id.as_ref().map(ToString::to_string)
    }

    #[getter]
    fn agent(&self) -> Option<String> {
        self.0.agent.as_ref().map(ToString::to_string)
    }

    /// As JSON text.
    #[getter]
    fn params(&self) -> Option<String> {
        self.0.params.clone().map(|params| Value::Object(params).to_string())
    }

    #[getter]
    fn status(&self) -> &str {
        self.0.word()
    }

    #[getter]
    fn row_count(&self) -> Option<u64> {
        self.0.row_count
    }

    #[getter]
    fn cost_usd(&self) -> Option<Decimal> {
        self.0.cost_usd
    }

    #[getter]
    fn error(&self) -> Option<&str> {
        self.0.error.as_deref()
    }

    #[getter]
    fn note(&self) -> Option<&str> {
        self.0.note.as_deref()
    }

    #[getter]
    fn balance_before_usd(&self) -> Option<Decimal> {
        self.0.balance_before_usd
    }

    #[getter]
    fn written_at(&self) -> String {
        moment(self.0.written_at)
    }

    #[getter]
    fn started_at(&self) -> Option<String> {
        self.0.started_at.map(moment)
    }

    #[getter]
    fn heard_at(&self) -> Option<String> {
        self.0.heard_at.map(moment)
    }

    #[getter]
    fn fetched_at(&self) -> Option<String> {
        self.0.fetched_at.map(moment)
    }

    #[getter]
    fn gone_at(&self) -> Option<String> {
        self.0.gone_at.map(moment)
    }

    #[getter]
    fn completed_at(&self) -> Option<&str> {
        self.0.completed_at.as_deref()
    }

    #[getter]
    fn expires_at(&self) -> Option<&str> {
        self.0.expires_at.as_deref()
    }

    #[getter]
    fn is_unfetched(&self) -> bool {
        self.0.is_unfetched()
    }
}

/// An uncertain start after it was looked into.
#[pyclass(frozen, name = "Settled", module = "rowhaul._core")]
pub(super) struct PySettled(pub(super) Settled);

#[pymethods]
impl PySettled {
    #[getter]
    fn entry(&self) -> PyEntry {
        PyEntry(self.0.entry.clone())
    }

    /// `adopted`, `never_started` or `uncertain`.
    #[getter]
    fn status(&self) -> &'static str {
        match self.0.settlement {
            Settlement::Adopted(_) => "adopted",
            Settlement::NeverStarted => "never_started",
            Settlement::StillUncertain => "uncertain",
        }
    }

    #[getter]
    fn job(&self) -> Option<PyJob> {
        match &self.0.settlement {
            Settlement::Adopted(job) => Some(PyJob((**job).clone())),
            Settlement::NeverStarted | Settlement::StillUncertain => None,
        }
    }

    #[getter]
    fn candidates(&self) -> Vec<String> {
        self.0.candidates.iter().map(ToString::to_string).collect()
    }

    #[getter]
    fn balance_now_usd(&self) -> Option<Decimal> {
        self.0.balance_now_usd
    }

    #[getter]
    fn how(&self) -> &str {
        &self.0.how
    }
}

/// The job, the rows, the error.
type Parts = (PyJob, Option<PyRows>, Option<Py<PyBaseException>>);

/// Jobs that were taken up, worked on while one waits for the next.
#[pyclass(frozen, name = "Resuming", module = "rowhaul._core")]
pub(super) struct PyResuming {
    client: DroppedHere<Client>,
    resuming: DroppedHere<Arc<Resuming>>,
}

impl PyResuming {
    pub(super) fn new(client: Client, resuming: Resuming) -> Self {
        Self { client: DroppedHere::new(client), resuming: DroppedHere::new(Arc::new(resuming)) }
    }
}

#[pymethods]
impl PyResuming {
    /// Waits until one is finished, or none is left. What is finished is not what is awaited: it would be lost with an
    /// await that is cancelled.
    fn finished(&self, py: Python<'_>) -> PyResult<Pending> {
        if self.resuming.is_the_parents() {
            return Err(raise::config(py, "these jobs were taken up before a fork; call `resume` in this process"));
        }
        let resuming = Arc::clone(&self.resuming);
        let work = async move {
            resuming.finished().await;
            Ok::<_, Error>(())
        };
        Ok(Pending::new(Progress::new(), work, |py, ()| Ok(py.None())))
    }

    /// One that is finished: the job, and its rows or an error. `None` where there is none. Its rows count as fetched
    /// from here.
    fn take(&self, py: Python<'_>) -> Option<Parts> {
        let Resumed { job, rows } = ending::detach(py, || self.resuming.take())?;
        let fetched = Some(job.clone()).filter(|_| rows.is_ok());
        let (rows, error) = match rows {
            Ok(rows) => (Some(PyRows::new(rows)), None),
            Err(error) => (None, Some(raise::client_error(py, &error).into_value(py))),
        };
        deliver_soon(py, &self.client, &fetched);
        Some((PyJob(job), rows, error))
    }
}
