//! True answers with something changed: members of their JSON, their content type, or that they are there already.

use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, header};
use axum::response::Response;
use http_body_util::BodyExt;
use serde_json::{Map, Value};

/// Gives members of a JSON answer other values, or adds them.
pub(super) async fn with_fields(response: Response, values: &Map<String, Value>) -> Response {
    changed(response, |members| members.extend(values.clone())).await
}

/// Takes members out of a JSON answer.
pub(super) async fn without(response: Response, names: &[String]) -> Response {
    changed(response, |members| members.retain(|name, _| !names.contains(name))).await
}

/// Calls the body something else, or nothing.
pub(super) fn called(mut response: Response, kind: Option<&str>) -> Response {
    let headers = response.headers_mut();
    match kind.and_then(|kind| HeaderValue::from_str(kind).ok()) {
        Some(kind) => drop(headers.insert(header::CONTENT_TYPE, kind)),
        None => drop(headers.remove(header::CONTENT_TYPE)),
    }
    response
}

/// The whole body of an answer of this service, and its head.
pub(super) async fn whole(response: Response) -> (axum::http::response::Parts, Bytes) {
    let (head, body) = response.into_parts();
    let body = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    (head, body)
}

/// An answer whose body is another, with the length that goes with it.
pub(super) fn with_body(mut head: axum::http::response::Parts, body: impl Into<Bytes>) -> Response {
    head.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(head, Body::from(body.into()))
}

/// Changes the members of a JSON answer; any other answer stays as it is.
async fn changed(response: Response, change: impl FnOnce(&mut Map<String, Value>)) -> Response {
    let (head, body) = whole(response).await;
    match serde_json::from_slice(&body) {
        Ok(Value::Object(mut members)) => {
            change(&mut members);
            with_body(head, Value::Object(members).to_string())
        }
        _ => with_body(head, body),
    }
}
