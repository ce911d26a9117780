//! Which path answers what, and what every request passes on its way there.

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};

use super::answer::Refusal;
use super::run::Asked;
use super::state::Shared;
use super::{agents, auth, balance, body, host, jobs, pace, results, run};
use crate::wire::route;

/// The whole service. Requests go through the layers from the last to the first.
pub(super) fn router(state: &Shared) -> Router {
    Router::new()
        .route(route::RUN, post(run::start))
        .route(route::DATA_RUN, post(run::start_data))
        .route(route::JOBS, get(jobs::list))
        .route(route::DATA_JOBS, get(jobs::list))
        .route(route::JOB, get(jobs::show).delete(jobs::cancel))
        .route(route::DATA_JOB, get(jobs::show).delete(jobs::cancel))
        .route(route::RESULTS, get(results::show))
        .route(route::DATA_RESULTS, get(results::show))
        .route(route::AGENTS, get(agents::groups))
        .route(route::ALL_AGENTS, get(agents::all))
        .route(route::GROUP, get(agents::group))
        .route(route::AGENT, get(agents::agent))
        .route(route::BALANCE, get(balance::show))
        .fallback(unknown_path)
        .method_not_allowed_fallback(wrong_method)
        .layer(from_fn_with_state(state.clone(), pace::keep))
        .layer(from_fn_with_state(state.clone(), auth::require_key))
        .layer(from_fn_with_state(state.clone(), host::require_own))
        .layer(from_fn(body::read_on))
        .layer(from_fn_with_state(state.clone(), write_down))
        .with_state(state.clone())
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
    // A caller may put the key where it does not belong.
    let path = request.uri().path().replace(state.api_key(), "***");
    let number = state.log.lock().open(request.method().as_str(), &path);
    let mut response = next.run(request).await.into_response();
    if let Some(Asked { agent, params }) = response.extensions_mut().remove::<Asked>() {
        state.log.lock().tell(number, agent, params);
    }
    state.log.lock().close(number, response.status().as_u16());
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Ok(id) = HeaderValue::from_str(&format!("req-{}", number + 1)) {
        headers.insert("x-request-id", id);
    }
    response
}
