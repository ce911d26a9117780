//! Starting a run (section 4.1), in both path forms (section 9).

use std::time::Duration;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value, json};
use tokio::time::timeout;

use super::book::NotStarted;
use super::clock::ClockKind;
use super::extras::Extra;
use super::faults::Outcome;
use super::job::{Job, Phase};
use super::offer::Offer;
use super::response::{Refusal, json_response};
use super::router::REDACTED;
use super::state::Shared;
use super::{agents, body, params};
use crate::catalogue::{Invalid, Limit};
use crate::wire::{JobId, PathForm, Paths, RunResponse};

/// Keys that are shorter are no secret, and stand in words by chance.
const LEAST_REDACTED: usize = 6;

/// The answer to a start waits so long for an own agent at most.
const PATIENCE: Duration = Duration::from_millis(100);

/// What a run request asked for, left in the answer for the log.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    pub(super) agent: String,
    pub(super) params: Map<String, Value>,
}

/// The job that a run request made, left in the answer for the log.
#[derive(Debug, Clone)]
pub(super) struct Made(pub(super) JobId);

type AgentPath = Result<Path<(String, String)>, PathRejection>;

/// `POST /api/v1/agents/{group}/{slug}/run`
pub(super) async fn start(State(state): State<Shared>, path: AgentPath, request: Request) -> Response {
    answer(&state, path, request, PathForm::Agents).await
}

/// `POST /v1/data/{group}/{slug}/run`
pub(super) async fn start_data(State(state): State<Shared>, path: AgentPath, request: Request) -> Response {
    answer(&state, path, request, PathForm::Data).await
}

async fn answer(state: &Shared, path: AgentPath, request: Request, form: PathForm) -> Response {
    let offer = match agents::named(&state.offers, path) {
        Ok(offer) => offer,
        Err(refusal) => return refusal.into_response(),
    };
    let outcome = request.extensions().get::<Outcome>().cloned().unwrap_or_default();
    let params = match body::read(request).await.and_then(|body| params::read(&body)) {
        // The key is taken out here, before anything is made of the parameters or kept.
        Ok(params) => without_key(params, state.api_key()),
        Err(refusal) => return refusal.into_response(),
    };
    let mut response = match run(state, &offer, params.clone(), outcome, form) {
        Ok(started) => tell(state, at_its_end(state, &offer, started).await, form),
        Err(refusal) => refusal.into_response(),
    };
    response.extensions_mut().insert(Asked { agent: offer.name().to_string(), params });
    response
}

fn run(
    state: &Shared,
    offer: &Offer,
    params: Map<String, Value>,
    outcome: Outcome,
    form: PathForm,
) -> Result<RunResponse, Refusal> {
    offer.validate(&params, form)?;
    within(state.row_cap, offer, &params).map_err(|invalid| Refusal::invalid(&invalid))?;
    let started = state.start(offer, params, outcome, shown);
    let started = started.map_err(|why| match why {
        NotStarted::Short(short) => Refusal::short_of_money(offer.price_per_1k(), short),
        NotStarted::Store(error) => error.into(),
    })?;
    started.ok_or_else(|| Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "internal_error", "no id for this job"))
}

/// A job as the answer to its start tells of it.
fn shown(job: &Job, phase: Phase) -> Option<RunResponse> {
    let job_id: JobId = job.id.parse().ok()?;
    let error = job.error(phase);
    let (status, created_at) = (phase.name().to_owned(), job.times.created.to_string());
    Some(RunResponse { job_id, status, agent: job.agent.clone(), created_at, error })
}

/// On an instant clock jobs are completed when they are started. An own agent takes real time, mostly very little: the
/// answer waits for it, so that nobody has to ask again.
async fn at_its_end(state: &Shared, offer: &Offer, started: RunResponse) -> RunResponse {
    if !matches!(offer, Offer::Own(_)) || state.clock.kind() != ClockKind::Instant {
        return started;
    }
    let ended = timeout(PATIENCE, state.ended(started.job_id.as_str(), shown)).await;
    ended.ok().flatten().flatten().unwrap_or(started)
}

fn tell(state: &Shared, started: RunResponse, form: PathForm) -> Response {
    let mut response = if state.has(Extra::JobRecord) {
        located(json_response(StatusCode::ACCEPTED, &started), &Paths { form }.job(&started.job_id))
    } else {
        json_response(StatusCode::ACCEPTED, &json!({"job_id": started.job_id}))
    };
    response.extensions_mut().insert(Made(started.job_id));
    response
}

/// Holds the limits of a run against the cap of this service.
fn within(cap: Option<u64>, offer: &Offer, params: &Map<String, Value>) -> Result<(), Invalid> {
    let (Some(cap), Offer::Known(agent)) = (cap, offer) else { return Ok(()) };
    let asked = |limit: &&Limit| params.get(&limit.parameter).and_then(Value::as_u64).is_some_and(|asked| asked > cap);
    match agent.rows.limits.iter().find(asked) {
        Some(limit) => Err(Invalid::new(&limit.parameter, format!("must be at most {cap}"))),
        None => Ok(()),
    }
}

fn located(mut response: Response, path: &str) -> Response {
    if let Ok(path) = HeaderValue::from_str(path) {
        response.headers_mut().insert(header::LOCATION, path);
    }
    response
}

/// Parameters without the key that a caller put into them, in values and in names.
fn without_key(params: Map<String, Value>, key: &str) -> Map<String, Value> {
    let redacted = |(name, value): (String, Value)| (redacted(name, key), value_without_key(value, key));
    if key.len() < LEAST_REDACTED { params } else { params.into_iter().map(redacted).collect() }
}

fn value_without_key(value: Value, key: &str) -> Value {
    match value {
        Value::String(text) => redacted(text, key).into(),
        Value::Array(items) => items.into_iter().map(|item| value_without_key(item, key)).collect(),
        Value::Object(fields) => without_key(fields, key).into(),
        other => other,
    }
}

fn redacted(text: String, key: &str) -> String {
    if text.contains(key) { text.replace(key, REDACTED) } else { text }
}
