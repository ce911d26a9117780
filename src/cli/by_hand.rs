//! `rowhaul adopt` and `rowhaul dismiss`: what became of a start, where the service does not tell and the user does.

use clap::Args;

use super::Failure;
use super::connection::Connection;
use super::job::print;
use super::table::{shortened_to, started_at};
use crate::client::Client;
use crate::ledger::{Entry, Which, moment};

/// Say which job an uncertain start brought. Asks for the job; starts nothing.
#[derive(Debug, Args)]
pub(super) struct Adopt {
    /// Id of the job
    id: String,
    /// When it was started, as `rowhaul jobs` shows it; needed where several starts are uncertain
    #[arg(long, value_name = "TIME")]
    started: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

/// Say that an uncertain start brought nothing. Sends nothing.
#[derive(Debug, Args)]
pub(super) struct Dismiss {
    /// When it was started, as `rowhaul jobs` shows it
    #[arg(long, value_name = "TIME")]
    started: String,
    #[command(flatten)]
    connection: Connection,
}

impl Adopt {
    pub(super) async fn run(self) -> Result<(), Failure> {
        let client = self.connection.client()?;
        let start = uncertain(&client, self.started.as_deref()).await?;
        print(&client.adopt(&start, &self.id).await?);
        Ok(())
    }
}

impl Dismiss {
    pub(super) async fn run(self) -> Result<(), Failure> {
        let client = self.connection.client()?;
        let start = uncertain(&client, Some(&self.started)).await?;
        client.dismiss(&start).await?;
        say!("counts as never started: {}", shown(&client, &start));
        Ok(())
    }
}

/// The uncertain start of that time, or the only one.
async fn uncertain(client: &Client, started: Option<&str>) -> Result<Entry, Failure> {
    let all = client.jobs(Which::Uncertain, None).await?;
    let is_meant = |start: &&Entry| started.is_none_or(|started| is_at(start, started));
    let meant: Vec<&Entry> = all.iter().filter(is_meant).collect();
    match (meant.as_slice(), started) {
        ([start], _) => Ok((*start).clone()),
        ([], Some(started)) if !all.is_empty() => {
            Err(format!("no start of {started} is uncertain; those that are:\n{}", lines(client, all.iter())).into())
        }
        ([], _) => Err("no start is uncertain".into()),
        (several, _) => {
            let which = lines(client, several.iter().copied());
            Err(format!("{} starts are uncertain; `--started` says which:\n{which}", several.len()).into())
        }
    }
}

/// Whether it was written down then: at this second, or at this very moment.
fn is_at(start: &Entry, started: &str) -> bool {
    moment(start.written_at) == started || started_at(start) == started.trim_end_matches('Z').replace('T', " ")
}

fn lines<'e>(client: &Client, starts: impl Iterator<Item = &'e Entry>) -> String {
    starts.map(|start| format!("  {}", shown(client, start))).collect::<Vec<_>>().join("\n")
}

/// The moment of a start, its agent, and what it was asked for.
fn shown(client: &Client, start: &Entry) -> String {
    let agent = start.agent.as_ref().map_or("–".to_owned(), ToString::to_string);
    let params = client.shown_params(start).unwrap_or_default();
    format!("{}  {agent}  {}", moment(start.written_at), shortened_to(&params, PARAMETERS))
}

/// Characters of parameters at most.
const PARAMETERS: usize = 200;
