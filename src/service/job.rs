//! One job: what it was asked, what it will bring, and when it is in which state.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use rust_decimal::Decimal;
use serde::Serialize;
use serde_json::{Map, Value};

use super::clock::{ClockKind, after};
use super::samples::{Chance, Plan};
use crate::catalogue::Agent;
use crate::wire::AgentName;

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

#[derive(Debug)]
pub(super) struct Job {
    pub(super) id: String,
    pub(super) agent: &'static Agent,
    pub(super) params: Map<String, Value>,
    pub(super) plan: Arc<Plan>,
    pub(super) cost: Decimal,
    pub(super) times: Times,
    pub(super) cancelled_at: Option<Timestamp>,
    /// Why it fails; jobs fail on request only.
    pub(super) error: Option<String>,
}

/// When a job is created, leaves the queue and completes, unless it is cancelled before.
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
    pub(super) fn agent_name(&self) -> String {
        AgentName { group: self.agent.group.clone(), slug: self.agent.slug.clone() }.to_string()
    }

    pub(super) fn phase(&self, now: Timestamp) -> Phase {
        match self.cancelled_at {
            Some(_) => Phase::Cancelled,
            None if now < self.times.started => Phase::Queued,
            None if now < self.times.completed => Phase::Running,
            None if self.error.is_some() => Phase::Failed,
            None => Phase::Completed,
        }
    }

    pub(super) fn expires_at(&self) -> Timestamp {
        after(self.times.completed, KEPT)
    }

    pub(super) fn answer(&self, now: Timestamp) -> JobAnswer {
        let phase = self.phase(now);
        let last = self.cancelled_at.unwrap_or(now);
        let if_completed = |count: u64| (phase == Phase::Completed).then_some(count);
        JobAnswer {
            job_id: self.id.clone(),
            id: self.id.clone(),
            agent: self.agent_name(),
            status: phase,
            row_count: if_completed(self.plan.row_count()),
            credits_used: if_completed(self.plan.row_count()),
            error: self.error.clone().filter(|_| phase == Phase::Failed),
            created_at: self.times.created,
            started_at: (self.times.started <= last).then_some(self.times.started),
            completed_at: match phase {
                Phase::Completed | Phase::Failed => Some(self.times.completed),
                Phase::Cancelled => self.cancelled_at,
                Phase::Queued | Phase::Running => None,
            },
            expires_at: (phase == Phase::Completed).then(|| self.expires_at()),
        }
    }
}
