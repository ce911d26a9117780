//! A job as it was last heard of.

use pyo3::prelude::*;
use rust_decimal::Decimal;

use crate::client::Job;

#[pyclass(frozen, name = "Job", module = "rowhaul._core")]
pub(super) struct PyJob(pub(super) Job);

#[pymethods]
impl PyJob {
    #[getter]
    fn id(&self) -> &str {
        self.0.id().as_str()
    }

    #[getter]
    fn status(&self) -> &str {
        self.0.status().as_str()
    }

    #[getter]
    fn agent(&self) -> Option<String> {
        self.0.agent().as_ref().map(ToString::to_string)
    }

    #[getter]
    fn row_count(&self) -> Option<u64> {
        self.0.row_count()
    }

    #[getter]
    fn cost_usd(&self) -> Option<Decimal> {
        self.0.cost_usd()
    }

    #[getter]
    fn error(&self) -> Option<&str> {
        self.0.record().error.as_deref()
    }

    #[getter]
    fn created_at(&self) -> Option<&str> {
        self.0.record().created_at.as_deref()
    }

    #[getter]
    fn started_at(&self) -> Option<&str> {
        self.0.record().started_at.as_deref()
    }

    #[getter]
    fn completed_at(&self) -> Option<&str> {
        self.0.record().completed_at.as_deref()
    }

    #[getter]
    fn expires_at(&self) -> Option<&str> {
        self.0.record().expires_at.as_deref()
    }

    /// The parameters of its start as JSON text, where they are known.
    #[getter]
    fn params(&self) -> Option<String> {
        self.0.params().map(|params| serde_json::Value::Object(params.clone()).to_string())
    }

    /// Whether it answered a later request.
    #[getter]
    fn reused(&self) -> bool {
        self.0.is_reused()
    }

    /// Why its id is not in the ledger, where it should be.
    #[getter]
    fn unwritten(&self) -> Option<&str> {
        self.0.unwritten()
    }

    /// What was odd about the service's answers.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.0.notes().to_vec()
    }

    /// Every other field of the record, as JSON text.
    #[getter]
    fn extra(&self) -> String {
        serde_json::Value::Object(self.0.record().extra.clone()).to_string()
    }
}
