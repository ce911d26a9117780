//! The local service as a class.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use pyo3::prelude::*;
use rust_decimal::Decimal;
use serde_json::Value;

use super::border;
use super::client::PyClient;
use super::ending;
use super::options::usd;
use super::own_agent::Declared;
use super::raise;
use crate::service::faults::{Fault, Injection};
use crate::service::{ClockKind, Endpoint, Injected, LocalService, LogForm, OwnAgent, ServiceConfig};

/// A running service. In a child of a fork it is only a name for the parent's: stopping it there does nothing.
#[pyclass(frozen, name = "LocalService", module = "rowhaul._core")]
pub(super) struct PyLocalService(LocalService);

#[pymethods]
impl PyLocalService {
    #[new]
    #[pyo3(signature = (*, api_key, seed, balance_usd, host, port, clock, requests_per_minute, job_seconds, row_cap, extras, names, data_dir))]
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
        row_cap: Option<u64>,
        extras: &str,
        names: Vec<String>,
        data_dir: Option<PathBuf>,
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
            row_cap,
            extras: extras.parse().map_err(|message: String| raise::config(py, &message))?,
            names,
            log: LogForm::Off,
            data_dir,
            ..ServiceConfig::default()
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

    /// Offers an agent; `begin` is called with the parameters as JSON text and a feed.
    #[pyo3(signature = (declared, begin))]
    fn add_agent(&self, py: Python<'_>, declared: Declared, begin: Py<PyAny>) -> PyResult<()> {
        self.offer(py, declared.by(py, begin)?)
    }

    #[pyo3(signature = (declared, path))]
    fn add_file(&self, py: Python<'_>, declared: Declared, path: PathBuf) -> PyResult<()> {
        self.offer(py, declared.of_file(py, path)?)
    }

    fn requests(&self) -> Vec<LoggedParts> {
        let requests = self.0.requests().into_iter();
        requests
            .map(|r| (r.method, r.path, r.status, r.agent, r.params.map(|p| Value::Object(p).to_string()), r.fault))
            .collect()
    }

    /// Job, agent, the parameters as JSON text, and the time.
    fn starts(&self) -> Vec<(String, String, String, String)> {
        let starts = self.0.starts().into_iter();
        starts.map(|s| (s.job_id, s.agent, Value::Object(s.params).to_string(), s.created_at)).collect()
    }

    /// Job, agent, rows, USD, and the time.
    fn charges(&self) -> Vec<(String, String, u64, Decimal, String)> {
        self.0.charges().into_iter().map(|c| (c.job_id, c.agent, c.rows, c.amount_usd, c.at.to_string())).collect()
    }

    /// Asks for a fault, told as JSON text.
    #[pyo3(signature = (*, on, fault, times, after, job, agent))]
    fn inject(
        &self,
        py: Python<'_>,
        on: &str,
        fault: &str,
        times: Option<u32>,
        after: u32,
        job: Option<String>,
        agent: Option<String>,
    ) -> PyResult<PyInjected> {
        let refused = |message: String| raise::config(py, &message);
        let fault = serde_json::from_str(fault).map_err(|error| refused(error.to_string()))?;
        let fault = Fault::from_json(fault).map_err(refused)?;
        let on = Endpoint::named(on).map_err(refused)?;
        let injected = self.0.inject(Injection { on, fault, times, after, job, agent });
        injected.map(PyInjected).map_err(|error| raise::service_error(py, &error))
    }

    /// Advances the clock, also for clients that wait.
    #[pyo3(signature = (seconds, clients))]
    fn advance(&self, py: Python<'_>, seconds: f64, clients: Vec<PyRef<'_, PyClient>>) -> PyResult<()> {
        let by = Duration::try_from_secs_f64(seconds)
            .map_err(|_| raise::config(py, "the clock is advanced by a number of seconds that is not negative"))?;
        self.0.advance(by);
        clients.iter().filter_map(|client| client.opened()).for_each(|client| client.clock_was_advanced(by));
        Ok(())
    }

    /// Lets a client advance the clock where it would pause, if no time passes here by itself.
    #[pyo3(signature = (client))]
    fn lend_clock(&self, client: PyRef<'_, PyClient>) {
        if let (Some(advance), Some(client)) = (self.0.advancer(), client.opened()) {
            client.advance_instead_of_pausing(advance);
        }
    }

    fn stop(&self, py: Python<'_>) {
        ending::detach(py, || self.0.stop());
    }
}

impl PyLocalService {
    fn offer(&self, py: Python<'_>, agent: OwnAgent) -> PyResult<()> {
        self.0.add_agent(agent).map_err(|error| raise::service_error(py, &error))
    }
}

/// A fault that was asked for.
#[pyclass(frozen, name = "Injected", module = "rowhaul._core")]
pub(super) struct PyInjected(Injected);

#[pymethods]
impl PyInjected {
    #[getter]
    fn hits(&self) -> u32 {
        self.0.hits()
    }

    fn remove(&self) {
        self.0.remove();
    }
}

/// Method, path, status, agent, the parameters as JSON text, and the fault that was played.
type LoggedParts = (String, String, Option<u16>, Option<String>, Option<String>, Option<&'static str>);

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
