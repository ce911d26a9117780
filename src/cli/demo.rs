//! `rowhaul demo`: a run from end to end, without an account.

use clap::Args;
use serde_json::json;

use super::Failure;
use super::save::Target;
use super::table::{compact, counted};
use crate::client::{ApiKey, Client, ClientConfig, Progress, Request, RunOptions};
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
    /// File to write: .parquet, .csv, .ndjson or .arrow; `-` for standard output, as NDJSON
    #[arg(short, long, default_value = "demo.parquet", value_name = "FILE", value_parser = Target::parse)]
    out: Target,
}

impl Demo {
    pub(super) async fn run(self) -> Result<(), Failure> {
        self.out.keep_clear();
        let service = LocalService::start(ServiceConfig { clock: ClockKind::Instant, ..ServiceConfig::default() })?;
        say!("local service at {}", service.url());

        let client = Client::new(ClientConfig::new(service.url(), ApiKey::new(service.api_key())?))?;
        let params = json!({"searchQueries": [self.query], "maxResults": self.max_results});
        let request = Request::new("events/events", params.as_object().cloned().unwrap_or_default())?;
        let (job, rows) = client.run(&request, &RunOptions::default(), &Progress::new()).await?;

        say!("job {}: {}, {} columns", job.id(), counted(rows.len(), "row"), rows.schema().fields().len());
        if let Some(cost) = job.cost_usd() {
            say!("cost {cost} USD, balance {} USD", client.balance().await?);
        }
        say!("\n{}", compact(&rows, &COLUMNS, SHOWN));
        for note in rows.notes() {
            say!("note: {note}");
        }
        self.out.write(&rows)?;
        say!("wrote {}", self.out);
        Ok(())
    }
}
