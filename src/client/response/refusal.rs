//! What an answer other than 2xx means: its error, and whether it says that the request may be repeated.

use std::time::{Duration, SystemTime};

use super::json::{IS_THIS_THE_SERVICE, is_page};
use super::retry_after;
use crate::client::api_key::ApiKey;
use crate::client::error::Error;
use crate::client::error_kind::{ErrorKind, Outcome};
use crate::client::pacing::retry::Retry;
use crate::client::shown::clipped;
use crate::client::transport::Response;
use crate::wire::Problem;

/// The facts of a refusing answer.
pub(in crate::client) struct Refusal {
    pub status: u16,
    pub retry_after: Option<Duration>,
    problem: Problem,
    body: Vec<u8>,
    content_type: Option<String>,
    request_id: Option<String>,
    location: Option<String>,
}

impl Refusal {
    /// Reads the head of `answer` and the beginning of its body.
    pub(in crate::client) fn new(answer: &Response, body: Vec<u8>, key: &ApiKey) -> Self {
        let mut problem = Problem::parse(&body);
        for text in texts(&mut problem) {
            key.redact(text);
            *text = clipped(text);
        }
        let server_clock = answer.header("date").and_then(|date| httpdate::parse_http_date(date).ok());
        let now = server_clock.unwrap_or_else(SystemTime::now);
        let owned = |name: &str| {
            let mut text = answer.header(name)?.to_owned();
            key.redact(&mut text);
            Some(clipped(&text))
        };
        Self {
            status: answer.status(),
            retry_after: retry_after::parse(answer.headers("retry-after"), problem.retry_after, now),
            problem,
            body,
            content_type: owned("content-type"),
            request_id: owned("x-request-id").or_else(|| owned("request-id")),
            location: owned("location"),
        }
    }

    /// Whether a GET that was answered so is repeated.
    pub(in crate::client) fn retry(&self) -> Retry {
        match self.status {
            429 => Retry::Throttled(self.retry_after),
            503 if self.retry_after.is_some() => Retry::Throttled(self.retry_after),
            408 | 500 | 502..=504 | 520..=599 => Retry::Backoff,
            _ => Retry::Never,
        }
    }

    /// The error that tells this refusal of `what`, such as ``the start of `events/events` ``.
    pub(in crate::client) fn into_error(self, what: &str, key: &ApiKey) -> Error {
        let status = self.status;
        let error = match status {
            // A proxy on this side of the service: nothing was passed on.
            407 => return of_proxy_credentials(what).with_excerpt(&self.body),
            300..=399 => {
                let place = self.location.as_deref().map_or("an unnamed place".to_owned(), place_without_secrets);
                Error::bad_response(format!(
                    "{what} was redirected to {place} (status {status}), which is not followed"
                ))
                .with_hint("if the service has moved, give its new address as `base_url`")
            }
            400..=599 => self.api_error(what, key),
            _ => Error::bad_response(format!("{what} was answered with the unusable status {status}")),
        };
        let outcome = if matches!(status, 300..=499) { Outcome::Rejected } else { Outcome::Unknown };
        error.with_outcome(outcome).with_retry_after(self.retry_after).with_excerpt(&self.body)
    }

    /// The beginning of the body, for errors that are told under another kind.
    pub(in crate::client) fn said(&self) -> String {
        match (&self.problem.message, &self.location) {
            (Some(message), _) => format!("status {}: {message}", self.status),
            (None, Some(place)) if matches!(self.status, 300..=399) => {
                format!("status {}, which names {}", self.status, place_without_secrets(place))
            }
            (None, _) => format!("status {}", self.status),
        }
    }

    fn api_error(&self, what: &str, key: &ApiKey) -> Error {
        let problem = &self.problem;
        let text = match self.status {
            401 => "was refused: the API key is not accepted",
            402 => "was refused: the balance does not suffice",
            403 => "is not permitted",
            404 => "was not found",
            409 => "conflicts with the present state",
            410 => "is gone",
            429 => "was refused: too many requests",
            500..=599 => "failed on the service's side",
            _ => "was refused",
        };
        let mut said = String::new();
        let mut add = |label: &str, value: &Option<String>| {
            if let Some(value) = value {
                said = format!("{said}{label}{value}");
            }
        };
        add(": ", &problem.message.clone().or_else(|| problem.code.clone()).or_else(|| self.content_kind()));
        // What the message says already is not said again.
        let is_news = |text: &str| problem.message.as_ref().is_none_or(|message| !message.contains(text));
        let field = problem.field.as_ref().map(|field| format!("`{field}`")).filter(|field| is_news(field));
        add("; field ", &field);
        add("; ", &problem.reason.clone().filter(|reason| is_news(reason)));
        add("; required: ", &problem.required);
        add("; available: ", &problem.available);
        let message = format!("{what} {text} (status {}){}", self.status, clipped(&said));
        let kind = ErrorKind::Api {
            status: self.status,
            code: problem.code.clone(),
            message: problem.message.clone(),
            request_id: self.request_id.clone(),
        };
        let error = Error::new(kind, message);
        match self.status {
            401 => error
                .with_hint(format!("the key in use has the SHA-256 {}…; check it at its source", key.fingerprint())),
            402 => error.with_hint("top up the balance, or ask for fewer rows"),
            429 => match self.retry_after {
                Some(pause) => error.with_hint(format!("the service asks to wait {} s", pause.as_secs_f64().ceil())),
                None => error,
            },
            404 | 405 if is_page(&self.body) => error.with_hint(IS_THIS_THE_SERVICE),
            _ => error,
        }
    }

    /// A body that is no JSON is at least named.
    fn content_kind(&self) -> Option<String> {
        let kind = self.content_type.as_deref()?;
        (!kind.contains("json") && !self.body.is_empty()).then(|| format!("the answer is `{kind}`"))
    }
}

/// The error of a proxy that wants credentials, and passes nothing on without them.
pub(in crate::client) fn of_proxy_credentials(what: &str) -> Error {
    Error::new(ErrorKind::Connect, format!("the proxy lets nothing through for {what}: it wants credentials"))
        .with_outcome(Outcome::NotSent)
        .with_hint(
            "put the credentials into the proxy's address (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`), or go without one \
             (`NO_PROXY`)",
        )
}

fn texts(problem: &mut Problem) -> impl Iterator<Item = &mut String> {
    let Problem { code, message, field, reason, required, available, .. } = problem;
    [code, message, field, reason, required, available].into_iter().flatten()
}

/// A `Location` without user information, query and fragment.
pub(in crate::client) fn place_without_secrets(location: &str) -> String {
    let shown = location.split(['?', '#']).next().unwrap_or_default();
    let shown = match shown.split_once("//") {
        Some((scheme, rest)) => {
            let host_ends = rest.find('/').unwrap_or(rest.len());
            let host_begins = rest[..host_ends].rfind('@').map_or(0, |at| at + 1);
            format!("{scheme}//{}", &rest[host_begins..])
        }
        None => shown.to_owned(),
    };
    format!("`{shown}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_place_is_named_without_its_secrets() {
        for (location, shown) in [
            ("https://u:canary@h.example/login?token=canary#canary", "`https://h.example/login`"),
            ("//u@h.example", "`//h.example`"),
            ("/login?next=canary", "`/login`"),
            ("http://h.example:81/a@b", "`http://h.example:81/a@b`"),
        ] {
            assert_eq!(place_without_secrets(location), shown);
        }
    }
}
