//! The client as a class: each operation becomes a `Pending`.

use std::collections::BTreeMap;
use std::convert::identity;
use std::path::{Path, PathBuf};

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;

use super::agents::{PyAgentDetails, PyAgentSummary, PyEstimate, request};
use super::connection::Connection;
use super::ending;
use super::job::PyJob;
use super::ledger::{PyEntry, PyResuming, PySettled};
use super::many::PyMany;
use super::options::{PyDecodeOptions, PyRunOptions, cap, duration};
use super::pending::Pending;
use super::raise;
use super::rows::PyRows;
use super::stream::PyStream;
use crate::client::{ApiKey, Client, ClientConfig, Error, Job, KeepRows, Progress, RowOptions, Settled, Spooled};
use crate::ledger::{Entry, Place, Which};
use crate::rows::Rows;
use crate::wire::PathForm;

/// A client, of whichever process uses it.
#[pyclass(frozen, name = "Client", module = "rowhaul._core")]
pub(super) struct PyClient {
    connection: Connection,
}

impl PyClient {
    /// The client of this process, if one was made and is not closed.
    pub(super) fn opened(&self) -> Option<Client> {
        self.connection.opened()
    }

    /// Describes an operation: `work` is what the client does, `convert` what Python gets of it.
    fn pending<T, F, C, P>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(Client, Progress) -> F,
        convert: C,
    ) -> PyResult<Pending>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, Error>> + Send + 'static,
        C: FnOnce(T) -> P + Send + 'static,
        P: for<'py> IntoPyObject<'py>,
    {
        let progress = Progress::new();
        let work = work(self.connection.client(py)?, progress.clone());
        Ok(Pending::new(progress, work, |py, value| convert(value).into_py_any(py)))
    }

    /// Describes an operation that hands over rows.
    fn delivering<F>(&self, py: Python<'_>, work: impl FnOnce(Client, Progress) -> F) -> PyResult<Pending>
    where
        F: Future<Output = Result<(Job, Rows), Error>> + Send + 'static,
    {
        let (client, progress) = (self.connection.client(py)?, Progress::new());
        let work = work(client.clone(), progress.clone());
        Ok(Pending::delivering(
            &client,
            progress,
            work,
            |(job, _)| Some(job),
            |py, (job, rows)| (PyJob(job), PyRows::new(rows)).into_py_any(py),
        ))
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
        Ok(Self { connection: Connection::new(py, config)? })
    }

    #[getter]
    fn base_url(&self) -> &str {
        self.connection.address()
    }

    #[pyo3(signature = (agent, params, options))]
    fn run(&self, py: Python<'_>, agent: &str, params: &str, options: PyRunOptions<'_>) -> PyResult<Pending> {
        self.connection.starter(py)?;
        let request = request(py, agent, params)?;
        let options = options.options(py)?;
        self.delivering(py, async move |client: Client, progress| client.run(&request, &options, &progress).await)
    }

    #[pyo3(signature = (agent, params, max_cost_usd))]
    fn start(&self, py: Python<'_>, agent: &str, params: &str, max_cost_usd: Option<&str>) -> PyResult<Pending> {
        let request = request(py, agent, params)?;
        self.connection.starter(py)?;
        let cap = cap(py, max_cost_usd)?;
        self.pending(py, async move |client: Client, progress| client.start(&request, cap, &progress).await, PyJob)
    }

    /// Many runs, whose cap is one for all of them.
    #[pyo3(signature = (concurrency, options))]
    fn many(&self, py: Python<'_>, concurrency: usize, options: PyRunOptions<'_>) -> PyResult<PyMany> {
        let mut options = options.options(py)?;
        let cap = options.max_cost_usd.take();
        let many = self.connection.starter(py)?.many(concurrency, cap, options);
        many.map(PyMany::new).map_err(|error| raise::client_error(py, &error))
    }

    /// The jobs that its calls wait for now.
    fn waited_for(&self) -> Vec<String> {
        let waits = self.connection.at_hand().map(|client| client.waited_for()).unwrap_or_default();
        waits.iter().map(ToString::to_string).collect()
    }

    /// The parameter that leaves the rows of a request unbounded.
    #[pyo3(signature = (agent, params))]
    fn open_limit(&self, py: Python<'_>, agent: &str, params: &str) -> PyResult<Option<String>> {
        let request = request(py, agent, params)?;
        self.connection.client(py)?.open_limit(&request).map_err(|error| raise::client_error(py, &error))
    }

    #[pyo3(signature = (agent, params))]
    fn estimate(&self, py: Python<'_>, agent: &str, params: &str) -> PyResult<Pending> {
        let request = request(py, agent, params)?;
        self.pending(py, async move |client: Client, _| client.estimate(&request).await, PyEstimate)
    }

    #[pyo3(signature = (job_id, agent))]
    fn job(&self, py: Python<'_>, job_id: &str, agent: Option<&str>) -> PyResult<PyJob> {
        let client = self.connection.client(py)?;
        let job = ending::detach(py, || client.job(job_id, agent));
        job.map(PyJob).map_err(|error| raise::client_error(py, &error))
    }

    #[pyo3(signature = (job))]
    fn refresh(&self, py: Python<'_>, job: &Bound<'_, PyJob>) -> PyResult<Pending> {
        let seen = job.get().0.clone();
        self.pending(py, async move |client: Client, progress| client.refresh(&seen, &progress).await, PyJob)
    }

    #[pyo3(signature = (job, timeout))]
    fn wait(&self, py: Python<'_>, job: &Bound<'_, PyJob>, timeout: Option<f64>) -> PyResult<Pending> {
        let seen = job.get().0.clone();
        let timeout = duration(py, "timeout", timeout)?;
        self.pending(py, async move |client: Client, progress| client.wait(&seen, timeout, &progress).await, PyJob)
    }

    #[pyo3(signature = (job, options))]
    fn rows(&self, py: Python<'_>, job: &Bound<'_, PyJob>, options: PyDecodeOptions<'_>) -> PyResult<Pending> {
        let seen = job.get().0.clone();
        let options = options.for_a_job()?;
        self.delivering(py, async move |client: Client, progress| client.rows(&seen, &options, &progress).await)
    }

    #[pyo3(signature = (job, batch_rows, options))]
    fn stream(
        &self,
        py: Python<'_>,
        job: &Bound<'_, PyJob>,
        batch_rows: usize,
        options: PyDecodeOptions<'_>,
    ) -> PyResult<Pending> {
        let seen = job.get().0.clone();
        let options = RowOptions { batch_rows, ..options.for_a_job()? };
        let work = async move |client: Client, progress| client.spool(&seen, &options, &progress).await;
        let client = self.connection.client(py)?;
        self.pending(py, work, |spooled: Spooled| (PyJob(spooled.job.clone()), PyStream::new(client, spooled)))
    }

    #[pyo3(signature = (job))]
    fn cancel(&self, py: Python<'_>, job: &Bound<'_, PyJob>) -> PyResult<Pending> {
        let seen = job.get().0.clone();
        self.pending(py, async move |client: Client, _| client.cancel(&seen).await, PyJob)
    }

    #[pyo3(signature = (job, path))]
    fn download(&self, py: Python<'_>, job: &Bound<'_, PyJob>, path: PathBuf) -> PyResult<Pending> {
        let seen = job.get().0.clone();
        let work = async move |client: Client, progress| client.download(&seen, &path, &progress).await;
        self.pending(py, work, identity)
    }

    /// Entries; where there are none of that kind, what to say of its name.
    #[pyo3(signature = (status, limit))]
    fn jobs(&self, py: Python<'_>, status: Option<&str>, limit: Option<usize>) -> PyResult<Pending> {
        let which = status.map_or(Which::All, Which::parse);
        let work = async move |client: Client, _| {
            let entries = client.jobs(which.clone(), limit).await?;
            let told = if entries.is_empty() { client.unknown_status(&which).await? } else { None };
            Ok((entries, told))
        };
        let convert = |(entries, told): (Vec<Entry>, Option<String>)| {
            (entries.into_iter().map(PyEntry).collect::<Vec<_>>(), told)
        };
        self.pending(py, work, convert)
    }

    /// What an entry was asked for, to be shown; nothing is asked.
    #[pyo3(signature = (entry))]
    fn shown_params(&self, py: Python<'_>, entry: &Bound<'_, PyEntry>) -> PyResult<Option<String>> {
        Ok(self.connection.client(py)?.shown_params(&entry.get().0))
    }

    /// The job of an entry; nothing is asked.
    #[pyo3(signature = (entry))]
    fn job_in(&self, py: Python<'_>, entry: &Bound<'_, PyEntry>) -> PyResult<Option<PyJob>> {
        Ok(self.connection.client(py)?.job_in(&entry.get().0).map(PyJob))
    }

    #[pyo3(signature = (timeout))]
    fn resume(&self, py: Python<'_>, timeout: Option<f64>) -> PyResult<Pending> {
        let timeout = duration(py, "timeout", timeout)?;
        let taker = self.connection.client(py)?;
        let convert = |resuming| PyResuming::new(taker, resuming);
        self.pending(py, async move |client: Client, _| client.resume(timeout).await, convert)
    }

    #[pyo3(signature = (job_id))]
    fn forget(&self, py: Python<'_>, job_id: String) -> PyResult<Pending> {
        self.pending(py, async move |client: Client, _| client.forget(job_id).await, identity)
    }

    fn forget_all(&self, py: Python<'_>) -> PyResult<Pending> {
        self.pending(py, async |client: Client, _| client.forget_all().await, identity)
    }

    fn reconcile(&self, py: Python<'_>) -> PyResult<Pending> {
        let convert = |settled: Vec<Settled>| settled.into_iter().map(PySettled).collect::<Vec<_>>();
        self.pending(py, async |client: Client, _| client.reconcile().await, convert)
    }

    #[pyo3(signature = (start, job_id))]
    fn adopt(&self, py: Python<'_>, start: &Bound<'_, PyEntry>, job_id: String) -> PyResult<Pending> {
        let start = start.get().0.clone();
        self.pending(py, async move |client: Client, _| client.adopt(&start, &job_id).await, PyJob)
    }

    #[pyo3(signature = (start))]
    fn dismiss(&self, py: Python<'_>, start: &Bound<'_, PyEntry>) -> PyResult<Pending> {
        let start = start.get().0.clone();
        self.pending(py, async move |client: Client, _| client.dismiss(&start).await, identity)
    }

    /// A JSON text, or several, without this client's key.
    #[pyo3(signature = (json))]
    fn redacted(&self, json: &str) -> String {
        self.connection.config().api_key.redact_json(json)
    }

    fn groups(&self, py: Python<'_>) -> PyResult<Pending> {
        self.pending(py, async |client: Client, _| client.groups().await, identity)
    }

    #[pyo3(signature = (group))]
    fn agents(&self, py: Python<'_>, group: Option<String>) -> PyResult<Pending> {
        let work = async move |client: Client, _| client.agents(group.as_deref()).await;
        self.pending(py, work, |agents| agents.into_iter().map(PyAgentSummary).collect::<Vec<_>>())
    }

    #[pyo3(signature = (name))]
    fn agent(&self, py: Python<'_>, name: String) -> PyResult<Pending> {
        self.pending(py, async move |client: Client, _| client.agent(&name).await, PyAgentDetails)
    }

    fn balance(&self, py: Python<'_>) -> PyResult<Pending> {
        self.pending(py, async |client: Client, _| client.balance().await, identity)
    }

    fn close(&self, py: Python<'_>) {
        self.connection.close(py);
    }
}
