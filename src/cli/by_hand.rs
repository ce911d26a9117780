//! `rowhaul adopt` and `rowhaul dismiss`: what became of a start, where the service does not tell and the user does.

use clap::Args;

use super::Failure;
use super::connection::Connection;
use super::job::print;
use crate::client::Client;
use crate::ledger::{Entry, Which, moment};

/// Say which job an uncertain start brought. Asks for the job; starts nothing.
#[derive(Debug, Args)]
pub(super) struct Adopt {
    /// Id of the job
    id: String,
    #[command(flatten)]
    start: Start,
}

/// Say that an uncertain start brought nothing. Sends nothing.
#[derive(Debug, Args)]
pub(super) struct Dismiss {
    #[command(flatten)]
    start: Start,
}

#[derive(Debug, Args)]
struct Start {
    /// When it was started, as `rowhaul jobs` shows it; needed where several starts are uncertain
    #[arg(long, value_name = "TIME")]
    started: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

impl Adopt {
    pub(super) async fn run(self) -> Result<(), Failure> {
        let client = self.start.connection.client()?;
        print(&client.adopt(&self.start.found(&client).await?, &self.id).await?);
        Ok(())
    }
}

impl Dismiss {
    pub(super) async fn run(self) -> Result<(), Failure> {
        let client = self.start.connection.client()?;
        let start = self.start.found(&client).await?;
        client.dismiss(&start).await?;
        say!("the start of {} counts as never started", shown(&start));
        Ok(())
    }
}

impl Start {
    /// The uncertain start that is meant.
    async fn found(&self, client: &Client) -> Result<Entry, Failure> {
        let mut starts = client.jobs(Which::parse("uncertain"), None).await?;
        if let Some(started) = &self.started {
            let wanted = started.trim_end_matches('Z').replace('T', " ");
            starts.retain(|start| shown(start) == wanted);
        }
        match (starts.len(), &self.started) {
            (1, _) => Ok(starts.swap_remove(0)),
            (0, None) => Err("no start is uncertain".into()),
            (0, Some(started)) => Err(format!("no start of {started} is uncertain; `rowhaul jobs` lists them").into()),
            (count, None) => {
                let moments: Vec<String> = starts.iter().map(|start| format!("'{}'", shown(start))).collect();
                Err(format!("{count} starts are uncertain; `--started` says which: {}", moments.join(", ")).into())
            }
            (count, Some(_)) => Err(format!(
                "{count} starts of that second are uncertain; in Python, `client.jobs('uncertain')` has each"
            )
            .into()),
        }
    }
}

/// When it was started, to the second, as the list of jobs has it.
pub(super) fn shown(start: &Entry) -> String {
    let mut at = moment(start.written_at);
    at.truncate("2026-01-01T00:00:00".len());
    at.replace('T', " ")
}
