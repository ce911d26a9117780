//! What Python sees: the extension module `rowhaul._core`, private to the package.
//!
//! An operation of the client becomes a [`pending::Pending`], which is waited for by blocking or by `await`; values of
//! Rust become frozen classes. Nothing but this module names pyo3, and nothing imports this module.

#![expect(clippy::needless_pass_by_value, reason = "arguments arrive as Python's values become Rust's: owned")]
#![expect(clippy::too_many_arguments, reason = "options have names in Python, where each stands with its default")]

mod at_fork;
mod border;
mod delivery;
mod ending;
mod event_loop;
mod heartbeat;
mod mailbox;
mod origin;
mod pending;
mod runtime;
mod wakeup;

mod agents;
mod client;
mod command_line;
mod connection;
mod job;
mod ledger;
mod many;
mod own_agent;
mod rows;
mod service;
mod stream;

mod buffers;
mod capsule;
mod json_text;
mod logging;
mod moments;
mod options;
mod own_thread;
mod raise;
mod read;
mod saved;
mod values;

use pyo3::prelude::*;

#[pymodule]
mod _core {
    use super::{Bound, PyModule, PyModuleMethods, PyResult};

    #[pymodule_export]
    use super::agents::{PyAgentDetails, PyAgentSummary, PyEstimate, complete};
    #[pymodule_export]
    use super::client::PyClient;
    #[pymodule_export]
    use super::command_line::main;
    #[pymodule_export]
    use super::ending::shutdown;
    #[pymodule_export]
    use super::job::PyJob;
    #[pymodule_export]
    use super::ledger::{PyEntry, PyResuming, PySettled};
    #[pymodule_export]
    use super::logging::{log_from, logged};
    #[pymodule_export]
    use super::many::PyMany;
    #[pymodule_export]
    use super::own_agent::{PyFeed, json_text, raw_rows};
    #[pymodule_export]
    use super::pending::Pending;
    #[pymodule_export]
    use super::read::{PyDecoder, concat, read_json, read_json_file};
    #[pymodule_export]
    use super::rows::PyRows;
    #[pymodule_export]
    use super::service::{PyInjected, PyLocalService};
    #[pymodule_export]
    use super::stream::PyStream;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        super::logging::take_over();
        super::at_fork::register(module.py())?;
        super::ending::close_gate_at_exit(module.py())?;
        super::ending::begin_at_exit(module.py(), module)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
