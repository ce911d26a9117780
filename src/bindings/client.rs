//! The client as a class: each operation becomes a `Pending`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;
use rust_decimal::Decimal;

use super::agents::{PyAgentDetails, PyAgentSummary, PyEstimate, request};
use super::border;
use super::job::PyJob;
use super::ledger::{PyEntry, PyResuming, PySettled};
use super::many::PyMany;
use super::options::{Dates, row_options};
use super::pending::Pending;
use super::raise;
use super::rows::PyRows;
use super::service::usd;
use super::stream::PyStream;
use crate::client::{
    ApiKey, Client, ClientConfig, Error, Job, KeepRows, Progress, RowOptions, RunOptions, Settled, Spooled,
};
use crate::ledger::{Entry, Place, Which};

use crate::rows::Rows;
use crate::wire::PathForm;

/// A client. Its connections belong to the process that made them: after a fork they are made anew. A cap
/// on all it starts cannot be: the child of a fork starts nothing under it.
#[pyclass(frozen, name = "Client", module = "rowhaul._core")]
pub(super) struct PyClient {
    config: ClientConfig,
    address: String,
    state: Mutex<State>,
}

struct State {
    pid: u32,
    /// `None` once closed.
    client: Option<Client>,
    /// Whether it was made in the process that this one was forked from, which spends under the same cap.
    is_inherited: bool,
}

impl PyClient {
    /// The client of this process.
    fn client(&self, py: Python<'_>) -> PyResult<Client> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(client) = &state.client else {
            return Err(raise::config(py, "the client is closed; make another one"));
        };
        if state.pid == std::process::id() {
            return Ok(client.clone());
        }
        let client = make(py, &self.config)?;
        // What the parent made belongs to threads that do not exist here.
        std::mem::forget(state.client.replace(client.clone()));
        (state.pid, state.is_inherited) = (std::process::id(), true);
        Ok(client)
    }

    /// The client as it was made, if it was in this process and is not closed.
    pub(super) fn opened(&self) -> Option<Client> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.client.clone().filter(|_| state.pid == std::process::id())
    }

    /// The client of this process, if it may start anything.
    fn starter(&self, py: Python<'_>) -> PyResult<Client> {
        let client = self.client(py)?;
        let is_inherited = self.state.lock().unwrap_or_else(PoisonError::into_inner).is_inherited;
        if is_inherited && self.config.max_cost_usd.is_some() {
            let why =
                "this client has a cap that the process it was forked from spends, too; make a client in this process";
            return Err(raise::config(py, why));
        }
        Ok(client)
    }

    /// Describes an operation: `work` is what the client does, `convert` what Python gets of it.
    fn pending<T, F, C>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(Client, Progress) -> F,
        convert: C,
    ) -> PyResult<Pending>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, Error>> + Send + 'static,
        C: FnOnce(Python<'_>, T) -> PyResult<Py<PyAny>> + Send + 'static,
    {
        let progress = Progress::new();
        let work = work(self.client(py)?, progress.clone());
        Ok(Pending::new(progress, work, convert))
    }

    /// Describes an operation that hands over rows.
    fn delivering<F>(&self, py: Python<'_>, work: impl FnOnce(Client, Progress) -> F) -> PyResult<Pending>
    where
        F: Future<Output = Result<(Job, Rows), Error>> + Send + 'static,
    {
        let (client, progress) = (self.client(py)?, Progress::new());
        let work = work(client.clone(), progress.clone());
        Ok(Pending::delivering(&client, progress, work, |(job, _)| Some(job), job_and_rows))
    }
}

#[pymethods]
impl PyClient {
    #[new]
    #[pyo3(signature = (
        base_url, api_key, *, groups, paths, timeout, request_timeout, allow_http, requests_per_minute, max_response_bytes,
        ca_file, max_cost_usd, threads, ledger, keep_rows, keep_rows_bytes
    ))]
    fn new(
        py: Python<'_>,
        base_url: &Bound<'_, PyAny>,
        api_key: &Bound<'_, PyAny>,
        groups: BTreeMap<String, String>,
        paths: &str,
        timeout: Option<f64>,
        request_timeout: Option<f64>,
        allow_http: bool,
        requests_per_minute: Option<f64>,
        max_response_bytes: Option<u64>,
        ca_file: Option<PathBuf>,
        max_cost_usd: Option<&str>,
        threads: Option<usize>,
        ledger: Option<PathBuf>,
        keep_rows: Option<PathBuf>,
        keep_rows_bytes: Option<u64>,
    ) -> PyResult<Self> {
        let (base_url, api_key): (String, String) =
            (base_url.getattr("text")?.extract()?, api_key.getattr("text")?.extract()?);
        let api_key = ApiKey::new(api_key).map_err(|error| raise::client_error(py, &error))?;
        let mut config = ClientConfig::new(base_url, api_key);
        config.groups = groups;
        config.paths = match paths {
            "agents" => PathForm::Agents,
            "data" => PathForm::Data,
            other => return Err(raise::config(py, &format!("`paths` is `agents` or `data`, not `{other}`"))),
        };
        config.timeout = duration(py, "timeout", timeout)?.unwrap_or(config.timeout);
        config.request_timeout = duration(py, "request_timeout", request_timeout)?.unwrap_or(config.request_timeout);
        config.allow_http = allow_http;
        config.requests_per_minute = requests_per_minute;
        config.max_response_bytes = max_response_bytes.unwrap_or(config.max_response_bytes);
        config.ca_file = ca_file;
        config.max_cost_usd = cap(py, max_cost_usd)?;
        config.threads = threads.unwrap_or(config.threads);
        config.ledger = Place::told(ledger.as_deref().map(Path::as_os_str));
        // An empty path says beside the ledger.
        config.keep_rows = keep_rows.map(|folder| KeepRows {
            folder: Some(folder).filter(|folder| !folder.as_os_str().is_empty()),
            max_bytes: keep_rows_bytes.unwrap_or(KeepRows::default().max_bytes),
        });
        let client = make(py, &config)?;
        let address = client.address().to_owned();
        Ok(Self {
            config,
            address,
            state: Mutex::new(State { pid: std::process::id(), client: Some(client), is_inherited: false }),
        })
    }

    #[getter]
    fn base_url(&self) -> &str {
        &self.address
    }

    #[pyo3(signature = (agent, params, timeout, max_cost_usd, reuse, parse_dates, schema, max_columns))]
    fn run(
        &self,
        py: Python<'_>,
        agent: &str,
        params: &str,
        timeout: Option<f64>,
        max_cost_usd: Option<&str>,
        reuse: Option<f64>,
        parse_dates: Dates,
        schema: Option<&Bound<'_, PyAny>>,
        max_columns: Option<usize>,
    ) -> PyResult<Pending> {
        self.starter(py)?;
        let request = request(py, agent, params)?;
        let options = RunOptions {
            timeout: duration(py, "timeout", timeout)?,
            max_cost_usd: cap(py, max_cost_usd)?,
            reuse: duration(py, "reuse", reuse)?,
            rows: row_options(parse_dates, schema, max_columns)?,
        };
        let work = async move |client: Client, progress| client.run(&request, &options, &progress).await;
        self.delivering(py, work)
    }

    #[pyo3(signature = (agent, params, max_cost_usd))]
    fn start(&self, py: Python<'_>, agent: &str, params: &str, max_cost_usd: Option<&str>) -> PyResult<Pending> {
        let request = request(py, agent, params)?;
        self.starter(py)?;
        let cap = cap(py, max_cost_usd)?;
        self.pending(py, async move |client: Client, progress| client.start(&request, cap, &progress).await, job)
    }

    #[pyo3(signature = (concurrency, timeout, max_cost_usd, reuse, parse_dates, schema, max_columns))]
    fn many(
        &self,
        py: Python<'_>,
        concurrency: usize,
        timeout: Option<f64>,
        max_cost_usd: Option<&str>,
        reuse: Option<f64>,
        parse_dates: Dates,
        schema: Option<&Bound<'_, PyAny>>,
        max_columns: Option<usize>,
    ) -> PyResult<PyMany> {
        let options = RunOptions {
            timeout: duration(py, "timeout", timeout)?,
            max_cost_usd: None,
            reuse: duration(py, "reuse", reuse)?,
            rows: row_options(parse_dates, schema, max_columns)?,
        };
        let many = self.starter(py)?.many(concurrency, cap(py, max_cost_usd)?, options);
        many.map(PyMany::new).map_err(|error| raise::client_error(py, &error))
    }

    /// The parameter that leaves the rows of a request unbounded.
    #[pyo3(signature = (agent, params))]
    fn open_limit(&self, py: Python<'_>, agent: &str, params: &str) -> PyResult<Option<String>> {
        let request = request(py, agent, params)?;
        self.client(py)?.open_limit(&request).map_err(|error| raise::client_error(py, &error))
    }

    #[pyo3(signature = (agent, params))]
    fn estimate(&self, py: Python<'_>, agent: &str, params: &str) -> PyResult<Pending> {
        let request = request(py, agent, params)?;
        let convert = |py: Python<'_>, estimate| Ok(Py::new(py, PyEstimate(estimate))?.into_any());
        self.pending(py, async move |client: Client, _| client.estimate(&request).await, convert)
    }

    #[pyo3(signature = (job_id, agent))]
    fn job(&self, py: Python<'_>, job_id: &str, agent: Option<&str>) -> PyResult<PyJob> {
        let client = self.client(py)?;
        let job = py.detach(|| client.job(job_id, agent));
        job.map(PyJob).map_err(|error| raise::client_error(py, &error))
    }

    #[pyo3(signature = (job))]
    fn refresh(&self, py: Python<'_>, job: &Bound<'_, PyJob>) -> PyResult<Pending> {
        let seen = job.get().0.clone();
        self.pending(py, async move |client: Client, progress| client.refresh(&seen, &progress).await, self::job)
    }

    #[pyo3(signature = (job, timeout))]
    fn wait(&self, py: Python<'_>, job: &Bound<'_, PyJob>, timeout: Option<f64>) -> PyResult<Pending> {
        let seen = job.get().0.clone();
        let timeout = duration(py, "timeout", timeout)?;
        self.pending(py, async move |client: Client, progress| client.wait(&seen, timeout, &progress).await, self::job)
    }

    #[pyo3(signature = (job, parse_dates, schema, max_columns))]
    fn rows(
        &self,
        py: Python<'_>,
        job: &Bound<'_, PyJob>,
        parse_dates: Dates,
        schema: Option<&Bound<'_, PyAny>>,
        max_columns: Option<usize>,
    ) -> PyResult<Pending> {
        let seen = job.get().0.clone();
        let options = row_options(parse_dates, schema, max_columns)?;
        let work = async move |client: Client, progress| client.rows(&seen, &options, &progress).await;
        self.delivering(py, work)
    }

    #[pyo3(signature = (job, batch_rows, parse_dates, schema, max_columns))]
    fn stream(
        &self,
        py: Python<'_>,
        job: &Bound<'_, PyJob>,
        batch_rows: usize,
        parse_dates: Dates,
        schema: Option<&Bound<'_, PyAny>>,
        max_columns: Option<usize>,
    ) -> PyResult<Pending> {
        let seen = job.get().0.clone();
        let options = RowOptions { batch_rows, ..row_options(parse_dates, schema, max_columns)? };
        let work = async move |client: Client, progress| client.spool(&seen, &options, &progress).await;
        let client = self.client(py)?;
        self.pending(py, work, move |py, spooled: Spooled| {
            let job = PyJob(spooled.job.clone());
            Ok((job, PyStream::new(client, spooled)).into_pyobject(py)?.into_any().unbind())
        })
    }

    #[pyo3(signature = (job))]
    fn cancel(&self, py: Python<'_>, job: &Bound<'_, PyJob>) -> PyResult<Pending> {
        let seen = job.get().0.clone();
        self.pending(py, async move |client: Client, _| client.cancel(&seen).await, self::job)
    }

    #[pyo3(signature = (job, path))]
    fn download(&self, py: Python<'_>, job: &Bound<'_, PyJob>, path: PathBuf) -> PyResult<Pending> {
        let seen = job.get().0.clone();
        let work = async move |client: Client, progress| client.download(&seen, &path, &progress).await;
        self.pending(py, work, |py, bytes: u64| Ok(bytes.into_pyobject(py)?.into_any().unbind()))
    }

    #[pyo3(signature = (which, limit))]
    fn jobs(&self, py: Python<'_>, which: Option<&str>, limit: Option<usize>) -> PyResult<Pending> {
        let which = which.map_or(Which::All, Which::parse);
        let convert = |py: Python<'_>, entries: Vec<Entry>| {
            let entries = entries.into_iter().map(PyEntry).collect::<Vec<_>>();
            Ok(entries.into_pyobject(py)?.unbind())
        };
        self.pending(py, async move |client: Client, _| client.jobs(which, limit).await, convert)
    }

    /// The job of an entry; nothing is asked.
    #[pyo3(signature = (entry))]
    fn job_in(&self, py: Python<'_>, entry: &Bound<'_, PyEntry>) -> PyResult<Option<PyJob>> {
        Ok(self.client(py)?.job_in(&entry.get().0).map(PyJob))
    }

    #[pyo3(signature = (timeout))]
    fn resume(&self, py: Python<'_>, timeout: Option<f64>) -> PyResult<Pending> {
        let timeout = duration(py, "timeout", timeout)?;
        let taker = self.client(py)?;
        let convert = move |py: Python<'_>, resuming| Ok(Py::new(py, PyResuming::new(taker, resuming))?.into_any());
        self.pending(py, async move |client: Client, _| client.resume(timeout).await, convert)
    }

    #[pyo3(signature = (job_id))]
    fn forget(&self, py: Python<'_>, job_id: Option<String>) -> PyResult<Pending> {
        let convert = |py: Python<'_>, count: usize| Ok(count.into_pyobject(py)?.into_any().unbind());
        self.pending(py, async move |client: Client, _| client.forget(job_id).await, convert)
    }

    fn reconcile(&self, py: Python<'_>) -> PyResult<Pending> {
        let convert = |py: Python<'_>, settled: Vec<Settled>| {
            let settled = settled.into_iter().map(PySettled).collect::<Vec<_>>();
            Ok(settled.into_pyobject(py)?.unbind())
        };
        self.pending(py, async |client: Client, _| client.reconcile().await, convert)
    }

    /// A JSON text, or several, without this client's key.
    #[pyo3(signature = (json))]
    fn redacted(&self, json: &str) -> String {
        self.config.api_key.redact_json(json)
    }

    fn groups(&self, py: Python<'_>) -> PyResult<Pending> {
        let convert = |py: Python<'_>, groups: Vec<String>| Ok(groups.into_pyobject(py)?.into_any().unbind());
        self.pending(py, async |client: Client, _| client.groups().await, convert)
    }

    #[pyo3(signature = (group))]
    fn agents(&self, py: Python<'_>, group: Option<String>) -> PyResult<Pending> {
        let work = async move |client: Client, _| client.agents(group.as_deref()).await;
        self.pending(py, work, |py, agents| {
            let agents = agents.into_iter().map(PyAgentSummary).collect::<Vec<_>>();
            Ok(agents.into_pyobject(py)?.unbind())
        })
    }

    #[pyo3(signature = (name))]
    fn agent(&self, py: Python<'_>, name: String) -> PyResult<Pending> {
        let convert = |py: Python<'_>, details| Ok(Py::new(py, PyAgentDetails(details))?.into_any());
        self.pending(py, async move |client: Client, _| client.agent(&name).await, convert)
    }

    fn balance(&self, py: Python<'_>) -> PyResult<Pending> {
        let convert = |py: Python<'_>, balance: Decimal| Ok(balance.into_pyobject(py)?.into_any().unbind());
        self.pending(py, async |client: Client, _| client.balance().await, convert)
    }

    fn close(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let client = state.client.take();
        if state.pid != std::process::id() {
            std::mem::forget(client);
        }
    }
}

fn make(py: Python<'_>, config: &ClientConfig) -> PyResult<Client> {
    let runtime = border::runtime(py)?;
    let _inside = runtime.enter();
    Client::new(config.clone()).map_err(|error| raise::client_error(py, &error))
}

fn job(py: Python<'_>, job: Job) -> PyResult<Py<PyAny>> {
    Ok(Py::new(py, PyJob(job))?.into_any())
}

fn job_and_rows(py: Python<'_>, (job, rows): (Job, Rows)) -> PyResult<Py<PyAny>> {
    Ok((PyJob(job), PyRows::new(rows)).into_pyobject(py)?.into_any().unbind())
}

fn cap(py: Python<'_>, text: Option<&str>) -> PyResult<Option<Decimal>> {
    text.map(|text| usd(py, "max_cost_usd", text)).transpose()
}

/// Seconds as Python has them.
fn duration(py: Python<'_>, name: &str, seconds: Option<f64>) -> PyResult<Option<Duration>> {
    let Some(seconds) = seconds else { return Ok(None) };
    let told = Duration::try_from_secs_f64(seconds);
    told.map(Some).map_err(|_| raise::config(py, &format!("`{name}` must be a number of seconds, not {seconds}")))
}
