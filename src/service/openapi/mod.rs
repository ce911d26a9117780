//! The service described by itself: an OpenAPI 3.1 document, made from the agents on offer and from what the service
//! was started with when it is asked for, so that it says neither more nor less than what is answered.
//!
//! A run has a path for each agent, as each has parameters of its own. What a deployment adds is in the document while
//! it is switched on. The schemas are as strict as the service: what they allow is accepted, what they do not is
//! refused with 422. One thing they cannot say: JSON Schema counts 1.0 as an integer, and the service refuses it.

mod own;
mod params;
mod paths;
mod patterns;
mod responses;
mod schemas;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Value, json};

use super::response::json_response;
use super::state::Shared;

/// `GET /openapi.json`. It needs no key: a description is what a caller reads before it has one.
pub(super) async fn show(State(state): State<Shared>) -> Response {
    json_response(StatusCode::OK, &document(&state))
}

fn document(state: &Shared) -> Value {
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Data-collection agents",
            "version": "1",
            "summary": "Asynchronous data-collection agents, their jobs and results, and the account's balance.",
            "description": "A local service with made-up rows, and with agents of its user's own. Start a run, poll its job until its `status` is \
                            `completed`, then read the rows.",
        },
        "servers": [{"url": "/"}],
        "security": [{"key": []}],
        "paths": paths::all(state),
        "components": {
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
            "schemas": schemas::all(state),
            "responses": responses::refusals(state),
        },
    })
}
