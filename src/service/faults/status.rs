//! Answers with any status code, body and `Retry-After`.

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use serde_json::{Map, Value};

use super::fault::{RetryPlace, StatusBody, Texts};

/// What a status fault answers with.
pub(super) struct StatusAnswer<'a> {
    pub(super) code: u16,
    pub(super) body: StatusBody,
    pub(super) text: Option<&'a str>,
    pub(super) retry_after: &'a Texts,
    pub(super) retry_after_in: RetryPlace,
    pub(super) headers: &'a Map<String, Value>,
}

impl StatusAnswer<'_> {
    pub(super) fn response(&self) -> Response {
        let (kind, body) = self.content();
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = StatusCode::from_u16(self.code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = response.headers_mut();
        if let Some(kind) = kind {
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
        }
        if self.retry_after_in != RetryPlace::Body {
            let values = self.retry_after.0.iter().filter_map(|text| header_value(text).ok());
            headers.extend(values.map(|value| (header::RETRY_AFTER, value)));
        }
        headers.extend(self.headers.iter().filter_map(|(name, value)| header_of(name, value).ok()));
        response
    }

    fn content(&self) -> (Option<&'static str>, String) {
        const JSON: Option<&str> = Some("application/json");
        if let Some(text) = self.text {
            let is_json = serde_json::from_str::<&serde_json::value::RawValue>(text).is_ok();
            return (if is_json { JSON } else { Some("text/plain; charset=utf-8") }, text.to_owned());
        }
        let code = self.code;
        let reason = StatusCode::from_u16(code).ok().and_then(|status| status.canonical_reason()).unwrap_or("Fault");
        let message = format!("{code} {reason}, on request");
        let mut object = Map::new();
        match self.body {
            StatusBody::Empty => return (None, String::new()),
            StatusBody::Html => {
                let page = format!("<html><head><title>{code} {reason}</title></head><body>{message}</body></html>");
                return (Some("text/html; charset=utf-8"), page);
            }
            StatusBody::Error => {
                let word = reason.to_ascii_lowercase().replace([' ', '-'], "_");
                object.insert("error".to_owned(), Value::String(word));
                object.insert("message".to_owned(), Value::String(message));
            }
            StatusBody::Detail => {
                object.insert("detail".to_owned(), Value::String(message));
            }
        }
        if self.retry_after_in != RetryPlace::Header
            && let Some(text) = self.retry_after.0.first()
        {
            let value = serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.clone()));
            object.insert("retry_after".to_owned(), value);
        }
        (JSON, Value::Object(object).to_string())
    }
}

/// Refuses what cannot stand in a header.
pub(super) fn check(retry_after: &Texts, headers: &Map<String, Value>) -> Result<(), String> {
    retry_after.0.iter().try_for_each(|text| header_value(text).map(drop))?;
    headers.iter().try_for_each(|(name, value)| header_of(name, value).map(drop))
}

pub(super) fn header_value(text: &str) -> Result<HeaderValue, String> {
    HeaderValue::from_str(text).map_err(|_| format!("`{}` cannot stand in a header", text.escape_debug()))
}

fn header_of(name: &str, value: &Value) -> Result<(HeaderName, HeaderValue), String> {
    let known = HeaderName::from_bytes(name.as_bytes());
    let name = known.map_err(|_| format!("`{}` cannot be the name of a header", name.escape_debug()))?;
    match value {
        Value::String(text) => Ok((name, header_value(text)?)),
        other => Ok((name, header_value(&other.to_string())?)),
    }
}
