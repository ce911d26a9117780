//! What a run would bring and cost at most, before it is started.

use rust_decimal::Decimal;

use crate::client::Client;
use crate::client::call::Call;
use crate::client::error::Error;
use crate::client::error_kind::ErrorKind;
use crate::client::prepare::Prepared;
use crate::client::request::Request;

/// The worst case of a run. `None` stands for unbounded or unknown, never for nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Estimate {
    /// Limits times inputs; `None` where the run is unbounded or its agent is not in the catalogue.
    pub max_rows: Option<u64>,
    /// The higher of what the service quotes and what the contract states.
    pub price_per_1k_usd: Option<Decimal>,
    pub max_cost_usd: Option<Decimal>,
    pub balance_usd: Option<Decimal>,
}

impl Client {
    /// Asks for price and balance and works out the worst case. Starts nothing.
    pub async fn estimate(&self, request: &Request) -> Result<Estimate, Error> {
        let call = Call::new(None);
        let estimate = self.estimate_within(&call, request).await;
        call.finish(self.key(), estimate)
    }

    async fn estimate_within(&self, call: &Call, request: &Request) -> Result<Estimate, Error> {
        let prepared = self.prepare(request)?;
        let price_per_1k_usd = self.quote(call, &prepared).await?;
        let balance_usd = match self.ask_balance(call).await {
            Ok(balance) => Some(balance),
            // An amount that is none, and a service without this call, leave the balance unknown.
            Err(error) if matches!(error.kind(), ErrorKind::BadResponse) => None,
            Err(error) if matches!(error.status_code(), Some(404 | 405 | 501)) => None,
            Err(error) => return Err(error),
        };
        let max_cost_usd = price_per_1k_usd.and_then(|price| prepared.max_cost(price));
        Ok(Estimate { max_rows: prepared.max_rows(), price_per_1k_usd, max_cost_usd, balance_usd })
    }

    /// The price of 1000 rows as the service quotes it now, or the contract's where that is higher.
    pub(in crate::client) async fn quote(&self, call: &Call, prepared: &Prepared) -> Result<Option<Decimal>, Error> {
        let quoted = self.details(call, &prepared.agent).await?.price_per_1k_usd.map(|price| price.0);
        let stated = prepared.known.and_then(|agent| agent.price_per_1k_usd);
        Ok(quoted.max(stated))
    }
}
