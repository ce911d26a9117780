//! What Python does before and after it forks.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::{ending, logging};
use crate::client::forget_ledger_writes;
use crate::ledger;

/// Has Python close every ledger before it forks: an open database does not survive that.
pub(super) fn register(py: Python<'_>) -> PyResult<()> {
    // Not there where there is no fork.
    let Some(register) = py.import("os")?.getattr_opt("register_at_fork")? else { return Ok(()) };
    let hooks = PyDict::new(py);
    hooks.set_item("before", wrap_pyfunction!(before_fork, py)?)?;
    hooks.set_item("after_in_parent", wrap_pyfunction!(after_fork_in_parent, py)?)?;
    hooks.set_item("after_in_child", wrap_pyfunction!(after_fork_in_child, py)?)?;
    register.call((), Some(&hooks)).map(drop)
}

#[pyfunction]
fn before_fork() {
    ledger::before_fork();
}

#[pyfunction]
fn after_fork_in_parent() {
    ledger::after_fork_in_parent();
}

#[pyfunction]
fn after_fork_in_child() {
    ledger::after_fork_in_child();
    logging::after_fork_in_child();
    forget_ledger_writes();
    ending::forget_others();
}
