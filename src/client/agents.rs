//! What there is to run: groups, agents, and names that come near to one that is missing.

use rust_decimal::Decimal;

use super::Client;
use super::call::Call;
use super::error::Error;
use super::error_kind::ErrorKind;
use super::fetch::HttpRequest;
use crate::catalogue;
use crate::lock::lock;
use crate::wire::{AgentDetails, AgentList, AgentName, AgentSummary, GroupList, InvalidName, Usd};

impl Client {
    /// The service's group identifiers (section 4.4).
    pub async fn groups(&self) -> Result<Vec<String>, Error> {
        let call = Call::new(None);
        let list = self.fetch_json::<GroupList>(&call, &self.groups_request()).await;
        call.finish(self.key(), list.map(|list| list.groups).map_err(|error| self.doubting_address(error)))
    }

    /// The agents of a group, or all. Where the service has no such list, the built-in catalogue answers.
    pub async fn agents(&self, group: Option<&str>) -> Result<Vec<AgentSummary>, Error> {
        let call = Call::new(None);
        let (path, what) = match group {
            Some(group) => {
                (self.0.paths.group(self.wire_group(group)), format!("the list of agents of group `{group}`"))
            }
            None => (self.0.paths.all_agents().to_owned(), "the list of agents".to_owned()),
        };
        let answer = self.fetch_json::<AgentList>(&call, &HttpRequest::get(path, what)).await;
        let agents = match answer {
            Ok(list) => {
                list.agents
                    .iter()
                    .for_each(|agent| self.learn_price(&agent.group, &agent.slug, agent.price_per_1k_usd));
                Ok(list.agents)
            }
            Err(error) if is_not_offered(&error) => self.built_in_for(&call, group, error).await,
            Err(error) => Err(error),
        };
        call.finish(self.key(), agents)
    }

    /// An agent's details: parameters and price (section 4.5).
    pub async fn agent(&self, name: &str) -> Result<AgentDetails, Error> {
        let name = agent_named(name)?;
        let call = Call::new(None);
        let details = self.details(&call, &name).await;
        call.finish(self.key(), details)
    }

    pub(super) async fn details(&self, call: &Call, name: &AgentName) -> Result<AgentDetails, Error> {
        match self.fetch_json::<AgentDetails>(call, &self.details_request(name)).await {
            Ok(details) => {
                self.learn_price_of(name, details.price_per_1k_usd);
                Ok(details)
            }
            Err(error) if error.status_code() == Some(404) => Err(self.without_agent(error, name)),
            Err(error) => Err(error),
        }
    }

    /// The price of an agent as far as it is known without asking: the higher of what the service told and what the
    /// contract states.
    pub(super) fn known_price(&self, name: &AgentName) -> Option<Decimal> {
        let told = lock(&self.0.prices).get(&self.wire_name(name)).copied();
        let stated = self.known_agent(name).and_then(|agent| agent.price_per_1k_usd);
        told.max(stated)
    }

    pub(super) fn details_request(&self, name: &AgentName) -> HttpRequest<'static> {
        HttpRequest::get(self.0.paths.agent(&self.wire_name(name)), format!("the agent `{name}`"))
    }

    pub(super) fn learn_price_of(&self, name: &AgentName, price: Option<Usd>) {
        let wire = self.wire_name(name);
        self.learn_price(&wire.group, &wire.slug, price);
    }

    fn learn_price(&self, group: &str, slug: &str, price: Option<Usd>) {
        let Some(Usd(price)) = price else { return };
        let name = AgentName { group: group.to_owned(), slug: slug.to_owned() };
        lock(&self.0.prices).insert(name, price);
    }

    /// An error about an agent that is missing, with the names it may have been meant by; or, where the specification
    /// has it, what else may be wrong.
    pub(super) fn without_agent(&self, error: Error, name: &AgentName) -> Error {
        if error.hint().is_some() {
            return error;
        }
        // The local service says so of what its cassette does not have.
        let is_unrecorded = matches!(error.kind(), ErrorKind::Api { code: Some(code), .. } if code == "not_recorded");
        if is_unrecorded {
            return error;
        }
        let hint = match near_names(&name.to_string()).as_slice() {
            _ if self.known_agent(name).is_some() => format!(
                "the specification has this agent: is `base_url` right (`{}`)? And may the group have another name there? \
                 `client.groups()` lists them, and `groups=` of the client says which stands for the specification's",
                self.address(),
            ),
            [] => "`client.agents()` lists those there are".to_owned(),
            names => format!("near names: {}", names.join(", ")),
        };
        error.with_hint(hint)
    }

    /// The built-in catalogue for a service that has no list of agents, which `refusal` said: one that knows its
    /// groups, as the contract has it, and not any address.
    async fn built_in_for(&self, call: &Call, group: Option<&str>, refusal: Error) -> Result<Vec<AgentSummary>, Error> {
        let agents = self.built_in(group);
        if agents.is_empty() {
            return Err(refusal);
        }
        match self.fetch_json::<GroupList>(call, &self.groups_request()).await {
            Ok(_) => Ok(agents),
            Err(error) if !is_not_offered(&error) && !matches!(error.kind(), ErrorKind::BadResponse) => Err(error),
            Err(_) => Err(self.doubting_address(refusal)),
        }
    }

    /// An error about what every service has, and this address does not.
    pub(super) fn doubting_address(&self, error: Error) -> Error {
        if error.hint().is_some() || !is_not_offered(&error) {
            return error;
        }
        error.with_hint(format!("is `base_url` right (`{}`)?", self.address()))
    }

    fn groups_request(&self) -> HttpRequest<'static> {
        HttpRequest::get(self.0.paths.groups(), "the list of groups")
    }

    fn built_in(&self, group: Option<&str>) -> Vec<AgentSummary> {
        let is_wanted = |agent: &&catalogue::Agent| {
            group.is_none_or(|group| agent.group == group || self.wire_group(&agent.group) == group)
        };
        let summary = |agent: &catalogue::Agent| AgentSummary {
            group: self.wire_group(&agent.group).to_owned(),
            slug: agent.slug.clone(),
            name: Some(agent.name.clone()),
            description: Some(agent.description.clone()),
            price_per_1k_usd: agent.price_per_1k_usd.map(Usd),
        };
        catalogue::agents().iter().filter(is_wanted).map(summary).collect()
    }
}

/// Whether a service says that it has no such thing.
fn is_not_offered(error: &Error) -> bool {
    matches!(error.status_code(), Some(404 | 405 | 501))
}

/// An agent by its name.
///
/// # Errors
/// `InvalidParams` where it is none, with the names it may have been meant by.
pub(super) fn agent_named(name: &str) -> Result<AgentName, Error> {
    name.parse().map_err(|invalid: InvalidName| match near_names(name).as_slice() {
        [] => Error::from(invalid),
        names => Error::from(invalid).with_hint(format!("near names: {}", names.join(", "))),
    })
}

/// Other names of the catalogue that are spelled much like this one, the likest first, at most three.
pub(in crate::client) fn near_names(wanted: &str) -> Vec<String> {
    const LIKE: f64 = 0.84;
    let lower = wanted.to_lowercase();
    let slug = lower.rsplit('/').next().unwrap_or_default();
    let likeness = |agent: &catalogue::Agent| {
        let whole = strsim::jaro_winkler(&lower, &format!("{}/{}", agent.group, agent.slug));
        whole.max(strsim::jaro_winkler(slug, &agent.slug))
    };
    let mut near: Vec<(f64, &catalogue::Agent)> =
        catalogue::agents().iter().map(|agent| (likeness(agent), agent)).filter(|(like, _)| *like >= LIKE).collect();
    near.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    let names = near.iter().map(|(_, agent)| format!("{}/{}", agent.group, agent.slug));
    names.filter(|name| *name != wanted).take(3).map(|name| format!("`{name}`")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_name_finds_its_neighbours_and_a_strange_one_finds_none() {
        assert_eq!(near_names("video/coment-scraper")[0], "`video/comment-scraper`");
        for events in ["event/events", "events", "Events/Events"] {
            assert_eq!(near_names(events)[0], "`events/events`");
        }
        assert!(near_names("xyzzy/q").is_empty());
    }
}
