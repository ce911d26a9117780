//! The body of a run request, read strictly: `{"params": {…}}`, each name once.
//!
//! Each parameter is read for itself, so that a value JSON allows and no machine number holds (1e400) is refused with
//! the name of its parameter.

use std::fmt;

use axum::http::StatusCode;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::members::Members;
use super::response::Refusal;
use crate::catalogue::Invalid;

/// How deep a body may be nested. The contract needs four levels.
const MAX_DEPTH: usize = 64;

/// Reads the parameters out of a body.
pub(super) fn read(body: &[u8]) -> Result<Map<String, Value>, Refusal> {
    let not_json = |why: &dyn fmt::Display| {
        Refusal::new(StatusCode::BAD_REQUEST, "invalid_json", format!("the body is not JSON: {why}"))
    };
    let text = serde_json::from_slice::<&RawValue>(body).map_err(|error| not_json(&error))?.get();
    if depth(text) > MAX_DEPTH {
        return Err(not_json(&format!("it is nested deeper than {MAX_DEPTH} levels")));
    }
    let invalid = |field: &str, reason: &str| Refusal::invalid(&Invalid::new(field, reason));
    if !text.starts_with('{') {
        return Err(invalid("params", "required: the body must be an object with the one key `params`"));
    }
    let Members(members) = serde_json::from_str(text).map_err(|error| not_json(&error))?;
    let mut params = None;
    for (name, value) in members {
        if name != "params" {
            return Err(invalid(&name, "not known here: the body is an object with the one key `params`"));
        }
        if params.replace(value.get()).is_some() {
            return Err(invalid("params", "must not be given twice"));
        }
    }
    let params = params.ok_or_else(|| invalid("params", "required"))?;
    if !params.starts_with('{') {
        return Err(invalid("params", "must be an object"));
    }
    let Members(members) = serde_json::from_str(params).map_err(|error| not_json(&error))?;
    let mut read = Map::new();
    for (name, value) in members {
        if read.contains_key(name.as_ref()) {
            return Err(invalid(&name, "must not be given twice"));
        }
        let value = serde_json::from_str(value.get())
            .map_err(|error| invalid(&name, &format!("must be a value that can be read: {error}")))?;
        read.insert(name.into_owned(), value);
    }
    Ok(read)
}

/// How deep arrays and objects of a JSON text are nested.
fn depth(text: &str) -> usize {
    let (mut depth, mut deepest, mut in_string, mut escaped) = (0_usize, 0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_depth_of_a_text_ignores_brackets_in_strings() {
        assert_eq!(depth(r#"{"a": ["[[[\"[[", [1]]}"#), 3);
        assert_eq!(depth("1"), 0);
    }

    #[test]
    fn parameters_keep_their_order_and_their_text() {
        let params = read(br#"{"params": {"b": [1, "\u00e9"], "a": 1.0}}"#).unwrap();
        assert_eq!(Value::Object(params).to_string(), r#"{"b":[1,"é"],"a":1.0}"#);
    }
}
