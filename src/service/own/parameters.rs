//! What an own agent asks for, and the strict check of what it is given.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::catalogue::{Invalid, ParameterType, one_of};
use crate::wire::ParameterDescriptor;

/// A parameter as its author declares it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnParameter {
    pub name: String,
    #[serde(rename = "type", default)]
    pub kind: ParameterType,
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

/// Checks what a run was given and completes it with the defaults.
pub(super) fn completed(
    parameters: &[OwnParameter],
    given: &Map<String, Value>,
) -> Result<Map<String, Value>, Invalid> {
    let known = parameters.iter().map(|parameter| parameter.name.as_str());
    if let Some(unknown) = Invalid::unknown(given.keys(), known) {
        return Err(unknown);
    }
    let mut completed = Map::new();
    for parameter in parameters {
        let value = match given.get(&parameter.name) {
            Some(value) => {
                parameter.check(value).map_err(|reason| Invalid::new(&parameter.name, reason))?;
                Some(value)
            }
            None if parameter.required => return Err(Invalid::missing(&parameter.name)),
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
            kind: ParameterType::Integer,
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
        self.kind.check(value)?;
        if let Some(number) = value.as_f64() {
            self.check_bounds(number)?;
        }
        value.as_str().map_or(Ok(()), |text| one_of(&self.options, text))
    }

    fn check_bounds(&self, number: f64) -> Result<(), String> {
        match (self.minimum, self.maximum) {
            (Some(minimum), _) if number < minimum => Err(format!("must be at least {minimum}")),
            (_, Some(maximum)) if number > maximum => Err(format!("must be at most {maximum}")),
            _ => Ok(()),
        }
    }
}
