//! Words of a server, made fit to stand in a message.

use serde_json::{Map, Value};

use super::api_key::ApiKey;

/// Bytes of a server's words in one message at most, the mark where they were cut included.
const LONGEST: usize = 512;

/// Stands where a text was cut.
pub(super) const CUT: char = '…';

/// A server's text in one line, without control characters (a terminal would obey them), and in at most 512 bytes.
pub fn clipped(text: &str) -> String {
    clipped_to(text, LONGEST)
}

/// The same in fewer bytes, for messages that show more than one text.
pub(super) fn clipped_to(text: &str, longest: usize) -> String {
    let is_cut = text.len() > longest;
    let room = if is_cut { longest - CUT.len_utf8() } else { longest };
    let kept = text.char_indices().take_while(|(at, c)| at + c.len_utf8() <= room).map(|(_, c)| c);
    kept.map(|c| if c.is_control() { ' ' } else { c }).chain(is_cut.then_some(CUT)).collect()
}

/// A word of a server's, such as a status or a type.
pub(super) fn clipped_word(text: &str) -> String {
    clipped_to(text, 64)
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
        assert_eq!(clipped(&"ä".repeat(256)), "ä".repeat(256));
        assert_eq!(clipped(&"ä".repeat(257)), format!("{}…", "ä".repeat(254)));
        assert_eq!(clipped(&"x".repeat(513)).len(), 512);
    }

    #[test]
    fn a_record_loses_the_key_and_keeps_its_id() {
        let key = ApiKey::new("canary-0123456789").unwrap();
        let mut fields = serde_json::json!({"id": "canary-0123456789", "echo": [{"a": "x canary-0123456789"}]});
        redact_record(fields.as_object_mut().unwrap(), &key);
        assert_eq!(fields, serde_json::json!({"id": "canary-0123456789", "echo": [{"a": "x [redacted]"}]}));
    }
}
