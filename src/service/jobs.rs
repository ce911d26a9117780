//! The state of jobs (section 4.2), with the list and the cancelling that deployments add.

use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::extras::Extra;
use super::job::{Job, JobAnswer, Phase};
use super::response::{Refusal, json_response};
use super::state::Shared;
use crate::catalogue::Invalid;

/// How many jobs a list holds when the caller does not say.
const DEFAULT_LIMIT: usize = 100;

/// How many jobs a list holds at most.
pub(super) const MAX_LIMIT: usize = 1000;

pub(super) type JobPath = Result<Path<String>, PathRejection>;

#[derive(Debug, Deserialize)]
pub(super) struct ListQuery {
    limit: Option<String>,
    status: Option<String>,
}

#[derive(Debug, Serialize)]
struct JobList {
    jobs: Vec<JobAnswer>,
}

/// `GET /api/v1/jobs/{job_id}` and `GET /v1/jobs/{job_id}`
pub(super) async fn show(State(state): State<Shared>, path: JobPath) -> Result<Response, Refusal> {
    let id = id(path)?;
    let (book, now) = state.book()?;
    let job = book.job(&id).ok_or_else(Refusal::no_such_job)?;
    Ok(record(&state, job, now))
}

/// `DELETE` on the same paths. Cancelling twice is as good as once; a completed job is paid for and stays.
pub(super) async fn cancel(State(state): State<Shared>, path: JobPath) -> Result<Response, Refusal> {
    let id = id(path)?;
    let (mut book, now) = state.book()?;
    let job = book.cancel(&id, now)?.ok_or_else(Refusal::no_such_job)?;
    match job.phase(now) {
        phase @ (Phase::Completed | Phase::Failed) => {
            let message = format!("the job is {} and can no longer be cancelled", phase.name());
            Err(Refusal::new(StatusCode::CONFLICT, "job_completed", message).with("status", phase.name().into()))
        }
        Phase::Queued | Phase::Running | Phase::Cancelled => Ok(record(&state, job, now)),
    }
}

/// `GET /api/v1/jobs?limit=&status=` and `GET /v1/jobs`, newest first.
pub(super) async fn list(
    State(state): State<Shared>,
    query: Result<Query<ListQuery>, QueryRejection>,
) -> Result<Response, Refusal> {
    let invalid = |field: &str, reason: String| Refusal::invalid(&Invalid::new(field, reason));
    let Query(query) = query.map_err(|error| Refusal::new(StatusCode::BAD_REQUEST, "bad_query", error.body_text()))?;
    let limit = match query.limit.as_deref().map(str::parse) {
        None => DEFAULT_LIMIT,
        Some(Ok(limit)) if (1..=MAX_LIMIT).contains(&limit) => limit,
        Some(_) => return Err(invalid("limit", format!("must be an integer from 1 to {MAX_LIMIT}"))),
    };
    let wanted = query.status.as_deref();
    if wanted.is_some_and(|wanted| !Phase::NAMES.contains(&wanted)) {
        return Err(invalid("status", format!("must be one of {}", Phase::NAMES.join(", "))));
    }
    let (book, now) = state.book()?;
    let is_wanted = |job: &&Job| wanted.is_none_or(|wanted| job.phase(now).name() == wanted);
    let jobs = book.jobs().filter(is_wanted).take(limit).map(|job| job.answer(now)).collect();
    Ok(json_response(StatusCode::OK, &JobList { jobs }))
}

/// A job as this service tells of it: its state, and all else where it does more than the contract.
fn record(state: &Shared, job: &Job, now: Timestamp) -> Response {
    if state.has(Extra::JobRecord) {
        json_response(StatusCode::OK, &job.answer(now))
    } else {
        json_response(StatusCode::OK, &json!({"status": job.phase(now)}))
    }
}

/// The id in a path. One that is not text is the id of no job.
pub(super) fn id(path: JobPath) -> Result<String, Refusal> {
    path.map(|Path(id)| id).map_err(|_| Refusal::no_such_job())
}
