//! What the client logs, held until a thread that waits for the client takes it to Python's `logging`: no other calls
//! Python.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, TryLockError};

use log::{Level, LevelFilter, Log, Metadata, Record};
use pyo3::prelude::*;

use crate::lock::lock;

/// More lines than this are not held; the oldest go.
const MOST: usize = 1000;

static LINES: Lines = Lines(Mutex::new(VecDeque::new()));

/// Whether lines are not held here, as in a process that was forked while a thread was adding one: that thread is not
/// there to let go of them.
static IS_LOST: AtomicBool = AtomicBool::new(false);

/// Lines with their levels as Python counts those.
struct Lines(Mutex<VecDeque<(u8, String)>>);

impl Log for Lines {
    /// Nothing of the libraries below is logged: they know the key.
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with(concat!(env!("CARGO_PKG_NAME"), "::"))
    }

    fn log(&self, record: &Record<'_>) {
        if !self.enabled(record.metadata()) {
            return;
        }
        let line = (python_level(record.level()), record.args().to_string());
        let mut lines = lock(&self.0);
        if lines.len() == MOST {
            lines.pop_front();
        }
        lines.push_back(line);
    }

    fn flush(&self) {}
}

fn python_level(level: Level) -> u8 {
    match level {
        Level::Error => 40,
        Level::Warn => 30,
        Level::Info => 20,
        Level::Debug | Level::Trace => 10,
    }
}

/// Has all that is logged in this process held here.
pub(super) fn take_over() {
    // Where a program has embedded this module and logs itself, its logger stays, and it gets all of it.
    if log::set_logger(&LINES).is_err() {
        IS_LOST.store(true, Ordering::Relaxed);
    }
}

/// The parent logs its lines itself.
pub(super) fn after_fork_in_child() {
    match LINES.0.try_lock() {
        Ok(mut lines) => lines.clear(),
        Err(TryLockError::Poisoned(lines)) => lines.into_inner().clear(),
        Err(TryLockError::WouldBlock) => {
            log::set_max_level(LevelFilter::Off);
            IS_LOST.store(true, Ordering::Relaxed);
        }
    }
}

/// Has lines of this level and above held, as Python counts them.
#[pyfunction]
#[pyo3(signature = (level, /))]
pub(super) fn log_from(level: i64) {
    if IS_LOST.load(Ordering::Relaxed) {
        return;
    }
    log::set_max_level(match level {
        ..=10 => LevelFilter::Debug,
        11..=20 => LevelFilter::Info,
        _ => LevelFilter::Off,
    });
}

/// Takes the lines that are held.
#[pyfunction]
#[pyo3(signature = ())]
pub(super) fn logged() -> Vec<(u8, String)> {
    if IS_LOST.load(Ordering::Relaxed) { Vec::new() } else { lock(&LINES.0).drain(..).collect() }
}
