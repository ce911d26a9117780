//! How a thread without the interpreter wakes an event loop: by a byte in a socket that the loop watches.

use std::io::{Read as _, Write as _};

use pyo3::exceptions::{PyNotImplementedError, PyOSError};
use pyo3::intern;
use pyo3::prelude::*;

use system::Socket;

/// The end of the socket that any thread may write to.
pub(super) struct WakeSender(Socket);

/// The end that a loop watches.
pub(super) struct WakeReceiver(Socket);

/// Both ends; `None` where there are none to be had, because too many files are open or the system has no such thing.
pub(super) fn pair() -> Option<(WakeSender, WakeReceiver)> {
    let (sender, receiver) = system::pair().ok()?;
    Some((WakeSender(sender), WakeReceiver(receiver)))
}

impl WakeSender {
    /// Nothing comes of it where the loop was closed meanwhile.
    pub(super) fn wake(&self) {
        let _ = (&self.0).write(&[0]);
    }
}

impl WakeReceiver {
    /// Has a loop call `callback` whenever the sender wakes it, until it is closed; `false` where it watches nothing,
    /// or no more.
    pub(super) fn call(&self, event_loop: &Bound<'_, PyAny>, callback: &Bound<'_, PyAny>) -> PyResult<bool> {
        let py = event_loop.py();
        let Some(add_reader) = event_loop.getattr_opt(intern!(py, "add_reader"))? else { return Ok(false) };
        // In a context of nobody's: that of the first who waits would live as long as the loop.
        let context = py.import(intern!(py, "contextvars"))?.call_method0(intern!(py, "Context"))?;
        match context.call_method1(intern!(py, "run"), (add_reader, system::number(&self.0), callback)) {
            Ok(_) => Ok(true),
            Err(error) => {
                let watches_nothing = error.is_instance_of::<PyNotImplementedError>(py);
                // A system watches so many sockets and no more.
                let is_full = error.is_instance_of::<PyOSError>(py);
                if watches_nothing || is_full { Ok(false) } else { Err(error) }
            }
        }
    }

    /// Takes out what woke the loop, so that it can be woken anew.
    pub(super) fn drain(&self) {
        let _ = (&self.0).read(&mut [0; 16]);
    }
}

#[cfg(unix)]
mod system {
    use std::io;
    use std::os::fd::{AsRawFd as _, RawFd};
    pub(super) use std::os::unix::net::UnixStream as Socket;

    pub(super) fn pair() -> io::Result<(Socket, Socket)> {
        let (one, other) = Socket::pair()?;
        one.set_nonblocking(true)?;
        other.set_nonblocking(true)?;
        Ok((one, other))
    }

    pub(super) fn number(socket: &Socket) -> RawFd {
        socket.as_raw_fd()
    }
}

/// The loop that is the default on Windows watches nothing.
#[cfg(not(unix))]
mod system {
    use std::io;
    pub(super) use std::net::TcpStream as Socket;

    pub(super) fn pair() -> io::Result<(Socket, Socket)> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn number(_: &Socket) -> i32 {
        -1
    }
}
