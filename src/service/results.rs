//! The rows of a completed job (section 4.3), as JSON or as CSV, made or read while they are sent.

use axum::body::{Body, Bytes};
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde::Deserialize;
use serde_json::json;

use super::csv::CsvText;
use super::extras::Extra;
use super::job::Phase;
use super::jobs::{JobPath, id};
use super::json::JsonText;
use super::response::{Refusal, json_response};
use super::served::Served;
use super::state::Shared;
use super::store::StoreError;
use crate::catalogue::Invalid;

/// Rows are gathered to about this many bytes before they are sent.
const CHUNK: usize = 64 * 1024;

#[derive(Debug, Deserialize)]
pub(super) struct ResultsQuery {
    format: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Json,
    Csv,
}

/// `GET /api/v1/jobs/{job_id}/results` and `GET /v1/jobs/{job_id}/results`
///
/// CSV is asked for by `?format=csv` or by an `Accept` header that prefers `text/csv`.
pub(super) async fn show(
    State(state): State<Shared>,
    path: JobPath,
    query: Result<Query<ResultsQuery>, QueryRejection>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let id = id(path)?;
    let Query(query) = query.map_err(|error| Refusal::new(StatusCode::BAD_REQUEST, "bad_query", error.body_text()))?;
    let format = match query.format.as_deref() {
        _ if !state.has(Extra::Csv) => Format::Json,
        None if prefers_csv(&headers) => Format::Csv,
        None | Some("json") => Format::Json,
        Some("csv") => Format::Csv,
        Some(_) => return Err(Refusal::invalid(&Invalid::new("format", "must be one of json, csv"))),
    };
    let served = match completed(&state, &id)? {
        Rows::Ready(served) => *served,
        Rows::NotYet(phase) => return Ok(none_yet(phase.name())),
    };
    let text = match format {
        Format::Json => Text::Json(JsonText::new(served)),
        Format::Csv => Text::Csv(CsvText::new(served)),
    };
    let kind = match format {
        Format::Json => "application/json",
        Format::Csv => "text/csv; charset=utf-8; header=present",
    };
    Ok(([(header::CONTENT_TYPE, kind), (header::VARY, "accept")], Body::from_stream(stream::iter(text)))
        .into_response())
}

/// The answer to a caller who comes too early, where that is no error: the status, and no rows.
pub(super) fn none_yet(status: &str) -> Response {
    json_response(StatusCode::OK, &json!({"status": status, "row_count": 0, "data": []}))
}

enum Rows {
    Ready(Box<Served>),
    NotYet(Phase),
}

/// The rows of a job that has some to show.
fn completed(state: &Shared, id: &str) -> Result<Rows, Refusal> {
    let (book, now) = state.book()?;
    let (number, job) = book.numbered(id).ok_or_else(Refusal::no_such_job)?;
    let phase = job.phase(now);
    let refusal = match phase {
        Phase::Completed if now < job.expires_at() || !state.has(Extra::Expiry) => {
            return Served::of(state, number, job).map(|served| Rows::Ready(Box::new(served))).ok_or_else(outdated);
        }
        phase if phase != Phase::Completed && !state.has(Extra::NotReady) => return Ok(Rows::NotYet(phase)),
        Phase::Completed => {
            Refusal::new(StatusCode::GONE, "results_expired", "the results expired 7 days after completion")
        }
        Phase::Cancelled => {
            Refusal::new(StatusCode::NOT_FOUND, "job_cancelled", "the job was cancelled and has no results")
        }
        Phase::Failed => Refusal::new(StatusCode::NOT_FOUND, "job_failed", "the job failed and has no results"),
        Phase::Queued | Phase::Running => return Err(Refusal::not_ready(phase.name())),
    };
    Err(refusal.with("status", phase.name().into()))
}

/// 410: the rows of a job that another version of this program has charged for.
fn outdated() -> Refusal {
    let message = "another version of rowhaul made these rows up, and this one would make others";
    Refusal::new(StatusCode::GONE, "results_outdated", message).with("status", Phase::Completed.name().into())
}

/// Whether an `Accept` header ranks `text/csv` above JSON. Equal ranks are JSON, the contract's own format.
fn prefers_csv(headers: &HeaderMap) -> bool {
    let ranges =
        headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok()).flat_map(|v| v.split(','));
    let (mut csv, mut json) = (0.0_f32, 0.0_f32);
    for range in ranges {
        let mut parts = range.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default().to_ascii_lowercase();
        let quality = parts.find_map(|part| part.strip_prefix("q=")).map_or(1.0, |q| q.parse().unwrap_or(0.0));
        match name.as_str() {
            "text/csv" => csv = csv.max(quality),
            "application/json" => json = json.max(quality),
            _ => {}
        }
    }
    csv > json
}

/// The text of a body, chunk by chunk.
enum Text {
    Json(JsonText),
    Csv(CsvText),
}

impl Iterator for Text {
    /// An error cuts the answer off, so that its caller cannot take it for a whole one.
    type Item = Result<Bytes, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut chunk = Vec::with_capacity(CHUNK + CHUNK / 4);
        let mut more = true;
        while more && chunk.len() < CHUNK {
            let written = match self {
                Self::Json(text) => text.write(&mut chunk),
                Self::Csv(text) => text.write(&mut chunk),
            };
            match written {
                Ok(written) => more = written,
                Err(error) => return Some(Err(error)),
            }
        }
        (!chunk.is_empty()).then(|| Ok(chunk.into()))
    }
}
