//! Options, as `rowhaul._options` says them.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use arrow_schema::{DataType, Fields, SchemaRef};
use pyo3::prelude::*;
use rust_decimal::Decimal;

use super::capsule::import_schema;
use super::raise;
use crate::client::{RowOptions, RunOptions, clipped};
use crate::rows::{Declared, DecodeOptions, Form, ParseDates, directly_within};

/// A century: waits that are told to be longer need not end, and every clock can say when these do.
const LONGEST: Duration = Duration::from_secs(100 * 365 * 24 * 3600);

/// `rowhaul._options.RunOptions`: one run, or each of many.
#[derive(FromPyObject)]
pub(super) struct PyRunOptions<'py> {
    timeout: Option<f64>,
    max_cost_usd: Option<String>,
    reuse: Option<f64>,
    decode: PyDecodeOptions<'py>,
}

impl PyRunOptions<'_> {
    pub(super) fn options(self, py: Python<'_>) -> PyResult<RunOptions> {
        Ok(RunOptions {
            timeout: duration(py, "timeout", self.timeout)?,
            max_cost_usd: cap(py, self.max_cost_usd.as_deref())?,
            reuse: duration(py, "reuse", self.reuse)?,
            rows: self.decode.for_a_job()?,
        })
    }
}

/// `rowhaul._options.DecodeOptions`.
#[derive(FromPyObject)]
pub(super) struct PyDecodeOptions<'py> {
    parse_dates: Dates,
    schema: Option<Bound<'py, PyAny>>,
    max_columns: Option<usize>,
}

impl PyDecodeOptions<'_> {
    /// The options of the rows of a job.
    pub(super) fn for_a_job(self) -> PyResult<RowOptions> {
        let default = RowOptions::default();
        Ok(RowOptions {
            parse_dates: self.parse_dates.into(),
            schema: self.schema.as_ref().map(schema).transpose()?,
            max_columns: self.max_columns.unwrap_or(default.max_columns),
            ..default
        })
    }

    /// The options of a body that does not come from a job.
    pub(super) fn for_a_body(self, form: PyForm, threads: Option<usize>) -> PyResult<DecodeOptions> {
        let default = DecodeOptions::default();
        Ok(DecodeOptions {
            form: form.into(),
            declared: self.schema.as_ref().map(schema).transpose()?.map_or(Declared::Nothing, Declared::Schema),
            parse_dates: self.parse_dates.into(),
            max_columns: self.max_columns.unwrap_or(default.max_columns),
            threads: threads.unwrap_or(default.threads),
            ..default
        })
    }
}

/// `format=` or `record_path=` as Python has checked them.
#[derive(FromPyObject)]
pub(super) enum PyForm {
    Format(String),
    RecordPath(Vec<String>),
}

impl From<PyForm> for Form {
    fn from(form: PyForm) -> Self {
        match form {
            PyForm::RecordPath(names) => Self::Records(names.into()),
            PyForm::Format(name) if name == "results" => Self::Results,
            PyForm::Format(name) if name == "lines" => Self::Lines,
            PyForm::Format(_) => Self::Any,
        }
    }
}

/// `parse_dates=`: none, all, or the named columns.
#[derive(FromPyObject)]
enum Dates {
    Switch(bool),
    Columns(Vec<String>),
}

impl From<Dates> for ParseDates {
    fn from(dates: Dates) -> Self {
        match dates {
            Dates::Switch(false) => Self::None,
            Dates::Switch(true) => Self::All,
            Dates::Columns(columns) => Self::Columns(columns),
        }
    }
}

/// Seconds as Python has them.
pub(super) fn duration(py: Python<'_>, name: &str, seconds: Option<f64>) -> PyResult<Option<Duration>> {
    let Some(seconds) = seconds else { return Ok(None) };
    let told = Duration::try_from_secs_f64(seconds);
    told.map(|told| Some(told.min(LONGEST)))
        .map_err(|_| raise::config(py, &format!("`{name}` must be a number of seconds, 0 or more, not {seconds}")))
}

/// `max_cost_usd=`, by its digits.
pub(super) fn cap(py: Python<'_>, text: Option<&str>) -> PyResult<Option<Decimal>> {
    text.map(|text| usd(py, "max_cost_usd", text)).transpose()
}

/// An amount of money as its text, so that no float comes between.
pub(super) fn usd(py: Python<'_>, name: &str, text: &str) -> PyResult<Decimal> {
    let amount = text.parse().or_else(|_| Decimal::from_scientific(text));
    match amount {
        Ok(amount) if !amount.is_sign_negative() => Ok(amount),
        _ => {
            let message = format!(
                "`{name}` must be a number of USD such as 2.50, 0 or more and of 28 digits at most, not `{text}`"
            );
            Err(raise::config(py, &message))
        }
    }
}

/// `schema=`: anything that speaks Arrow's schema protocol. A name that stands twice is refused: a row has one value
/// for it.
fn schema(given: &Bound<'_, PyAny>) -> PyResult<SchemaRef> {
    let schema = import_schema(given)?;
    match named_twice(schema.fields()) {
        None => Ok(Arc::new(schema)),
        Some(name) => Err(raise::config(given.py(), &format!("`schema` names `{}` twice in one place", clipped(name)))),
    }
}

/// The first name that stands twice among columns, or among the members of an object in one of them.
fn named_twice(fields: &Fields) -> Option<&str> {
    let mut seen = HashSet::new();
    let twice = fields.iter().map(|field| field.name().as_str()).find(|name| !seen.insert(*name));
    twice.or_else(|| fields.iter().find_map(|field| named_twice_within(field.data_type())))
}

fn named_twice_within(kind: &DataType) -> Option<&str> {
    match kind {
        DataType::Struct(fields) => named_twice(fields),
        other => directly_within(other).into_iter().find_map(named_twice_within),
    }
}
