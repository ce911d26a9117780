//! Which path answers what, and what every request passes on its way there.

use std::time::Instant;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};

use super::extras::Extra;
use super::faults::{self, OnWire, Played};
use super::journal::Line;
use super::response::{self, Refusal};
use super::run::{Asked, Made};
use super::state::Shared;
use super::{agents, auth, balance, body, health, host, jobs, openapi, pace, results, run};
use crate::wire::route;

/// Paths that the contract does not have.
pub(super) const HEALTH: &str = "/healthz";
pub(super) const OPENAPI: &str = "/openapi.json";

/// Stands for the key of the service in what it writes down.
pub(super) const REDACTED: &str = "***";

/// The header with the number of a request.
pub(super) const NUMBER: &str = "x-request-id";

/// The whole service. Requests go through the layers from the last to the first.
pub(super) fn router(state: &Shared) -> Router {
    routes(state)
        .fallback(unknown_path)
        .method_not_allowed_fallback(wrong_method)
        .layer(from_fn_with_state(state.clone(), faults::play))
        .layer(from_fn_with_state(state.clone(), pace::keep))
        .layer(from_fn_with_state(state.clone(), auth::require_key))
        .merge(without_key())
        .layer(from_fn_with_state(state.clone(), host::require_own))
        .layer(from_fn(body::read_on))
        .layer(from_fn_with_state(state.clone(), write_down))
        .with_state(state.clone())
}

/// What is answered without a key, and whatever the rate.
fn without_key() -> Router<Shared> {
    Router::new()
        .route(HEALTH, get(health::show))
        .route(OPENAPI, get(openapi::show))
        .method_not_allowed_fallback(wrong_method)
}

/// The contract, and what else the service was started with.
fn routes(state: &Shared) -> Router<Shared> {
    let job = || if state.has(Extra::Cancel) { get(jobs::show).delete(jobs::cancel) } else { get(jobs::show) };
    let mut router = Router::new()
        .route(route::RUN, post(run::start))
        .route(route::JOB, job())
        .route(route::RESULTS, get(results::show))
        .route(route::AGENTS, get(agents::groups))
        .route(route::AGENT, get(agents::agent))
        .route(route::BALANCE, get(balance::show));
    if state.has(Extra::AgentLists) {
        router = router.route(route::ALL_AGENTS, get(agents::all)).route(route::GROUP, get(agents::group));
    }
    if state.has(Extra::JobList) {
        router = router.route(route::JOBS, get(jobs::list));
    }
    if state.has(Extra::DataPaths) {
        router = router
            .route(route::DATA_RUN, post(run::start_data))
            .route(route::DATA_JOB, job())
            .route(route::DATA_RESULTS, get(results::show));
        if state.has(Extra::JobList) {
            router = router.route(route::DATA_JOBS, get(jobs::list));
        }
    }
    router
}

async fn unknown_path() -> Refusal {
    Refusal::new(StatusCode::NOT_FOUND, "not_found", "there is nothing at this path")
}

/// The `Allow` header is added by the router, which knows what is allowed.
async fn wrong_method() -> Refusal {
    Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", "this path does not take this method")
}

/// Writes every request into the log and gives every answer a number to be talked about.
async fn write_down(State(state): State<Shared>, request: Request, next: Next) -> Response {
    let begun = Instant::now();
    // A caller may put the key where it does not belong.
    let path = blotted(request.uri().path(), state.api_key());
    let method = request.method().clone();
    let number = state.log.lock().open(method.as_str(), &path);
    let mut response = next.run(request).await.into_response();
    if let Some(Asked { agent, params }) = response.extensions_mut().remove::<Asked>() {
        state.log.lock().tell(number, agent, params);
    }
    let fault = response.extensions_mut().remove::<Played>().map(|Played(name)| name);
    let status = response.extensions().get().is_none_or(OnWire::is_answer).then(|| response.status().as_u16());
    state.log.lock().close(number, status, fault);
    let made = response.extensions_mut().remove::<Made>();
    state.journal.write(&Line {
        at: state.clock.now(),
        method: method.as_str(),
        path: &path,
        status,
        took: begun.elapsed(),
        job_id: made.as_ref().map(|Made(id)| id.as_str()).or_else(|| job_in(&path)),
        fault,
    });
    if !state.has(Extra::ErrorCodes) {
        response = response::plain(response);
    }
    let headers = response.headers_mut();
    // By the clock that its jobs go by, so that a caller can compare times.
    if let Ok(date) = HeaderValue::from_str(&state.clock.http_date()) {
        headers.insert(header::DATE, date);
    }
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Ok(id) = HeaderValue::from_str(&format!("req-{}", number + 1)) {
        headers.insert(NUMBER, id);
    }
    response
}

/// A path as it may be written down: a segment that holds the key, in whichever spelling, is blotted out.
fn blotted(path: &str, key: &str) -> String {
    let holds_key = |text: &str| text.contains(key) || decoded(text).contains(key);
    if !holds_key(path) {
        return path.to_owned();
    }
    let shown: Vec<_> = path.split('/').map(|segment| if holds_key(segment) { REDACTED } else { segment }).collect();
    let shown = shown.join("/");
    // A key with a slash stands in no segment.
    if holds_key(&shown) { format!("/{REDACTED}") } else { shown }
}

/// A path with what is percent-encoded in it decoded, once.
fn decoded(path: &str) -> String {
    let (mut bytes, mut rest) = (Vec::with_capacity(path.len()), path.as_bytes());
    while let Some((first, after)) = rest.split_first() {
        let digits = if *first == b'%' { after.get(..2) } else { None };
        let text = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = text.and_then(|text| u8::from_str_radix(text, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The job that a path is about, as it stands there.
fn job_in(path: &str) -> Option<&str> {
    let (_, rest) = path.split_once("/jobs/")?;
    rest.split('/').next()
}
