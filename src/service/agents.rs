//! Groups and agents (sections 4.4 and 4.5), with the lists that deployments add.

use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Map, Value, to_value};

use super::answer::{Refusal, json_answer};
use super::billing::price_per_1k;
use crate::catalogue::{self, Agent, Parameter};
use crate::wire::{AgentDetails, AgentList, AgentSummary, GroupList, ParameterDescriptor, Usd};

/// `GET /api/v1/agents`
pub(super) async fn groups() -> Response {
    let groups = catalogue::groups().into_iter().map(str::to_owned).collect();
    json_answer(StatusCode::OK, &GroupList { groups })
}

/// `GET /api/v1/agents/all`
pub(super) async fn all() -> Response {
    let agents = catalogue::agents().iter().map(summary).collect();
    json_answer(StatusCode::OK, &AgentList { agents })
}

/// `GET /api/v1/agents/{group}`
pub(super) async fn group(path: Result<Path<String>, PathRejection>) -> Result<Response, Refusal> {
    let name = path.map(|Path(group)| group).unwrap_or_default();
    let agents: Vec<_> = catalogue::agents().iter().filter(|agent| agent.group == name).map(summary).collect();
    if agents.is_empty() {
        let message = format!("there is no such group; known: {}", catalogue::groups().join(", "));
        return Err(Refusal::new(StatusCode::NOT_FOUND, "group_not_found", message));
    }
    Ok(json_answer(StatusCode::OK, &AgentList { agents }))
}

/// `GET /api/v1/agents/{group}/{slug}`
pub(super) async fn agent(path: Result<Path<(String, String)>, PathRejection>) -> Result<Response, Refusal> {
    Ok(json_answer(StatusCode::OK, &details(named(path)?)))
}

/// The agent a path names.
pub(super) fn named(path: Result<Path<(String, String)>, PathRejection>) -> Result<&'static Agent, Refusal> {
    let found = path.ok().and_then(|Path((group, slug))| catalogue::find(&group, &slug));
    found.ok_or_else(|| {
        let known: Vec<_> = catalogue::agents().iter().map(|agent| format!("{}/{}", agent.group, agent.slug)).collect();
        let message = format!("there is no such agent; known: {}", known.join(", "));
        Refusal::new(StatusCode::NOT_FOUND, "agent_not_found", message)
    })
}

fn summary(agent: &Agent) -> AgentSummary {
    AgentSummary {
        group: agent.group.clone(),
        slug: agent.slug.clone(),
        name: Some(agent.name.clone()),
        description: Some(agent.description.clone()),
        price_per_1k_usd: Some(Usd(price_per_1k(agent))),
    }
}

fn details(agent: &Agent) -> AgentDetails {
    let described = |parameter: &Parameter| {
        let descriptor = to_value(descriptor(parameter)).unwrap_or(Value::Null);
        (parameter.name.clone(), descriptor)
    };
    AgentDetails {
        group: agent.group.clone(),
        slug: agent.slug.clone(),
        name: Some(agent.name.clone()),
        description: Some(agent.description.clone()),
        price_per_1k_usd: Some(Usd(price_per_1k(agent))),
        unit: Some(agent.unit.clone()),
        parameters: agent.parameters.iter().map(described).collect::<Map<_, _>>(),
    }
}

fn descriptor(parameter: &Parameter) -> ParameterDescriptor {
    ParameterDescriptor {
        kind: parameter.kind.name().to_owned(),
        required: parameter.required,
        name: parameter.display.clone(),
        description: parameter.description.clone(),
        default: parameter.default.clone(),
        options: parameter.options.clone(),
    }
}
