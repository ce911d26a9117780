//! `rowhaul resume`: everything that is unfinished, its rows into files.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::Failure;
use super::asked::seconds;
use super::connection::Connection;
use super::said::said;
use super::save::{Format, Target};
use super::table::counted;
use crate::client::{Client, Job, Resumed, clipped};
use crate::rows::Rows;

/// Take up everything unfinished: wait for what runs, fetch what was paid for and never fetched. Starts nothing.
#[derive(Debug, Args)]
pub(super) struct Resume {
    /// Folder for the rows, a file for each job; made where it is missing
    #[arg(short, long, value_name = "FOLDER", default_value = ".")]
    out: PathBuf,
    /// Format of the files
    #[arg(long, value_enum, default_value_t = Format::Parquet)]
    format: Format,
    /// Seconds to wait for each job [default: an hour]
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    timeout: Option<Duration>,
    #[command(flatten)]
    connection: Connection,
}

impl Resume {
    pub(super) async fn run(self) -> Result<(), Failure> {
        let client = self.connection.client()?;
        fs::create_dir_all(&self.out).map_err(|error| format!("`{}` cannot be made: {error}", self.out.display()))?;
        let resuming = client.resume(self.timeout).await?;
        let (mut taken_up, mut failed) = (0, 0);
        while let Some(Resumed { job, rows }) = resuming.next().await {
            taken_up += 1;
            let saved = match rows {
                Ok(rows) => self.save(&client, &job, &rows).await,
                Err(error) => Err(said(&error).into()),
            };
            if let Err(error) = saved {
                failed += 1;
                eprintln!("rowhaul: job {}: {error}", clipped(job.id().as_str()));
            }
        }
        match (taken_up, failed) {
            (0, _) => say!("nothing is unfinished"),
            (_, 0) => {}
            _ => return Err(format!("of {taken_up} jobs {failed} left no file").into()),
        }
        Ok(())
    }

    async fn save(&self, client: &Client, job: &Job, rows: &Rows) -> Result<(), Failure> {
        let target = Target::of_job(&self.out, job.id(), self.format);
        target.write_of(job, rows)?;
        client.delivered(job).await;
        let cost = job.cost_usd().map_or(String::new(), |cost| format!(", {cost} USD"));
        let id = clipped(job.id().as_str());
        say!("job {id}: {}{cost}, wrote {target}", counted(rows.len(), "row"));
        Ok(())
    }
}
