//! How to decode, as Python says it.

use std::sync::Arc;

use arrow_schema::SchemaRef;
use pyo3::prelude::*;

use super::capsule::import_schema;
use crate::client::RowOptions;
use crate::rows::{Declared, DecodeOptions, Form, ParseDates};

/// `parse_dates=`: none, all, or the named columns.
#[derive(FromPyObject)]
pub(super) enum Dates {
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

/// `schema=`: anything that speaks Arrow's schema protocol.
pub(super) fn schema(given: Option<&Bound<'_, PyAny>>) -> PyResult<Option<SchemaRef>> {
    given.map(|given| import_schema(given).map(Arc::new)).transpose()
}

/// The options of a body that does not come from a job.
pub(super) fn decode_options(
    dates: Dates,
    given: Option<&Bound<'_, PyAny>>,
    max_columns: Option<usize>,
    lines: bool,
) -> PyResult<DecodeOptions> {
    let default = DecodeOptions::default();
    Ok(DecodeOptions {
        form: if lines { Form::Lines } else { Form::Any },
        declared: schema(given)?.map_or(Declared::Nothing, Declared::Schema),
        parse_dates: dates.into(),
        max_columns: max_columns.unwrap_or(default.max_columns),
        ..default
    })
}

/// The options of the rows of a job.
pub(super) fn row_options(
    dates: Dates,
    given: Option<&Bound<'_, PyAny>>,
    max_columns: Option<usize>,
) -> PyResult<RowOptions> {
    let default = RowOptions::default();
    Ok(RowOptions {
        parse_dates: dates.into(),
        schema: schema(given)?,
        max_columns: max_columns.unwrap_or(default.max_columns),
        ..default
    })
}
