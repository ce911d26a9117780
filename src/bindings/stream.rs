//! Results in batches, from a file on disk that was read through once for its schema.

use std::fmt;
use std::fs::File;
use std::future::ready;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use super::border;
use super::capsule;
use super::delivery::{deliver_now, deliver_on, deliver_soon};
use super::ending;
use super::origin::DroppedHere;
use super::own_thread::OwnThread;
use super::pending::Pending;
use super::raise;
use super::rows::{PyRows, text_layout};
use super::runtime;
use crate::client::{Client, Error, Job, Progress, Spooled};
use crate::lock::lock;
use crate::rows::{Batches, Note, Rows, TextConverter, TextLayout};

const BEFORE_FORK: &str = "this stream was begun before a fork; `job.stream()` gives another in this process";

type Next = Option<Result<RecordBatch, ArrowError>>;

/// Batches still to come. Taking them, one by one or as a stream of Arrow, uses them up.
#[pyclass(frozen, name = "Stream", module = "rowhaul._core")]
pub(super) struct PyStream {
    source: Arc<Mutex<Source>>,
    /// Reads the batches.
    reader: Arc<OwnThread>,
    schema: SchemaRef,
    notes: Vec<Note>,
    row_count: u64,
    receipt: Arc<Receipt>,
    /// How text is handed out, as in [`PyRows`].
    text: TextLayout,
}

impl PyStream {
    pub(super) fn new(client: Client, spooled: Spooled) -> Self {
        let Spooled { job, notes, row_count, batches } = spooled;
        Self {
            schema: batches.schema(),
            source: Arc::new(Mutex::new(Source {
                batches: (row_count > 0).then(|| DroppedHere::new(batches)),
                read: None,
                left: row_count,
                is_closed: false,
            })),
            reader: Arc::default(),
            notes,
            row_count,
            receipt: Arc::new(Receipt {
                client: DroppedHere::new(client),
                job,
                left: AtomicU64::new(row_count),
                is_written: AtomicBool::new(false),
            }),
            text: TextLayout::Large,
        }
    }

    /// Begins what the reading thread is to do.
    fn pending(&self, act: fn(&mut Source)) -> Pending {
        let source = Arc::clone(&self.source);
        let (done, is_done) = oneshot::channel();
        let given = self.reader.give(Box::new(move || {
            // Where it panics nobody is told that it is done.
            let _ = std::panic::catch_unwind(AssertUnwindSafe(|| act(&mut lock(&source)))).map(|()| done.send(()));
        }));
        let source = Arc::clone(&self.source);
        let work = async move {
            let lost = match given {
                Ok(()) => is_done.await.err().map(|lost| ArrowError::ExternalError(Box::new(lost))),
                Err(error) => Some(error.into()),
            };
            if let Some(lost) = lost {
                lock(&source).read = Some(Some(Err(lost)));
            }
            Ok::<_, Error>(())
        };
        Pending::new(Progress::new(), work, |py, ()| Ok(py.None()))
    }

    /// Fails in a fork of the process that began the stream: the file has one place that is read next, whichever
    /// process reads there, so each would take batches of the other.
    fn check_process(&self, py: Python<'_>) -> PyResult<()> {
        if self.receipt.is_the_parents() { Err(raise::config(py, BEFORE_FORK)) } else { Ok(()) }
    }

    /// Lets go of the file, which the parent has open for itself. A thread of the parent's may have been at it, and is
    /// not here to go on.
    fn close_in_fork(&self) {
        if let Ok(mut source) = self.source.try_lock() {
            source.close();
        }
    }

    fn rows(&self, batch: Option<RecordBatch>) -> PyRows {
        PyRows::new(Rows::new(self.schema.clone(), batch.into_iter().collect(), self.notes.clone()))
    }

    /// The batch that was read, with what there is to be written down of it.
    fn take_read(&self, py: Python<'_>) -> PyResult<(Option<PyRows>, Option<&Receipt>)> {
        match ending::detach(py, || lock(&self.source).take()) {
            None => Ok((None, self.receipt.of(0))),
            Some(Ok(batch)) => {
                let fetched = self.receipt.of(batch.num_rows());
                Ok((Some(self.rows(Some(batch))), fetched))
            }
            Some(Err(ArrowError::ExternalError(error))) if error.is::<Closed>() => {
                Err(PyValueError::new_err(error.to_string()))
            }
            Some(Err(error)) => Err(raise::internal(py, &format!("the rows on disk cannot be read again: {error}"))),
        }
    }
}

#[pymethods]
impl PyStream {
    #[getter]
    fn row_count(&self) -> u64 {
        self.row_count
    }

    /// The same batches, which are shared, with text in another layout.
    #[pyo3(signature = (layout))]
    fn with_text(&self, layout: &str) -> PyResult<Self> {
        let (source, schema, notes) = (Arc::clone(&self.source), self.schema.clone(), self.notes.clone());
        let (reader, receipt) = (Arc::clone(&self.reader), Arc::clone(&self.receipt));
        Ok(Self { source, reader, schema, notes, row_count: self.row_count, receipt, text: text_layout(layout)? })
    }

    /// No rows, with the schema and notes of all of them.
    fn head(&self) -> PyRows {
        self.rows(None)
    }

    /// The next batch, or `None` after the last. Interrupted, it leaves the batch to the next call.
    fn next(&self, py: Python<'_>) -> PyResult<Option<PyRows>> {
        self.check_process(py)?;
        let source = Arc::clone(&self.source);
        border::block_with(py, &self.reader, move || lock(&source).read())?;
        py.check_signals()?;
        let (batch, fetched) = self.take_read(py)?;
        if let Some(Receipt { client, job, .. }) = fetched {
            deliver_now(py, client, job);
        }
        Ok(batch)
    }

    /// Begins to read the next batch, to be awaited before [`PyStream::take`]. The batch itself is not what is awaited:
    /// it would be lost with an await that is cancelled.
    fn read_pending(&self, py: Python<'_>) -> PyResult<Pending> {
        self.check_process(py)?;
        Ok(self.pending(Source::read))
    }

    /// Begins to close it, after a batch that is being read.
    fn close_pending(&self) -> Pending {
        if self.receipt.is_the_parents() {
            self.close_in_fork();
            return Pending::new(Progress::new(), ready(Ok::<_, Error>(())), |py, ()| Ok(py.None()));
        }
        self.pending(Source::close)
    }

    /// The batch that was read last, or what [`PyStream::next`] gives where somebody else has taken it. An event loop
    /// calls it, which waits for no disk.
    fn take(&self, py: Python<'_>) -> PyResult<Option<PyRows>> {
        self.check_process(py)?;
        let (batch, fetched) = self.take_read(py)?;
        if let Some(Receipt { client, job, .. }) = fetched {
            deliver_soon(py, client, [job]);
        }
        Ok(batch)
    }

    /// Lets go of the batches that were not taken, and of the file they are in.
    fn close(&self, py: Python<'_>) {
        if self.receipt.is_the_parents() {
            return self.close_in_fork();
        }
        ending::detach(py, || lock(&self.source).close());
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        self.check_process(py)?;
        let is_used_up = self.row_count > 0 && ending::detach(py, || lock(&self.source).left == 0);
        if is_used_up {
            return Err(PyValueError::new_err("all rows of this stream were taken; `job.stream()` gives another"));
        }
        let layout = capsule::layout_for(requested_schema, self.text);
        let (source, receipt) = (Arc::clone(&self.source), Arc::clone(&self.receipt));
        let (runtime, schema) = (runtime::handle(py)?, layout.of_schema(&self.schema));
        let laid_out = LaidOut { source, receipt, runtime, schema };
        capsule::reader(py, Box::new(laid_out))
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsule::schema(py, &self.text.of_schema(&self.schema))
    }
}

/// What is still to be taken of a job: its rows count as fetched when all are.
struct Receipt {
    client: DroppedHere<Client>,
    job: Job,
    left: AtomicU64,
    is_written: AtomicBool,
}

impl Receipt {
    /// Whether the stream was begun in the process that this one was forked from.
    fn is_the_parents(&self) -> bool {
        self.client.is_the_parents()
    }

    /// Counts rows that are taken, and gives itself with the last of them: it is then to be written down.
    fn of(&self, rows: usize) -> Option<&Self> {
        let less = |left: u64| Some(left.saturating_sub(rows as u64));
        let before = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).unwrap_or_default();
        // After the end there is nothing left each time it is asked for.
        (before == rows as u64 && !self.is_written.swap(true, Ordering::Relaxed)).then_some(self)
    }
}

/// The batches that are left, with text as the receiver takes it.
struct LaidOut {
    source: Arc<Mutex<Source>>,
    receipt: Arc<Receipt>,
    runtime: Handle,
    schema: SchemaRef,
}

impl Iterator for LaidOut {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.receipt.is_the_parents() {
            return Some(Err(ArrowError::ExternalError(BEFORE_FORK.into())));
        }
        let next = lock(&self.source).take();
        if !matches!(next, Some(Err(_))) {
            let rows = next.iter().flatten().map(RecordBatch::num_rows).sum();
            if let Some(Receipt { client, job, .. }) = self.receipt.of(rows) {
                deliver_on(&self.runtime, client, job);
            }
        }
        // Each has memory of its own, which goes with it.
        Some(next?.map(|batch| TextConverter::new(self.schema.clone()).convert(&batch)))
    }
}

impl RecordBatchReader for LaidOut {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

/// Where the batches come from. A batch that was read stays here until somebody takes it, however many have given up
/// waiting.
struct Source {
    /// Let go of with the last row, and so the file.
    batches: Option<DroppedHere<Batches<File>>>,
    /// What was read and not taken yet.
    read: Option<Next>,
    /// Rows that were not taken yet.
    left: u64,
    is_closed: bool,
}

impl Source {
    /// Reads the next batch, unless one waits to be taken.
    fn read(&mut self) {
        if self.read.is_none() {
            self.read = Some(self.batches.as_mut().and_then(|batches| batches.next()));
        }
    }

    fn close(&mut self) {
        (self.read, self.is_closed) = (None, true);
        if let Some(parents) = self.batches.take_if(|batches| batches.is_the_parents()) {
            drop(DroppedHere::into_inner(parents).abandon());
        }
        self.batches = None;
    }

    fn take(&mut self) -> Next {
        if self.is_closed {
            return Some(Err(ArrowError::ExternalError(Box::new(Closed))));
        }
        self.read();
        let next = self.read.take().flatten();
        match &next {
            Some(Ok(batch)) => {
                self.left = self.left.saturating_sub(batch.num_rows() as u64);
                if self.left == 0 {
                    self.batches = None;
                }
            }
            None if self.left > 0 => return Some(Err(short(self.left))),
            _ => {}
        }
        next
    }
}

impl Drop for Source {
    fn drop(&mut self) {
        self.close();
    }
}

/// Batches were asked for after nobody wanted any more.
#[derive(Debug)]
struct Closed;

impl fmt::Display for Closed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the stream is closed")
    }
}

impl std::error::Error for Closed {}

fn short(left: u64) -> ArrowError {
    ArrowError::ExternalError(format!("the last {left} rows are missing").into())
}
