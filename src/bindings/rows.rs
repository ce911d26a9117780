//! Rows as Python holds them: immutable, shared, handed over as Arrow.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_schema::Schema;
use pyo3::exceptions::{PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyList};

use super::border;
use super::buffers;
use super::capsule;
use super::ending;
use super::raise;
use super::values;
use crate::files::{Order, WholeFile};
use crate::near::nearest;
use crate::rows::type_name;
use crate::rows::write::{Compression, CsvOptions, Packing, write_csv, write_ipc, write_ndjson, write_parquet};
use crate::rows::{Note, Rows, TextLayout};

#[pyclass(frozen, name = "Rows", module = "rowhaul._core")]
pub(super) struct PyRows {
    rows: Arc<Rows>,
    /// How text is handed out. Offsets unless asked for otherwise: every receiver knows them, and all of pyarrow's
    /// functions take them, which is not so for views.
    text: TextLayout,
}

/// Column and message.
type NoteParts = (Option<String>, String);

impl PyRows {
    pub(super) fn new(rows: Rows) -> Self {
        Self { rows: Arc::new(rows), text: TextLayout::Large }
    }

    pub(super) fn rows(&self) -> &Rows {
        &self.rows
    }

    fn with(&self, rows: Rows) -> Self {
        Self { rows: Arc::new(rows), text: self.text }
    }

    /// Writes a file that appears whole or not at all; not at all where the waiting for it is interrupted.
    fn write<F>(&self, py: Python<'_>, path: PathBuf, write: F) -> PyResult<()>
    where
        F: FnOnce(&Rows, &mut WholeFile) -> std::io::Result<()> + Send + 'static,
    {
        let rows = Arc::clone(&self.rows);
        let at = path.clone();
        let order = Order::default();
        let _recall = order.recalled_on_drop();
        let written = border::block(py, move || {
            let mut file = WholeFile::create_for(order, &at)?;
            write(&rows, &mut file)?;
            file.commit()
        })?;
        written.map_err(|error| raise::file(&error, &path))
    }
}

#[pymethods]
impl PyRows {
    #[staticmethod]
    #[pyo3(signature = (ipc, notes))]
    fn from_ipc(py: Python<'_>, ipc: &[u8], notes: Vec<NoteParts>) -> PyResult<Self> {
        let rows =
            ending::detach(py, || buffers::from_ipc(ipc)).map_err(|error| PyValueError::new_err(error.to_string()))?;
        let notes = notes.into_iter().map(|(column, message)| Note { column, message }).collect();
        Ok(Self::new(Rows::new(rows.schema().clone(), rows.batches().to_vec(), notes)))
    }

    /// The first rows and columns as a table for a terminal of that many characters.
    fn table(&self, count: usize, width: usize) -> String {
        crate::cli::table::fitting(&self.rows, count, width)
    }

    fn to_ipc<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = ending::detach(py, || buffers::to_ipc(&self.rows))
            .map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(PyBytes::new(py, &bytes))
    }

    #[getter]
    fn columns(&self) -> Vec<String> {
        self.rows.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    #[getter]
    fn types(&self) -> Vec<String> {
        self.rows.schema().fields().iter().map(|field| type_name(field.data_type())).collect()
    }

    /// The cells of the named columns as text, row by row.
    fn texts(&self, columns: Vec<String>) -> Vec<Vec<Option<String>>> {
        self.rows.texts(&columns.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// The positions of the columns that hold lists or objects.
    #[getter]
    fn nested(&self) -> Vec<usize> {
        let fields = self.rows.schema().fields().iter().enumerate();
        fields.filter(|(_, field)| field.data_type().is_nested()).map(|(at, _)| at).collect()
    }

    #[getter]
    fn notes(&self) -> Vec<NoteParts> {
        self.rows.notes().iter().map(|note| (note.column.clone(), note.message.clone())).collect()
    }

    fn __len__(&self) -> usize {
        self.rows.len()
    }

    /// Whether both have the same columns with the same values.
    fn equals(&self, py: Python<'_>, other: &Self) -> bool {
        Arc::ptr_eq(&self.rows, &other.rows) || ending::detach(py, || self.rows.equals(&other.rows))
    }

    /// `length` rows from `start` on, each `step` after the one before.
    #[pyo3(signature = (start, length, step))]
    fn slice(&self, py: Python<'_>, start: usize, length: usize, step: isize) -> PyResult<Self> {
        if step == 1 {
            return Ok(self.with(self.rows.slice(start, length)));
        }
        let taken = ending::detach(py, || buffers::take(&self.rows, start, length, step));
        taken.map(|rows| self.with(rows)).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    #[pyo3(signature = (names))]
    fn select(&self, names: Vec<String>) -> PyResult<Self> {
        let schema = self.rows.schema();
        let place = |name: &String| schema.index_of(name).map_err(|_| no_column(name, schema));
        let places = names.iter().map(place).collect::<PyResult<Vec<_>>>()?;
        let mut seen = HashSet::new();
        if let Some(twice) = places.iter().position(|place| !seen.insert(place)) {
            return Err(PyValueError::new_err(format!("the column `{}` is asked for twice", names[twice])));
        }
        let selected = self.rows.select(&places);
        selected.map(|rows| self.with(rows)).ok_or_else(|| PyKeyError::new_err(names))
    }

    #[pyo3(signature = (layout))]
    fn with_text(&self, layout: &str) -> PyResult<Self> {
        Ok(Self { rows: Arc::clone(&self.rows), text: text_layout(layout)? })
    }

    /// Lists and objects as their JSON text.
    fn with_nested_as_text(&self, py: Python<'_>) -> PyResult<Self> {
        let rows = Arc::clone(&self.rows);
        Ok(self.with(border::block(py, move || rows.with_nested_as_json())?))
    }

    #[pyo3(signature = (column))]
    fn values<'py>(&self, py: Python<'py>, column: usize) -> PyResult<Bound<'py, PyList>> {
        values::list(py, &self.rows, column)
    }

    /// How many values of a column are missing.
    #[pyo3(signature = (column))]
    fn null_count(&self, column: usize) -> usize {
        self.rows.batches().iter().map(|batch| batch.column(column).logical_null_count()).sum()
    }

    /// The values of a column of numbers or booleans as bytes, and which of them are missing.
    #[pyo3(signature = (column))]
    fn buffers<'py>(&self, py: Python<'py>, column: usize) -> PyResult<BufferPair<'py>> {
        let plain = ending::detach(py, || self.column(column).map(|array| buffers::plain(&array)))?;
        let (values, missing) =
            plain.ok_or_else(|| PyTypeError::new_err("only numbers and booleans are plain bytes"))?;
        Ok((PyBytes::new(py, &values), missing.map(|missing| PyBytes::new(py, &missing))))
    }

    fn to_dicts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        values::dicts(py, &self.rows)
    }

    #[pyo3(signature = (path, compression))]
    fn write_parquet(&self, py: Python<'_>, path: PathBuf, compression: &str) -> PyResult<()> {
        let compression: Compression = compression.parse().map_err(PyValueError::new_err)?;
        self.write(py, path, move |rows, file| write_parquet(rows, file, compression))
    }

    #[pyo3(signature = (path, escape_formulas))]
    fn write_csv(&self, py: Python<'_>, path: PathBuf, escape_formulas: bool) -> PyResult<()> {
        let packing = Packing::by_name(&path).map_err(PyValueError::new_err)?;
        let options = CsvOptions { escape_formulas };
        self.write(py, path, move |rows, file| packing.pack(file, |out| write_csv(rows, out, options)))
    }

    #[pyo3(signature = (path))]
    fn write_ndjson(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let packing = Packing::by_name(&path).map_err(PyValueError::new_err)?;
        self.write(py, path, move |rows, file| packing.pack(file, |out| write_ndjson(rows, out)))
    }

    #[pyo3(signature = (path))]
    fn write_ipc(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        self.write(py, path, |rows, file| write_ipc(rows, file))
    }

    /// The first column as one array with its type.
    #[pyo3(signature = (requested_schema))]
    fn column_c_array<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        let laid_out = self.with(self.rows.with_text(capsule::layout_for(requested_schema, self.text)));
        capsule::array(py, &capsule::as_requested(laid_out.column(0)?, requested_schema))
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        capsule::stream(py, &self.rows, capsule::layout_for(requested_schema, self.text))
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsule::schema(py, &self.text.of_schema(self.rows.schema()))
    }
}

fn no_column(name: &str, schema: &Schema) -> PyErr {
    let way_out = match nearest(name, schema.fields().iter().map(|field| field.name().as_str())) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`.columns` names those there are".to_owned(),
    };
    PyKeyError::new_err(format!("there is no column `{name}`; {way_out}"))
}

pub(super) fn text_layout(name: &str) -> PyResult<TextLayout> {
    match name {
        "view" => Ok(TextLayout::View),
        "large" => Ok(TextLayout::Large),
        other => Err(PyValueError::new_err(format!("text is laid out `view` or `large`, not `{other}`"))),
    }
}

type BufferPair<'py> = (Bound<'py, PyBytes>, Option<Bound<'py, PyBytes>>);

impl PyRows {
    /// A column as one array.
    fn column(&self, at: usize) -> PyResult<ArrayRef> {
        self.rows.whole_column(at).map_err(|error| PyValueError::new_err(error.to_string()))
    }
}
