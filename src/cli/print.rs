//! Standard output: line by line, and whether it could be written.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write};
use std::sync::{Mutex, PoisonError};

use super::Failure;

/// The first write that failed. What is under way when it does goes on: rows that are paid for are fetched and saved.
static FAILED: Mutex<Option<std::io::Error>> = Mutex::new(None);

/// Prints a line. Where nobody reads any more nothing is lost; any other failure is told at the end.
pub(super) fn line(text: Arguments<'_>) {
    let mut out = std::io::stdout().lock();
    let written = out.write_fmt(text).and_then(|()| out.write_all(b"\n"));
    if let Some(error) = written.err().filter(|error| error.kind() != ErrorKind::BrokenPipe) {
        FAILED.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }
}

/// Whether everything that was printed since it was last asked went where it should.
pub(super) fn all_was_written() -> Result<(), Failure> {
    let failed = FAILED.lock().unwrap_or_else(PoisonError::into_inner).take();
    failed.map_or(Ok(()), |error| Err(format!("not all could be printed: {error}").into()))
}
