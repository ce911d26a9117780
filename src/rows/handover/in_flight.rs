//! Chunks that were given out to be read, and come back in the order of the body.

use std::collections::VecDeque;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{self, Receiver, TryRecvError};

use bytes::Bytes;

use crate::rows::sequential::RowsAhead;
use crate::rows::threads::{Task, Workers};

/// So many chunks may be in flight however few threads there are; with more threads it is one for each.
pub(super) const MIN_IN_FLIGHT: usize = 3;

/// Those chunks, and the threads that read them.
pub(super) struct InFlight {
    /// The one that gives them out is among these.
    threads: usize,
    /// The others; none before the first chunk.
    workers: Option<Workers>,
    /// After the workers, which drop tasks that nobody began. A chunk may own an object of Python's, so the thread that
    /// gives it out is to be the last that lets go of it, unless reading it panics.
    given: VecDeque<Given>,
}

struct Given {
    chunk: Bytes,
    /// Brings the rows; disconnected where nobody read the chunk, or reading it panicked.
    ahead: Receiver<RowsAhead>,
}

/// A chunk that came back, with its rows if it was read.
pub(super) struct Returned {
    pub(super) chunk: Bytes,
    pub(super) ahead: Option<RowsAhead>,
}

impl InFlight {
    pub(super) fn new(threads: usize) -> Self {
        Self { threads, workers: None, given: VecDeque::new() }
    }

    /// Starts the other threads, unless they were started. Gives whether there are any.
    pub(super) fn start_workers(&mut self) -> bool {
        if self.workers.is_none() {
            self.workers = Workers::spawn(self.threads - 1);
        }
        self.workers.is_some()
    }

    /// Whether there are other threads, which are started for the first chunk.
    pub(super) fn has_workers(&self) -> bool {
        self.workers.is_some()
    }

    /// The other threads, which have nothing to do once all chunks came back.
    pub(super) fn into_workers(self) -> Option<Workers> {
        self.workers
    }

    /// How many chunks may be in flight before one has to come back.
    pub(super) fn most(&self) -> usize {
        self.threads.max(MIN_IN_FLIGHT)
    }

    /// Whether one has to come back before the next is begun.
    pub(super) fn is_full(&self) -> bool {
        self.given.len() > self.most()
    }

    /// Gives out a chunk that stands after all others, and helps where too many wait.
    pub(super) fn submit(
        &mut self,
        chunk: Bytes,
        read: impl FnOnce(&Bytes, &AtomicBool) -> RowsAhead + Send + 'static,
    ) {
        let (done, ahead) = mpsc::channel();
        let bytes = chunk.clone();
        let task: Task = Box::new(move |is_cancelled| {
            let rows = read(&bytes, is_cancelled);
            drop(bytes);
            // Nobody receives what is no longer wanted.
            let _ = done.send(rows);
        });
        self.given.push_back(Given { chunk, ahead });
        let workers = self.workers.as_ref().expect("they were started before the first chunk was cut");
        workers.submit(task);
        while workers.has_backlog() && workers.run_one() {}
    }

    /// Takes the first back if it is done.
    pub(super) fn take_finished(&mut self) -> Option<Returned> {
        let ahead = match self.given.front()?.ahead.try_recv() {
            Err(TryRecvError::Empty) => return None,
            received => received.ok(),
        };
        self.given.pop_front().map(|Given { chunk, .. }| Returned { chunk, ahead })
    }

    /// Takes the first back, whoever has to read it first.
    pub(super) fn take_next(&mut self) -> Option<Returned> {
        loop {
            if let Some(returned) = self.take_finished() {
                return Some(returned);
            }
            if !self.workers.as_ref().is_some_and(Workers::run_one) {
                break;
            }
        }
        let Given { chunk, ahead } = self.given.pop_front()?;
        Some(Returned { chunk, ahead: ahead.recv().ok() })
    }

    /// Takes all back as they are, and lets the workers end where they may be reading some of it.
    pub(super) fn cancel(&mut self) -> impl Iterator<Item = Bytes> {
        if !self.given.is_empty() {
            self.workers = None;
        }
        std::mem::take(&mut self.given).into_iter().map(|given| given.chunk)
    }
}
