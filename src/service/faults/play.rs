//! Playing the fault that is due: before the service looks at a request, or on what it answers.

use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{MatchedPath, RawPathParams, Request, State};
use axum::http::HeaderMap;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body_util::BodyExt;

use super::fault::Fault;
use super::plan::{About, Injection};
use super::status::StatusAnswer;
use super::{altered, encoded};
use crate::service::endpoint::Endpoint;
use crate::service::extras::Extra;
use crate::service::response::Refusal;
use crate::service::results::none_yet;
use crate::service::state::Shared;

/// The header by which a request asks for its own fault.
const HEADER: &str = "rowhaul-fault";

/// Left in an answer for the log: the fault that was played.
#[derive(Debug, Clone, Copy)]
pub(in crate::service) struct Played(pub(in crate::service) &'static str);

/// Left in an answer for the connection, which plays the fault on the socket.
#[derive(Debug, Clone)]
pub(in crate::service) struct OnWire(pub(in crate::service) Fault);

impl OnWire {
    /// Whether the caller gets to see the status of the answer, or would if it waited.
    pub(in crate::service) fn is_answer(&self) -> bool {
        let Self(fault) = self;
        matches!(
            fault,
            Fault::Cut { .. } | Fault::Stall { .. } | Fault::Drip { .. } | Fault::Hang { seconds: Some(_), .. }
        )
    }
}

/// Left in a run request: what the job it makes will come to.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::service) struct Outcome {
    /// How long the job takes, in seconds.
    pub(in crate::service) seconds: Option<f64>,
    /// Why it fails.
    pub(in crate::service) error: Option<String>,
}

/// Plays what is due for a request, or lets it through.
pub(in crate::service) async fn play(
    State(state): State<Shared>,
    route: Option<MatchedPath>,
    names: Result<RawPathParams, RawPathParamsRejection>,
    mut request: Request,
    next: Next,
) -> Response {
    let by_header = state.has(Extra::FaultHeader) && state.address.ip().is_loopback();
    let fault = match asked_by(request.headers()).filter(|_| by_header) {
        Some(Ok(asked)) => Some(asked.fault),
        Some(Err(message)) => return Refusal::bad_fault(message).into_response(),
        None => planned(&state, route.as_ref(), names.as_ref().ok(), &request),
    };
    let Some(fault) = fault else { return next.run(request).await };
    let played = Played(fault.name());
    if let Fault::Slow { seconds } = fault {
        request.extensions_mut().insert(Outcome { seconds: Some(seconds), error: None });
    } else if let Fault::Fail { seconds, error } = &fault {
        request.extensions_mut().insert(Outcome { seconds: *seconds, error: Some(error.clone()) });
    }
    let answer = if fault.is_applied() {
        next.run(request).await
    } else {
        // All of it, so that closing the connection does not reset it.
        let _ = request.into_body().collect().await;
        Response::default()
    };
    let mut answer = altered_by(fault, answer).await;
    answer.extensions_mut().insert(played);
    answer
}

async fn altered_by(fault: Fault, mut answer: Response) -> Response {
    match fault {
        Fault::Status { code, body, text, retry_after, retry_after_in, headers, .. } => StatusAnswer {
            code,
            body,
            text: text.as_deref(),
            retry_after: &retry_after,
            retry_after_in,
            headers: &headers,
        }
        .response(),
        Fault::Encoding { coding, declared, corrupt } => {
            encoded::encoded(answer, coding, declared.as_deref(), corrupt).await
        }
        Fault::Bomb { coding, bytes } => encoded::bomb(answer, coding, bytes).await,
        Fault::ContentType { value } => altered::called(answer, value.as_deref()),
        Fault::Fields { values } => altered::with_fields(answer, &values).await,
        Fault::Missing { names } => altered::without(answer, &names.0).await,
        Fault::TooEarly { code } => {
            if code == 404 {
                Refusal::not_ready("running").into_response()
            } else {
                none_yet("running")
            }
        }
        Fault::Slow { .. } | Fault::Fail { .. } => answer,
        on_wire => {
            answer.extensions_mut().insert(OnWire(on_wire));
            answer
        }
    }
}

/// The fault that a request asks for itself.
fn asked_by(headers: &HeaderMap) -> Option<Result<Injection, String>> {
    let text = headers.get(HEADER)?;
    Some(text.to_str().map_err(|_| "it is not text".to_owned()).and_then(str::parse))
}

/// The fault that is due by the plan.
fn planned(
    state: &Shared,
    route: Option<&MatchedPath>,
    names: Option<&RawPathParams>,
    request: &Request,
) -> Option<Fault> {
    if state.faults.is_spent() {
        return None;
    }
    let segment = |wanted: &str| names.and_then(|names| names.iter().find(|(name, _)| *name == wanted)).map(|(_, v)| v);
    let job = segment("job_id");
    let agent = match (segment("group"), segment("slug"), job) {
        (Some(group), Some(slug), _) => Some(format!("{group}/{slug}")),
        (_, _, Some(job)) => state.last_book().job(job).map(|job| job.agent.clone()),
        _ => None,
    };
    let endpoint = route.and_then(|route| Endpoint::of(request.method(), route.as_str()));
    state.faults.next(About { endpoint, job, agent: agent.as_deref() })
}
