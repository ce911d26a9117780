//! Threads for runs of own agents: so many at once, the others wait for their turn.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value};

use super::agent::Source;
use super::feed::Feed;

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
        let mut line = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if line.at_work == MOST {
            line.waiting.push_back(task);
            return;
        }
        line.at_work += 1;
        drop(line);
        begin(task, Seat(Arc::clone(self)));
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut line = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        let next = line.waiting.pop_front();
        if next.is_none() {
            line.at_work -= 1;
        }
        drop(line);
        if let Some(task) = next {
            begin(task, Seat(Arc::clone(&self.0)));
        }
    }
}

fn begin(task: Task, seat: Seat) {
    let Task { source, params, mut feed } = task;
    feed.take_seat(seat);
    // Where there is no thread to be had, the feed is dropped, and its job has failed.
    let _ = std::thread::Builder::new().name("rowhaul-agent".to_owned()).spawn(move || source.bring(params, feed));
}
