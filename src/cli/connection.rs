//! Which service, and as whom: the options that every command of a client shares.
//!
//! The key comes from the environment alone. On a command line it would stand in the shell's history and in every list
//! of processes.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Failure;
use crate::client::{ApiKey, Client, ClientConfig};
use crate::ledger::Place;
use crate::wire::PathForm;

#[derive(Debug, Args)]
#[command(next_help_heading = "Connection (the key is read from ROWHAUL_API_KEY)")]
pub(super) struct Connection {
    /// Address of the service, before `/api/v1`
    #[arg(long, value_name = "URL", env = "ROWHAUL_BASE_URL", hide_env_values = true)]
    base_url: Option<String>,
    /// The service's own name of a group, such as `video=…`; may be given for each group
    #[arg(long = "group", value_name = "NAME=OWN", value_parser = pair)]
    groups: Vec<(String, String)>,
    /// Form of the addresses of runs and jobs: `/v1/agents/…`, or `/v1/data/…` where the service has that
    #[arg(long, value_enum, default_value_t = Paths::Agents)]
    paths: Paths,
    /// PEM file of certificates to trust besides the system's
    #[arg(long, value_name = "FILE")]
    ca_file: Option<PathBuf>,
    /// Send the key unencrypted to a host that is not this machine
    #[arg(long)]
    allow_http: bool,
    /// File in which it is written down what was started, or `off` [default: in the user's data directory]
    #[arg(long, value_name = "PATH", env = "ROWHAUL_LEDGER", hide_env_values = true)]
    ledger: Option<OsString>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Paths {
    /// `/api/v1/agents/…`
    Agents,
    /// `/v1/data/…`
    Data,
}

impl Connection {
    /// A client of the service that was named. Sends nothing.
    pub(super) fn client(&self) -> Result<Client, Failure> {
        let base_url = self.base_url.as_deref().filter(|url| !url.is_empty());
        let base_url = base_url.ok_or("no address of a service: pass --base-url, or set ROWHAUL_BASE_URL")?;
        let key = std::env::var("ROWHAUL_API_KEY").unwrap_or_default();
        if key.is_empty() {
            return Err("no key: set ROWHAUL_API_KEY".into());
        }
        let mut config = ClientConfig::new(base_url, ApiKey::new(key)?);
        config.groups = self.groups.iter().cloned().collect();
        config.paths = match self.paths {
            Paths::Agents => PathForm::Agents,
            Paths::Data => PathForm::Data,
        };
        config.ca_file.clone_from(&self.ca_file);
        config.allow_http = self.allow_http;
        config.ledger = Place::told(self.ledger.as_deref());
        Ok(Client::new(config)?)
    }
}

fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, own)) if !name.is_empty() && !own.is_empty() => Ok((name.to_owned(), own.to_owned())),
        _ => Err("a group is given as NAME=OWN, such as `video=…`".to_owned()),
    }
}
