//! Groups and agents (sections 4.4 and 4.5), with the lists that deployments add.

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;

use super::offer::{Offer, Offers};
use super::response::{Refusal, json_response};
use super::state::Shared;
use crate::wire::{AgentList, GroupList};

/// `GET /api/v1/agents`
pub(super) async fn groups(State(state): State<Shared>) -> Response {
    json_response(StatusCode::OK, &GroupList { groups: state.offers.groups() })
}

/// `GET /api/v1/agents/all`
pub(super) async fn all(State(state): State<Shared>) -> Response {
    let agents = state.offers.all().iter().map(Offer::summary).collect();
    json_response(StatusCode::OK, &AgentList { agents })
}

/// `GET /api/v1/agents/{group}`
pub(super) async fn group(
    State(state): State<Shared>,
    path: Result<Path<String>, PathRejection>,
) -> Result<Response, Refusal> {
    let name = path.map(|Path(group)| group).unwrap_or_default();
    let agents: Vec<_> = state.offers.all().iter().map(Offer::summary).filter(|agent| agent.group == name).collect();
    if agents.is_empty() {
        let message = format!("there is no such group; known: {}", state.offers.groups().join(", "));
        return Err(Refusal::new(StatusCode::NOT_FOUND, "group_not_found", message));
    }
    Ok(json_response(StatusCode::OK, &AgentList { agents }))
}

/// `GET /api/v1/agents/{group}/{slug}`
pub(super) async fn agent(
    State(state): State<Shared>,
    path: Result<Path<(String, String)>, PathRejection>,
) -> Result<Response, Refusal> {
    Ok(json_response(StatusCode::OK, &named(&state.offers, path)?.details()))
}

/// The agent a path names.
pub(super) fn named(offers: &Offers, path: Result<Path<(String, String)>, PathRejection>) -> Result<Offer, Refusal> {
    let found = path.ok().and_then(|Path((group, slug))| offers.find(&group, &slug));
    found.ok_or_else(|| {
        let known: Vec<_> = offers.all().iter().map(|offer| offer.name().to_string()).collect();
        let message = format!("there is no such agent; known: {}", known.join(", "));
        Refusal::new(StatusCode::NOT_FOUND, "agent_not_found", message)
    })
}
