//! Prices as the service quoted them within the last minute, so that many runs of one agent need one quote.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rust_decimal::Decimal;
use tokio::time::{Instant, timeout};

use crate::client::Client;
use crate::client::call::Call;
use crate::client::error::Error;
use crate::client::prepare::Prepared;
use crate::lock::lock;
use crate::wire::AgentName;

/// How long a quote holds.
const HOLDS: Duration = Duration::from_secs(60);

/// The last quote of each agent. Its lock is held by the one that asks, so that the others wait for its answer.
#[derive(Debug, Default)]
pub(in crate::client) struct Quotes(Mutex<HashMap<AgentName, Quote>>);

type Quote = Arc<tokio::sync::Mutex<Option<(Instant, Option<Decimal>)>>>;

impl Client {
    /// The price of 1000 rows: what the service quoted lately, or quotes now, or was told since, whichever is the
    /// highest.
    pub(in crate::client) async fn recent_quote(
        &self,
        call: &Call,
        prepared: &Prepared,
    ) -> Result<Option<Decimal>, Error> {
        let quote = self.0.quotes.of(&prepared.wire);
        let patience = call.deadline.cut(Instant::now(), self.config().request_timeout);
        let Ok(mut last) = timeout(patience, quote.lock()).await else { return self.quote(call, prepared).await };
        let price = match *last {
            Some((told, price)) if told.elapsed() < HOLDS => price,
            _ => {
                let price = self.quote(call, prepared).await?;
                *last = Some((Instant::now(), price));
                price
            }
        };
        Ok(price.max(self.known_price(&prepared.agent)))
    }
}

impl Quotes {
    fn of(&self, agent: &AgentName) -> Quote {
        Arc::clone(lock(&self.0).entry(agent.clone()).or_default())
    }
}
