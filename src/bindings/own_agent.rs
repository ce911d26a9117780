//! Own agents of a local service whose rows come from Python.
//!
//! Python is entered for the moment it takes to start a thread of its own there; what the agent yields comes back
//! through a [`PyFeed`], and the lock of the interpreter is given away while rows are written.

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::{Arc, Mutex};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::ending;
use super::json_text::write_row;
use super::options::usd;
use super::raise;
use crate::lock::lock;
use crate::service::{Feed, FeedError, OwnAgent, RowsFile, Source, Takes};
use crate::wire::AgentName;

/// What an agent is told to be, but for its source.
#[derive(FromPyObject)]
pub(super) struct Declared {
    name: String,
    title: String,
    description: String,
    unit: String,
    price_per_1k_usd: String,
    /// `declared`, `anything` or `recorded`.
    takes: String,
    /// JSON text: the declared parameters, or the recorded sets.
    parameters: String,
    columns: Vec<String>,
}

impl Declared {
    /// The agent of a function that is given the parameters as JSON text and a feed, and that returns at once.
    pub(super) fn by(self, py: Python<'_>, begin: Py<PyAny>) -> PyResult<OwnAgent> {
        let read = |error: serde_json::Error| raise::config(py, &format!("agent `{}`: {error}", self.name));
        let takes = match self.takes.as_str() {
            "anything" => Takes::Anything,
            "recorded" => Takes::Recorded(serde_json::from_str(&self.parameters).map_err(read)?),
            _ => Takes::Declared(serde_json::from_str(&self.parameters).map_err(read)?),
        };
        self.from(py, Arc::new(Function(begin)), takes)
    }

    /// The agent of a file.
    pub(super) fn of_file(self, py: Python<'_>, path: PathBuf) -> PyResult<OwnAgent> {
        let file = RowsFile::new(&path).map_err(|error| raise::file(&error, &path))?;
        self.from(py, Arc::new(file), Takes::Declared(RowsFile::parameters()))
    }

    fn from(self, py: Python<'_>, source: Arc<dyn Source>, takes: Takes) -> PyResult<OwnAgent> {
        let wrong = |why: &dyn std::fmt::Display| raise::config(py, &format!("agent `{}`: {why}", self.name));
        let name = AgentName::from_str(&self.name).map_err(|error| wrong(&error))?;
        Ok(OwnAgent {
            name,
            price_per_1k_usd: usd(py, "price_per_1k_usd", &self.price_per_1k_usd)?,
            title: self.title,
            description: self.description,
            unit: self.unit,
            takes,
            columns: self.columns,
            source,
        })
    }
}

/// A value as JSON text, by the rules of rows.
#[pyfunction]
#[pyo3(signature = (value, plain))]
pub(super) fn json_text(value: &Bound<'_, PyAny>, plain: &Bound<'_, PyAny>) -> PyResult<String> {
    let mut text = String::new();
    write_row(value, plain, &mut text).map_err(|refused| PyTypeError::new_err(refused.told(0)))?;
    Ok(text)
}

/// The rows of a results body in a file, each as it came, on a line of its own: what no value of Python holds included.
#[pyfunction]
#[pyo3(signature = (path))]
pub(super) fn raw_rows(path: PathBuf) -> PyResult<Vec<String>> {
    #[derive(Deserialize)]
    struct Results<'a> {
        #[serde(borrow)]
        data: Vec<&'a RawValue>,
    }
    let body = std::fs::read(&path).map_err(|error| raise::file(&error, &path))?;
    let results: Results<'_> =
        serde_json::from_slice(&body).map_err(|error| PyValueError::new_err(format!("no rows: {error}")))?;
    // Line breaks stand between the parts of a JSON text, never within one.
    Ok(results.data.into_iter().map(|row| row.get().replace(['\n', '\r'], " ")).collect())
}

#[derive(Debug)]
struct Function(Py<PyAny>);

impl Source for Function {
    fn bring(&self, params: Map<String, Value>, feed: Feed) {
        let feed = Arc::new(Mutex::new(Some(feed)));
        let params = Value::Object(params).to_string();
        // Where the interpreter is about to exit, the feed is dropped and the job has failed.
        let begun = ending::attach(|py| {
            let begun = self.0.call1(py, (params, PyFeed(Arc::clone(&feed))));
            begun.map(drop).map_err(|error| error.to_string())
        });
        if let Some(Err(why)) = begun
            && let Some(feed) = take(&feed)
        {
            feed.fail(&why);
        }
    }
}

fn take(feed: &Mutex<Option<Feed>>) -> Option<Feed> {
    lock(feed).take()
}

/// Takes what an agent yields; it is used up by its end.
#[pyclass(frozen, name = "Feed", module = "rowhaul._core")]
pub(super) struct PyFeed(Arc<Mutex<Option<Feed>>>);

#[pymethods]
impl PyFeed {
    /// Takes a row; false when nobody wants more. `plain` makes something plain of values that JSON has no word for.
    fn row(&self, row: &Bound<'_, PyAny>, plain: &Bound<'_, PyAny>) -> PyResult<bool> {
        let py = row.py();
        let number = self.with(|feed| feed.as_ref().map(Feed::rows));
        let Some(number) = number else { return Ok(false) };
        let mut text = String::new();
        write_row(row, plain, &mut text).map_err(|refused| PyTypeError::new_err(refused.told(number)))?;
        self.take(py, &text)
    }

    /// Takes a row that is JSON text already; false when nobody wants more.
    fn text(&self, py: Python<'_>, row: &str) -> PyResult<bool> {
        self.take(py, row)
    }

    fn is_stopped(&self) -> bool {
        self.with(|feed| feed.as_ref().is_none_or(Feed::is_stopped))
    }

    /// Ends the run well.
    fn finish(&self, py: Python<'_>) {
        ending::detach(py, || take(&self.0).map(Feed::finish));
    }

    /// Ends the run badly.
    #[pyo3(signature = (why))]
    fn fail(&self, py: Python<'_>, why: &str) {
        ending::detach(py, || take(&self.0).map(|feed| feed.fail(why)));
    }
}

impl PyFeed {
    fn take(&self, py: Python<'_>, text: &str) -> PyResult<bool> {
        let is_full = self.with(|feed| {
            let Some(feed) = feed.as_mut() else { return Err(FeedError::Stopped) };
            feed.row(text)?;
            Ok(feed.is_full())
        });
        let taken = match is_full {
            Ok(true) => {
                ending::detach(py, || self.with(|feed| feed.as_mut().map_or(Err(FeedError::Stopped), Feed::flush)))
            }
            Ok(false) => Ok(()),
            Err(error) => Err(error),
        };
        match taken {
            Ok(()) => Ok(true),
            Err(FeedError::Stopped) => Ok(false),
            Err(FeedError::Refused(why)) => Err(PyValueError::new_err(why)),
        }
    }

    /// The lock is held while rows are written, by the one thread the agent works on.
    fn with<T>(&self, act: impl FnOnce(&mut Option<Feed>) -> T) -> T {
        act(&mut lock(&self.0))
    }
}
