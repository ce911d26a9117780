//! `rowhaul jobs`: what the ledger knows.

use clap::{Args, value_parser};

use super::Failure;
use super::connection::Connection;
use super::table::{lines, shortened_to, started_at};
use crate::client::{Client, clipped};
use crate::ledger::{Entry, Which};

/// List what was started with this key at this service, newest first. Sends nothing.
#[derive(Debug, Args)]
pub(super) struct Jobs {
    /// `running`, `unfetched` (completed, and the rows never fetched), `uncertain` (perhaps started), or another status
    #[arg(long)]
    status: Option<String>,
    /// Most entries to show
    #[arg(long, default_value_t = 50, value_parser = value_parser!(u64).range(1..))]
    limit: u64,
    #[command(flatten)]
    connection: Connection,
}

/// Characters of parameters at most.
const PARAMETERS: usize = 60;

impl Jobs {
    pub(super) async fn run(self) -> Result<(), Failure> {
        let client = self.connection.client()?;
        let which = self.status.as_deref().map_or(Which::All, Which::parse);
        let entries = client.jobs(which.clone(), usize::try_from(self.limit).ok()).await?;
        if entries.is_empty() {
            say!("nothing of that kind was started here");
            if let Some(told) = client.unknown_status(&which).await? {
                eprintln!("rowhaul: {told}");
            }
            return Ok(());
        }
        let mut cells = vec![
            ["started (UTC)", "job", "agent", "status", "rows", "USD", "fetched", "parameters"]
                .map(str::to_owned)
                .to_vec(),
        ];
        cells.extend(entries.iter().map(|entry| shown(&client, entry)));
        lines(&cells).lines().for_each(|line| say!("{line}"));
        match entries.iter().filter(|entry| entry.is_unfetched()).count() {
            0 => {}
            count => {
                say!("\n{count} with rows that were paid for and never fetched: `rowhaul resume` writes them to files");
            }
        }
        match entries.iter().filter(|entry| entry.word() == "uncertain").count() {
            0 => {}
            count => say!(
                "\n{count} perhaps started: `rowhaul reconcile` asks what became of them; or say so by `rowhaul adopt` or \
                 `rowhaul dismiss`"
            ),
        }
        Ok(())
    }
}

fn shown(client: &Client, entry: &Entry) -> Vec<String> {
    let absent = || "–".to_owned();
    vec![
        started_at(entry),
        entry.job_id.as_ref().map_or_else(absent, |id| clipped(id.as_str())),
        entry.agent.as_ref().map_or_else(absent, ToString::to_string),
        clipped(entry.word()),
        entry.row_count.map_or_else(absent, |rows| rows.to_string()),
        entry.cost_usd.map_or_else(absent, |cost| cost.to_string()),
        if entry.fetched_at.is_some() { "yes".to_owned() } else { absent() },
        client.shown_params(entry).map_or_else(absent, |params| shortened_to(&params, PARAMETERS)),
    ]
}
