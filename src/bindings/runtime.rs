//! The runtime of this process, built at the first need and again after a fork.
//!
//! The slot is only locked while attached to the interpreter and never across a detach, so a fork (which Python does
//! attached) never copies a locked slot. What was built before a fork is forgotten, not dropped, because its threads do
//! not exist in the child.

use std::sync::{Arc, Mutex, MutexGuard};

use pyo3::prelude::*;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::Notify;

use super::ending;
use super::origin::DroppedHere;
use crate::lock::lock;

static SLOT: Mutex<Option<DroppedHere<Slot>>> = Mutex::new(None);

/// What is built once in each process.
struct Slot {
    runtime: Runtime,
    /// Tells what is awaited that the interpreter is about to exit.
    near: Arc<Notify>,
}

/// The runtime of this process, built at the first need and again after a fork.
pub(super) fn handle(py: Python<'_>) -> PyResult<Handle> {
    with_slot(py, |slot| slot.runtime.handle().clone())
}

/// What an operation that is awaited needs: the runtime, and what tells it of the end of the interpreter.
pub(super) fn for_awaited(py: Python<'_>) -> PyResult<(Handle, Arc<Notify>)> {
    with_slot(py, |slot| (slot.runtime.handle().clone(), Arc::clone(&slot.near)))
}

/// Ends what is awaited in this process; what the parent of a fork awaits is not touched, for its lists may be locked.
pub(super) fn end_awaited() {
    if let Some(slot) = slot().as_ref() {
        slot.near.notify_waiters();
    }
}

fn with_slot<T>(py: Python<'_>, take: impl FnOnce(&Slot) -> T) -> PyResult<T> {
    if ending::is_near() {
        return Err(ending::error(py));
    }
    let mut slot = slot();
    if let Some(slot) = slot.as_ref() {
        return Ok(take(slot));
    }
    let built = DroppedHere::new(Slot { runtime: build()?, near: Arc::default() });
    Ok(take(slot.insert(built)))
}

/// The slot, empty where nothing was built in this process.
fn slot() -> MutexGuard<'static, Option<DroppedHere<Slot>>> {
    let mut slot = lock(&SLOT);
    if slot.as_ref().is_some_and(DroppedHere::is_the_parents) {
        *slot = None;
    }
    slot
}

fn build() -> std::io::Result<Runtime> {
    Builder::new_multi_thread().worker_threads(2).thread_name("rowhaul").enable_all().build()
}
