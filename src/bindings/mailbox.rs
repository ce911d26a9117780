//! How answers come back to an event loop. Each loop has a mailbox; whatever puts something into an empty one rings, and the
//! loop then takes out all there is, since waking a loop is most of what an answer costs.
//!
//! The runtime's own threads ring, and never wait for the interpreter: most loops watch a socket, into which a byte is
//! written. One that cannot (on Windows it is the default) is called by a thread that waits in their place.

use std::cell::RefCell;
use std::io::{Read as _, Write as _};
use std::mem;
#[cfg(not(unix))]
use std::net::TcpStream as Socket;
#[cfg(unix)]
use std::os::{fd::AsRawFd as _, unix::net::UnixStream as Socket};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use pyo3::exceptions::PyNotImplementedError;
use pyo3::intern;
use pyo3::prelude::*;
use tokio::runtime::Handle;

use super::border::{self, Answer};
use super::ending::{self, Inside};
use super::heartbeat::Beating;

/// What a piece of work came to, or the panic that ended it, with the future that waits for it.
pub(super) struct Parcel {
    pub future: Py<PyAny>,
    pub outcome: std::thread::Result<Answer>,
    pub beating: Beating,
}

/// What is on its way to one loop.
pub(super) struct Mailbox {
    parcels: Mutex<Vec<Parcel>>,
    bell: Bell,
}

/// Tells a loop that there is something for it.
enum Bell {
    /// It watches the other end.
    #[cfg_attr(not(unix), expect(dead_code, reason = "none is watched"))]
    Socket(Socket),
    /// It is called, once the interpreter can be had.
    Call { runtime: Handle, event_loop: Py<PyAny> },
}

thread_local! {
    /// The mailboxes of this thread's loops, by the address of the loop. One is found while its loop has it or something is on
    /// its way to it, and until then no other loop has that address.
    static KNOWN: RefCell<Vec<(usize, Weak<Mailbox>)>> = const { RefCell::new(Vec::new()) };
}

impl Mailbox {
    /// The mailbox of the loop that runs in this thread.
    pub(super) fn of(event_loop: &Bound<'_, PyAny>, runtime: &Handle) -> PyResult<Arc<Self>> {
        let address = event_loop.as_ptr().addr();
        let known = KNOWN.with_borrow(|known| {
            known.iter().find(|(known, _)| *known == address).and_then(|(_, mailbox)| mailbox.upgrade())
        });
        if let Some(mailbox) = known {
            return Ok(mailbox);
        }
        let mailbox = match Self::watched(event_loop)? {
            Some(mailbox) => mailbox,
            None => Self::new(Bell::Call { runtime: runtime.clone(), event_loop: event_loop.clone().unbind() }),
        };
        KNOWN.with_borrow_mut(|known| {
            known.retain(|(known, mailbox)| *known != address && mailbox.strong_count() > 0);
            known.push((address, Arc::downgrade(&mailbox)));
        });
        Ok(mailbox)
    }

    fn new(bell: Bell) -> Arc<Self> {
        Arc::new(Self { parcels: Mutex::default(), bell })
    }

    /// A mailbox that the loop watches until it is closed, if it can.
    #[cfg(unix)]
    fn watched(event_loop: &Bound<'_, PyAny>) -> PyResult<Option<Arc<Self>>> {
        let py = event_loop.py();
        let (bell, heard) = Socket::pair()?;
        bell.set_nonblocking(true)?;
        heard.set_nonblocking(true)?;
        let mailbox = Self::new(Bell::Socket(bell));
        let descriptor = heard.as_raw_fd();
        let delivery = Bound::new(py, Delivery { mailbox: Arc::clone(&mailbox), heard: Some(heard) })?;
        let Some(add_reader) = event_loop.getattr_opt(intern!(py, "add_reader"))? else { return Ok(None) };
        // In a context of nobody's: that of the first who waits would live as long as the loop.
        let context = py.import(intern!(py, "contextvars"))?.call_method0(intern!(py, "Context"))?;
        match context.call_method1(intern!(py, "run"), (add_reader, descriptor, delivery)) {
            Ok(_) => Ok(Some(mailbox)),
            Err(error) if error.is_instance_of::<PyNotImplementedError>(py) => Ok(None),
            Err(error) => Err(error),
        }
    }

    #[cfg(not(unix))]
    fn watched(_: &Bound<'_, PyAny>) -> PyResult<Option<Arc<Self>>> {
        Ok(None)
    }

    pub(super) fn put(self: &Arc<Self>, parcel: Parcel) {
        let mut parcels = self.parcels();
        let was_empty = parcels.is_empty();
        parcels.push(parcel);
        drop(parcels);
        if was_empty {
            self.ring();
        }
    }

    /// A loop that was closed meanwhile does not hear it; its futures are nobody's any more.
    fn ring(self: &Arc<Self>) {
        match &self.bell {
            Bell::Socket(socket) => {
                let mut socket = socket;
                let _ = socket.write(&[0]);
            }
            Bell::Call { runtime, .. } => {
                let mailbox = Arc::clone(self);
                runtime.spawn_blocking(move || ending::attach(|py| mailbox.call(py)));
            }
        }
    }

    fn call(self: Arc<Self>, py: Python<'_>) {
        if let Bell::Call { event_loop, .. } = &self.bell {
            let delivery = Delivery { mailbox: Arc::clone(&self), heard: None };
            let _ = event_loop.call_method1(py, intern!(py, "call_soon_threadsafe"), (delivery,));
        }
    }

    fn parcels(&self) -> MutexGuard<'_, Vec<Parcel>> {
        self.parcels.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Empties a mailbox, on the thread of its loop.
#[pyclass(frozen)]
struct Delivery {
    mailbox: Arc<Mailbox>,
    heard: Option<Socket>,
}

#[pymethods]
impl Delivery {
    fn __call__(&self, py: Python<'_>) -> PyResult<()> {
        let _inside = Inside::enter();
        // Before it is emptied, so that what comes after rings again.
        if let Some(mut heard) = self.heard.as_ref() {
            let _ = heard.read(&mut [0; 16]);
        }
        let parcels = mem::take(&mut *self.mailbox.parcels());
        // What is wrong with one is no reason to keep the others.
        let completed: Vec<PyResult<()>> = parcels.into_iter().map(|parcel| complete(py, parcel)).collect();
        completed.into_iter().collect()
    }
}

/// Completes a future, unless it is done: cancelled, or told of an error by its watcher.
fn complete(py: Python<'_>, parcel: Parcel) -> PyResult<()> {
    // Which beats until the future is completed.
    let Parcel { future, outcome, beating: _beating } = parcel;
    let future = future.bind(py);
    if future.call_method0(intern!(py, "done"))?.is_truthy()? {
        return Ok(());
    }
    let result = match outcome {
        Ok(answer) => answer(py),
        Err(panic) => Err(border::panicked(py, &*panic)),
    };
    match result {
        Ok(value) => future.call_method1(intern!(py, "set_result"), (value,))?,
        Err(error) => future.call_method1(intern!(py, "set_exception"), (error,))?,
    };
    Ok(())
}
