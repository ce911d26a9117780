//! What the service was asked, for tests that count. The key is in none of it.

use std::collections::VecDeque;

use serde_json::{Map, Value};

/// How many requests are kept; older ones are forgotten, so that a service that runs for weeks does not grow by them.
const KEPT: usize = 100_000;

/// A request as it came in, refused or not.
#[derive(Debug, Clone, PartialEq)]
pub struct LoggedRequest {
    pub method: String,
    /// The path without its query.
    pub path: String,
    /// The status of the answer; `None` while it is being made, or when the caller left before it was.
    pub status: Option<u16>,
    /// `group/slug` of a run request whose body was read and whose agent exists.
    pub agent: Option<String>,
    /// The parameters of such a request, as sent.
    pub params: Option<Map<String, Value>>,
    /// The fault that was played, if one was.
    pub fault: Option<&'static str>,
}

/// A run that was accepted, and will be billed unless it is cancelled.
#[derive(Debug, Clone, PartialEq)]
pub struct Start {
    pub job_id: String,
    /// `group/slug`
    pub agent: String,
    pub params: Map<String, Value>,
    /// ISO 8601 in UTC
    pub created_at: String,
}

#[derive(Debug, Default)]
pub(super) struct RequestLog {
    entries: VecDeque<LoggedRequest>,
    forgotten: usize,
}

impl RequestLog {
    /// Notes a request and returns its number.
    pub(super) fn open(&mut self, method: &str, path: &str) -> usize {
        if self.entries.len() == KEPT {
            self.entries.pop_front();
            self.forgotten += 1;
        }
        let (method, path) = (method.to_owned(), path.to_owned());
        self.entries.push_back(LoggedRequest { method, path, status: None, agent: None, params: None, fault: None });
        self.forgotten + self.entries.len() - 1
    }

    /// Adds what became of a request: the status of its answer, if it got one, and the fault that was played.
    pub(super) fn close(&mut self, number: usize, status: Option<u16>, fault: Option<&'static str>) {
        if let Some(entry) = self.entry(number) {
            (entry.status, entry.fault) = (status, fault);
        }
    }

    /// Adds what a run request asked for.
    pub(super) fn tell(&mut self, number: usize, agent: String, params: Map<String, Value>) {
        if let Some(entry) = self.entry(number) {
            (entry.agent, entry.params) = (Some(agent), Some(params));
        }
    }

    pub(super) fn entries(&self) -> Vec<LoggedRequest> {
        self.entries.iter().cloned().collect()
    }

    fn entry(&mut self, number: usize) -> Option<&mut LoggedRequest> {
        self.entries.get_mut(number.checked_sub(self.forgotten)?)
    }
}
