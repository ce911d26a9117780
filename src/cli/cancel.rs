//! `rowhaul cancel`: a job that is no longer wanted.

use clap::Args;

use super::Failure;
use super::connection::Connection;
use super::job::print;

/// Cancel a job, where the service offers that. What it brought by then may be billed.
#[derive(Debug, Args)]
pub(super) struct Cancel {
    /// Id of the job
    id: String,
    #[command(flatten)]
    connection: Connection,
}

impl Cancel {
    pub(super) async fn run(self) -> Result<(), Failure> {
        let client = self.connection.client()?;
        print(&client.cancel(&client.job(&self.id, None)?).await?);
        Ok(())
    }
}
