//! A thread that does one thing after the other for one owner.
//!
//! Allocators keep a heap for each thread, and which thread of a pool does the next thing is chance. What makes large
//! things again and again, and lets go of each before the next, would leave a share of them in every heap.

use std::io;
use std::sync::Mutex;
use std::sync::mpsc::{Sender, channel};
use std::thread;

use super::origin::DroppedHere;
use crate::lock::lock;

/// Something to do; it does not panic.
pub(super) type Task = Box<dyn FnOnce() + Send>;

/// Starts its thread at the first need. The thread ends when this is dropped, after what it is at.
#[derive(Debug, Default)]
pub(super) struct OwnThread(Mutex<Option<DroppedHere<Sender<Task>>>>);

impl OwnThread {
    /// Has it done when all before is done. Not called in a fork of the process that it was made in.
    pub(super) fn give(&self, task: Task) -> io::Result<()> {
        let mut thread = lock(&self.0);
        let tasks = match &mut *thread {
            Some(tasks) => tasks,
            none => none.insert(DroppedHere::new(start()?)),
        };
        tasks.send(task).map_err(|_| io::Error::other("a thread of rowhaul has ended"))
    }
}

fn start() -> io::Result<Sender<Task>> {
    let (tasks, given) = channel::<Task>();
    thread::Builder::new()
        .name("rowhaul-stream".to_owned())
        .spawn(move || given.into_iter().for_each(|task| task()))?;
    Ok(tasks)
}
