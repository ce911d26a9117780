//! From the name a caller uses to the name the service uses, and from a request to the bytes that are sent.

use serde_json::{Map, Value};

use super::error::Error;
use super::error_kind::ErrorKind;
use super::request::{Request, refused};
use super::{Client, job};
use crate::catalogue::{self, Agent};
use crate::wire::{AgentName, RunRequest};

/// A request ready to be sent.
#[derive(Clone)]
pub(super) struct Prepared {
    /// As the caller named it.
    pub agent: AgentName,
    /// As the service names it.
    pub wire: AgentName,
    pub known: Option<&'static Agent>,
    /// In the `/api/v1` form, completed where the agent is known.
    pub params: Map<String, Value>,
    pub body: Vec<u8>,
}

impl Prepared {
    /// The most rows it can bring; `None` where that is unbounded or nobody knows.
    pub(super) fn max_rows(&self) -> Option<u64> {
        self.known?.max_rows(&self.params)
    }

    /// The most it can cost at this price.
    pub(super) fn max_cost(&self, price: rust_decimal::Decimal) -> Option<rust_decimal::Decimal> {
        job::cost(self.max_rows()?, price)
    }
}

impl Client {
    /// The parameter that leaves the rows of a request unbounded, where its agent is known and one does.
    pub fn open_limit(&self, request: &Request) -> Result<Option<String>, Error> {
        let prepared = self.prepare(request)?;
        let is_open = prepared.known.is_some() && prepared.max_rows().is_none();
        let limit = prepared.known.filter(|_| is_open).map(|known| known.open_limit(&prepared.params));
        Ok(limit.map(|limit| limit.unwrap_or("the limits").to_owned()))
    }

    pub(super) fn prepare(&self, request: &Request) -> Result<Prepared, Error> {
        let known = self.known_agent(request.agent());
        let params = match known {
            Some(agent) if request.known_agent().is_none() => {
                agent.complete(request.params().clone()).map_err(|invalid| refused(agent, invalid))?
            }
            _ => request.params().clone(),
        };
        let sent = match known {
            Some(agent) => agent.in_form(params.clone(), self.config().paths)?,
            None => params.clone(),
        };
        let body = serde_json::to_vec(&RunRequest { params: sent }).map_err(|error| {
            Error::new(ErrorKind::Internal, "the parameters cannot be written as JSON").with_source(error)
        })?;
        Ok(Prepared { agent: request.agent().clone(), wire: self.wire_name(request.agent()), known, params, body })
    }

    /// The name that goes into paths: a placeholder's group is replaced by the service's own.
    pub(super) fn wire_name(&self, agent: &AgentName) -> AgentName {
        AgentName { group: self.wire_group(&agent.group).to_owned(), slug: agent.slug.clone() }
    }

    pub(super) fn wire_group<'a>(&'a self, group: &'a str) -> &'a str {
        self.config().groups.get(group).map_or(group, String::as_str)
    }

    /// The agent of the catalogue behind a name, be its group a placeholder's or the service's own.
    pub(super) fn known_agent(&self, agent: &AgentName) -> Option<&'static Agent> {
        catalogue::find(&agent.group, &agent.slug).or_else(|| {
            let mut behind = self.config().groups.iter().filter(|(_, name)| **name == agent.group);
            behind.find_map(|(placeholder, _)| catalogue::find(placeholder, &agent.slug))
        })
    }
}
