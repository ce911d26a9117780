//! Which bodies are accepted, and which rows they hold.

use std::collections::HashSet;

use rowhaul::rows::Form;
use serde_json::value::RawValue;

use crate::json::{Json, depth, members};

/// Levels of nesting in a row, the row itself being the first.
const MAX_DEPTH: usize = 128;
/// Members of an envelope.
const MAX_MEMBERS: usize = 1000;

/// The rows of a body; `None` where it has to be refused.
pub fn rows(body: &[u8], form: Form) -> Option<Vec<Json>> {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    match form {
        Form::Answer | Form::Results => in_envelope(serde_json::from_slice(body).ok()?, form),
        Form::Lines => on_lines(body),
        Form::Any => in_array(serde_json::from_slice(body).ok()?),
        Form::Records(path) => at_path(serde_json::from_slice(body).ok()?, &path, 0),
    }
}

fn in_envelope(body: &RawValue, form: Form) -> Option<Vec<Json>> {
    let members = distinct_members(body)?;
    let (mut rows, mut row_count, mut status) = (None, None, None);
    for (name, value) in members {
        match name.as_str() {
            "data" => rows = Some(in_array(value)?),
            "row_count" => row_count = count(value)?,
            "status" if form == Form::Results && !value.get().starts_with('"') => {
                if depth(value) >= MAX_DEPTH {
                    return None;
                }
            }
            "status" => status = Some(Some(Json::read(value)).filter(|value| matches!(value, Json::Text(_)))?),
            _ if depth(value) >= MAX_DEPTH => return None,
            _ => {}
        }
    }
    match (rows, row_count, status) {
        (Some(rows), Some(count), _) => (rows.len() as u64 == count).then_some(rows),
        (Some(rows), None, _) => Some(rows),
        (None, _, Some(Json::Text(status))) if status != "completed" && form == Form::Answer => Some(Vec::new()),
        _ => None,
    }
}

/// `level` objects are around this one.
fn at_path(body: &RawValue, path: &[String], level: usize) -> Option<Vec<Json>> {
    let mut rows = None;
    for (name, value) in distinct_members(body)? {
        match path.get(level) {
            Some(next) if *next == name && level + 1 < path.len() => rows = Some(at_path(value, path, level + 1)?),
            Some(next) if *next == name => rows = Some(in_array(value)?),
            _ if depth(value) + level >= MAX_DEPTH => return None,
            _ => {}
        }
    }
    rows
}

/// Those of an object, if it is one in which no key stands twice.
fn distinct_members(body: &RawValue) -> Option<Vec<(String, &RawValue)>> {
    let members = Some(body).filter(|body| body.get().starts_with('{')).map(members)?;
    let names: HashSet<&str> = members.iter().map(|(name, _)| name.as_str()).collect();
    (names.len() == members.len() && members.len() <= MAX_MEMBERS).then_some(members)
}

fn in_array(body: &RawValue) -> Option<Vec<Json>> {
    let is_array = body.get().starts_with('[');
    let rows: Vec<&RawValue> = is_array.then(|| serde_json::from_str(body.get()).ok())??;
    rows.into_iter().map(row).collect()
}

fn on_lines(body: &[u8]) -> Option<Vec<Json>> {
    let mut lines = serde_json::Deserializer::from_slice(body).into_iter::<&RawValue>();
    let (mut rows, mut end) = (Vec::new(), 0);
    while let Some(line) = lines.next() {
        let line = line.ok()?;
        let start = lines.byte_offset() - line.get().len();
        if !rows.is_empty() && !body[end..start].contains(&b'\n') {
            return None;
        }
        rows.push(row(line)?);
        end = lines.byte_offset();
    }
    Some(rows)
}

fn row(row: &RawValue) -> Option<Json> {
    (row.get().starts_with('{') && depth(row) <= MAX_DEPTH).then(|| Json::read(row))
}

/// The outer `None` refuses the body, the inner one is a `null`.
fn count(value: &RawValue) -> Option<Option<u64>> {
    match value.get() {
        "null" => Some(None),
        "-0" => Some(Some(0)),
        text => text.parse().ok().map(Some),
    }
}
