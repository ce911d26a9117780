//! The local service as a class.

use std::net::IpAddr;
use std::time::Duration;

use pyo3::prelude::*;
use rust_decimal::Decimal;
use serde_json::Value;

use super::border;
use super::raise;
use crate::service::{ClockKind, LocalService, ServiceConfig};

/// A running service. In a child of a fork it is only a name for the parent's: stopping it there does nothing.
#[pyclass(frozen, name = "LocalService", module = "rowhaul._core")]
pub(super) struct PyLocalService(LocalService);

#[pymethods]
impl PyLocalService {
    #[new]
    #[pyo3(signature = (*, api_key, seed, balance_usd, host, port, clock, requests_per_minute, job_seconds))]
    fn new(
        py: Python<'_>,
        api_key: Option<&Bound<'_, PyAny>>,
        seed: u64,
        balance_usd: &str,
        host: &str,
        port: u16,
        clock: &str,
        requests_per_minute: Option<u32>,
        job_seconds: Option<f64>,
    ) -> PyResult<Self> {
        let config = ServiceConfig {
            api_key: api_key.map(|hidden| hidden.getattr("text")?.extract()).transpose()?,
            seed,
            balance_usd: usd(py, "balance_usd", balance_usd)?,
            host: address(py, host)?,
            port,
            clock: clock_kind(py, clock)?,
            requests_per_minute,
            job_seconds,
        };
        let started = border::block(py, move || LocalService::start(config))?;
        started.map(Self).map_err(|error| raise::service_error(py, &error))
    }

    #[getter]
    fn url(&self) -> &str {
        self.0.url()
    }

    #[getter]
    fn api_key(&self) -> &str {
        self.0.api_key()
    }

    #[getter]
    fn balance_usd(&self) -> Decimal {
        self.0.balance_usd()
    }

    fn requests(&self) -> Vec<LoggedParts> {
        let requests = self.0.requests().into_iter();
        requests
            .map(|r| (r.method, r.path, r.status, r.agent, r.params.map(|p| Value::Object(p).to_string())))
            .collect()
    }

    /// Job, agent, the parameters as JSON text, and the time.
    fn starts(&self) -> Vec<(String, String, String, String)> {
        let starts = self.0.starts().into_iter();
        starts.map(|s| (s.job_id, s.agent, Value::Object(s.params).to_string(), s.created_at)).collect()
    }

    /// Job, agent, rows, USD, and the time.
    fn charges(&self) -> Vec<(String, String, u64, Decimal, String)> {
        self.0.charges().into_iter().map(|c| (c.job_id, c.agent, c.rows, c.amount_usd, c.at)).collect()
    }

    #[pyo3(signature = (seconds))]
    fn advance(&self, py: Python<'_>, seconds: f64) -> PyResult<()> {
        let by = Duration::try_from_secs_f64(seconds)
            .map_err(|_| raise::config(py, "time is turned forward, by a number of seconds that is not negative"))?;
        self.0.advance(by);
        Ok(())
    }

    fn stop(&self, py: Python<'_>) {
        py.detach(|| self.0.stop());
    }
}

/// Method, path, status, agent, and the parameters as JSON text.
type LoggedParts = (String, String, Option<u16>, Option<String>, Option<String>);

fn address(py: Python<'_>, host: &str) -> PyResult<IpAddr> {
    let name = if host == "localhost" { "127.0.0.1" } else { host };
    name.parse().map_err(|_| raise::config(py, &format!("`host` must be an IP address of this machine, not `{host}`")))
}

fn clock_kind(py: Python<'_>, clock: &str) -> PyResult<ClockKind> {
    match clock {
        "real" => Ok(ClockKind::Real),
        "instant" => Ok(ClockKind::Instant),
        "manual" => Ok(ClockKind::Manual),
        other => Err(raise::config(py, &format!("`clock` is `real`, `instant` or `manual`, not `{other}`"))),
    }
}

/// An amount of money as its text, so that no float comes between.
pub(super) fn usd(py: Python<'_>, name: &str, text: &str) -> PyResult<Decimal> {
    let amount = text.parse().or_else(|_| Decimal::from_scientific(text));
    match amount {
        Ok(amount) if !amount.is_sign_negative() => Ok(amount),
        _ => Err(raise::config(py, &format!("`{name}` must be an amount of money that is not negative, not `{text}`"))),
    }
}
