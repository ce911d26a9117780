//! Starting a run (section 4.1), in both path forms (section 9).

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value};

use super::answer::{Refusal, json_answer};
use super::state::Shared;
use super::{agents, body, params};
use crate::catalogue::Agent;
use crate::wire::{JobId, PathForm, Paths, RunResponse};

/// What a run request asked for, left in the answer for the log.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    pub(super) agent: String,
    pub(super) params: Map<String, Value>,
}

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
    let agent = match agents::named(path) {
        Ok(agent) => agent,
        Err(refusal) => return refusal.into_response(),
    };
    let params = match body::read(request).await.and_then(|body| params::read(&body)) {
        Ok(params) => params,
        Err(refusal) => return refusal.into_response(),
    };
    let mut response = run(state, agent, params.clone(), form).unwrap_or_else(Refusal::into_response);
    response.extensions_mut().insert(asked(state, agent, params));
    response
}

fn run(state: &Shared, agent: &'static Agent, params: Map<String, Value>, form: PathForm) -> Result<Response, Refusal> {
    agent.validate(&params, form).map_err(|invalid| Refusal::invalid(&invalid))?;
    let started = state.start(agent, params, |job, phase| {
        let job_id: JobId = job.id.parse().map_err(|_| ())?;
        let (status, created_at) = (phase.name().to_owned(), job.times.created.to_string());
        Ok::<_, ()>(RunResponse { job_id, status, agent: job.agent_name(), created_at })
    });
    let started = started.map_err(|short| Refusal::short_of_money(agent, short))?;
    let Ok(started) = started else {
        return Err(Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "internal_error", "no id for this job"));
    };
    let mut response = json_answer(StatusCode::ACCEPTED, &started);
    if let Ok(location) = HeaderValue::from_str(&Paths { form }.job(&started.job_id)) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    Ok(response)
}

/// What goes into the log: the parameters, unless the caller put the key into them.
fn asked(state: &Shared, agent: &Agent, params: Map<String, Value>) -> Asked {
    let holds_key = Value::Object(params.clone()).to_string().contains(state.api_key());
    let params = if holds_key { Map::new() } else { params };
    Asked { agent: format!("{}/{}", agent.group, agent.slug), params }
}
