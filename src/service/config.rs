//! What a local service is started with.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::time::Duration;

use rust_decimal::Decimal;

use super::clock::ClockKind;
use super::descriptors;
use super::error::ServiceError;
use super::extras::Extras;
use super::journal::LogForm;

/// How generated keys begin (section 5: a fixed live-key prefix, then random characters).
const KEY_PREFIX: &str = "rh_live_";

/// Random characters of a generated key: 32 letters and digits are 190 bits.
const KEY_CHARACTERS: usize = 32;

/// Options of [`super::LocalService::start`].
#[derive(Clone)]
pub struct ServiceConfig {
    /// The key callers must show; `None` makes one up, different in each service.
    pub api_key: Option<String>,
    /// What all rows, job ids and durations follow from.
    pub seed: u64,
    /// Whether job ids are others at each start, instead of following from the seed: for callers who keep them for
    /// longer than the service lives. Default: no.
    pub fresh_ids: bool,
    /// What the account holds at first, in USD. A data directory that has an account knows better.
    pub balance_usd: Decimal,
    /// The address to bind to. Loopback, unless the network is really meant to reach the service.
    pub host: IpAddr,
    /// The port to bind to; 0 takes a free one.
    pub port: u16,
    pub clock: ClockKind,
    /// How many requests any 60 seconds may bring; `None` for no limit.
    pub requests_per_minute: Option<u32>,
    /// Seconds from the start of a job to its completion; `None` derives them from the seed, between 0.5 and 2.
    pub job_seconds: Option<f64>,
    /// The most that a limit such as `maxResults` may ask for, as deployments have it; `None` for no cap. Own agents
    /// declare bounds of their own.
    pub row_cap: Option<u64>,
    /// What it does beyond the contract.
    pub extras: Extras,
    /// Names it is reached by, with or without port, beside its own address and `localhost`.
    pub names: Vec<String>,
    /// What is written to standard error about each request.
    pub log: LogForm,
    /// Where jobs and charges are kept, so that they outlive the process; `None` forgets them with it.
    pub data_dir: Option<PathBuf>,
    /// How long the head of a request may take, and how long a connection may idle. Default 15 s.
    pub head_time: Duration,
    /// How many connections are open at once; for another, the one that has been idle longest makes room. Default: a
    /// quarter of the files that this process may open, as the client may live in it too, and at most 4,096.
    pub max_connections: usize,
    /// How many jobs are told of; beyond them the oldest that have ended are forgotten, and what they were charged is
    /// not. Default 100,000.
    pub max_jobs: usize,
}

impl Default for ServiceConfig {
    fn default() -> Self {
        Self {
            api_key: None,
            seed: 0,
            fresh_ids: false,
            balance_usd: Decimal::ONE_HUNDRED,
            host: IpAddr::V4(Ipv4Addr::LOCALHOST),
            port: 0,
            clock: ClockKind::Real,
            requests_per_minute: None,
            job_seconds: None,
            row_cap: None,
            extras: Extras::all(),
            names: Vec::new(),
            log: LogForm::Off,
            data_dir: None,
            head_time: Duration::from_secs(15),
            max_connections: descriptors::connections(),
            max_jobs: 100_000,
        }
    }
}

impl fmt::Debug for ServiceConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServiceConfig")
            .field("seed", &self.seed)
            .field("fresh_ids", &self.fresh_ids)
            .field("balance_usd", &self.balance_usd)
            .field("host", &self.host)
            .field("port", &self.port)
            .field("clock", &self.clock)
            .field("requests_per_minute", &self.requests_per_minute)
            .field("job_seconds", &self.job_seconds)
            .field("row_cap", &self.row_cap)
            .field("extras", &self.extras)
            .field("names", &self.names)
            .field("data_dir", &self.data_dir)
            .field("head_time", &self.head_time)
            .field("max_connections", &self.max_connections)
            .field("max_jobs", &self.max_jobs)
            .finish_non_exhaustive()
    }
}

impl ServiceConfig {
    /// Refuses what no service can be started with.
    pub(super) fn check(&self) -> Result<(), ServiceError> {
        if let Some(key) = &self.api_key {
            let is_token = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_graphic());
            if !is_token {
                return Err(ServiceError::config("`api_key` must be visible ASCII without blanks"));
            }
        }
        // Within these bounds every sum of charges is exact in the 28 digits of a `Decimal`.
        let is_exact = self.balance_usd < Decimal::from(1_000_000_000_000_u64) && self.balance_usd.scale() <= 15;
        if self.balance_usd < Decimal::ZERO || !is_exact {
            return Err(ServiceError::config(
                "`balance_usd` must be at least 0, below 10^12, and have at most 15 decimal places",
            ));
        }
        if self.requests_per_minute == Some(0) {
            return Err(ServiceError::config("`requests_per_minute` must be at least 1"));
        }
        if self.head_time.is_zero() || self.max_connections == 0 || self.max_jobs == 0 {
            return Err(ServiceError::config("`head_time`, `max_connections` and `max_jobs` must be above 0"));
        }
        match self.job_seconds {
            Some(seconds) if !(0.0..=31_536_000.0).contains(&seconds) => {
                Err(ServiceError::config("`job_seconds` must be between 0 and one year"))
            }
            _ => Ok(()),
        }
    }
}

/// A key that nobody can guess: a fixed prefix and random letters and digits from the operating system.
pub(super) fn generate_key() -> Result<String, ServiceError> {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let mut key = KEY_PREFIX.to_owned();
    while key.len() < KEY_PREFIX.len() + KEY_CHARACTERS {
        let mut random = [0_u8; 64];
        getrandom::fill(&mut random)
            .map_err(|error| ServiceError::system("no random bytes for a key", error.into()))?;
        let missing = KEY_PREFIX.len() + KEY_CHARACTERS - key.len();
        // Six bits choose a letter; the two values beyond the alphabet are skipped, so that all letters are as likely.
        let letters = random.iter().filter_map(|byte| ALPHABET.get(usize::from(byte & 63)));
        key.extend(letters.take(missing).map(|letter| char::from(*letter)));
    }
    Ok(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generated_key_is_never_the_same_and_the_config_never_shows_one() {
        let (one, other) = (generate_key().unwrap(), generate_key().unwrap());
        assert_ne!(one, other);
        assert_eq!(one.len(), KEY_PREFIX.len() + KEY_CHARACTERS);
        let config = ServiceConfig { api_key: Some(one.clone()), ..ServiceConfig::default() };
        assert!(!format!("{config:?}").contains(&one));
    }

    #[test]
    fn a_config_that_cannot_work_is_refused_before_a_port_is_opened() {
        let refused = |config: ServiceConfig| config.check().is_err();
        assert!(refused(ServiceConfig { api_key: Some("a b".to_owned()), ..ServiceConfig::default() }));
        assert!(refused(ServiceConfig { balance_usd: Decimal::NEGATIVE_ONE, ..ServiceConfig::default() }));
        assert!(refused(ServiceConfig { requests_per_minute: Some(0), ..ServiceConfig::default() }));
        assert!(refused(ServiceConfig { job_seconds: Some(f64::NAN), ..ServiceConfig::default() }));
        assert!(refused(ServiceConfig { head_time: Duration::ZERO, ..ServiceConfig::default() }));
        assert!(refused(ServiceConfig { max_jobs: 0, ..ServiceConfig::default() }));
        assert!(refused(ServiceConfig { max_connections: 0, ..ServiceConfig::default() }));
        assert!(!refused(ServiceConfig::default()));
    }
}
