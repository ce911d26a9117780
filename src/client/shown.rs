//! Words of a server, made fit to stand in a message.

use serde_json::{Map, Value};

use super::api_key::ApiKey;

/// More than this of one text says nothing more to a person.
const LONGEST: usize = 300;

/// A server's text in one line, without control characters (a terminal would obey them), and not too long.
pub(super) fn clipped(text: &str) -> String {
    let mut shown: String = text.chars().take(LONGEST).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    shown
}

/// Takes the key out of every text of a record, but for the names of the job: they have to lead back to it.
pub(super) fn redact_record(fields: &mut Map<String, Value>, key: &ApiKey) {
    for (name, value) in fields.iter_mut() {
        if !matches!(name.as_str(), "job_id" | "id") {
            redact_value(value, key);
        }
    }
}

fn redact_value(value: &mut Value, key: &ApiKey) {
    match value {
        Value::String(text) => key.redact(text),
        Value::Array(items) => items.iter_mut().for_each(|item| redact_value(item, key)),
        Value::Object(fields) => fields.values_mut().for_each(|field| redact_value(field, key)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_one_line_and_not_too_long() {
        assert_eq!(clipped("a\u{1b}[31m\nb"), "a [31m b");
        assert_eq!(clipped(&"ä".repeat(301)), format!("{}…", "ä".repeat(300)));
    }

    #[test]
    fn a_record_loses_the_key_and_keeps_its_id() {
        let key = ApiKey::new("canary-0123456789").unwrap();
        let mut fields = serde_json::json!({"id": "canary-0123456789", "echo": [{"a": "x canary-0123456789"}]});
        redact_record(fields.as_object_mut().unwrap(), &key);
        assert_eq!(fields, serde_json::json!({"id": "canary-0123456789", "echo": [{"a": "x [redacted]"}]}));
    }
}
