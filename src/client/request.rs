//! A run as a value: which agent, with which parameters.

use serde_json::{Map, Value};

use super::agents::agent_named;
use super::error::Error;
use crate::catalogue::{self, Agent, Invalid};
use crate::near::nearest;
use crate::wire::AgentName;

/// What a start asks for. Building one sends nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    agent: AgentName,
    params: Map<String, Value>,
}

impl Request {
    /// Names an agent (`group/slug`) and its parameters, under the service's own names.
    ///
    /// For an agent of the catalogue, named by its placeholder's group, defaults are filled in and the parameters are
    /// checked; an agent under another name is taken as it is, until a client that knows the name checks it.
    pub fn new(agent: &str, params: Map<String, Value>) -> Result<Self, Error> {
        let agent = agent_named(agent)?;
        let params = match catalogue::find(&agent.group, &agent.slug) {
            Some(known) => known.complete(params).map_err(|invalid| refused(known, invalid))?,
            None => params,
        };
        Ok(Self { agent, params })
    }

    pub fn agent(&self) -> &AgentName {
        &self.agent
    }

    pub fn params(&self) -> &Map<String, Value> {
        &self.params
    }

    /// The agent of the catalogue that the name itself says.
    pub fn known_agent(&self) -> Option<&'static Agent> {
        catalogue::find(&self.agent.group, &self.agent.slug)
    }
}

/// The error of parameters that break a rule, with the parameter that a misspelt one may have meant.
pub(super) fn refused(agent: &Agent, invalid: Invalid) -> Error {
    let near = nearest(&invalid.field, agent.parameters.iter().map(|parameter| parameter.name.as_str()));
    let error = Error::from(invalid);
    match near {
        Some(name) => error.with_hint(format!("did you mean `{name}`?")),
        None => error,
    }
}
