//! The operations, each with what it takes and what it may answer.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::params;
use super::responses::with_refusals;
use crate::service::extras::Extra;
use crate::service::job::Phase;
use crate::service::jobs::MAX_LIMIT;
use crate::service::offer::Offer;
use crate::service::router::{HEALTH, OPENAPI};
use crate::service::state::Shared;
use crate::wire::{AgentName, PathForm, Paths, route};

/// Every path of the service as it was started.
pub(super) fn all(state: &Shared) -> Value {
    let mut paths = Map::new();
    let offers = state.offers.all();
    let mut operations = HashSet::new();
    for form in [PathForm::Agents, PathForm::Data] {
        if form == PathForm::Data && !state.has(Extra::DataPaths) {
            continue;
        }
        for offer in &offers {
            let name = offer.name();
            let mut operation = operation(&name, form);
            while !operations.insert(operation.clone()) {
                operation.push('_');
            }
            paths.insert(Paths { form }.run(&name), json!({"post": run(state, offer, form, &operation)}));
        }
        jobs(state, form, &mut paths);
    }
    agents(state, &offers, &mut paths);
    let balance = json!({"get": read(state, "balance", "The account's balance", "Balance", &["503"])});
    paths.insert(route::BALANCE.to_owned(), balance);
    paths.insert(HEALTH.to_owned(), json!({"get": open("health", "Whether the service answers", "Health")}));
    let mut document = open("openapi", "This document", "Health");
    document["responses"]["200"]["content"]["application/json"]["schema"] = json!({"type": "object"});
    paths.insert(OPENAPI.to_owned(), json!({"get": document}));
    Value::Object(paths)
}

/// Starting a run (section 4.1).
fn run(state: &Shared, offer: &Offer, form: PathForm, operation: &str) -> Value {
    let jobs = |operation: &str| {
        let operation = format!("{operation}{}", suffix(form));
        json!({"operationId": operation, "parameters": {"job_id": "$response.body#/job_id"}})
    };
    let mut started = answer("The run is accepted; poll its job.", "Started");
    started["links"] = json!({"status": jobs("status"), "results": jobs("results")});
    if state.has(Extra::Cancel) {
        started["links"]["cancel"] = jobs("cancel");
    }
    if state.has(Extra::JobRecord) {
        started["headers"] = json!({"Location": {"required": true, "schema": {"type": "string"}}});
    }
    let refusals = ["400", "402", "404", "408", "413", "415", "422", "503"];
    json!({
        "operationId": operation,
        "summary": format!("Run {}", offer.name()),
        "description": offer.summary().description,
        "tags": ["runs"],
        "requestBody": {"required": true, "content": {"application/json": {
            "schema": params::run_body(offer, form, state.row_cap),
            "example": params::example(offer, form),
        }}},
        "responses": with_refusals(state, json!({"202": started}), &refusals),
    })
}

/// What the run of an agent is called: a word, as generators of code make a function of it.
fn operation(name: &AgentName, form: PathForm) -> String {
    let word = |part: &str| part.replace(|letter: char| !letter.is_ascii_alphanumeric(), "_");
    format!("run_{}_{}{}", word(&name.group), word(&name.slug), suffix(form))
}

/// Jobs and their rows (sections 4.2 and 4.3), with what deployments add.
fn jobs(state: &Shared, form: PathForm, paths: &mut Map<String, Value>) {
    let (job, results, list) = match form {
        PathForm::Agents => (route::JOB, route::RESULTS, route::JOBS),
        PathForm::Data => (route::DATA_JOB, route::DATA_RESULTS, route::DATA_JOBS),
    };
    let id = || json!([in_path("job_id", &json!({"type": "string"}))]);
    let named = |name: &str| format!("{name}{}", suffix(form));
    let mut of_job = json!({
        "parameters": id(),
        "get": read(state, &named("status"), "The state of a job", "Job", &["404", "503"]),
    });
    if state.has(Extra::Cancel) {
        of_job["delete"] = read(state, &named("cancel"), "Cancel a job", "Job", &["404", "409", "503"]);
    }
    paths.insert(job.to_owned(), of_job);

    let mut rows =
        read(state, &named("results"), "The rows of a completed job", "Results", &["400", "404", "410", "422", "503"]);
    if state.has(Extra::Csv) {
        rows["parameters"] = json!([in_query("format", &json!({"type": "string", "enum": ["json", "csv"]}))]);
        rows["responses"]["200"]["content"]["text/csv"] = json!({"schema": {"type": "string"}});
    }
    paths.insert(results.to_owned(), json!({"parameters": id(), "get": rows}));

    if state.has(Extra::JobList) {
        let mut jobs = read(state, &named("jobs"), "Jobs, newest first", "JobList", &["400", "422", "503"]);
        let limit = json!({"type": "integer", "minimum": 1, "maximum": MAX_LIMIT});
        let status = json!({"type": "string", "enum": Phase::NAMES});
        jobs["parameters"] = json!([in_query("limit", &limit), in_query("status", &status)]);
        paths.insert(list.to_owned(), json!({"get": jobs}));
    }
}

/// Groups and agents (sections 4.4 and 4.5), with the lists that deployments add.
fn agents(state: &Shared, offers: &[Offer], paths: &mut Map<String, Value>) {
    let mut slugs = Vec::new();
    for slug in offers.iter().map(|offer| offer.name().slug) {
        if !slugs.contains(&slug) {
            slugs.push(slug);
        }
    }
    let group = || in_path("group", &json!({"type": "string", "enum": state.offers.groups()}));
    let slug = in_path("slug", &json!({"type": "string", "enum": slugs}));
    paths.insert(route::AGENTS.to_owned(), json!({"get": read(state, "groups", "The groups", "Groups", &[])}));
    if state.has(Extra::AgentLists) {
        let all = read(state, "agents", "All agents", "AgentList", &[]);
        paths.insert(route::ALL_AGENTS.to_owned(), json!({"get": all}));
        let of_group = read(state, "agents_of_group", "The agents of a group", "AgentList", &["404"]);
        paths.insert(route::GROUP.to_owned(), json!({"parameters": [group()], "get": of_group}));
    }
    let agent = read(state, "agent", "An agent, its price and its parameters", "Agent", &["404"]);
    paths.insert(route::AGENT.to_owned(), json!({"parameters": [group(), slug], "get": agent}));
}

/// An operation that answers with one kind of body.
fn read(state: &Shared, operation: &str, summary: &str, schema: &str, refusals: &[&str]) -> Value {
    let responses = with_refusals(state, json!({"200": answer(summary, schema)}), refusals);
    json!({"operationId": operation, "summary": summary, "responses": responses})
}

/// An operation without a key.
fn open(operation: &str, summary: &str, schema: &str) -> Value {
    json!({
        "operationId": operation,
        "summary": summary,
        "security": [],
        "responses": {"200": answer(summary, schema), "403": {"$ref": "#/components/responses/403"}},
    })
}

fn answer(description: &str, schema: &str) -> Value {
    let schema = json!({"$ref": format!("#/components/schemas/{schema}")});
    json!({"description": description, "content": {"application/json": {"schema": schema}}})
}

fn in_path(name: &str, schema: &Value) -> Value {
    json!({"name": name, "in": "path", "required": true, "schema": schema})
}

fn in_query(name: &str, schema: &Value) -> Value {
    json!({"name": name, "in": "query", "required": false, "schema": schema})
}

/// What tells the operations of the two forms apart.
fn suffix(form: PathForm) -> &'static str {
    match form {
        PathForm::Agents => "",
        PathForm::Data => "_data",
    }
}
