//! Cells as plain Python: int, float, bool, str, list, dict, None; and what only a caller's schema brings: bytes,
//! `Decimal`, and what `datetime` has.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type, UInt64Type};
use arrow_array::{Array, ArrayRef, BooleanArray, LargeBinaryArray, PrimitiveArray, StringViewArray};
use arrow_buffer::NullBuffer;
use arrow_cast::cast;
use arrow_cast::display::array_value_to_string;
use arrow_schema::{ArrowError, DataType};
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};

use super::ending;
use super::moments::Moments;
use crate::rows::Rows;

/// So many rows are made between two looks up.
const ROWS_BETWEEN_LOOKS: usize = 1 << 10;

/// Looks for Ctrl-C, and lets other threads have their turn.
fn look_up(py: Python<'_>) -> PyResult<()> {
    ending::detach(py, || ());
    py.check_signals()
}

/// A dict for each row.
pub(super) fn dicts<'py>(py: Python<'py>, rows: &Rows) -> PyResult<Bound<'py, PyList>> {
    let names = names(py, rows.schema().fields().iter().map(|field| field.name().as_str()));
    let list = PyList::empty(py);
    for batch in rows.batches() {
        let columns = batch.columns().iter().map(|column| Cells::new(py, column)).collect::<PyResult<Vec<_>>>()?;
        for row in 0..batch.num_rows() {
            if row % ROWS_BETWEEN_LOOKS == 0 {
                look_up(py)?;
            }
            list.append(dict(py, &names, &columns, row)?)?;
        }
    }
    Ok(list)
}

/// The values of one column.
pub(super) fn list<'py>(py: Python<'py>, rows: &Rows, column: usize) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for batch in rows.batches() {
        let cells = Cells::new(py, batch.column(column))?;
        for row in 0..batch.num_rows() {
            if row % ROWS_BETWEEN_LOOKS == 0 {
                look_up(py)?;
            }
            list.append(cells.get(py, row)?)?;
        }
    }
    Ok(list)
}

/// A column ready to be read cell by cell: what differs from cell to cell is looked up here, once.
enum Cells<'py> {
    Null,
    Boolean(BooleanArray),
    Signed(PrimitiveArray<Int64Type>),
    Unsigned(PrimitiveArray<UInt64Type>),
    Float(PrimitiveArray<Float64Type>),
    Text(StringViewArray),
    Bytes(LargeBinaryArray),
    Moments(Moments<'py>),
    /// Made by a class from the digits.
    Decimal {
        digits: ArrayRef,
        class: Bound<'py, PyAny>,
    },
    List {
        offsets: Vec<usize>,
        nulls: Option<NullBuffer>,
        items: Box<Cells<'py>>,
    },
    Struct {
        nulls: Option<NullBuffer>,
        names: Vec<Bound<'py, PyString>>,
        fields: Vec<Cells<'py>>,
    },
    /// Types that Python has nothing for, as their text.
    Other(ArrayRef),
}

impl<'py> Cells<'py> {
    fn new(py: Python<'py>, array: &ArrayRef) -> PyResult<Self> {
        let to = |target: &DataType| cast(array, target).map_err(broken);
        Ok(match array.data_type() {
            DataType::Null => Self::Null,
            DataType::Boolean => Self::Boolean(array.as_boolean().clone()),
            kind if kind.is_signed_integer() => Self::Signed(to(&DataType::Int64)?.as_primitive().clone()),
            kind if kind.is_unsigned_integer() => Self::Unsigned(to(&DataType::UInt64)?.as_primitive().clone()),
            kind if kind.is_floating() => Self::Float(to(&DataType::Float64)?.as_primitive().clone()),
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
                Self::Text(to(&DataType::Utf8View)?.as_string_view().clone())
            }
            kind if kind.is_decimal() => {
                let class = py.import(intern!(py, "decimal"))?.getattr("Decimal")?;
                Self::Decimal { digits: array.clone(), class }
            }
            DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
                Self::Bytes(to(&DataType::LargeBinary)?.as_binary().clone())
            }
            DataType::Dictionary(_, values) => Self::new(py, &to(values)?)?,
            DataType::RunEndEncoded(_, values) => Self::new(py, &to(values.data_type())?)?,
            DataType::List(_) => {
                let list = array.as_list::<i32>();
                let offsets = list.offsets().iter().map(|offset| *offset as usize).collect();
                Self::List { offsets, nulls: list.nulls().cloned(), items: Box::new(Self::new(py, list.values())?) }
            }
            DataType::FixedSizeList(item, _) | DataType::ListView(item) | DataType::LargeListView(item) => {
                Self::new(py, &to(&DataType::LargeList(item.clone()))?)?
            }
            DataType::LargeList(_) => {
                let list = array.as_list::<i64>();
                let offsets = list.offsets().iter().map(|offset| *offset as usize).collect();
                Self::List { offsets, nulls: list.nulls().cloned(), items: Box::new(Self::new(py, list.values())?) }
            }
            DataType::Struct(fields) => {
                let structs = array.as_struct();
                Self::Struct {
                    nulls: structs.nulls().cloned(),
                    names: names(py, fields.iter().map(|field| field.name().as_str())),
                    fields: structs.columns().iter().map(|column| Self::new(py, column)).collect::<PyResult<_>>()?,
                }
            }
            _ => Moments::new(py, array)?.map_or_else(|| Self::Other(array.clone()), Self::Moments),
        })
    }

    fn get(&self, py: Python<'py>, row: usize) -> PyResult<Bound<'py, PyAny>> {
        if self.is_null(row) {
            return Ok(py.None().into_bound(py));
        }
        Ok(match self {
            Self::Null => py.None().into_bound(py),
            Self::Boolean(values) => values.value(row).into_pyobject(py)?.to_owned().into_any(),
            Self::Signed(values) => values.value(row).into_pyobject(py)?.into_any(),
            Self::Unsigned(values) => values.value(row).into_pyobject(py)?.into_any(),
            Self::Float(values) => values.value(row).into_pyobject(py)?.into_any(),
            Self::Text(values) => PyString::new(py, values.value(row)).into_any(),
            Self::Bytes(values) => PyBytes::new(py, values.value(row)).into_any(),
            Self::Moments(moments) => moments.get(row)?,
            Self::Decimal { digits, class } => class.call1((text_of(digits, row)?,))?,
            Self::List { offsets, items, .. } => {
                let list = PyList::empty(py);
                for item in offsets[row]..offsets[row + 1] {
                    list.append(items.get(py, item)?)?;
                }
                list.into_any()
            }
            Self::Struct { names, fields, .. } => dict(py, names, fields, row)?.into_any(),
            Self::Other(array) => PyString::new(py, &text_of(array, row)?).into_any(),
        })
    }

    fn is_null(&self, row: usize) -> bool {
        match self {
            Self::Null => true,
            Self::Boolean(values) => values.is_null(row),
            Self::Signed(values) => values.is_null(row),
            Self::Unsigned(values) => values.is_null(row),
            Self::Float(values) => values.is_null(row),
            Self::Text(values) => values.is_null(row),
            Self::Bytes(values) => values.is_null(row),
            Self::Moments(moments) => moments.is_null(row),
            Self::List { nulls, .. } | Self::Struct { nulls, .. } => nulls.as_ref().is_some_and(|n| n.is_null(row)),
            Self::Decimal { digits: array, .. } | Self::Other(array) => array.is_null(row),
        }
    }
}

fn dict<'py>(
    py: Python<'py>,
    names: &[Bound<'py, PyString>],
    columns: &[Cells<'py>],
    row: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (name, cells) in names.iter().zip(columns) {
        dict.set_item(name, cells.get(py, row)?)?;
    }
    Ok(dict)
}

fn names<'a, 'py>(py: Python<'py>, names: impl Iterator<Item = &'a str>) -> Vec<Bound<'py, PyString>> {
    names.map(|name| PyString::new(py, name)).collect()
}

fn text_of(array: &ArrayRef, row: usize) -> PyResult<String> {
    array_value_to_string(array, row).map_err(broken)
}

pub(super) fn broken(error: ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}
