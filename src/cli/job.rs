//! `rowhaul job`: one job by its id, and its rows into a file.

use clap::Args;

use super::Failure;
use super::connection::Connection;
use super::save::{Target, stopped_early};
use crate::client::{Job, Progress, RowOptions};

/// Show how a job is doing, and fetch its rows.
#[derive(Debug, Args)]
pub(super) struct ShowJob {
    /// Id of the job
    id: String,
    /// Its agent, `group/slug`, whose declared columns the rows then have
    #[arg(long)]
    agent: Option<String>,
    /// Wait until it is completed, for an hour at most
    #[arg(long)]
    wait: bool,
    /// File for its rows: .parquet, .csv, .ndjson or .arrow; `-` for standard output, as NDJSON
    #[arg(short, long, value_name = "FILE", value_parser = Target::parse)]
    out: Option<Target>,
    #[command(flatten)]
    connection: Connection,
}

impl ShowJob {
    pub(super) async fn run(self, progress: &Progress) -> Result<(), Failure> {
        self.out.iter().for_each(Target::keep_clear);
        let client = self.connection.client()?;
        let job = client.job(&self.id, self.agent.as_deref())?;
        let job =
            if self.wait { client.wait(&job, None, progress).await? } else { client.refresh(&job, progress).await? };
        let Some(target) = self.out else {
            print(&job);
            return Ok(());
        };
        let (job, rows) = client.rows(&job, &RowOptions::default(), progress).await?;
        let is_written = target.write_of(&job, &rows)?;
        if is_written {
            client.delivered(&job).await;
        }
        print(&job);
        rows.notes().iter().for_each(|note| say!("note       {note}"));
        if is_written {
            say!("wrote      {target}");
        } else {
            say!("{}", stopped_early(&job));
        }
        Ok(())
    }
}

/// What is known of a job, a line each; what nobody said is left out.
pub(super) fn print(job: &Job) {
    let record = job.record();
    let facts = [
        ("job", Some(job.id().to_string())),
        ("status", Some(job.status().as_str().to_owned())),
        ("agent", job.agent().map(|agent| agent.to_string())),
        ("rows", job.row_count().map(|rows| rows.to_string())),
        ("cost", job.cost_usd().map(|cost| format!("{cost} USD"))),
        ("created", record.created_at.clone()),
        ("completed", record.completed_at.clone()),
        ("expires", record.expires_at.clone()),
        ("error", record.error.clone()),
    ];
    for (name, fact) in facts {
        if let Some(fact) = fact {
            say!("{name:<10} {}", crate::client::clipped(&fact));
        }
    }
}
