//! The account's balance (section 4.6).

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;

use super::response::{Refusal, json_response};
use super::state::Shared;
use crate::wire::{Balance, Usd};

/// `GET /api/v1/balance`
pub(super) async fn show(State(state): State<Shared>) -> Result<Response, Refusal> {
    let usd_remaining = Usd(state.book()?.0.account().remaining());
    Ok(json_response(StatusCode::OK, &Balance { usd_remaining }))
}
