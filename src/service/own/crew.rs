//! Threads for runs of own agents: so many at once, the others wait for their turn.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, mpsc};

use serde_json::{Map, Value};

use super::agent::Source;
use super::feed::Feed;
use crate::lock::lock;

/// How many runs of own agents are at work at once. Those that are waiting for the network cost little.
const MOST: usize = 32;

#[derive(Debug, Default)]
pub(in crate::service) struct Crew(Mutex<Line>);

#[derive(Debug, Default)]
struct Line {
    at_work: usize,
    waiting: VecDeque<Task>,
}

/// A run that was accepted and is to be brought.
#[derive(Debug)]
pub(in crate::service) struct Task {
    pub(in crate::service) source: Arc<dyn Source>,
    pub(in crate::service) params: Map<String, Value>,
    pub(in crate::service) feed: Feed,
}

/// The right to be at work; who drops it calls the next.
#[derive(Debug)]
pub(super) struct Seat(Arc<Crew>);

impl Crew {
    /// Brings a run on a thread of its own, as soon as it is its turn.
    pub(in crate::service) fn send(self: &Arc<Self>, task: Task) {
        let mut line = self.lock();
        line.waiting.push_back(task);
        if line.at_work < MOST {
            line.at_work += 1;
            drop(line);
            self.fill_seat();
        }
    }

    /// Sends everybody home who is still waiting.
    pub(in crate::service) fn close(&self) {
        let waiting = std::mem::take(&mut self.lock().waiting);
        // Only here, without the lock: their jobs end with them.
        drop(waiting);
    }

    /// Gives a free seat to the next whose rows are still wanted, or puts it away. What was cancelled while it waited
    /// is never begun: it may cost somebody money.
    fn fill_seat(self: &Arc<Self>) {
        while let Some(task) = self.next() {
            // Where there is no thread to be had, the feed is dropped, and its job has failed.
            if !task.feed.is_stopped() && begin(task, self) {
                return;
            }
        }
    }

    fn next(&self) -> Option<Task> {
        let mut line = self.lock();
        let next = line.waiting.pop_front();
        if next.is_none() {
            line.at_work -= 1;
        }
        next
    }

    fn lock(&self) -> MutexGuard<'_, Line> {
        lock(&self.0)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.0.fill_seat();
    }
}

/// Sets a run to work; false where there is no thread for it. It takes its seat on its thread, so that one which does
/// not get that far leaves the seat to the next.
fn begin(task: Task, crew: &Arc<Crew>) -> bool {
    let (hand, handed) = mpsc::sync_channel::<Task>(1);
    let crew = Arc::clone(crew);
    let work = move || {
        if let Ok(Task { source, params, mut feed }) = handed.recv() {
            feed.take_seat(Seat(crew));
            source.bring(params, feed);
        }
    };
    std::thread::Builder::new().name("rowhaul-agent".to_owned()).spawn(work).is_ok() && hand.send(task).is_ok()
}
