//! The document, put together from its parts.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Value, json};

use super::{paths, responses, schemas};
use crate::service::response::json_response;
use crate::service::state::Shared;

/// `GET /openapi.json`. It needs no key: a description is what a caller reads before it has one.
pub(in crate::service) async fn show(State(state): State<Shared>) -> Response {
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
