//! `rowhaul run`: one run, from its start to its rows.

use std::time::Duration;

use clap::Args;
use rust_decimal::Decimal;

use super::Failure;
use super::asked::{Asked, seconds, usd};
use super::connection::Connection;
use super::follow::followed;
use super::said::word;
use super::save::{Target, stopped_early};
use super::table::fitting;
use crate::client::{Progress, RunOptions};

/// Rows that are shown, and how wide.
const SHOWN: usize = 10;
const WIDTH: usize = 100;

/// Start an agent, wait, show its first rows and write them all. Bills the account by the row.
#[derive(Debug, Args)]
pub(super) struct Run {
    #[command(flatten)]
    asked: Asked,
    /// File for the rows: .parquet, .csv, .ndjson or .arrow; `-` for standard output, as NDJSON
    #[arg(short, long, value_name = "FILE", value_parser = Target::parse)]
    out: Option<Target>,
    /// Start nothing that may cost more, or whose cost nothing limits
    #[arg(long, value_name = "USD", value_parser = usd, allow_negative_numbers = true)]
    max_cost: Option<Decimal>,
    /// Seconds to wait for the rows [default: an hour]
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    timeout: Option<Duration>,
    #[command(flatten)]
    connection: Connection,
}

impl Run {
    pub(super) async fn run(self, progress: &Progress) -> Result<(), Failure> {
        self.out.iter().for_each(Target::keep_clear);
        let request = self.asked.request()?;
        let client = self.connection.client()?;
        if let (None, Some(limit)) = (self.max_cost, client.open_limit(&request)?) {
            eprintln!(
                "rowhaul: nothing limits the rows of this run, and each is billed: set `{limit}` to the most you want (0 is no limit)"
            );
        }
        let options = RunOptions { timeout: self.timeout, max_cost_usd: self.max_cost, ..RunOptions::default() };
        let (job, rows) = followed(Box::pin(client.run(&request, &options, progress)), progress).await?;
        let is_written = self.out.as_ref().map(|target| target.write_of(&job, &rows)).transpose()?;
        // What is shown is some of it: rows that were not written are left for `rowhaul resume`.
        if is_written == Some(true) {
            client.delivered(&job).await;
        }
        say!("{}", fitting(&rows, SHOWN, WIDTH));
        if let Some(cost) = job.cost_usd() {
            say!("cost {cost} USD");
        }
        rows.notes().iter().for_each(|note| say!("note: {note}"));
        match self.out {
            Some(_) if is_written == Some(false) => say!("{}", stopped_early(&job)),
            Some(target) => say!("wrote {target}"),
            None => say!("to write all rows: rowhaul job {} -o FILE", word(job.id().as_str())),
        }
        Ok(())
    }
}
