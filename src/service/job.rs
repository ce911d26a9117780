//! One job: what it was asked, what it will bring, and when it is in which state.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use rust_decimal::Decimal;
use serde::Serialize;
use serde_json::{Map, Value};

use super::clock::{ClockKind, after};
use super::samples::{self, Chance, Plan};
use crate::catalogue;

/// How long results can be fetched after completion: 7 days.
const KEPT: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The share of a job's time that it waits in the queue.
const QUEUED_SHARE: f64 = 0.2;

/// The states of a job (section 3); all but `completed` are seen in the wild.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Phase {
    Queued,
    Running,
    Completed,
    Failed,
    Cancelled,
}

impl Phase {
    /// The states a caller may ask for.
    pub(super) const NAMES: [&str; 5] = ["queued", "running", "completed", "failed", "cancelled"];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct Job {
    pub(super) id: String,
    /// `group/slug`
    pub(super) agent: String,
    pub(super) params: Map<String, Value>,
    pub(super) origin: Origin,
    /// How many rows it brings, as far as that is known.
    pub(super) rows: u64,
    /// What these cost.
    pub(super) cost: Decimal,
    pub(super) times: Times,
    pub(super) fate: Fate,
}

/// Where the rows of a job come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Origin {
    /// Made up, by the rules of this version, from the seed, the agent and the parameters.
    MadeUp { seed: u64, version: u32 },
    /// Kept in the store, with these columns.
    Kept { columns: Vec<String> },
}

/// How a job ends.
#[derive(Debug, Clone)]
pub(super) enum Fate {
    /// It completes when its time has come.
    Timely,
    /// It fails when its time has come, for this reason: a fault that was asked for.
    Doomed(String),
    /// Its agent is at work, and when it completes is known when that has ended.
    AtWork(Stop),
    Cancelled(Timestamp),
    /// When, and why.
    Failed(Timestamp, String),
}

/// Tells an agent at work that nobody wants its rows any more.
#[derive(Debug, Clone, Default)]
pub(super) struct Stop(Arc<AtomicBool>);

impl Stop {
    pub(super) fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// When a job is created, leaves the queue and completes, unless it ends before.
#[derive(Debug, Clone, Copy)]
pub(super) struct Times {
    pub(super) created: Timestamp,
    pub(super) started: Timestamp,
    pub(super) completed: Timestamp,
}

impl Times {
    /// Draws the times of the job with this number.
    pub(super) fn draw(clock: ClockKind, job_seconds: Option<f64>, seed: u64, number: usize, now: Timestamp) -> Self {
        let drawn = || Chance::of(seed, &["duration", &number.to_string()]).between(0.5, 2.0);
        let seconds = if clock == ClockKind::Instant { 0.0 } else { job_seconds.unwrap_or_else(drawn) };
        Self::lasting(seconds, now)
    }

    /// The times of a job that takes so many seconds, whatever the clock.
    pub(super) fn lasting(seconds: f64, now: Timestamp) -> Self {
        let later = |seconds: f64| after(now, Duration::from_millis((seconds * 1000.0).round() as u64));
        Self { created: now, started: later(seconds * QUEUED_SHARE), completed: later(seconds) }
    }
}

/// A job as the service tells of it. Both names of the id are there, as deployments differ.
#[derive(Debug, Serialize)]
pub(super) struct JobAnswer {
    job_id: String,
    id: String,
    agent: String,
    status: Phase,
    row_count: Option<u64>,
    credits_used: Option<u64>,
    error: Option<String>,
    created_at: Timestamp,
    started_at: Option<Timestamp>,
    completed_at: Option<Timestamp>,
    expires_at: Option<Timestamp>,
}

impl Job {
    /// What its rows are made from: the same today as on the day they were charged. `None` where the rules by which
    /// rows are made up have changed since, so that other rows would come of it.
    pub(super) fn plan(&self) -> Option<Plan> {
        let Origin::MadeUp { seed, version: samples::VERSION } = self.origin else { return None };
        let (group, slug) = self.agent.split_once('/')?;
        Some(Plan::draw(seed, catalogue::find(group, slug)?, &self.params))
    }

    pub(super) fn phase(&self, now: Timestamp) -> Phase {
        match &self.fate {
            Fate::Cancelled(_) => Phase::Cancelled,
            Fate::Failed(..) => Phase::Failed,
            _ if now < self.times.started => Phase::Queued,
            Fate::Timely if now >= self.times.completed => Phase::Completed,
            Fate::Doomed(_) if now >= self.times.completed => Phase::Failed,
            Fate::Timely | Fate::Doomed(_) | Fate::AtWork(_) => Phase::Running,
        }
    }

    /// When it ended before its time.
    pub(super) fn ended_at(&self) -> Option<Timestamp> {
        match self.fate {
            Fate::Cancelled(at) | Fate::Failed(at, _) => Some(at),
            Fate::Timely | Fate::Doomed(_) | Fate::AtWork(_) => None,
        }
    }

    /// Why it failed, in the phase in which it has.
    pub(super) fn error(&self, phase: Phase) -> Option<String> {
        match &self.fate {
            Fate::Failed(_, why) | Fate::Doomed(why) if phase == Phase::Failed => Some(why.clone()),
            _ => None,
        }
    }

    pub(super) fn expires_at(&self) -> Timestamp {
        after(self.times.completed, KEPT)
    }

    pub(super) fn answer(&self, now: Timestamp) -> JobAnswer {
        let phase = self.phase(now);
        let ended_at = self.ended_at();
        let last = ended_at.unwrap_or(now);
        let if_completed = |count: u64| (phase == Phase::Completed).then_some(count);
        JobAnswer {
            job_id: self.id.clone(),
            id: self.id.clone(),
            agent: self.agent.clone(),
            status: phase,
            row_count: if_completed(self.rows),
            credits_used: if_completed(self.rows),
            error: self.error(phase),
            created_at: self.times.created,
            started_at: (self.times.started <= last).then_some(self.times.started),
            completed_at: match phase {
                Phase::Completed | Phase::Failed => Some(ended_at.unwrap_or(self.times.completed)),
                Phase::Cancelled => ended_at,
                Phase::Queued | Phase::Running => None,
            },
            expires_at: (phase == Phase::Completed).then(|| self.expires_at()),
        }
    }
}
