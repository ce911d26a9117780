//! Standard output: line by line, or rows, and whether it could be written.

use std::fmt::Arguments;
use std::io::{BufWriter, ErrorKind, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Failure;
use crate::lock::lock;

/// The first write that failed. What is under way when it does goes on: rows that are paid for are fetched and saved.
static FAILED: Mutex<Option<std::io::Error>> = Mutex::new(None);

/// Whether standard output is for rows alone, and lines go to standard error.
static IS_FOR_ROWS: AtomicBool = AtomicBool::new(false);

/// Prints a line. Where nobody reads any more nothing is lost; any other failure is told at the end.
pub(super) fn line(text: Arguments<'_>) {
    let mut out: Box<dyn Write> = if IS_FOR_ROWS.load(Ordering::Relaxed) {
        Box::new(std::io::stderr().lock())
    } else {
        Box::new(std::io::stdout().lock())
    };
    let written = out.write_fmt(text).and_then(|()| out.write_all(b"\n"));
    if let Some(error) = written.err().filter(|error| error.kind() != ErrorKind::BrokenPipe) {
        lock(&FAILED).get_or_insert(error);
    }
}

/// Leaves standard output to rows: from here on lines go to standard error.
pub(super) fn leave_output_to_rows() {
    IS_FOR_ROWS.store(true, Ordering::Relaxed);
}

/// Has rows written to standard output, and gives whether somebody read on to the end. To stop before is no fault.
pub(super) fn rows(write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> std::io::Result<bool> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    match write(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        written => written.map(|()| true),
    }
}

/// Whether everything that was printed since it was last asked went where it should. What comes next goes to standard
/// output again.
pub(super) fn all_was_written() -> Result<(), Failure> {
    IS_FOR_ROWS.store(false, Ordering::Relaxed);
    let failed = lock(&FAILED).take();
    failed.map_or(Ok(()), |error| Err(format!("not all could be printed: {error}").into()))
}
