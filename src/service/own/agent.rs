//! One agent of the user's own.

use std::fmt;
use std::sync::Arc;

use rust_decimal::Decimal;
use serde_json::{Map, Value};

use super::feed::Feed;
use super::parameters::{OwnParameter, completed};
use crate::catalogue::Invalid;
use crate::service::error::ServiceError;
use crate::wire::AgentName;

/// Where the rows of an agent come from.
pub trait Source: Send + Sync + fmt::Debug {
    /// Brings the rows of one run, now or later: the feed ends when it is told to or dropped.
    ///
    /// It is called on a thread of the run's own, with parameters that keep the agent's rules and have its defaults.
    fn bring(&self, params: Map<String, Value>, feed: Feed);
}

/// Which parameters an agent takes.
#[derive(Debug, Clone)]
pub enum Takes {
    /// Those that keep these rules.
    Declared(Vec<OwnParameter>),
    /// Any: somebody else has the rules, and sends the bill. Here nothing is charged.
    Anything,
    /// Exactly one of these sets, whatever their order; another is 404.
    Recorded(Vec<Map<String, Value>>),
}

impl Takes {
    /// The parameters that are declared.
    pub(in crate::service) fn declared(&self) -> &[OwnParameter] {
        if let Self::Declared(parameters) = self { parameters } else { &[] }
    }

    /// Checks what a run was given, and completes it with the defaults; `None` for what was not recorded.
    pub(in crate::service) fn completed(
        &self,
        given: &Map<String, Value>,
    ) -> Result<Option<Map<String, Value>>, Invalid> {
        match self {
            Self::Declared(parameters) => completed(parameters, given).map(Some),
            Self::Anything => Ok(Some(given.clone())),
            Self::Recorded(sets) => Ok(sets.contains(given).then(|| given.clone())),
        }
    }
}

/// What an agent is called, what it asks for and what it costs. An agent named like one of the specification's takes
/// its place.
#[derive(Debug, Clone)]
pub struct OwnAgent {
    pub name: AgentName,
    /// As shown to people.
    pub title: String,
    pub description: String,
    /// The name of the row kind.
    pub unit: String,
    pub price_per_1k_usd: Decimal,
    pub takes: Takes,
    /// The keys of each row, in order; empty where rows are taken as they come.
    pub columns: Vec<String>,
    pub source: Arc<dyn Source>,
}

impl OwnAgent {
    /// What 1000 rows are billed here. What somebody else has charged already must not fail for want of money here.
    pub(in crate::service) fn billed_per_1k_usd(&self) -> Decimal {
        if matches!(self.takes, Takes::Anything) { Decimal::ZERO } else { self.price_per_1k_usd }
    }

    /// Refuses what cannot be offered.
    pub(in crate::service) fn check(&self) -> Result<(), ServiceError> {
        if self.name.group == "all" {
            return Err(ServiceError::config("no group is named `all`: under that name all agents are listed"));
        }
        // Within these bounds every cost is exact in the 28 digits of a `Decimal`.
        let price = self.price_per_1k_usd;
        if price < Decimal::ZERO || price >= Decimal::from(1_000_000) || price.scale() > 9 {
            let message =
                "a price must be at least 0, below 1,000,000 USD for 1000 rows, and have at most 9 decimal places";
            return Err(ServiceError::config(message));
        }
        for (at, parameter) in self.takes.declared().iter().enumerate() {
            parameter.check_itself().map_err(ServiceError::config)?;
            if self.takes.declared()[..at].iter().any(|other| other.name == parameter.name) {
                return Err(ServiceError::config(format!("the parameter `{}` is declared twice", parameter.name)));
            }
        }
        match self.columns.iter().enumerate().find(|(at, column)| self.columns[..*at].contains(column)) {
            Some((_, column)) => Err(ServiceError::config(format!("the column `{column}` is declared twice"))),
            None => Ok(()),
        }
    }
}
