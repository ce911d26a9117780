//! The way of rows from a source into the store.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use serde_json::value::RawValue;

use super::agent::OwnAgent;
use super::crew::Seat;
use crate::service::book::NotKept;
use crate::service::job::Stop;
use crate::service::members::Members;
use crate::service::state::Shared;

/// Rows are gathered to about this many bytes, or to this many rows, before they are written and paid for.
const PIECE_BYTES: usize = 64 * 1024;
const PIECE_ROWS: u64 = 1000;

/// Takes the rows of one run. Dropped before its end, it lets the job fail.
pub struct Feed {
    state: Shared,
    number: usize,
    agent: Arc<OwnAgent>,
    stop: Stop,
    columns: Vec<String>,
    seen: HashSet<String>,
    /// Rows that are not written yet, with commas between them.
    text: String,
    waiting: u64,
    taken: u64,
    pieces: u64,
    has_ended: bool,
    /// Let go last, when the job has ended.
    seat: Option<Seat>,
}

/// Why a feed takes no more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FeedError {
    /// The job was cancelled, or the service has stopped: nobody wants the rows any more.
    Stopped,
    /// The job cannot go on, and why: to be given to [`Feed::fail`].
    Refused(String),
}

impl fmt::Display for FeedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stopped => f.write_str("the job was cancelled"),
            Self::Refused(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for FeedError {}

impl Feed {
    pub(in crate::service) fn new(state: Shared, number: usize, agent: Arc<OwnAgent>, stop: Stop) -> Self {
        let (columns, seen) = (agent.columns.clone(), agent.columns.iter().cloned().collect());
        let text = String::new();
        Self {
            state,
            number,
            agent,
            stop,
            columns,
            seen,
            text,
            waiting: 0,
            taken: 0,
            pieces: 0,
            has_ended: false,
            seat: None,
        }
    }

    pub(super) fn take_seat(&mut self, seat: Seat) {
        self.seat = Some(seat);
    }

    /// Whether nobody wants the rows any more.
    pub fn is_stopped(&self) -> bool {
        self.stop.is_set()
    }

    /// How many rows were taken.
    pub fn rows(&self) -> u64 {
        self.taken
    }

    /// Takes a row, the text of a JSON object. It is written by the next [`Feed::flush`].
    ///
    /// # Errors
    /// When it is not an object, when it has a key that is not among the declared columns, and when the job has ended.
    pub fn row(&mut self, json: &str) -> Result<(), FeedError> {
        if self.is_stopped() {
            return Err(FeedError::Stopped);
        }
        let number = self.taken;
        let refused = |why: &dyn fmt::Display| FeedError::Refused(format!("row {number} {why}"));
        if !json.trim_start().starts_with('{') {
            return Err(refused(&"is not an object"));
        }
        let Members(members) =
            serde_json::from_str(json).map_err(|error| refused(&format_args!("is not JSON: {error}")))?;
        if self.waiting > 0 {
            self.text.push(',');
        }
        if self.agent.columns.is_empty() {
            for (name, _) in &members {
                if !self.seen.contains(name.as_ref()) {
                    self.seen.insert(name.to_string());
                    self.columns.push(name.to_string());
                }
            }
            self.text.push_str(json.trim());
        } else {
            if let Some((name, _)) = members.iter().find(|(name, _)| !self.seen.contains(name.as_ref())) {
                return Err(refused(&format_args!("has the key `{name}`, which is not among the columns")));
            }
            let value =
                |column: &String| members.iter().rev().find(|(name, _)| name == column).map(|(_, value)| *value);
            write_object(&mut self.text, self.columns.iter().map(|column| (column.as_str(), value(column))));
        }
        self.waiting += 1;
        self.taken += 1;
        Ok(())
    }

    /// Whether it is time to [`Feed::flush`].
    pub fn is_full(&self) -> bool {
        self.text.len() >= PIECE_BYTES || self.waiting >= PIECE_ROWS
    }

    /// Writes the rows taken so far and sets aside what they cost.
    ///
    /// # Errors
    /// When the account cannot pay for them, when they cannot be written, and when the job has ended.
    pub fn flush(&mut self) -> Result<(), FeedError> {
        if self.waiting == 0 {
            return Ok(());
        }
        let kept = self.state.keep(self.number, self.pieces, &self.text, self.waiting, self.agent.billed_per_1k_usd());
        kept.map_err(|why| match why {
            NotKept::Ended => FeedError::Stopped,
            NotKept::Short(short) => FeedError::Refused(format!(
                "the account cannot pay for more than {} rows: {} USD are free, and the next ones cost {}",
                self.taken - self.waiting,
                short.available.normalize(),
                short.required.normalize()
            )),
            NotKept::Store(error) => FeedError::Refused(error.to_string()),
        })?;
        self.pieces += 1;
        self.waiting = 0;
        self.text.clear();
        Ok(())
    }

    /// Ends the run well. The job completes now or, by the clock, later; where the last rows cannot be kept, it fails.
    pub fn finish(mut self) {
        match self.flush() {
            Ok(()) => {
                self.has_ended = true;
                self.state.finish(self.number, std::mem::take(&mut self.columns));
            }
            Err(FeedError::Stopped) => self.has_ended = true,
            Err(FeedError::Refused(why)) => self.fail(&why),
        }
    }

    /// Ends the run badly: the job has failed, its rows are gone and nothing is charged.
    pub fn fail(mut self, why: &str) {
        self.has_ended = true;
        self.state.fail(self.number, why);
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        if !self.has_ended {
            self.state.fail(self.number, "the agent ended without an answer");
        }
    }
}

impl fmt::Debug for Feed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Feed").field("number", &self.number).field("taken", &self.taken).finish_non_exhaustive()
    }
}

fn write_object<'a>(text: &mut String, members: impl Iterator<Item = (&'a str, Option<&'a RawValue>)>) {
    text.push('{');
    for (at, (name, value)) in members.enumerate() {
        if at > 0 {
            text.push(',');
        }
        text.push_str(&serde_json::Value::from(name).to_string());
        text.push(':');
        text.push_str(value.map_or("null", RawValue::get));
    }
    text.push('}');
}
