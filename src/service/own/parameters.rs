//! What an own agent asks for, and the strict check of what it is given.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::catalogue::Invalid;
use crate::wire::ParameterDescriptor;

/// A parameter as its author declares it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnParameter {
    pub name: String,
    #[serde(rename = "type", default)]
    pub kind: Kind,
    #[serde(default)]
    pub required: bool,
    #[serde(default)]
    pub default: Option<Value>,
    /// The closed list of texts, where there is one.
    #[serde(default)]
    pub options: Vec<String>,
    /// Bounds of an integer or a number.
    #[serde(default)]
    pub minimum: Option<f64>,
    #[serde(default)]
    pub maximum: Option<f64>,
    /// As shown to people.
    #[serde(default)]
    pub title: Option<String>,
    #[serde(default)]
    pub description: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    #[default]
    Any,
    String,
    Integer,
    Number,
    Boolean,
    Array,
    Object,
}

/// Checks what a run was given and completes it with the defaults.
pub(super) fn completed(
    parameters: &[OwnParameter],
    given: &Map<String, Value>,
) -> Result<Map<String, Value>, Invalid> {
    if let Some(unknown) = given.keys().find(|name| !parameters.iter().any(|parameter| parameter.name == **name)) {
        let names: Vec<_> = parameters.iter().map(|parameter| parameter.name.as_str()).collect();
        let known = if names.is_empty() { "it takes none".to_owned() } else { format!("known: {}", names.join(", ")) };
        return Err(Invalid::new(unknown.as_str(), format!("not a parameter of this agent; {known}")));
    }
    let mut completed = Map::new();
    for parameter in parameters {
        let value = match given.get(&parameter.name) {
            Some(value) => {
                parameter.check(value).map_err(|reason| Invalid::new(&parameter.name, reason))?;
                Some(value)
            }
            None if parameter.required => return Err(Invalid::new(&parameter.name, "required")),
            None => parameter.default.as_ref(),
        };
        completed.extend(value.map(|value| (parameter.name.clone(), value.clone())));
    }
    Ok(completed)
}

impl OwnParameter {
    /// An optional whole number, 0 or more.
    pub(super) fn limit(name: &str, description: &str) -> Self {
        Self {
            name: name.to_owned(),
            kind: Kind::Integer,
            required: false,
            default: None,
            options: Vec::new(),
            minimum: Some(0.0),
            maximum: None,
            title: None,
            description: description.to_owned(),
        }
    }

    /// Refuses a declaration that contradicts itself.
    pub(super) fn check_itself(&self) -> Result<(), String> {
        match &self.default {
            Some(default) if !default.is_null() => {
                self.check(default).map_err(|reason| format!("the default of the parameter `{}` {reason}", self.name))
            }
            _ => Ok(()),
        }
    }

    pub(in crate::service) fn descriptor(&self) -> ParameterDescriptor {
        ParameterDescriptor {
            kind: self.kind.name().to_owned(),
            required: self.required,
            name: self.title.clone().unwrap_or_else(|| self.name.clone()),
            description: self.description.clone(),
            default: self.default.clone(),
            options: self.options.clone(),
        }
    }

    fn check(&self, value: &Value) -> Result<(), String> {
        let is_kind = match (self.kind, value) {
            (Kind::Any, _)
            | (Kind::String, Value::String(_))
            | (Kind::Number, Value::Number(_))
            | (Kind::Boolean, Value::Bool(_))
            | (Kind::Array, Value::Array(_))
            | (Kind::Object, Value::Object(_)) => true,
            (Kind::Integer, Value::Number(number)) => !number.is_f64(),
            _ => false,
        };
        if !is_kind {
            return Err(format!("must be {}, not {}", self.kind.described(), described(value)));
        }
        if let Some(number) = value.as_f64() {
            self.check_bounds(number)?;
        }
        match value.as_str() {
            Some(text) if !self.options.is_empty() && !self.options.iter().any(|option| option == text) => {
                let options: Vec<_> = self.options.iter().map(|option| format!("\"{option}\"")).collect();
                Err(format!("must be one of {}", options.join(", ")))
            }
            _ => Ok(()),
        }
    }

    fn check_bounds(&self, number: f64) -> Result<(), String> {
        match (self.minimum, self.maximum) {
            (Some(minimum), _) if number < minimum => Err(format!("must be at least {minimum}")),
            (_, Some(maximum)) if number > maximum => Err(format!("must be at most {maximum}")),
            _ => Ok(()),
        }
    }
}

impl Kind {
    /// What a parameter may be called; those of the specification's agents are among them.
    pub(in crate::service) const NAMES: [&str; 7] =
        ["any", "string", "integer", "number", "boolean", "array", "object"];

    pub(in crate::service) fn name(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::String => "string",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Array => "array",
            Self::Object => "object",
        }
    }

    fn described(self) -> &'static str {
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

fn described(value: &Value) -> &'static str {
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
