//! Answers: JSON bodies, and one shape for every refusal.

use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use rust_decimal::Decimal;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::billing::Short;
use super::store::StoreError;
use crate::catalogue::Invalid;
use crate::wire::Usd;

/// A JSON answer.
pub(super) fn json_response(status: StatusCode, body: &impl Serialize) -> Response {
    match serde_json::to_vec(body) {
        Ok(text) => (status, [(header::CONTENT_TYPE, "application/json")], text).into_response(),
        Err(error) => {
            Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "internal_error", error.to_string()).into_response()
        }
    }
}

/// An error answer: `{"error": code, "message": text, …}`, as deployments of the contract give it.
#[derive(Debug)]
pub(super) struct Refusal {
    status: StatusCode,
    body: Map<String, Value>,
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl Refusal {
    pub(super) fn new(status: StatusCode, code: &str, message: impl Into<String>) -> Self {
        let mut body = Map::new();
        body.insert("error".to_owned(), code.into());
        body.insert("message".to_owned(), Value::String(message.into()));
        Self { status, body, headers: Vec::new() }
    }

    pub(super) fn with(mut self, name: &str, value: Value) -> Self {
        self.body.insert(name.to_owned(), value);
        self
    }

    pub(super) fn with_header(mut self, name: HeaderName, value: &'static str) -> Self {
        self.headers.push((name, HeaderValue::from_static(value)));
        self
    }

    /// 422: a parameter breaks a rule.
    pub(super) fn invalid(invalid: &Invalid) -> Self {
        let Invalid { field, reason } = invalid;
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid_params", format!("`{field}`: {reason}"))
            .with("details", json!({"field": field, "reason": reason}))
    }

    /// 404 for a job. It never repeats the id, so that all unknown ids get the same bytes.
    pub(super) fn no_such_job() -> Self {
        Self::new(StatusCode::NOT_FOUND, "job_not_found", "there is no such job")
    }

    /// 402: the account cannot pay for the run. Credits are rows at the price of the agent.
    pub(super) fn short_of_money(price_per_1k: Decimal, short: Short) -> Self {
        let Short { required, available } = short;
        let credits = |usd: Decimal| {
            // Rows that cost nothing cost no credits.
            (usd * Decimal::ONE_THOUSAND).checked_div(price_per_1k).unwrap_or_default().floor().normalize()
        };
        let message = format!("this run costs {} USD, and {} are free", required.normalize(), available.normalize());
        Self::new(StatusCode::PAYMENT_REQUIRED, "insufficient_credits", message)
            .with("credits_required", number(credits(required)))
            .with("credits_available", number(credits(available)))
            .with("usd_required", number(required))
            .with("usd_available", number(available))
    }

    /// 400: the head of a request says twice, and differently, where its body ends.
    pub(super) fn torn() -> Self {
        let message = "a request names a length or chunks, not both";
        Self::new(StatusCode::BAD_REQUEST, "bad_request", message)
    }

    /// 400: a request asks for a fault that there is not.
    pub(super) fn bad_fault(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad_fault", message)
    }

    /// 404 for results that are not there yet.
    pub(super) fn not_ready(status: &'static str) -> Self {
        Self::new(StatusCode::NOT_FOUND, "results_not_ready", "the job is not completed yet")
            .with("status", status.into())
    }

    /// 429, with the wait in whole seconds in the header and in the body.
    pub(super) fn too_many_requests(wait: Duration) -> Self {
        let seconds = wait.as_millis().div_ceil(1000).max(1) as u64;
        let message = format!("too many requests within a minute; come again in {seconds} s");
        let mut refusal =
            Self::new(StatusCode::TOO_MANY_REQUESTS, "rate_limited", message).with("retry_after", seconds.into());
        refusal.headers.push((header::RETRY_AFTER, seconds.into()));
        refusal
    }
}

/// 503: what should have been kept could not be, so it did not happen.
impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "storage_failed", error.to_string())
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::from(Value::Object(self.body.clone()).to_string()));
        response.extensions_mut().insert(Told(self.body));
        *response.status_mut() = self.status;
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        response.headers_mut().extend(self.headers);
        response
    }
}

/// Left in a refusal for those who tell it in another form.
#[derive(Debug, Clone)]
struct Told(Map<String, Value>);

/// A refusal in the other form seen in the wild, `{"detail": text}`; any other answer stays as it is.
pub(super) fn plain(mut response: Response) -> Response {
    let Some(Told(body)) = response.extensions_mut().remove() else { return response };
    let detail = body.get("message").cloned().unwrap_or_default();
    response.headers_mut().remove(header::CONTENT_LENGTH);
    response.map(|_| Body::from(json!({ "detail": detail }).to_string()))
}

/// An amount as a JSON number. Amounts in error bodies are for people; beyond 2^53 their last digits may be rounded.
fn number(amount: Decimal) -> Value {
    serde_json::to_string(&Usd(amount)).ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or(Value::Null)
}
