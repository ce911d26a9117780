//! Whether the service answers, for whoever waits for it to come up.

use axum::http::StatusCode;
use axum::response::Response;
use serde_json::json;

use super::response::json_response;

/// `GET /healthz`. It needs no key.
pub(super) async fn show() -> Response {
    json_response(StatusCode::OK, &json!({"status": "ok"}))
}
