//! `rowhaul estimate`: what a run may cost, before it is started.

use clap::Args;

use super::Failure;
use super::asked::Asked;
use super::connection::Connection;

/// Say what a run may bring and cost at most. Starts nothing.
#[derive(Debug, Args)]
pub(super) struct Estimate {
    #[command(flatten)]
    asked: Asked,
    #[command(flatten)]
    connection: Connection,
}

impl Estimate {
    pub(super) async fn run(self) -> Result<(), Failure> {
        let request = self.asked.request()?;
        let estimate = self.connection.client()?.estimate(&request).await?;
        let or_unknown = |amount: Option<String>| amount.unwrap_or_else(|| "unknown".to_owned());
        let rows = estimate.max_rows.map(|rows| rows.to_string());
        say!("rows at most       {}", rows.unwrap_or_else(|| "unbounded or unknown".to_owned()));
        say!("USD for 1000 rows  {}", or_unknown(estimate.price_per_1k_usd.map(|price| price.to_string())));
        say!("USD at most        {}", or_unknown(estimate.max_cost_usd.map(|cost| cost.to_string())));
        say!("USD in the account {}", or_unknown(estimate.balance_usd.map(|balance| balance.to_string())));
        Ok(())
    }
}
