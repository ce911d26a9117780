//! What to run, as a command line says it: an agent, and its parameters one by one or as JSON; and how long to wait.

use std::time::Duration;

use clap::Args;
use rust_decimal::Decimal;
use serde_json::{Map, Value};

use super::Failure;
use crate::catalogue::{self, Agent, ParameterType};
use crate::client::Request;

#[derive(Debug, Args)]
pub(super) struct Asked {
    /// Agent, `group/slug`
    agent: String,
    /// One parameter under the service's own name; given again, its values make a list
    #[arg(short, long = "param", value_name = "NAME=VALUE", value_parser = pair)]
    parameters: Vec<(String, String)>,
    /// All parameters as a JSON object, or the file that holds it
    #[arg(long, value_name = "JSON|@FILE")]
    params: Option<String>,
}

impl Asked {
    /// The request, checked as far as its agent is known. Sends nothing.
    pub(super) fn request(&self) -> Result<Request, Failure> {
        let mut params = self.params.as_deref().map(object).transpose()?.unwrap_or_default();
        let known = self.agent.split_once('/').and_then(|(group, slug)| catalogue::find(group, slug));
        let mut given: Map<String, Value> = Map::new();
        for (name, text) in &self.parameters {
            let value = value(known, name, text);
            match given.get_mut(name) {
                None => drop(given.insert(name.clone(), value)),
                Some(Value::Array(values)) => values.push(value),
                Some(first) => *first = Value::Array(vec![first.take(), value]),
            }
        }
        params.extend(given);
        Ok(Request::new(&self.agent, params)?)
    }
}

/// A number where the agent wants one, else text as it stands; a parameter that nobody knows is JSON where it reads as
/// such.
fn value(known: Option<&Agent>, name: &str, text: &str) -> Value {
    let is_text = match known.and_then(|agent| agent.parameter(name)) {
        Some(parameter) => parameter.kind != ParameterType::Integer && !text.starts_with(['[', '{']),
        None => false,
    };
    let parsed = if is_text { None } else { serde_json::from_str(text).ok() };
    parsed.unwrap_or_else(|| Value::String(text.to_owned()))
}

fn object(text: &str) -> Result<Map<String, Value>, Failure> {
    let (json, place) = match text.strip_prefix('@') {
        Some(path) => (std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?, path),
        None => (text.to_owned(), "--params"),
    };
    serde_json::from_str(&json).map_err(|error| {
        let is_file = place == "--params" && std::path::Path::new(text).is_file();
        let hint = if is_file { format!("; a file is given as `@{text}`") } else { String::new() };
        format!("{place} is no JSON object: {error}{hint}").into()
    })
}

pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.ok_or_else(|| "a time is a number of seconds that is not negative".to_owned())
}

pub(super) fn usd(text: &str) -> Result<Decimal, String> {
    let cost = text.parse().ok().filter(|cost: &Decimal| !cost.is_sign_negative());
    cost.ok_or_else(|| "a cost is a number of USD that is not negative".to_owned())
}

fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("a parameter is given as NAME=VALUE".to_owned()),
    }
}
