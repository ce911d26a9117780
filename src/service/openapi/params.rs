//! The parameters of an agent as a schema: section 4.7 for machines.

use serde_json::{Map, Value, json};

use crate::catalogue::{Agent, Items, Parameter, ParameterType};
use crate::service::offer::Offer;
use crate::wire::PathForm;

use super::{own, patterns};

/// The longest range of integers that is listed, number by number; what is longer makes the document too large to read.
const LISTED: i64 = 1000;

/// The body of a run of this agent.
pub(super) fn run_body(offer: &Offer, form: PathForm, row_cap: Option<u64>) -> Value {
    let params = match offer {
        Offer::Known(agent) => params(agent, form, row_cap),
        Offer::Own(agent) => own::params(&agent.takes),
    };
    json!({
        "type": "object",
        "required": ["params"],
        "additionalProperties": false,
        "properties": {"params": params},
    })
}

/// A body that the service takes, with little to pay for.
pub(super) fn example(offer: &Offer, form: PathForm) -> Value {
    let params = match offer {
        Offer::Known(agent) => sampled(agent, form),
        Offer::Own(agent) => own::example(&agent.takes),
    };
    json!({"params": params})
}

fn sampled(agent: &Agent, form: PathForm) -> Value {
    let wanted = |parameter: &&Parameter| {
        parameter.required || agent.one_of.first() == Some(&parameter.name) || is_limit(agent, parameter)
    };
    let params = agent.parameters.iter().filter(wanted);
    params.map(|parameter| (parameter.name.clone(), sample(parameter, form))).collect()
}

fn params(agent: &Agent, form: PathForm, row_cap: Option<u64>) -> Value {
    let cap = |parameter: &Parameter| row_cap.filter(|_| is_limit(agent, parameter));
    let properties = agent.parameters.iter();
    let properties: Map<String, Value> =
        properties.map(|parameter| (parameter.name.clone(), property(parameter, form, cap(parameter)))).collect();
    let required: Vec<_> = agent.parameters.iter().filter(|parameter| parameter.required).map(|p| &p.name).collect();
    let mut schema = json!({
        "type": "object",
        "required": required,
        "additionalProperties": false,
        "properties": properties,
    });
    if !agent.one_of.is_empty() {
        let filled = |name: &String| match agent.parameter(name).map(|parameter| kind(parameter, form)) {
            Some(ParameterType::Array) => json!({"required": [name], "properties": {name: {"minItems": 1}}}),
            _ => json!({"required": [name]}),
        };
        schema["anyOf"] = agent.one_of.iter().map(filled).collect();
    }
    schema
}

fn property(parameter: &Parameter, form: PathForm, cap: Option<u64>) -> Value {
    let mut schema = match kind(parameter, form) {
        ParameterType::Integer => {
            // Beyond i64 no service counts.
            let bound = |bound: u64| i64::try_from(bound).unwrap_or(i64::MAX);
            let maximum = parameter.maximum.unwrap_or(u64::MAX);
            integer(bound(parameter.minimum.unwrap_or(0)), bound(cap.map_or(maximum, |cap| cap.min(maximum))))
        }
        ParameterType::String if !parameter.options.is_empty() => json!({"type": "string", "enum": parameter.options}),
        ParameterType::String => text(parameter),
        ParameterType::Array => {
            let mut schema = json!({"type": "array", "items": item(parameter)});
            if parameter.required {
                schema["minItems"] = 1.into();
            }
            schema
        }
        kind => of_type(kind),
    };
    schema["title"] = parameter.display.clone().into();
    schema["description"] = parameter.description.clone().into();
    if let Some(default) = &parameter.default {
        schema["default"] = default.clone();
    }
    schema
}

/// A whole number without a fraction. JSON Schema calls 1.0 an integer, too, and the service does not, so that a short
/// range is listed number by number.
pub(super) fn integer(minimum: i64, maximum: i64) -> Value {
    if maximum.saturating_sub(minimum) <= LISTED {
        json!({"type": "integer", "enum": (minimum..=maximum).collect::<Vec<_>>()})
    } else {
        json!({"type": "integer", "minimum": minimum, "maximum": maximum})
    }
}

fn item(parameter: &Parameter) -> Value {
    let address = || {
        json!({
            "type": "object",
            "required": ["url"],
            "additionalProperties": false,
            "properties": {"url": text(parameter)},
        })
    };
    match parameter.items {
        Some(Items::String) | None => text(parameter),
        Some(Items::Url) => address(),
        Some(Items::Address) => json!({"anyOf": [text(parameter), address()]}),
    }
}

fn text(parameter: &Parameter) -> Value {
    json!({"type": "string", "pattern": patterns::of(parameter)})
}

fn kind(parameter: &Parameter, form: PathForm) -> ParameterType {
    match form {
        PathForm::Agents => parameter.kind,
        PathForm::Data => parameter.data_form.unwrap_or(parameter.kind),
    }
}

fn is_limit(agent: &Agent, parameter: &Parameter) -> bool {
    agent.rows.limits.iter().any(|limit| limit.parameter == parameter.name)
}

fn sample(parameter: &Parameter, form: PathForm) -> Value {
    let text = match parameter.name.as_str() {
        "categoryUrls" => "https://shop.example/gp/bestsellers/books",
        "productUrls" => "https://shop.example/dp/B0ABCDEFGH",
        "products" => "B0ABCDEFGH",
        "pincodes" => "110001",
        "channels" => "@music",
        name if name.ends_with("Urls") => "https://www.example.com/watch/1",
        _ => "jazz berlin",
    };
    match kind(parameter, form) {
        ParameterType::Array if parameter.items == Some(Items::Url) => json!([{"url": text}]),
        kind => sample_of(kind, text, 3.0),
    }
}

/// Any value of this type.
pub(super) fn of_type(kind: ParameterType) -> Value {
    if kind == ParameterType::Any { json!({}) } else { json!({"type": kind.name()}) }
}

/// A value of this type: the text or the number where it is one.
pub(super) fn sample_of(kind: ParameterType, text: &str, number: f64) -> Value {
    match kind {
        ParameterType::Any | ParameterType::String => text.into(),
        ParameterType::Integer => (number as i64).into(),
        ParameterType::Number => number.into(),
        ParameterType::Boolean => true.into(),
        ParameterType::Array => json!([text]),
        ParameterType::Object => json!({}),
    }
}
