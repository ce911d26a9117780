//! Rows without a service: bodies that were saved, and tables put together.

use std::io::{ErrorKind, Read};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

use super::border;
use super::options::ToldDecode;
use super::raise;
use super::rows::PyRows;
use super::saved;
use crate::rows::{DecodeError, DecodeOptions, Decoder, Rows, decode};

/// Bytes of a file that are decoded in one go.
const CHUNK: usize = 1 << 20;

/// Rows as they mostly are take less than 0.3 ms up to here, where to wake another thread, and to take the body to its core, takes half
/// as long; objects in objects of thousands of names take 0.16 s.
const SMALL: usize = 128 << 10;

/// Decodes a body held in memory; a small one on this thread, if that is the main one.
#[pyfunction]
#[pyo3(signature = (body, options, lines, threads, is_main_thread))]
pub(super) fn read_json(
    py: Python<'_>,
    body: PyBackedBytes,
    options: ToldDecode<'_>,
    lines: bool,
    threads: Option<usize>,
    is_main_thread: bool,
) -> PyResult<PyRows> {
    let options = options.for_a_body(lines, threads)?;
    if saved::is_compressed(&body) {
        let inflated = border::block(py, move || decode_read(options, saved::inflated(body)?))??;
        return inflated.map(PyRows::new).map_err(|error| raise::decode_error(py, error));
    }
    // Others may have a stack too small for what is nested deeply.
    let is_here = is_main_thread && body.len() <= SMALL;
    let work = move || decode(body, options);
    let decoded = if is_here { border::work_here(py, work) } else { border::block(py, work) }?;
    decoded.map(|decoded| PyRows::new(decoded.rows)).map_err(|error| raise::decode_error(py, error))
}

/// Whether a body begins as one does that is compressed.
#[pyfunction]
#[pyo3(signature = (body))]
pub(super) fn is_compressed(body: PyBackedBytes) -> bool {
    saved::is_compressed(&body)
}

/// Decodes a file as it is read.
#[pyfunction]
#[pyo3(signature = (path, options, lines, threads))]
pub(super) fn read_json_file(
    py: Python<'_>,
    path: PathBuf,
    options: ToldDecode<'_>,
    lines: bool,
    threads: Option<usize>,
) -> PyResult<PyRows> {
    let options = options.for_a_body(lines, threads)?;
    let at = path.clone();
    let decoded = border::block(py, move || decode_read(options, saved::open(&at)?))?
        .map_err(|error| raise::file(&error, &path))?;
    decoded.map(PyRows::new).map_err(|error| raise::decode_error_in(py, error, Some(&path)))
}

/// Decodes a body piece by piece. Who asks a file for the pieces is Python: what Rust calls there could not be ended with the
/// interpreter.
#[pyclass(frozen, name = "Decoder", module = "rowhaul._core")]
pub(super) struct PyDecoder(Mutex<Option<Decoder>>);

#[pymethods]
impl PyDecoder {
    #[new]
    #[pyo3(signature = (options, lines, threads))]
    fn new(options: ToldDecode<'_>, lines: bool, threads: Option<usize>) -> PyResult<Self> {
        Ok(Self(Mutex::new(Some(Decoder::new(options.for_a_body(lines, threads)?)))))
    }

    /// Takes the next bytes. After an error it is spent.
    #[pyo3(signature = (piece))]
    fn feed(&self, py: Python<'_>, piece: PyBackedBytes) -> PyResult<()> {
        let mut decoder = self.take(py)?;
        let (decoder, fed) = border::block(py, move || {
            let fed = decoder.feed(&piece);
            (decoder, fed)
        })?;
        fed.map_err(|error| raise::decode_error(py, error))?;
        *self.slot() = Some(decoder);
        Ok(())
    }

    /// Ends the body.
    fn finish(&self, py: Python<'_>) -> PyResult<PyRows> {
        let decoder = self.take(py)?;
        let finished = border::block(py, move || decoder.finish())?;
        finished.map(|decoded| PyRows::new(decoded.rows)).map_err(|error| raise::decode_error(py, error))
    }
}

impl PyDecoder {
    fn take(&self, py: Python<'_>) -> PyResult<Decoder> {
        self.slot().take().ok_or_else(|| raise::internal(py, "a body that has ended is not read on"))
    }

    fn slot(&self) -> MutexGuard<'_, Option<Decoder>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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

fn decode_read(options: DecodeOptions, mut body: impl Read) -> std::io::Result<Result<Rows, DecodeError>> {
    let mut decoder = Decoder::new(options);
    let mut chunk = vec![0; CHUNK];
    loop {
        let read = match body.read(&mut chunk) {
            Ok(0) => return Ok(decoder.finish().map(|decoded| decoded.rows)),
            Ok(read) => read,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            // The system has a number for each of its own.
            Err(error) if error.raw_os_error().is_none() => {
                return Err(std::io::Error::other(format!("it is compressed and cannot be inflated: {error}")));
            }
            Err(error) => return Err(error),
        };
        if let Err(error) = decoder.feed(&chunk[..read]) {
            return Ok(Err(error));
        }
    }
}
