//! The threads that read ahead, and the queue they take blocks from.
//!
//! They end when [`Workers`] is dropped, which waits no longer than it takes to read a row and to seal what was read.

use std::collections::VecDeque;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use crate::lock::lock;
use crate::rows::threads::affinity::send_apart;

/// What one thread does in one go. Once the flag that it gets is set, nobody wants its result: it may stop anywhere.
pub(super) type Task = Box<dyn FnOnce(&AtomicBool) + Send>;

pub(super) struct Workers {
    queue: Arc<Queue>,
    threads: Vec<JoinHandle<()>>,
}

#[derive(Default)]
struct Queue {
    tasks: Mutex<VecDeque<Task>>,
    /// A task was added, or it is over.
    changed: Condvar,
    is_cancelled: AtomicBool,
}

impl Workers {
    /// Starts `count` threads, or as many as can be had; `None` if there are none.
    pub(super) fn spawn(count: usize) -> Option<Self> {
        let queue = Arc::new(Queue::default());
        let start = |_| {
            let queue = Arc::clone(&queue);
            thread::Builder::new().name("rowhaul-decode".to_owned()).spawn(move || queue.work()).ok()
        };
        let threads: Vec<_> = (0..count).map_while(start).collect();
        (!threads.is_empty()).then_some(Self { queue, threads })
    }

    pub(super) fn submit(&self, task: Task) {
        self.queue.tasks().push_back(task);
        self.queue.changed.notify_one();
        self.threads.iter().for_each(send_apart);
    }

    /// Whether more tasks wait than half of the threads will take when they are done.
    pub(super) fn has_backlog(&self) -> bool {
        self.queue.tasks().len() > self.threads.len().div_ceil(2)
    }

    /// Does the task that has waited longest in this thread; `false` where none waits.
    pub(super) fn run_one(&self) -> bool {
        let task = self.queue.tasks().pop_front();
        let is_one = task.is_some();
        if let Some(task) = task {
            self.queue.run(task);
        }
        is_one
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        {
            let mut tasks = self.queue.tasks();
            self.queue.is_cancelled.store(true, Ordering::Relaxed);
            tasks.clear();
        }
        self.queue.changed.notify_all();
        for thread in self.threads.drain(..) {
            // Panics were caught where they may occur.
            let _ = thread.join();
        }
    }
}

impl Queue {
    fn work(&self) {
        while let Some(task) = self.next() {
            self.run(task);
        }
    }

    /// Waits for a task; `None` when it is over.
    fn next(&self) -> Option<Task> {
        let mut tasks = self.tasks();
        while tasks.is_empty() && !self.is_cancelled.load(Ordering::Relaxed) {
            tasks = self.changed.wait(tasks).unwrap_or_else(PoisonError::into_inner);
        }
        tasks.pop_front()
    }

    /// A task that panics is lost with what it holds, and the thread goes on.
    fn run(&self, task: Task) {
        let _ = panic::catch_unwind(AssertUnwindSafe(|| task(&self.is_cancelled)));
    }

    fn tasks(&self) -> MutexGuard<'_, VecDeque<Task>> {
        lock(&self.tasks)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn dropping_workers_ends_their_threads_and_forgets_what_waits() {
        let workers = Workers::spawn(3).unwrap();
        let (started, has_started) = mpsc::channel();
        workers.submit(Box::new(move |is_cancelled| {
            started.send(()).unwrap();
            while !is_cancelled.load(Ordering::Relaxed) {
                thread::yield_now();
            }
        }));
        has_started.recv().unwrap();
        let queue = Arc::downgrade(&workers.queue);
        drop(workers);
        assert!(queue.upgrade().is_none());
    }

    #[test]
    fn a_task_that_panics_takes_nothing_else_with_it() {
        let workers = Workers::spawn(1).unwrap();
        let (done, results) = mpsc::channel();
        for number in 0..4 {
            let done = done.clone();
            workers.submit(Box::new(move |_| {
                assert!(number != 1, "this panic belongs to a test");
                done.send(number).unwrap();
            }));
        }
        drop(done);
        while workers.run_one() {}
        let mut results: Vec<i32> = results.iter().collect();
        results.sort_unstable();
        assert_eq!(results, [0, 2, 3]);
    }
}
