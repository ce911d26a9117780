//! Python values as JSON text: what an own agent yields, each value exactly or not at all.
//!
//! What JSON has a word for is written here; a `Decimal` as the number its digits are. Anything else is asked of Python
//! for its plain value (dates, scalars of numpy, enums), and what has none is refused with the place it stands at.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use serde_json::{Number, Value};

/// How deep values may be nested.
const MAX_DEPTH: usize = 64;

/// Why a row is not taken, and the keys that lead there, innermost first.
#[derive(Debug)]
pub(super) struct Refused {
    keys: Vec<String>,
    why: String,
}

impl Refused {
    fn new(why: impl Into<String>) -> Self {
        Self { keys: Vec::new(), why: why.into() }
    }

    fn within(mut self, key: impl Into<String>) -> Self {
        self.keys.push(key.into());
        self
    }

    /// What is said of row so-and-so.
    pub(super) fn told(&self, row: u64) -> String {
        let keys: Vec<_> = self.keys.iter().rev().map(String::as_str).collect();
        let place = if keys.is_empty() { String::new() } else { format!(", key `{}`,", keys.join(".")) };
        format!("row {row}{place} {}", self.why)
    }
}

impl From<PyErr> for Refused {
    fn from(error: PyErr) -> Self {
        Self::new(format!("cannot be read: {error}"))
    }
}

/// Writes a row, a dict whose keys are texts.
pub(super) fn write_row(row: &Bound<'_, PyAny>, plain: &Bound<'_, PyAny>, out: &mut String) -> Result<(), Refused> {
    if let Ok(dict) = row.cast::<PyDict>() {
        return write_dict(dict, plain, out, 0);
    }
    // Any other mapping has a dict for its plain value.
    match plain.call1((row,)).ok().and_then(|plainer| plainer.cast_into::<PyDict>().ok()) {
        Some(dict) => write_dict(&dict, plain, out, 0),
        None => Err(Refused::new(format!("must be a dict, not {}", row.get_type().qualname()?))),
    }
}

fn write_dict(
    dict: &Bound<'_, PyDict>,
    plain: &Bound<'_, PyAny>,
    out: &mut String,
    depth: usize,
) -> Result<(), Refused> {
    check_depth(depth)?;
    out.push('{');
    for (at, (key, value)) in dict.iter().enumerate() {
        let Ok(name) = key.cast::<PyString>() else {
            return Err(Refused::new(format!("has the key {}, which is not a str", key.repr()?)));
        };
        if at > 0 {
            out.push(',');
        }
        write_text(name, out)?;
        out.push(':');
        write_value(&value, plain, out, depth + 1).map_err(|refused| refused.within(name.to_string_lossy()))?;
    }
    out.push('}');
    Ok(())
}

fn write_value(
    value: &Bound<'_, PyAny>,
    plain: &Bound<'_, PyAny>,
    out: &mut String,
    depth: usize,
) -> Result<(), Refused> {
    if value.is_none() {
        out.push_str("null");
    } else if let Ok(value) = value.cast::<PyBool>() {
        out.push_str(if value.is_true() { "true" } else { "false" });
    } else if let Ok(text) = value.cast_exact::<PyString>() {
        write_text(text, out)?;
    } else if value.is_exact_instance_of::<PyInt>() || is_decimal(value)? {
        out.push_str(value.str()?.to_str()?);
    } else if value.is_exact_instance_of::<PyFloat>() {
        out.push_str(&finite(value)?.to_string());
    } else if let Ok(dict) = value.cast::<PyDict>() {
        write_dict(dict, plain, out, depth)?;
    } else if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        write_items(value, plain, out, depth)?;
    } else {
        check_depth(depth)?;
        write_value(&plain.call1((value,))?, plain, out, depth + 1)?;
    }
    Ok(())
}

fn write_items(
    items: &Bound<'_, PyAny>,
    plain: &Bound<'_, PyAny>,
    out: &mut String,
    depth: usize,
) -> Result<(), Refused> {
    check_depth(depth)?;
    out.push('[');
    for (at, item) in items.try_iter()?.enumerate() {
        if at > 0 {
            out.push(',');
        }
        write_value(&item?, plain, out, depth + 1).map_err(|refused| refused.within(at.to_string()))?;
    }
    out.push(']');
    Ok(())
}

fn write_text(text: &Bound<'_, PyString>, out: &mut String) -> Result<(), Refused> {
    let text = text.to_cow().map_err(|_| Refused::new("is a str with half a surrogate pair, which is not text"))?;
    out.push_str(&Value::from(text.as_ref()).to_string());
    Ok(())
}

fn check_depth(depth: usize) -> Result<(), Refused> {
    if depth < MAX_DEPTH { Ok(()) } else { Err(Refused::new(format!("is nested deeper than {MAX_DEPTH} levels"))) }
}

fn finite(value: &Bound<'_, PyAny>) -> Result<Number, Refused> {
    let number = Number::from_f64(value.extract()?);
    number.map_or_else(|| Err(no_number(value)?), Ok)
}

/// Whether it is a `Decimal`, whose text is a JSON number when it is finite.
fn is_decimal(value: &Bound<'_, PyAny>) -> Result<bool, Refused> {
    let class = value.get_type();
    if class.name()? != "Decimal" || class.module()? != "decimal" {
        return Ok(false);
    }
    if value.call_method0("is_finite")?.is_truthy()? {
        return Ok(true);
    }
    Err(no_number(value)?)
}

fn no_number(value: &Bound<'_, PyAny>) -> PyResult<Refused> {
    Ok(Refused::new(format!("is {}, and JSON has no such number; what is missing is None", value.str()?)))
}
