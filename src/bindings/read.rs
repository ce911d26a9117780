//! Rows without a service: bodies that were saved, and tables put together.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

use super::border;
use super::options::{PyDecodeOptions, PyForm};
use super::raise;
use super::rows::PyRows;
use super::saved::{Saved, is_compressed};
use crate::lock::lock;
use crate::rows::{DecodeError, DecodeOptions, Rows, decode};

/// Bytes of a file that are decoded in one go.
const CHUNK: usize = 1 << 20;

/// Rows as they mostly are take less than 0.3 ms up to here, where to wake another thread, and to take the body to its
/// core, takes half as long; objects in objects of thousands of names take 0.16 s.
const SMALL: usize = 128 << 10;

/// Decodes a body held in memory; a small one on this thread, if that is the main one.
#[pyfunction]
#[pyo3(signature = (body, options, form, threads, is_main_thread))]
pub(super) fn read_json(
    py: Python<'_>,
    body: PyBackedBytes,
    options: PyDecodeOptions<'_>,
    form: PyForm,
    threads: Option<usize>,
    is_main_thread: bool,
) -> PyResult<PyRows> {
    let options = options.for_a_body(form, threads)?;
    if is_compressed(&body) {
        let mut saved = Saved::new(options);
        let read = border::block(py, move || saved.feed(&body).and_then(|()| saved.finish()))?;
        return read.map(PyRows::new).map_err(|error| raise::decode_error(py, error, None));
    }
    // Others may have a stack too small for what is nested deeply.
    let is_here = is_main_thread && body.len() <= SMALL;
    let work = move || decode(body, options);
    let decoded = if is_here { border::work_here(py, work) } else { border::block(py, work) }?;
    decoded.map(|decoded| PyRows::new(decoded.rows)).map_err(|error| raise::decode_error(py, error, None))
}

/// Decodes a file as it is read.
#[pyfunction]
#[pyo3(signature = (path, options, form, threads))]
pub(super) fn read_json_file(
    py: Python<'_>,
    path: PathBuf,
    options: PyDecodeOptions<'_>,
    form: PyForm,
    threads: Option<usize>,
) -> PyResult<PyRows> {
    let options = options.for_a_body(form, threads)?;
    let at = path.clone();
    let read = border::block(py, move || read_file(options, &at))?.map_err(|error| raise::file(&error, &path))?;
    read.map(PyRows::new).map_err(|error| raise::decode_error(py, error, Some(&path)))
}

/// Decodes a saved body piece by piece. Who asks a file for the pieces is Python: what Rust calls there could not be
/// ended with the interpreter.
#[pyclass(frozen, name = "Decoder", module = "rowhaul._core")]
pub(super) struct PyDecoder(Mutex<Option<Saved>>);

#[pymethods]
impl PyDecoder {
    #[new]
    #[pyo3(signature = (options, form, threads))]
    fn new(options: PyDecodeOptions<'_>, form: PyForm, threads: Option<usize>) -> PyResult<Self> {
        Ok(Self(Mutex::new(Some(Saved::new(options.for_a_body(form, threads)?)))))
    }

    /// Takes the next bytes. After an error it is spent.
    #[pyo3(signature = (piece))]
    fn feed(&self, py: Python<'_>, piece: PyBackedBytes) -> PyResult<()> {
        let mut saved = self.take(py)?;
        let (saved, fed) = border::block(py, move || {
            let fed = saved.feed(&piece);
            (saved, fed)
        })?;
        fed.map_err(|error| raise::decode_error(py, error, None))?;
        *self.slot() = Some(saved);
        Ok(())
    }

    /// Ends the body.
    fn finish(&self, py: Python<'_>) -> PyResult<PyRows> {
        let saved = self.take(py)?;
        let finished = border::block(py, move || saved.finish())?;
        finished.map(PyRows::new).map_err(|error| raise::decode_error(py, error, None))
    }
}

impl PyDecoder {
    fn take(&self, py: Python<'_>) -> PyResult<Saved> {
        self.slot().take().ok_or_else(|| raise::internal(py, "a body that has ended is not read on"))
    }

    fn slot(&self) -> MutexGuard<'_, Option<Saved>> {
        lock(&self.0)
    }
}

/// Puts tables one below the other, widening as within one table.
#[pyfunction]
#[pyo3(signature = (tables))]
pub(super) fn concat(py: Python<'_>, tables: Vec<Py<PyRows>>) -> PyResult<PyRows> {
    let tables: Vec<Rows> = tables.iter().map(|table| table.get().rows().clone()).collect();
    let joined = border::block(py, move || crate::rows::concat(&tables))?;
    Ok(PyRows::new(joined))
}

fn read_file(options: DecodeOptions, path: &Path) -> std::io::Result<Result<Rows, DecodeError>> {
    let mut file = File::open(path)?;
    let mut saved = Saved::new(options);
    let mut chunk = vec![0; CHUNK];
    loop {
        let read = match file.read(&mut chunk) {
            Ok(0) => return Ok(saved.finish()),
            Ok(read) => read,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if let Err(error) = saved.feed(&chunk[..read]) {
            return Ok(Err(error));
        }
    }
}
