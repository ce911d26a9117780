//! The types of parameters, and what is said of a value that has another.

use serde::Deserialize;
use serde_json::Value;

/// What a parameter may be. The contract's agents take arrays, integers and strings; agents of one's own may ask for
/// others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ParameterType {
    #[default]
    Any,
    String,
    Integer,
    Number,
    Boolean,
    Array,
    Object,
}

impl ParameterType {
    pub const NAMES: [&str; 7] = ["any", "string", "integer", "number", "boolean", "array", "object"];

    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// Refuses a value of another type. `1.0` and `1e0` are no integers.
    pub fn check(self, value: &Value) -> Result<(), String> {
        let is_met = match (self, value) {
            (Self::Any, _)
            | (Self::String, Value::String(_))
            | (Self::Number, Value::Number(_))
            | (Self::Boolean, Value::Bool(_))
            | (Self::Array, Value::Array(_))
            | (Self::Object, Value::Object(_)) => true,
            (Self::Integer, Value::Number(number)) => !number.is_f64(),
            _ => false,
        };
        if is_met { Ok(()) } else { Err(format!("must be {}, not {}", self.with_article(), kind_of(value))) }
    }

    fn with_article(self) -> &'static str {
        match self {
            Self::Any => "anything",
            Self::String => "a string",
            Self::Integer => "an integer",
            Self::Number => "a number",
            Self::Boolean => "a boolean",
            Self::Array => "an array",
            Self::Object => "an object",
        }
    }
}

/// The type of a value, with its article.
pub(super) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(number) if number.is_f64() => "a number with a fraction or exponent",
        Value::Number(_) => "an integer",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// Refuses a text that is not on a closed list; an empty list closes nothing.
///
/// # Errors
/// What is on the list, as the end of a sentence.
pub fn one_of(options: &[String], text: &str) -> Result<(), String> {
    if options.is_empty() || options.iter().any(|option| option == text) {
        return Ok(());
    }
    Err(format!("must be one of {}", quoted(options)))
}

pub(super) fn quoted(options: &[String]) -> String {
    options.iter().map(|option| format!("\"{option}\"")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_has_the_name_that_it_is_read_from() {
        for name in ParameterType::NAMES {
            let read: ParameterType = serde_json::from_value(name.into()).unwrap();
            assert_eq!(read.name(), name);
        }
    }
}
