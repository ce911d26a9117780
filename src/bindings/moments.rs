//! Dates, times and durations as `datetime` has them.

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, PrimitiveArray};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType, TimeUnit};
use pyo3::intern;
use pyo3::prelude::*;

/// A column of moments or spans: counts, and what is made of them. What is finer than a microsecond is cut off.
pub(super) struct Moments<'py> {
    counts: PrimitiveArray<Int64Type>,
    unit: Unit,
    /// What is counted from, the first of 1970; spans are counted from nothing.
    epoch: Option<Bound<'py, PyAny>>,
    delta: Bound<'py, PyAny>,
    /// Only the time of the day is wanted.
    is_time: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Days,
    Microseconds,
}

impl<'py> Moments<'py> {
    /// `None` for a column of something else.
    pub(super) fn new(py: Python<'py>, array: &ArrayRef) -> PyResult<Option<Self>> {
        let module = py.import(intern!(py, "datetime"))?;
        let naive = || module.getattr("datetime")?.call1((1970, 1, 1));
        let (via, unit, epoch) = match array.data_type() {
            DataType::Date32 | DataType::Date64 => {
                (DataType::Date32, Unit::Days, Some(module.getattr("date")?.call1((1970, 1, 1))?))
            }
            DataType::Timestamp(_, None) => {
                (DataType::Timestamp(TimeUnit::Microsecond, None), Unit::Microseconds, Some(naive()?))
            }
            DataType::Timestamp(_, zone) => {
                let utc = module.getattr("timezone")?.getattr("utc")?;
                let aware = module.getattr("datetime")?.call1((1970, 1, 1, 0, 0, 0, 0, utc))?;
                (DataType::Timestamp(TimeUnit::Microsecond, zone.clone()), Unit::Microseconds, Some(aware))
            }
            DataType::Time32(_) | DataType::Time64(_) => {
                (DataType::Time64(TimeUnit::Microsecond), Unit::Microseconds, Some(naive()?))
            }
            DataType::Duration(_) => (DataType::Duration(TimeUnit::Microsecond), Unit::Microseconds, None),
            _ => return Ok(None),
        };
        Ok(Some(Self {
            counts: counts(array, &via, unit).map_err(super::values::broken)?,
            unit,
            epoch,
            delta: module.getattr("timedelta")?,
            is_time: matches!(via, DataType::Time64(_)),
        }))
    }

    pub(super) fn is_null(&self, row: usize) -> bool {
        self.counts.is_null(row)
    }

    pub(super) fn get(&self, row: usize) -> PyResult<Bound<'py, PyAny>> {
        let count = self.counts.value(row);
        let span = match self.unit {
            Unit::Days => self.delta.call1((count,))?,
            Unit::Microseconds => self.delta.call1((0, 0, count))?,
        };
        let Some(epoch) = &self.epoch else { return Ok(span) };
        let moment = epoch.add(span)?;
        if self.is_time { moment.call_method0(intern!(moment.py(), "time")) } else { Ok(moment) }
    }
}

/// The numbers behind a temporal column in one unit.
fn counts(array: &ArrayRef, via: &DataType, unit: Unit) -> Result<PrimitiveArray<Int64Type>, ArrowError> {
    if let DataType::Timestamp(TimeUnit::Nanosecond, _) = array.data_type() {
        // Down, before 1970 too.
        let nanos = cast(array, &DataType::Int64)?;
        return Ok(nanos.as_primitive::<Int64Type>().unary(|nanos| nanos.div_euclid(1000)));
    }
    let array = cast(array, via)?;
    let array = if unit == Unit::Days { cast(&array, &DataType::Int32)? } else { array };
    Ok(cast(&array, &DataType::Int64)?.as_primitive().clone())
}
