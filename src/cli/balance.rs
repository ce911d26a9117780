//! `rowhaul balance`: what the account holds.

use clap::Args;

use super::Failure;
use super::connection::Connection;

/// Read the account's balance in USD.
#[derive(Debug, Args)]
pub(super) struct ShowBalance {
    #[command(flatten)]
    connection: Connection,
}

impl ShowBalance {
    pub(super) async fn run(self) -> Result<(), Failure> {
        say!("{} USD", self.connection.client()?.balance().await?);
        Ok(())
    }
}
