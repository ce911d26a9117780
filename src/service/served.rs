//! The rows of a completed job on their way out: made up one by one, or read from the store piece by piece, never held.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use serde::de::Error;
use serde_json::Value;
use serde_json::value::RawValue;

use super::job::{Job, Origin};
use super::members::Members;
use super::samples::{Plan, Row, Rows};
use super::state::Shared;
use super::store::StoreError;

pub(super) struct Served {
    pub(super) row_count: u64,
    pub(super) columns: Vec<String>,
    source: Source,
}

enum Source {
    Made(Rows),
    Kept(Kept),
}

/// Rows in the store.
struct Kept {
    state: Shared,
    job: usize,
    /// The piece that is read next, and how many rows it and all after it must hold.
    piece: u64,
    left: u64,
    /// Of the piece read last, as cells.
    cells: VecDeque<Vec<String>>,
}

impl Served {
    /// The rows of a job; `None` where what is made up today would not be what was charged.
    pub(super) fn of(state: &Shared, number: usize, job: &Job) -> Option<Self> {
        let (columns, source) = match &job.origin {
            Origin::MadeUp { .. } => {
                let plan = Arc::new(job.plan()?);
                (plan.columns(), Source::Made(Plan::rows(&plan)))
            }
            Origin::Kept { columns } => {
                let state = Arc::clone(state);
                let kept = Kept { state, job: number, piece: 0, left: job.rows, cells: VecDeque::new() };
                (columns.clone(), Source::Kept(kept))
            }
        };
        Some(Self { row_count: job.rows, columns, source })
    }

    /// Writes one row as JSON, or several with commas between them; false when there is none left.
    pub(super) fn write_json(&mut self, out: &mut Vec<u8>) -> Result<bool, StoreError> {
        match &mut self.source {
            Source::Made(rows) => {
                let row = rows.next();
                if let Some(row) = &row {
                    serde_json::to_writer(out, row).expect("rows have text keys, and a Vec takes every byte");
                }
                Ok(row.is_some())
            }
            Source::Kept(kept) => {
                let text = kept.next_piece()?;
                out.extend_from_slice(text.as_deref().unwrap_or_default().as_bytes());
                Ok(text.is_some())
            }
        }
    }

    /// The cells of the next row in the order of the columns, as CSV shows them: nested ones as JSON text, null as
    /// nothing.
    pub(super) fn next_cells(&mut self) -> Result<Option<Vec<String>>, StoreError> {
        match &mut self.source {
            Source::Made(rows) => Ok(rows.next().map(|row| made_cells(&row))),
            Source::Kept(kept) => {
                while kept.cells.is_empty() {
                    let Some(text) = kept.next_piece()? else { return Ok(None) };
                    kept.cells = kept_cells(&format!("[{text}]"), &self.columns).map_err(StoreError::Damaged)?;
                }
                Ok(kept.cells.pop_front())
            }
        }
    }
}

impl Kept {
    /// The next piece, rows with commas between them. An error where rows are missing or are no JSON any more.
    fn next_piece(&mut self) -> Result<Option<String>, StoreError> {
        let text = self.state.piece(self.job, self.piece)?;
        self.piece += 1;
        let rows = text.as_deref().map_or(Ok(0), count).map_err(StoreError::Damaged)?;
        let damaged = || StoreError::Damaged(Error::custom("they are not as many as were charged"));
        self.left = self.left.checked_sub(rows).ok_or_else(damaged)?;
        if text.is_none() && self.left > 0 { Err(damaged()) } else { Ok(text) }
    }
}

fn count(piece: &str) -> serde_json::Result<u64> {
    let text = format!("[{piece}]");
    let rows: Vec<&RawValue> = serde_json::from_str(&text)?;
    Ok(rows.len() as u64)
}

fn made_cells(row: &Row) -> Vec<String> {
    match serde_json::to_value(row) {
        Ok(Value::Object(fields)) => fields.into_iter().map(|(_, value)| cell(value)).collect(),
        _ => Vec::new(),
    }
}

fn cell(value: Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text,
        other => other.to_string(),
    }
}

/// The cells of each row of a piece. Numbers keep their digits, which may be more than any machine number has.
fn kept_cells(piece: &str, columns: &[String]) -> serde_json::Result<VecDeque<Vec<String>>> {
    let rows: Vec<Members<'_>> = serde_json::from_str(piece)?;
    let cells = |Members(row): Members<'_>| {
        let row: HashMap<_, _> = row.into_iter().collect();
        columns.iter().map(|name| row.get(name.as_str()).map(|value| kept_cell(value)).unwrap_or_default()).collect()
    };
    Ok(rows.into_iter().map(cells).collect())
}

/// A cell as it stands in the store. A text that UTF-8 cannot hold, one with half a surrogate pair, stays JSON.
fn kept_cell(value: &RawValue) -> String {
    match value.get() {
        "null" => String::new(),
        text if text.starts_with('"') => serde_json::from_str(text).unwrap_or_else(|_| text.to_owned()),
        text => text.to_owned(),
    }
}
