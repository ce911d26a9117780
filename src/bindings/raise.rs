//! Errors of the client and the service as the exception classes of `rowhaul.errors`, with their attributes.

use std::path::Path;

use pyo3::exceptions::{PyOSError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::ending::Inside;
use super::rows::PyRows;
use crate::client::{Error, ErrorKind, Outcome, clipped};
use crate::rows::DecodeError;
use crate::service::ServiceError;

/// What the client's error becomes.
pub(super) fn client_error(py: Python<'_>, error: &Error) -> PyErr {
    build(py, error).unwrap_or_else(|broken| broken)
}

/// What a local service's error becomes.
pub(super) fn service_error(py: Python<'_>, error: &ServiceError) -> PyErr {
    let mut message = error.to_string();
    if let Some(cause) =
        std::error::Error::source(error).map(ToString::to_string).filter(|cause| !message.contains(cause))
    {
        message = format!("{message}: {cause}");
    }
    config(py, &message)
}

/// What a fault in a body that was read here becomes, which may be in a file.
pub(super) fn decode_error(py: Python<'_>, mut error: DecodeError, path: Option<&Path>) -> PyErr {
    // It may quote the body.
    error.message = clipped(&error.message);
    if let Some(path) = path {
        error.message = format!("`{}`: {}", clipped(&path.display().to_string()), error.message);
    }
    let message = error.to_string();
    let attributes = PyDict::new(py);
    let raised = add_decode(&attributes, error).and_then(|()| raise(py, "DecodeError", &message, &attributes));
    raised.unwrap_or_else(|broken| broken)
}

pub(super) fn config(py: Python<'_>, message: &str) -> PyErr {
    raise(py, "ConfigError", message, &PyDict::new(py)).unwrap_or_else(|broken| broken)
}

pub(super) fn internal(py: Python<'_>, message: &str) -> PyErr {
    or_plain(message, raise(py, "InternalError", message, &PyDict::new(py)))
}

/// The error of work that was given up: nobody can say any more what became of its requests.
pub(super) fn given_up(py: Python<'_>, message: &str) -> PyErr {
    let attributes = PyDict::new(py);
    let said = attributes.set_item("outcome", Outcome::Unknown.as_str());
    or_plain(message, said.and_then(|()| raise(py, "InternalError", message, &attributes)))
}

/// What was raised, or an error that says no more than the message.
fn or_plain(message: &str, raised: PyResult<PyErr>) -> PyErr {
    raised.unwrap_or_else(|_| PyRuntimeError::new_err(message.to_owned()))
}

fn build(py: Python<'_>, error: &Error) -> PyResult<PyErr> {
    if let ErrorKind::File { path } = error.kind() {
        return file_error(py, error, path.as_deref());
    }
    let class = class_of(error.kind());
    let attributes = PyDict::new(py);
    attributes.set_item("hint", error.hint())?;
    attributes.set_item("outcome", error.outcome().as_str())?;
    attributes.set_item("job_id", error.job_id().map(ToString::to_string))?;
    attributes.set_item("attempts", error.attempts())?;
    attributes.set_item("elapsed", error.elapsed().as_secs_f64())?;
    attributes.set_item("retry_after", error.retry_after().map(|after| after.as_secs_f64()))?;
    attributes.set_item("excerpt", error.excerpt())?;
    let message = told(error);
    match error.kind() {
        ErrorKind::InvalidParams { field, reason } => {
            attributes.set_item("field", field)?;
            attributes.set_item("reason", reason)?;
        }
        ErrorKind::Api { status, code, request_id, .. } => {
            attributes.set_item("status_code", *status)?;
            attributes.set_item("code", code)?;
            attributes.set_item("request_id", request_id)?;
        }
        ErrorKind::Decode(decode) => add_decode(&attributes, decode.clone())?,
        _ => {}
    }
    raise(py, class, &message, &attributes)
}

/// The message with the job in it; the hint stands apart and is joined by the class.
fn told(error: &Error) -> String {
    let text = error.to_string();
    match error.hint() {
        Some(hint) => text.strip_suffix(&format!("\nhint: {hint}")).unwrap_or(&text).to_owned(),
        None => text,
    }
}

fn add_decode(attributes: &Bound<'_, PyDict>, decode: DecodeError) -> PyResult<()> {
    let py = attributes.py();
    attributes.set_item("byte_offset", decode.byte_offset)?;
    attributes.set_item("row", decode.row)?;
    let rows = py.import("rowhaul._rows")?.getattr("Rows")?.call1((PyRows::new(*decode.rows),))?;
    attributes.set_item("rows", rows)
}

/// A file that could not be written is the operating system's error, as everywhere in Python.
fn file_error(py: Python<'_>, error: &Error, path: Option<&Path>) -> PyResult<PyErr> {
    let source = std::error::Error::source(error).and_then(|source| source.downcast_ref::<std::io::Error>());
    let raised = match (source, path) {
        (Some(source), Some(path)) => file(source, path),
        (source, _) => match source.and_then(std::io::Error::raw_os_error) {
            Some(code) => PyOSError::new_err((code, told(error))),
            None => PyOSError::new_err(told(error)),
        },
    };
    if let Some(id) = error.job_id() {
        raised.value(py).call_method1("add_note", (format!("the rows of job {id} can be fetched again"),))?;
    }
    Ok(raised)
}

fn class_of(kind: &ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Config => "ConfigError",
        ErrorKind::InvalidParams { .. } => "InvalidParams",
        ErrorKind::BudgetExceeded => "BudgetExceeded",
        ErrorKind::Unsupported => "Unsupported",
        ErrorKind::Internal | ErrorKind::File { .. } => "InternalError",
        ErrorKind::Ledger => "LedgerError",
        ErrorKind::Connect => "ConnectError",
        ErrorKind::Read => "ReadError",
        ErrorKind::RequestTimeout => "RequestTimeout",
        ErrorKind::BadResponse => "BadResponse",
        ErrorKind::Decode(_) => "DecodeError",
        ErrorKind::StartUncertain => "StartUncertain",
        ErrorKind::JobFailed => "JobFailed",
        ErrorKind::JobTimeout => "JobTimeout",
        ErrorKind::ResultsNotReady => "ResultsNotReady",
        ErrorKind::Api { status, .. } => match status {
            401 => "AuthenticationError",
            402 => "InsufficientBalance",
            403 => "PermissionDenied",
            404 | 410 => "NotFound",
            409 => "Conflict",
            429 => "RateLimited",
            500..=599 => "ServerError",
            _ => "ApiError",
        },
    }
}

fn raise(py: Python<'_>, class: &str, message: &str, attributes: &Bound<'_, PyDict>) -> PyResult<PyErr> {
    let _inside = Inside::enter(py);
    let class = py.import("rowhaul.errors")?.getattr(class)?;
    Ok(PyErr::from_value(class.call((message,), Some(attributes))?))
}

/// A file of the caller's that cannot be read or written.
pub(super) fn file(error: &std::io::Error, path: &Path) -> PyErr {
    if let Some(code) = os_code(error) {
        let reason = std::io::Error::from_raw_os_error(code).to_string();
        let reason = reason.split(" (os error").next().unwrap_or_default().to_owned();
        return PyOSError::new_err((code, reason, path.as_os_str().to_owned()));
    }
    let reason = match error.kind() {
        std::io::ErrorKind::Other => error.to_string(),
        kind => kind.to_string(),
    };
    std::io::Error::new(error.kind(), format!("{}: {reason}", path.display())).into()
}

/// The system's number for an error, which a writer of some format may have wrapped.
fn os_code(error: &std::io::Error) -> Option<i32> {
    let inner = error.get_ref().map(|inner| inner as &(dyn std::error::Error + 'static));
    let wrapped = std::iter::successors(inner, |error| error.source());
    let codes = wrapped.map(|error| error.downcast_ref::<std::io::Error>()?.raw_os_error());
    error.raw_os_error().or_else(|| codes.flatten().next())
}
