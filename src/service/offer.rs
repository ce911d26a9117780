//! An agent that runs can be started of: one of the specification's nine, or one of the user's own.

use std::sync::{Arc, PoisonError, RwLock};

use axum::http::StatusCode;
use rust_decimal::Decimal;
use serde_json::{Map, Value, to_value};

use super::billing::price_per_1k;
use super::own::OwnAgent;
use super::response::Refusal;
use crate::catalogue::{self, Agent, Parameter};
use crate::wire::{AgentDetails, AgentName, AgentSummary, ParameterDescriptor, PathForm, Usd};

#[derive(Debug, Clone)]
pub(super) enum Offer {
    Known(&'static Agent),
    Own(Arc<OwnAgent>),
}

/// What is on offer. Own agents come after the known ones, and before one of the same name.
#[derive(Debug, Default)]
pub(super) struct Offers(RwLock<Vec<Arc<OwnAgent>>>);

impl Offers {
    /// Offers an agent, in place of one of the same name.
    pub(super) fn add(&self, agent: OwnAgent) {
        let mut own = self.0.write().unwrap_or_else(PoisonError::into_inner);
        own.retain(|other| other.name != agent.name);
        own.push(Arc::new(agent));
    }

    pub(super) fn all(&self) -> Vec<Offer> {
        let own = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let is_replaced =
            |agent: &&Agent| own.iter().any(|own| own.name.group == agent.group && own.name.slug == agent.slug);
        let known = catalogue::agents().iter().filter(|agent| !is_replaced(agent)).map(Offer::Known);
        known.chain(own.iter().cloned().map(Offer::Own)).collect()
    }

    pub(super) fn find(&self, group: &str, slug: &str) -> Option<Offer> {
        let own = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let named = own.iter().find(|own| own.name.group == group && own.name.slug == slug);
        named.cloned().map(Offer::Own).or_else(|| catalogue::find(group, slug).map(Offer::Known))
    }

    /// The names of all groups, without repetition.
    pub(super) fn groups(&self) -> Vec<String> {
        let mut groups: Vec<String> = catalogue::groups().into_iter().map(str::to_owned).collect();
        for own in self.0.read().unwrap_or_else(PoisonError::into_inner).iter() {
            if !groups.contains(&own.name.group) {
                groups.push(own.name.group.clone());
            }
        }
        groups
    }
}

impl Offer {
    pub(super) fn name(&self) -> AgentName {
        match self {
            Self::Known(agent) => AgentName { group: agent.group.clone(), slug: agent.slug.clone() },
            Self::Own(own) => own.name.clone(),
        }
    }

    /// USD for 1000 rows.
    pub(super) fn price_per_1k(&self) -> Decimal {
        match self {
            Self::Known(agent) => price_per_1k(agent),
            Self::Own(own) => own.price_per_1k_usd,
        }
    }

    /// Checks parameters as they stand on the wire: 422 for what breaks a rule, 404 for what was not recorded.
    pub(super) fn validate(&self, params: &Map<String, Value>, form: PathForm) -> Result<(), Refusal> {
        let taken = match self {
            Self::Known(agent) => agent.validate(params, form).map(|()| true),
            Self::Own(own) => own.takes.completed(params).map(|taken| taken.is_some()),
        };
        match taken {
            Ok(true) => Ok(()),
            Ok(false) => {
                let message = format!("no run of {} with these parameters was recorded", self.name());
                Err(Refusal::new(StatusCode::NOT_FOUND, "not_recorded", message))
            }
            Err(invalid) => Err(Refusal::invalid(&invalid)),
        }
    }

    pub(super) fn summary(&self) -> AgentSummary {
        let AgentDetails { group, slug, name, description, price_per_1k_usd, .. } = self.details();
        AgentSummary { group, slug, name, description, price_per_1k_usd }
    }

    pub(super) fn details(&self) -> AgentDetails {
        let described =
            |name: &str, descriptor: ParameterDescriptor| (name.to_owned(), to_value(descriptor).unwrap_or_default());
        let (title, description, unit, parameters) = match self {
            Self::Known(agent) => {
                let parameters =
                    agent.parameters.iter().map(|parameter| described(&parameter.name, descriptor(parameter)));
                (&agent.name, &agent.description, &agent.unit, parameters.collect())
            }
            Self::Own(own) => {
                let parameters =
                    own.takes.declared().iter().map(|parameter| described(&parameter.name, parameter.descriptor()));
                (&own.title, &own.description, &own.unit, parameters.collect())
            }
        };
        let AgentName { group, slug } = self.name();
        AgentDetails {
            group,
            slug,
            name: Some(title.clone()),
            description: Some(description.clone()),
            price_per_1k_usd: Some(Usd(self.price_per_1k())),
            unit: Some(unit.clone()),
            parameters,
        }
    }
}

fn descriptor(parameter: &Parameter) -> ParameterDescriptor {
    ParameterDescriptor {
        kind: parameter.kind.name().to_owned(),
        required: parameter.required,
        name: parameter.display.clone(),
        description: parameter.description.clone(),
        default: parameter.default.clone(),
        options: parameter.options.clone(),
    }
}
