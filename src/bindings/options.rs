//! How to decode, as Python says it.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_schema::{DataType, Fields, SchemaRef};
use pyo3::prelude::*;

use super::capsule::import_schema;
use super::raise;
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

/// The options of a body that does not come from a job.
pub(super) fn decode_options(
    dates: Dates,
    given: Option<&Bound<'_, PyAny>>,
    max_columns: Option<usize>,
    lines: bool,
    threads: Option<usize>,
) -> PyResult<DecodeOptions> {
    let default = DecodeOptions::default();
    Ok(DecodeOptions {
        form: if lines { Form::Lines } else { Form::Any },
        declared: schema(given)?.map_or(Declared::Nothing, Declared::Schema),
        parse_dates: dates.into(),
        max_columns: max_columns.unwrap_or(default.max_columns),
        threads: threads.unwrap_or(default.threads),
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

/// `schema=`: anything that speaks Arrow's schema protocol. A name that stands twice is refused: a row has one value for it.
fn schema(given: Option<&Bound<'_, PyAny>>) -> PyResult<Option<SchemaRef>> {
    let Some(given) = given else { return Ok(None) };
    let schema = import_schema(given)?;
    match named_twice(schema.fields()) {
        None => Ok(Some(Arc::new(schema))),
        Some(name) => Err(raise::config(given.py(), &format!("`schema` names `{name}` twice in one place"))),
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
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::FixedSizeList(item, _)
        | DataType::ListView(item)
        | DataType::LargeListView(item) => named_twice_within(item.data_type()),
        _ => None,
    }
}
