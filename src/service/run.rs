//! Starting a run (section 4.1), in both path forms (section 9).

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value, json};

use super::answer::{Refusal, json_answer};
use super::book::NotStarted;
use super::extras::Extra;
use super::faults::Outcome;
use super::offer::Offer;
use super::router::REDACTED;
use super::state::Shared;
use super::{agents, body, params};
use crate::catalogue::{Invalid, Limit};
use crate::wire::{JobId, PathForm, Paths, RunResponse};

/// Keys that are shorter are no secret, and stand in words by chance.
const LEAST_REDACTED: usize = 6;

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
    let mut response = run(state, &offer, params.clone(), outcome, form).unwrap_or_else(Refusal::into_response);
    response.extensions_mut().insert(Asked { agent: offer.name().to_string(), params });
    response
}

fn run(
    state: &Shared,
    offer: &Offer,
    params: Map<String, Value>,
    outcome: Outcome,
    form: PathForm,
) -> Result<Response, Refusal> {
    offer.validate(&params, form)?;
    within(state.row_cap, offer, &params).map_err(|invalid| Refusal::invalid(&invalid))?;
    let started = state.start(offer, params, outcome, |job, phase| {
        let job_id: JobId = job.id.parse().map_err(|_| ())?;
        let error = job.error(phase);
        let (status, created_at) = (phase.name().to_owned(), job.times.created.to_string());
        Ok::<_, ()>(RunResponse { job_id, status, agent: job.agent.clone(), created_at, error })
    });
    let started = started.map_err(|why| match why {
        NotStarted::Short(short) => Refusal::short_of_money(offer.price_per_1k(), short),
        NotStarted::Store(error) => error.into(),
    })?;
    let Ok(started) = started else {
        return Err(Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "internal_error", "no id for this job"));
    };
    let mut response = if state.has(Extra::JobRecord) {
        located(json_answer(StatusCode::ACCEPTED, &started), &Paths { form }.job(&started.job_id))
    } else {
        json_answer(StatusCode::ACCEPTED, &json!({"job_id": started.job_id}))
    };
    response.extensions_mut().insert(Made(started.job_id));
    Ok(response)
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
