//! Having it written down that the rows of jobs are with the user: nobody waits long for a disk.

use std::sync::mpsc::sync_channel;
use std::time::Duration;

use pyo3::prelude::*;
use tokio::runtime::Handle;

use super::ending;
use super::runtime;
use crate::client::{Client, Job};

/// How long a call waits for it that the next may look for. Another process may keep the ledger for seconds.
const AT_MOST: Duration = Duration::from_millis(50);

/// Has it written down beside what Python does next, which an event loop waits for. Where Python is closing it is not
/// written down, and the rows are with the user all the same.
pub(super) fn deliver_soon<'a>(py: Python<'_>, client: &Client, jobs: impl IntoIterator<Item = &'a Job>) {
    // Of those before nobody waits: the last writes all of them.
    let written = jobs.into_iter().map(|job| client.delivered(job)).last();
    if let (Some(written), Ok(runtime)) = (written, runtime::handle(py)) {
        runtime.spawn(written);
    }
}

/// The same, and whoever looks into the ledger next finds it, unless another process keeps that for long.
pub(super) fn deliver_now(py: Python<'_>, client: &Client, job: &Job) {
    let written = client.delivered(job);
    if let Ok(runtime) = runtime::handle(py) {
        ending::detach(py, || wait_for(&runtime, written));
    }
}

/// The same for a thread of a receiver's, of which nobody knows whether it is attached to the interpreter.
pub(super) fn deliver_on(runtime: &Handle, client: &Client, job: &Job) {
    wait_for(runtime, client.delivered(job));
}

fn wait_for(runtime: &Handle, written: impl Future<Output = ()> + Send + 'static) {
    let (sender, receiver) = sync_channel(1);
    runtime.spawn(async move {
        written.await;
        let _ = sender.send(());
    });
    let _ = receiver.recv_timeout(AT_MOST);
}
