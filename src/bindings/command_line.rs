//! The command line, which Python runs.

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;

use super::border;
use crate::client::Progress;

/// Runs the command line and gives its exit code; Ctrl-C ends it as it ends any program, and its job is told.
#[pyfunction]
#[pyo3(signature = (argv))]
pub(super) fn main(py: Python<'_>, argv: Vec<String>) -> PyResult<Py<PyAny>> {
    let progress = Progress::new();
    let of_command = progress.clone();
    let work = async move {
        let code = crate::cli::main(argv, of_command).await;
        let answer: border::Answer = Box::new(move |py| code.into_py_any(py));
        answer
    };
    border::wait(py, Box::pin(work), |_| Ok(())).inspect_err(|_| crate::cli::given_up(&progress))
}
