//! What a client is told when it is made.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use rust_decimal::Decimal;

use super::api_key::ApiKey;
use super::error::Error;
use super::error_kind::ErrorKind;
use super::money::caps;
use super::pacing::retry::RetryPolicy;
use super::results::keep::KeepRows;
use super::shown::clipped_word;
use crate::catalogue;
use crate::ledger::Place;
use crate::rows::DecodeOptions;
use crate::wire::PathForm;

/// See [`ClientConfig::least_start`].
const LEAST_START: Duration = Duration::from_secs(10);

/// Everything a [`Client`](super::Client) needs to know. Start from [`ClientConfig::new`], change what differs.
#[derive(Debug, Clone)]
pub struct ClientConfig {
    /// The address before `/api/v1`. A trailing `/api/v1` is understood, any other path prefix kept.
    pub base_url: String,
    pub api_key: ApiKey,
    /// The service's own group names behind the specification's placeholders `video`, `retail` and `events`.
    pub groups: BTreeMap<String, String>,
    /// Which form of the run and job paths is spoken (section 9).
    pub paths: PathForm,
    /// How long a job is waited for when a call does not say. Default one hour.
    pub timeout: Duration,
    /// How long a small answer may take as a whole, and a download between two reads. Default 60 s, which leaves a
    /// service time to gather a large result.
    pub request_timeout: Duration,
    /// How long a connection may take to be made. Default 10 s, and never as long as a start may take, so that a
    /// connection that is not made is told as such: nothing was sent.
    pub connect_timeout: Duration,
    /// Whether `http://` is taken for hosts other than this machine: the key then travels in the clear.
    pub allow_http: bool,
    /// The most that everything this client starts may cost together; `None` is no cap.
    pub max_cost_usd: Option<Decimal>,
    /// The limit of the key, where it is known; without it the client learns from refusals.
    pub requests_per_minute: Option<f64>,
    /// The most bytes of one answer, counted after decompression. Default 8 GiB.
    pub max_response_bytes: u64,
    /// How many threads may read one answer: the one that receives and decodes it, one that inflates a large body where
    /// it comes compressed, and others that decode as well. Default the machine's cores, up to 4.
    pub threads: usize,
    /// Certificates (PEM) trusted besides those of the system.
    pub ca_file: Option<PathBuf>,
    /// Where it is written down what was started. Default nowhere: the Python package and the command line say the
    /// user's.
    pub ledger: Place,
    /// Whether and where fetched rows are kept, for [`RunOptions::reuse`](super::RunOptions::reuse). Default not.
    pub keep_rows: Option<KeepRows>,
    /// How failed requests are repeated.
    pub retry: RetryPolicy,
    /// The shortest time between two polls of one job. Default 0.25 s.
    pub poll_floor: Duration,
    /// How long a job may be unknown right after its start, and results be missing right after completion, before that
    /// is believed: services spread what they know. Default 10 s.
    pub grace: Duration,
    /// How long waits let the list of jobs take, by which one request asks about all of them; never longer than
    /// `request_timeout`. Default 10 s: one that takes longer helps nobody, for each job can be asked about alone.
    pub list_timeout: Duration,
    /// How long polls may fail one after the other, each with its repeats, before waiting for a job gives up: the job
    /// goes on while the network does not. Default two minutes.
    pub outage: Duration,
}

impl ClientConfig {
    pub fn new(base_url: impl Into<String>, api_key: ApiKey) -> Self {
        Self {
            base_url: base_url.into(),
            api_key,
            groups: BTreeMap::new(),
            paths: PathForm::Agents,
            timeout: Duration::from_secs(3600),
            request_timeout: Duration::from_secs(60),
            connect_timeout: Duration::from_secs(10),
            allow_http: false,
            max_cost_usd: None,
            requests_per_minute: None,
            max_response_bytes: 8 << 30,
            threads: DecodeOptions::default().threads,
            ca_file: None,
            ledger: Place::Off,
            keep_rows: None,
            retry: RetryPolicy::default(),
            poll_floor: Duration::from_millis(250),
            grace: Duration::from_secs(10),
            list_timeout: Duration::from_secs(10),
            outage: Duration::from_secs(120),
        }
    }

    /// The time that a start is given even if the caller's deadline is nearer: cutting off one that went out saves no
    /// money, it only loses the job's id.
    pub(super) fn least_start(&self) -> Duration {
        LEAST_START.min(self.request_timeout)
    }

    /// The time for making a connection that is in force.
    pub(super) fn connect_within(&self) -> Duration {
        self.connect_timeout.min(self.least_start() * 3 / 4)
    }

    pub(super) fn check(&self) -> Result<(), Error> {
        let config = |message: String| Err(Error::new(ErrorKind::Config, message));
        let known = catalogue::groups();
        for (placeholder, name) in &self.groups {
            if !known.contains(&placeholder.as_str()) {
                let message = format!("`{placeholder}` is no group of the specification; known: {}", known.join(", "));
                return config(message);
            }
            if matches!(name.as_str(), "" | "." | "..") || name.contains('/') || name.chars().any(char::is_control) {
                let name = clipped_word(name);
                let message = format!("the group `{placeholder}` cannot be named `{name}`: a name is a part of a path");
                return config(message);
            }
        }
        if self.requests_per_minute.is_some_and(|rate| !rate.is_finite() || rate <= 0.0) {
            return config("`requests_per_minute` must be a number above 0".to_owned());
        }
        if self.request_timeout.is_zero() || self.connect_timeout.is_zero() {
            return config("a request needs a timeout above 0".to_owned());
        }
        if self.threads == 0 {
            return config("`threads` must be 1 or more".to_owned());
        }
        if self.max_response_bytes == 0 {
            return config("`max_response_bytes` must be above 0".to_owned());
        }
        if let Some(keeping) = &self.keep_rows {
            if self.ledger == Place::Off {
                return config("`keep_rows` needs the ledger, which says what was kept, and it is off".to_owned());
            }
            if keeping.max_bytes == 0 {
                return config("`keep_rows_bytes` must be above 0".to_owned());
            }
        }
        caps::check(self.max_cost_usd)
    }
}
