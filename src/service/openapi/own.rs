//! The parameters of an own agent as a schema: as strict as its declaration, and as lenient.

use serde_json::{Map, Value, json};

use super::params::{integer, of_type, sample_of};
use crate::catalogue::ParameterType as Type;
use crate::service::own::{OwnParameter, Takes};

/// What `params` may be.
pub(super) fn params(takes: &Takes) -> Value {
    match takes {
        Takes::Declared(parameters) => {
            let properties: Map<String, Value> =
                parameters.iter().map(|parameter| (parameter.name.clone(), property(parameter))).collect();
            let required: Vec<_> = parameters.iter().filter(|p| p.required).map(|p| &p.name).collect();
            json!({
                "type": "object",
                "required": required,
                "additionalProperties": false,
                "properties": properties,
            })
        }
        Takes::Anything => json!({"type": "object"}),
        Takes::Recorded(sets) => json!({"type": "object", "enum": sets}),
    }
}

/// Parameters that are taken.
pub(super) fn example(takes: &Takes) -> Value {
    match takes {
        Takes::Declared(parameters) => {
            let required = parameters.iter().filter(|parameter| parameter.required);
            let params: Map<String, Value> =
                required.map(|parameter| (parameter.name.clone(), sample(parameter))).collect();
            Value::Object(params)
        }
        Takes::Anything => json!({}),
        Takes::Recorded(sets) => sets.first().cloned().unwrap_or_default().into(),
    }
}

fn property(parameter: &OwnParameter) -> Value {
    let mut schema = match parameter.kind {
        Type::Any => bounded(of_type(Type::Any), parameter, None),
        Type::String if !parameter.options.is_empty() => json!({"type": "string", "enum": parameter.options}),
        Type::Integer => whole(parameter),
        // Beyond f64 no number is read.
        Type::Number => bounded(of_type(Type::Number), parameter, Some((f64::MIN, f64::MAX))),
        kind => of_type(kind),
    };
    if parameter.kind == Type::Any && !parameter.options.is_empty() {
        // What is no text keeps no list of texts.
        schema["anyOf"] = json!([{"not": {"type": "string"}}, {"enum": parameter.options}]);
    }
    if let Some(title) = &parameter.title {
        schema["title"] = title.as_str().into();
    }
    schema["description"] = parameter.description.as_str().into();
    if let Some(default) = &parameter.default {
        schema["default"] = default.clone();
    }
    schema
}

/// A whole number; beyond i64 no service counts.
fn whole(parameter: &OwnParameter) -> Value {
    let minimum = parameter.minimum.map_or(i64::MIN, |bound| bound.ceil() as i64);
    let maximum = parameter.maximum.map_or(i64::MAX, |bound| bound.floor() as i64);
    integer(minimum, maximum)
}

fn bounded(mut schema: Value, parameter: &OwnParameter, else_within: Option<(f64, f64)>) -> Value {
    if let Some(minimum) = parameter.minimum.or(else_within.map(|(minimum, _)| minimum)) {
        schema["minimum"] = minimum.into();
    }
    if let Some(maximum) = parameter.maximum.or(else_within.map(|(_, maximum)| maximum)) {
        schema["maximum"] = maximum.into();
    }
    schema
}

/// A value that keeps the rules.
fn sample(parameter: &OwnParameter) -> Value {
    let one = 1_f64.max(parameter.minimum.unwrap_or(1.0)).min(parameter.maximum.unwrap_or(f64::MAX));
    match (parameter.kind, &parameter.default, parameter.options.first()) {
        (_, Some(default), _) if !default.is_null() => default.clone(),
        (Type::String | Type::Any, _, Some(option)) => option.as_str().into(),
        (kind, ..) => sample_of(kind, "text", one),
    }
}
