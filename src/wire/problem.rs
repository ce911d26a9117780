//! Every error body in the wild, read into one shape; none of its fields is required.

use serde_json::{Map, Value};

/// What an error body says, as far as it says anything.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Problem {
    /// A short word for the error, such as `insufficient_credits`.
    pub code: Option<String>,
    pub message: Option<String>,
    /// The field a 422 names.
    pub field: Option<String>,
    /// The rule that field breaks.
    pub reason: Option<String>,
    /// Seconds, as a 429 may say in its body.
    pub retry_after: Option<f64>,
    /// What a 402 says is needed and there, with its unit: USD where the service says so, else its credits.
    pub required: Option<String>,
    pub available: Option<String>,
}

impl Problem {
    /// Reads a body of any kind. JSON objects give what they hold, an HTML page its title, anything else nothing.
    pub fn parse(body: &[u8]) -> Self {
        match serde_json::from_slice(body) {
            Ok(Value::Object(fields)) => Self::from_fields(&fields),
            _ => Self { message: html_title(body), ..Self::default() },
        }
    }

    fn from_fields(fields: &Map<String, Value>) -> Self {
        let text = |name: &str| fields.get(name).and_then(Value::as_str).map(str::to_owned);
        let plain = |name: &str| match fields.get(name)? {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        };
        let amount = |name: &str| {
            let usd = plain(&format!("usd_{name}")).map(|amount| format!("{amount} USD"));
            usd.or_else(|| plain(&format!("credits_{name}")).map(|amount| format!("{amount} credits")))
        };
        let mut problem = Self {
            code: text("error").or_else(|| text("code")),
            message: text("message"),
            retry_after: fields.get("retry_after").and_then(Value::as_f64),
            required: amount("required"),
            available: amount("available"),
            ..Self::default()
        };
        if let Some(Value::Object(details)) = fields.get("details") {
            problem.field = details.get("field").and_then(Value::as_str).map(str::to_owned);
            problem.reason = details.get("reason").and_then(Value::as_str).map(str::to_owned);
        }
        match fields.get("detail") {
            Some(Value::String(detail)) => problem.message = problem.message.or(Some(detail.clone())),
            Some(Value::Array(details)) => problem.read_details(details),
            _ => {}
        }
        problem
    }

    /// The list form: `[{"loc": ["body", "params", "maxResults"], "msg": "…"}]`; the first entry counts.
    fn read_details(&mut self, details: &[Value]) {
        let Some(first) = details.first() else { return };
        let reason = first.get("msg").and_then(Value::as_str).or_else(|| first.as_str()).map(str::to_owned);
        let location = first.get("loc").and_then(Value::as_array).and_then(|path| path.last());
        self.field = self.field.take().or_else(|| location.and_then(Value::as_str).map(str::to_owned));
        self.message = self.message.take().or_else(|| reason.clone());
        self.reason = self.reason.take().or(reason);
    }
}

fn html_title(body: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(&body[..body.len().min(4096)]);
    let lower = text.to_ascii_lowercase();
    let open = lower.find("<title")?;
    let start = open + lower[open..].find('>')? + 1;
    let end = start + lower[start..].find("</title")?;
    let title = text[start..end].split_whitespace().collect::<Vec<_>>().join(" ");
    (!title.is_empty()).then_some(title)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_and_a_page_are_understood() {
        let first = Problem::parse(br#"{"error": "bad", "message": "no", "details": {"field": "f", "reason": "r"}}"#);
        assert_eq!(
            (first.code.as_deref(), first.field.as_deref(), first.reason.as_deref()),
            (Some("bad"), Some("f"), Some("r"))
        );
        let second = Problem::parse(br#"{"detail": [{"loc": ["body", "maxResults"], "msg": "too small"}]}"#);
        assert_eq!((second.field.as_deref(), second.reason.as_deref()), (Some("maxResults"), Some("too small")));
        let page = Problem::parse(b"<html><head><TITLE>502 Bad\n Gateway</TITLE>");
        assert_eq!(page.message.as_deref(), Some("502 Bad Gateway"));
        assert_eq!(Problem::parse(b""), Problem::default());
    }
}
