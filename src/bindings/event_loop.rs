//! Answers for event loops: how an operation is awaited.
//!
//! A future of the running loop is completed by `call_soon_threadsafe`, from one courier thread that does nothing else;
//! the runtime's own threads never wait for the interpreter. Answers that came while the courier waited for it travel
//! together, since waking a loop is most of what an answer costs.

use std::panic::AssertUnwindSafe;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};

use futures_util::FutureExt;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use super::border::{self, AbortOnDrop, Answer, Work};
use super::ending::{self, Inside};
use super::heartbeat::{self, Beating};
use super::pending::Pending;

type Outcome = std::thread::Result<Answer>;

/// Sends answers to the thread that carries them to their loops.
#[derive(Clone)]
pub(super) struct Courier(Sender<Parcel>);

struct Parcel {
    event_loop: Py<PyAny>,
    future: Py<PyAny>,
    outcome: Outcome,
    /// The loop is woken until it has this.
    _beating: Beating,
}

/// Runs on the loop's thread and completes futures.
#[pyclass(frozen)]
struct Delivery(Mutex<Vec<Parcel>>);

/// Starts the work, and gives a future of the running loop for it and what aborts it.
pub(super) fn future<'py>(pending: &Bound<'py, Pending>, work: Work) -> PyResult<(Bound<'py, PyAny>, AbortOnDrop)> {
    static GET_RUNNING_LOOP: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = pending.py();
    let event_loop = GET_RUNNING_LOOP.import(py, "asyncio", "get_running_loop")?.call0()?;
    let future = event_loop.call_method0(intern!(py, "create_future"))?;
    let (runtime, courier, near) = border::for_awaited(py)?;
    let beating = heartbeat::start(&event_loop, &future, pending)?;
    let (address, addressee) = (event_loop.clone().unbind(), future.clone().unbind());
    let task = runtime.spawn(async move {
        let outcome = ending::unless_near(&near, AssertUnwindSafe(work).catch_unwind()).await;
        let outcome = outcome.unwrap_or_else(|| Ok(Box::new(|py| Err(ending::error(py)))));
        courier.send(Parcel { event_loop: address, future: addressee, outcome, _beating: beating });
    });
    Ok((future, AbortOnDrop(task.abort_handle())))
}

impl Courier {
    pub(super) fn start() -> std::io::Result<Self> {
        let (sender, receiver) = channel();
        std::thread::Builder::new().name("rowhaul-courier".to_owned()).spawn(move || carry(receiver))?;
        Ok(Self(sender))
    }

    fn send(&self, parcel: Parcel) {
        // The courier lives as long as the process; without it nobody waits for the parcel either.
        let _ = self.0.send(parcel);
    }
}

/// Attached for good: a state of the thread that is made and dropped for each answer costs more than what is done with it.
fn carry(mut parcels: Receiver<Parcel>) {
    ending::attach(|py| {
        loop {
            let (first, back) = ending::detach(py, move || (parcels.recv(), parcels));
            parcels = back;
            let Ok(first) = first else { return };
            let mut waiting: Vec<Parcel> = std::iter::once(first).chain(parcels.try_iter()).collect();
            while let Some(parcel) = waiting.first() {
                let event_loop = parcel.event_loop.clone_ref(py);
                let (going, others) = waiting.into_iter().partition(|parcel| parcel.event_loop.is(&event_loop));
                waiting = others;
                // A loop that was closed meanwhile refuses; its futures are nobody's any more.
                let _ =
                    event_loop.call_method1(py, intern!(py, "call_soon_threadsafe"), (Delivery(Mutex::new(going)),));
            }
        }
    });
}

#[pymethods]
impl Delivery {
    fn __call__(&self, py: Python<'_>) -> PyResult<()> {
        let _inside = Inside::enter();
        let parcels = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        // What is wrong with one is no reason to keep the others.
        let completed: Vec<PyResult<()>> = parcels.into_iter().map(|parcel| complete(py, parcel)).collect();
        completed.into_iter().collect()
    }
}

/// Completes a future, unless it is done: cancelled, or told of an error by its watcher.
fn complete(py: Python<'_>, parcel: Parcel) -> PyResult<()> {
    let future = parcel.future.bind(py);
    if future.call_method0(intern!(py, "done"))?.is_truthy()? {
        return Ok(());
    }
    let result = match parcel.outcome {
        Ok(answer) => answer(py),
        Err(panic) => Err(border::panicked(py, &*panic)),
    };
    match result {
        Ok(value) => future.call_method1(intern!(py, "set_result"), (value,))?,
        Err(error) => future.call_method1(intern!(py, "set_exception"), (error,))?,
    };
    Ok(())
}
