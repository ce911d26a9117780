//! Agents, estimates and the checking of parameters.

use pyo3::prelude::*;
use rust_decimal::Decimal;

use super::raise;
use crate::client::{Estimate, Request};
use crate::wire::{AgentDetails, AgentSummary};

#[pyclass(frozen, name = "AgentSummary", module = "rowhaul._core")]
pub(super) struct PyAgentSummary(pub(super) AgentSummary);

#[pymethods]
impl PyAgentSummary {
    #[getter]
    fn group(&self) -> &str {
        &self.0.group
    }

    #[getter]
    fn slug(&self) -> &str {
        &self.0.slug
    }

    #[getter]
    fn name(&self) -> Option<&str> {
        self.0.name.as_deref()
    }

    #[getter]
    fn description(&self) -> Option<&str> {
        self.0.description.as_deref()
    }

    #[getter]
    fn price_per_1k_usd(&self) -> Option<Decimal> {
        self.0.price_per_1k_usd.map(|price| price.0)
    }
}

#[pyclass(frozen, name = "AgentDetails", module = "rowhaul._core")]
pub(super) struct PyAgentDetails(pub(super) AgentDetails);

#[pymethods]
impl PyAgentDetails {
    /// What a list says of it, too.
    #[getter]
    fn summary(&self) -> PyAgentSummary {
        let AgentDetails { group, slug, name, description, price_per_1k_usd, .. } = self.0.clone();
        PyAgentSummary(AgentSummary { group, slug, name, description, price_per_1k_usd })
    }

    #[getter]
    fn unit(&self) -> Option<&str> {
        self.0.unit.as_deref()
    }

    /// The descriptors as JSON text, in the order of the service.
    #[getter]
    fn parameters(&self) -> String {
        serde_json::Value::Object(self.0.parameters.clone()).to_string()
    }
}

#[pyclass(frozen, name = "Estimate", module = "rowhaul._core")]
pub(super) struct PyEstimate(pub(super) Estimate);

#[pymethods]
impl PyEstimate {
    #[getter]
    fn max_rows(&self) -> Option<u64> {
        self.0.max_rows
    }

    #[getter]
    fn price_per_1k_usd(&self) -> Option<Decimal> {
        self.0.price_per_1k_usd
    }

    #[getter]
    fn max_cost_usd(&self) -> Option<Decimal> {
        self.0.max_cost_usd
    }

    #[getter]
    fn balance_usd(&self) -> Option<Decimal> {
        self.0.balance_usd
    }
}

/// Checks and completes parameters by the catalogue; JSON text in, JSON text out.
#[pyfunction]
#[pyo3(signature = (agent, params))]
pub(super) fn complete(py: Python<'_>, agent: &str, params: &str) -> PyResult<String> {
    let request = request(py, agent, params)?;
    Ok(serde_json::Value::Object(request.params().clone()).to_string())
}

/// The request of an agent's name and its parameters as JSON text.
pub(super) fn request(py: Python<'_>, agent: &str, params: &str) -> PyResult<Request> {
    let params = serde_json::from_str(params).map_err(|error| raise::internal(py, &error.to_string()))?;
    Request::new(agent, params).map_err(|error| raise::client_error(py, &error))
}
