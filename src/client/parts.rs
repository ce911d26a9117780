//! What a client is made of, and what it can say without asking anybody.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use rust_decimal::Decimal;
use tokio::time::Instant;

use super::address::Address;
use super::api_key::ApiKey;
use super::config::ClientConfig;
use super::error::Error;
use super::job::Job;
use super::money::budget::Budget;
use super::money::cost::PriceRequests;
use super::money::quotes::Quotes;
use super::money::reservations::Reservations;
use super::money::shortage::Available;
use super::pacing::pacer::Pacer;
use super::pacing::quota::Quota;
use super::polling::waiting_jobs::WaitingJobs;
use super::records::record::Records;
use super::service_clock::ServiceClock;
use super::transport::Transport;
use crate::wire::{AgentName, JobId, Paths};

/// A client of one service with one key. Cloning is cheap; clones share connections, pace and retry quota.
///
/// It needs a tokio runtime with time and I/O, and belongs to the runtime it is first used on.
#[derive(Clone)]
pub struct Client(pub(super) Arc<Parts>);

pub(super) struct Parts {
    pub(super) config: ClientConfig,
    pub(super) paths: Paths,
    pub(super) transport: Transport,
    pub(super) pacer: Pacer,
    pub(super) quota: Quota,
    pub(super) waiting_jobs: WaitingJobs,
    pub(super) records: Records,
    pub(super) clock: ServiceClock,
    /// Prices the service has told, by the service's own agent names.
    pub(super) prices: Mutex<HashMap<AgentName, Decimal>>,
    pub(super) quotes: Quotes,
    pub(super) price_requests: PriceRequests,
    /// The cap on everything this client starts.
    pub(super) budget: Option<Budget>,
    pub(super) reservations: Reservations,
    pub(super) available: Available,
}

impl Client {
    /// Checks the configuration and makes a client. Sends nothing.
    ///
    /// # Errors
    /// `Config`, never with the key in it.
    pub fn new(config: ClientConfig) -> Result<Self, Error> {
        config.check()?;
        let address = Address::parse(&config.base_url, &config.api_key, config.allow_http)?;
        let transport = Transport::new(&config, &address)?;
        Ok(Self(Arc::new(Parts {
            paths: Paths { form: config.paths },
            records: Records::new(&config, transport.root()),
            transport,
            pacer: Pacer::new(config.requests_per_minute, Instant::now()),
            quota: Quota::full(),
            waiting_jobs: WaitingJobs::new(),
            clock: ServiceClock::default(),
            prices: Mutex::default(),
            quotes: Quotes::default(),
            price_requests: PriceRequests::default(),
            budget: config.max_cost_usd.map(Budget::new),
            reservations: Reservations::default(),
            available: Available::default(),
            config,
        })))
    }

    /// Takes up a job by its id, in any process: with what the ledger knows of it. Sends nothing.
    ///
    /// With the agent (`group/slug`), rows have its declared columns even if neither service nor ledger name it.
    pub fn job(&self, id: &str, agent: Option<&str>) -> Result<Job, Error> {
        let id = id.parse()?;
        let agent: Option<AgentName> = agent.map(str::parse).transpose()?;
        Ok(self.recall(id, agent))
    }

    /// The address requests go to, before the paths of the contract.
    pub fn address(&self) -> &str {
        self.0.transport.root()
    }

    /// The jobs that calls of this client wait for now. Asks nobody.
    pub fn waited_for(&self) -> Vec<JobId> {
        self.0.waiting_jobs.jobs()
    }

    pub(super) fn config(&self) -> &ClientConfig {
        &self.0.config
    }

    pub(super) fn key(&self) -> &ApiKey {
        &self.0.config.api_key
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").field("address", &self.address()).finish_non_exhaustive()
    }
}
