//! How answers come back to an event loop. Each loop has a mailbox; whatever puts something into an empty one wakes the
//! loop, which then takes out all there is, since to be woken is most of what an answer costs.
//!
//! The runtime's own threads wake it by a socket and never wait for the interpreter. A loop that watches no socket is
//! called instead, by a thread that may wait.

use std::mem;
use std::pin::pin;
use std::sync::{Arc, Mutex, Weak};

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyWeakrefReference;
use tokio::runtime::Handle;
use tokio::sync::watch;

use super::border::{self, Answer};
use super::ending::{self, Inside};
use super::heartbeat::Beating;
use super::origin::Origin;
use super::wakeup::{self, WakeReceiver, WakeSender};
use crate::lock::lock;

/// What a piece of work came to, or the panic that ended it, with the future that waits for it.
pub(super) struct Completion {
    pub future: Py<PyAny>,
    pub outcome: std::thread::Result<Answer>,
    pub beating: Beating,
}

/// What is on its way to one loop.
pub(super) struct Mailbox {
    origin: Origin,
    completions: Mutex<Vec<Completion>>,
    way: Way,
    is_closed: watch::Sender<bool>,
}

/// How the loop is told.
enum Way {
    Wake(WakeSender),
    Call { runtime: Handle, event_loop: Py<PyAny> },
}

/// The loops that watch their mailbox. Locked only while attached, and never while Python is called, so that a fork
/// finds it unlocked.
static KNOWN: Mutex<Vec<Known>> = Mutex::new(Vec::new());

struct Known {
    origin: Origin,
    address: usize,
    /// Another loop may come to have the address.
    event_loop: Py<PyWeakrefReference>,
    mailbox: Weak<Mailbox>,
}

impl Mailbox {
    /// The mailbox of a loop that runs.
    pub(super) fn of(event_loop: &Bound<'_, PyAny>, runtime: &Handle) -> PyResult<Arc<Self>> {
        let called = || Self::new(Way::Call { runtime: runtime.clone(), event_loop: event_loop.clone().unbind() });
        match Self::known(event_loop) {
            Some((_, origin)) if origin.is_the_parents() => {
                // What it watches is the parent's as well, which would hear what is meant for it.
                return Ok(called());
            }
            Some((Some(mailbox), _)) => return Ok(mailbox),
            Some((None, _)) | None => {}
        }
        let Ok(reference) = PyWeakrefReference::new(event_loop) else { return Ok(called()) };
        let Some(mailbox) = Self::watched_by(event_loop, &reference)? else { return Ok(called()) };
        let (address, event_loop) = (event_loop.as_ptr().addr(), reference.unbind());
        let mut known = lock(&KNOWN);
        known.retain(|known| known.mailbox.strong_count() > 0);
        known.push(Known { origin: Origin::here(), address, event_loop, mailbox: Arc::downgrade(&mailbox) });
        Ok(mailbox)
    }

    /// A mailbox that the loop watches until it is closed, if it can.
    fn watched_by(
        event_loop: &Bound<'_, PyAny>,
        reference: &Bound<'_, PyWeakrefReference>,
    ) -> PyResult<Option<Arc<Self>>> {
        let Some((sender, receiver)) = wakeup::pair() else { return Ok(None) };
        let mailbox = Self::new(Way::Wake(sender));
        let receiver = Arc::new(receiver);
        let watching = Watching { receiver: Arc::clone(&receiver), event_loop: reference.clone().unbind() };
        let delivery = Delivery { mailbox: Arc::clone(&mailbox), watching: Some(watching) };
        let is_watched = receiver.call(event_loop, Bound::new(event_loop.py(), delivery)?.as_any())?;
        Ok(is_watched.then_some(mailbox))
    }

    fn known(event_loop: &Bound<'_, PyAny>) -> Option<(Option<Arc<Self>>, Origin)> {
        let (py, address) = (event_loop.py(), event_loop.as_ptr().addr());
        let known = lock(&KNOWN);
        let of_this =
            known.iter().find(|known| known.address == address && known.event_loop.bind(py).upgrade().is_some());
        of_this.map(|known| (known.mailbox.upgrade(), known.origin))
    }

    fn new(way: Way) -> Arc<Self> {
        Arc::new(Self {
            origin: Origin::here(),
            completions: Mutex::default(),
            way,
            is_closed: watch::Sender::default(),
        })
    }

    /// What work comes to, unless the loop is closed first.
    pub(super) async fn unless_closed<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let mut is_closed = self.is_closed.subscribe();
        let closed = pin!(is_closed.wait_for(|is_closed| *is_closed));
        tokio::select! {
            biased;
            done = work => Some(done),
            _ = closed => None,
        }
    }

    pub(super) fn put(self: &Arc<Self>, completion: Completion) {
        let mut completions = lock(&self.completions);
        let was_empty = completions.is_empty();
        completions.push(completion);
        drop(completions);
        if was_empty {
            match &self.way {
                Way::Wake(sender) => sender.wake(),
                Way::Call { runtime, .. } => {
                    let mailbox = Arc::clone(self);
                    runtime.spawn_blocking(move || ending::attach(|py| mailbox.call(py)));
                }
            }
        }
    }

    /// Calls the loop. One that was closed meanwhile refuses; its futures are nobody's any more.
    fn call(self: Arc<Self>, py: Python<'_>) {
        if let Way::Call { event_loop, .. } = &self.way {
            let delivery = Delivery { mailbox: Arc::clone(&self), watching: None };
            let _ = event_loop.call_method1(py, intern!(py, "call_soon_threadsafe"), (delivery,));
        }
    }

    /// Completes what has come, on the thread of the loop.
    pub(super) fn empty(&self, py: Python<'_>) -> PyResult<()> {
        if self.origin.is_the_parents() {
            // It may have been locked when this process was forked, and what is in it is the parent's.
            return Ok(());
        }
        let completions = mem::take(&mut *lock(&self.completions));
        // What is wrong with one is no reason to keep the others.
        let completed: Vec<PyResult<()>> = completions.into_iter().map(|completion| complete(py, completion)).collect();
        completed.into_iter().collect()
    }
}

/// What a loop calls when there is something in its mailbox.
#[pyclass(frozen)]
struct Delivery {
    mailbox: Arc<Mailbox>,
    watching: Option<Watching>,
}

/// What a loop watches, and which loop that is.
struct Watching {
    receiver: Arc<WakeReceiver>,
    event_loop: Py<PyWeakrefReference>,
}

impl Watching {
    /// Whether the loop is closed or gone, and has not merely been told to watch no more.
    fn is_over(&self, py: Python<'_>) -> bool {
        let Some(event_loop) = self.event_loop.bind(py).upgrade() else { return true };
        let is_closed = event_loop.call_method0(intern!(py, "is_closed")).and_then(|is_closed| is_closed.is_truthy());
        is_closed.unwrap_or_default()
    }
}

#[pymethods]
impl Delivery {
    fn __call__(&self, py: Python<'_>) -> PyResult<()> {
        let _inside = Inside::enter(py);
        // Before it is emptied, so that what comes after wakes the loop again.
        if let Some(watching) = &self.watching {
            watching.receiver.drain();
        }
        self.mailbox.empty(py)
    }
}

impl Drop for Delivery {
    /// A loop lets go of what it watches when it is closed.
    #[expect(clippy::disallowed_methods, reason = "Python drops it, and so is attached already")]
    fn drop(&mut self) {
        let Some(watching) = self.watching.as_ref().filter(|_| !self.mailbox.origin.is_the_parents()) else { return };
        let is_over = Python::try_attach(|py| {
            let _inside = Inside::enter(py);
            watching.is_over(py)
        });
        if is_over == Some(true) {
            self.mailbox.is_closed.send_replace(true);
        }
    }
}

/// Completes a future, unless it is done: cancelled, or told of an error by its watcher.
fn complete(py: Python<'_>, completion: Completion) -> PyResult<()> {
    // The loop is woken until this is over.
    let Completion { future, outcome, beating: _beating } = completion;
    let future = future.bind(py);
    if future.call_method0(intern!(py, "done"))?.is_truthy()? {
        return Ok(());
    }
    match border::answered(py, outcome) {
        Ok(value) => future.call_method1(intern!(py, "set_result"), (value,))?,
        Err(error) => future.call_method1(intern!(py, "set_exception"), (error,))?,
    };
    Ok(())
}
