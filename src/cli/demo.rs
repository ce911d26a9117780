//! `rowhaul demo`: a run from end to end, without an account.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::Failure;
use super::table::{compact, counted};
use crate::client::{ApiKey, Client, ClientConfig, Progress, Request, RunOptions};
use crate::files::WholeFile;
use crate::rows::write::{Compression, write_parquet};
use crate::service::{ClockKind, LocalService, ServiceConfig};

/// What the demo shows of each event, and of how many.
const COLUMNS: [&str; 5] = ["eventName", "startDate", "venueName", "city", "going"];
const SHOWN: usize = 10;

/// Start a local service, run the events agent against it, print the table and write it as a Parquet file.
#[derive(Debug, Args)]
pub(super) struct Demo {
    /// What to search for
    #[arg(default_value = "jazz berlin")]
    query: String,
    /// Events to ask for
    #[arg(long, default_value_t = 50)]
    max_results: u32,
    /// File to write
    #[arg(long, default_value = "events.parquet")]
    out: PathBuf,
}

impl Demo {
    pub(super) async fn run(self) -> Result<(), Failure> {
        let service = LocalService::start(ServiceConfig { clock: ClockKind::Instant, ..ServiceConfig::default() })?;
        println!("local service at {}", service.url());

        let client = Client::new(ClientConfig::new(service.url(), ApiKey::new(service.api_key())?))?;
        let params = json!({"searchQueries": [self.query], "maxResults": self.max_results});
        let request = Request::new("events/events", params.as_object().cloned().unwrap_or_default())?;
        let (job, rows) = client.run(&request, &RunOptions::default(), &Progress::new()).await?;

        println!("job {}: {}, {} columns", job.id(), counted(rows.len(), "row"), rows.schema().fields().len());
        if let Some(cost) = job.cost_usd() {
            println!("cost {cost} USD, balance {} USD", client.balance().await?);
        }
        println!("\n{}", compact(&rows, &COLUMNS, SHOWN));
        for note in rows.notes() {
            println!("note: {note}");
        }
        let mut file = WholeFile::create(&self.out)?;
        write_parquet(&rows, &mut file, Compression::default())?;
        file.commit()?;
        println!("wrote {}", self.out.display());
        Ok(())
    }
}
