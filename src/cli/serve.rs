//! `rowhaul serve`: the local service for other programs.

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use rust_decimal::Decimal;

use super::Failure;
use crate::service::faults::Injection;
use crate::service::{
    ClockKind, Extras, LocalService, LogForm, OwnAgent, RowsFile, ServiceConfig, Takes, allow_more_files,
};
use crate::wire::{AgentName, InvalidName};

/// Serve the whole service on this machine, with made-up rows and an account that it bills, until Ctrl-C.
#[derive(Debug, Args)]
pub(super) struct Serve {
    /// Address to listen on; anything but loopback lets others in
    #[arg(long, default_value = "127.0.0.1")]
    host: IpAddr,
    /// Port to listen on; 0 takes a free one
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Name it is reached by, where the network reaches it; may be given several times
    #[arg(long = "name", value_name = "NAME")]
    names: Vec<String>,
    /// Key to ask for [default: one made up]
    #[arg(long)]
    key: Option<String>,
    /// What rows, run times and job ids are made from: the same seed gives the same [default: 0, and job ids of its
    /// own]
    #[arg(long)]
    seed: Option<u64>,
    /// What the account holds at first, in USD
    #[arg(long, default_value = "100")]
    balance: Decimal,
    /// How time passes
    #[arg(long, value_enum, default_value_t = Clock::Real)]
    clock: Clock,
    /// Seconds a run takes [default: 0.5 to 2, from the seed]
    #[arg(long)]
    job_seconds: Option<f64>,
    /// Requests a minute; beyond them the answer is 429 [default: no limit]
    #[arg(long)]
    rate_limit: Option<u32>,
    /// The most that a limit such as maxResults may ask for; beyond it the answer is 422 [default: no cap]
    #[arg(long)]
    row_cap: Option<u64>,
    /// What goes wrong, such as `on=run,fault=status,code=503,retry_after=1,times=2`; may be given several times
    #[arg(long = "fault", value_name = "FAULT")]
    faults: Vec<Injection>,
    /// What it does beyond the specification: all, none, or names with commas between them, such as `cancel,job_list`
    #[arg(long, default_value = "all")]
    extras: Extras,
    /// What is written to standard error about each request
    #[arg(long, value_enum, default_value_t = Log::Text)]
    log: Log,
    /// Directory in which jobs and charges outlive the process [default: they are forgotten]
    #[arg(long)]
    data_dir: Option<PathBuf>,
    /// An agent more, whose rows are those of a file: group/slug=rows.ndjson (or .csv); may be given several times
    #[arg(long, value_name = "NAME=FILE", value_parser = file_agent)]
    agent: Vec<FileAgent>,
    /// What 1000 rows of these agents cost, in USD
    #[arg(long, default_value = "1")]
    agent_price: Decimal,
}

/// An agent of a file, as it is asked for on the command line.
#[derive(Debug, Clone)]
struct FileAgent {
    name: AgentName,
    path: PathBuf,
}

fn file_agent(text: &str) -> Result<FileAgent, String> {
    let (name, path) = text.split_once('=').ok_or("an agent is given as group/slug=FILE")?;
    Ok(FileAgent { name: name.parse().map_err(|error: InvalidName| error.to_string())?, path: path.into() })
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Clock {
    /// As on the machine
    Real,
    /// Runs are completed as they start
    Instant,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Log {
    /// A line to read
    Text,
    /// A JSON object on a line
    Json,
    /// Nothing
    Off,
}

impl Serve {
    pub(super) async fn run(self) -> Result<(), Failure> {
        allow_more_files();
        let service = LocalService::start(ServiceConfig {
            api_key: self.key,
            seed: self.seed.unwrap_or_default(),
            // A ledger outlives the service, and would take the jobs of the next one for those of this one.
            fresh_ids: self.seed.is_none(),
            balance_usd: self.balance,
            host: self.host,
            port: self.port,
            clock: match self.clock {
                Clock::Real => ClockKind::Real,
                Clock::Instant => ClockKind::Instant,
            },
            requests_per_minute: self.rate_limit,
            job_seconds: self.job_seconds,
            row_cap: self.row_cap,
            extras: self.extras,
            names: self.names,
            log: match self.log {
                Log::Text => LogForm::Text,
                Log::Json => LogForm::Json,
                Log::Off => LogForm::Off,
            },
            data_dir: self.data_dir,
            ..ServiceConfig::default()
        })?;
        for FileAgent { name, path } in self.agent {
            let source = RowsFile::new(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            service.add_agent(OwnAgent {
                title: name.slug.clone(),
                description: format!("The rows of {}.", path.display()),
                unit: "rows".to_owned(),
                price_per_1k_usd: self.agent_price,
                takes: Takes::Declared(RowsFile::parameters()),
                columns: Vec::new(),
                source: Arc::new(source),
                name,
            })?;
        }
        for fault in self.faults {
            service.inject(fault)?;
        }
        greet(service.url(), service.api_key());
        std::future::pending().await
    }
}

/// Says how to connect, in the order in which it is needed.
fn greet(url: &str, key: &str) {
    say!("serving {url}");
    say!("key     {key}");
    say!();
    say!("curl -s {url}/api/v1/agents/events/events/run -H 'Authorization: Bearer {key}' \\");
    say!(
        "     -H 'Content-Type: application/json' -d '{{\"params\": {{\"searchQueries\": [\"jazz berlin\"], \"maxResults\": 5}}}}'"
    );
    say!("python  rh.Client(base_url=\"{url}\", api_key=\"{key}\")");
    say!("openapi {url}/openapi.json");
    say!();
    say!("Ctrl-C stops it.");
}
