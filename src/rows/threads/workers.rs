//! The threads that help to read a body and to make its table, and the queue they take tasks from.
//!
//! They end when [`Workers`] is dropped, which waits for the tasks they are at: to end reading takes no longer than to
//! read a row and to seal what was read. It does not wait for threads that sleep. They hold nothing, and to wake and to
//! join one takes longer than to make a batch.

use std::collections::VecDeque;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use super::affinity::send_apart;
use crate::lock::lock;

/// More threads than this would wait for the one that feeds them or for memory, and each holds chunks.
pub(in crate::rows) const MAX_THREADS: usize = 16;

/// What one thread does in one go. The flag that it gets is set once no more results are wanted: it may then stop
/// anywhere.
pub(in crate::rows) type Task = Box<dyn FnOnce(&AtomicBool) + Send>;

pub(in crate::rows) struct Workers {
    queue: Arc<Queue>,
    threads: Vec<JoinHandle<()>>,
}

#[derive(Default)]
struct Queue {
    state: Mutex<State>,
    /// A task was added, or it is over.
    changed: Condvar,
    /// The last of the threads that worked has done its task.
    idle: Condvar,
    is_cancelled: AtomicBool,
}

#[derive(Default)]
struct State {
    tasks: VecDeque<Task>,
    /// How many of the threads are at a task.
    working: usize,
}

impl Workers {
    /// Starts `count` threads, or as many as can be had; `None` if there are none.
    pub(in crate::rows) fn spawn(count: usize) -> Option<Self> {
        let queue = Arc::new(Queue::default());
        let start = |_| {
            let queue = Arc::clone(&queue);
            thread::Builder::new().name("rowhaul-decode".to_owned()).spawn(move || queue.work()).ok()
        };
        let threads: Vec<_> = (0..count).map_while(start).collect();
        (!threads.is_empty()).then_some(Self { queue, threads })
    }

    pub(in crate::rows) fn submit(&self, task: Task) {
        self.queue.state().tasks.push_back(task);
        self.queue.changed.notify_one();
        self.threads.iter().for_each(send_apart);
    }

    /// Queues as many tasks as there are threads; one thread may take several.
    pub(in crate::rows) fn submit_one_per_thread(&self, task: impl FnMut() -> Task) {
        self.queue.state().tasks.extend(std::iter::repeat_with(task).take(self.threads.len()));
        self.queue.changed.notify_all();
        self.threads.iter().for_each(send_apart);
    }

    /// Whether more tasks wait than half of the threads could take next.
    pub(in crate::rows) fn has_backlog(&self) -> bool {
        self.queue.state().tasks.len() > self.threads.len().div_ceil(2)
    }

    /// Does the task that has waited longest, in the thread that calls; `false` where none waits.
    pub(in crate::rows) fn run_one(&self) -> bool {
        let task = self.queue.state().tasks.pop_front();
        let is_one = task.is_some();
        if let Some(task) = task {
            self.queue.run(task);
        }
        is_one
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        let mut state = self.queue.state();
        self.queue.is_cancelled.store(true, Ordering::Relaxed);
        state.tasks.clear();
        self.queue.changed.notify_all();
        while state.working > 0 {
            state = self.queue.idle.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Queue {
    fn work(&self) {
        while let Some(task) = self.next() {
            self.run(task);
            self.done();
        }
    }

    /// Waits for a task; `None` when it is over.
    fn next(&self) -> Option<Task> {
        let mut state = self.state();
        while state.tasks.is_empty() && !self.is_cancelled.load(Ordering::Relaxed) {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let task = state.tasks.pop_front()?;
        state.working += 1;
        Some(task)
    }

    fn done(&self) {
        let mut state = self.state();
        state.working -= 1;
        if state.working == 0 {
            self.idle.notify_one();
        }
    }

    /// A task that panics is lost with what it holds, and the thread goes on.
    fn run(&self, task: Task) {
        let _ = panic::catch_unwind(AssertUnwindSafe(|| task(&self.is_cancelled)));
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn dropping_workers_ends_their_threads_and_forgets_what_waits() {
        let mut workers = Workers::spawn(3).unwrap();
        let (started, has_started) = mpsc::channel();
        let held = Arc::new(());
        for _ in 0..5 {
            let (started, held) = (started.clone(), Arc::clone(&held));
            workers.submit(Box::new(move |is_cancelled| {
                started.send(()).unwrap();
                while !is_cancelled.load(Ordering::Relaxed) {
                    thread::yield_now();
                }
                drop(held);
            }));
        }
        (0..3).for_each(|_| has_started.recv().unwrap());
        let threads = std::mem::take(&mut workers.threads);
        drop(workers);
        assert_eq!(Arc::strong_count(&held), 1);
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        has_started.try_recv().unwrap_err();
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
