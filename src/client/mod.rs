//! The client: start an agent, wait for its job, fetch the rows.
//!
//! Arrives: a [`Request`], or the id of a job. Leaves: a [`Job`] and its [`Rows`], or one [`Error`] that says what is
//! known about the money. [`Client::run`] below is the whole story; each step has its file or folder:
//!
//! - `address` is where the service is, `api_key` what it asks for, `config` all that a client may be told;
//! - `request` is what is asked for, and `prepare` checks it against the catalogue;
//! - `money` takes what a run may cost out of the caps it is under, gives back what it did not, and says what a job did
//!   cost;
//! - `start` sends at most one start that may be billed, `starting` carries it to its answer;
//! - `polling` asks how the job is until it has ended, `results` fetches and decodes its rows; `job` is what is known
//!   of it, `job_list` what the service lists, and `progress` how far a run is;
//! - `agents` says what there is to run; `many` does many runs at once;
//! - `records` writes down what was started and heard, reads it back, and takes up what is unfinished;
//! - `fetch` repeats what may be repeated, when `pacing` says so, within one `call` and its `deadline`; `transport`
//!   sends one request, `response` reads what came back;
//! - `error` says what went wrong, by its `error_kind`, and `shown` what of the service's text is repeated;
//!   `service_clock` knows the service's time.
//!
//! Dropping a future drops its work, with one exception: where there is a ledger, a start that has been sent is carried
//! to its answer by a task of its own, which writes it down. The runs of a [`Many`] are tasks, too, and end with it;
//! what else runs beside a future are threads that inflate and decode a large body, which end when nobody takes what
//! they make, and one request for the price of an agent, which ends by itself. What is absent: without a ledger
//! ([`ClientConfig::ledger`]) a future that is dropped while [`Phase::Starting`] leaves nobody who knows whether the
//! run was started.

mod address;
mod api_key;
mod config;

mod prepare;
mod request;

mod money;
mod start;
mod starting;

mod job;
mod job_list;
mod polling;
mod progress;
mod results;

mod agents;
mod many;

mod records;

mod call;
mod deadline;
mod fetch;
mod pacing;
mod response;
mod transport;

mod error;
mod error_kind;
mod service_clock;
mod shown;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rust_decimal::Decimal;
use tokio::time::Instant;

pub use api_key::ApiKey;
pub use config::ClientConfig;
pub use error::{Error, saved_by, taken_up_by, widened_by};
pub use error_kind::{ErrorKind, Outcome};
pub use job::Job;
pub use many::{Done, Left, Many};
pub use money::estimate::Estimate;
pub use pacing::retry::RetryPolicy;
pub use progress::{Phase, Progress};
pub use records::reconcile::{Settled, Settlement};
pub use records::resume::{Resumed, Resuming};
pub use records::under_way::{forget_ledger_writes, ledger_writes_under_way};
pub use request::Request;
pub use results::keep::KeepRows;
pub use results::rows::RowOptions;
pub use results::spool::Spooled;
pub use shown::clipped;

use address::Address;
use call::Call;
use deadline::Deadline;
use money::budget::Budget;
use money::cost::PriceRequests;
use money::quotes::Quotes;
use money::reservations::Reservations;
use money::shortage::Available;
use pacing::pacer::Pacer;
use pacing::quota::Quota;
use polling::waiting_jobs::WaitingJobs;
use prepare::Prepared;
use records::record::Records;
use results::reuse::Reused;
use service_clock::ServiceClock;
use transport::Transport;

use crate::rows::Rows;
use crate::wire::{AgentName, JobId, Paths};

/// A client of one service with one key. Cloning is cheap; clones share connections, pace and retry quota.
///
/// It needs a tokio runtime with time and I/O, and belongs to the runtime it is first used on.
#[derive(Clone)]
pub struct Client(Arc<Inner>);

struct Inner {
    config: ClientConfig,
    paths: Paths,
    transport: Transport,
    pacer: Pacer,
    quota: Quota,
    waiting_jobs: WaitingJobs,
    records: Records,
    clock: ServiceClock,
    /// Prices the service has told, by the service's own agent names.
    prices: Mutex<HashMap<AgentName, Decimal>>,
    quotes: Quotes,
    price_requests: PriceRequests,
    /// The cap on everything this client starts.
    budget: Option<Budget>,
    reservations: Reservations,
    available: Available,
}

/// How a run is done.
#[derive(Debug, Clone, Default)]
pub struct RunOptions {
    /// For everything together; `None` means [`ClientConfig::timeout`].
    pub timeout: Option<Duration>,
    /// The run is refused before anything is sent if it could cost more, or if nobody can say how much.
    pub max_cost_usd: Option<Decimal>,
    /// Rows of an equal request that were kept within this time are the answer, and nothing is started unless neither
    /// the disk nor the service has them any more. It needs [`ClientConfig::keep_rows`].
    pub reuse: Option<Duration>,
    pub rows: RowOptions,
}

impl Client {
    /// Checks the configuration and makes a client. Sends nothing.
    ///
    /// # Errors
    /// `Config`, never with the key in it.
    pub fn new(config: ClientConfig) -> Result<Self, Error> {
        config.check()?;
        let address = Address::parse(&config.base_url, &config.api_key, config.allow_http)?;
        let transport = Transport::new(&config, &address)?;
        Ok(Self(Arc::new(Inner {
            paths: Paths { form: config.paths },
            records: Records::new(&config, transport.root()),
            transport,
            pacer: Pacer::new(config.requests_per_minute, Instant::now()),
            quota: Quota::full(),
            waiting_jobs: WaitingJobs::new(),
            clock: ServiceClock::default(),
            prices: Mutex::default(),
            quotes: Quotes::default(),
            price_requests: PriceRequests::default(),
            budget: config.max_cost_usd.map(Budget::new),
            reservations: Reservations::default(),
            available: Available::default(),
            config,
        })))
    }

    /// Starts a run, waits until it is completed, and fetches its rows; or gives those of an equal request that were
    /// kept.
    ///
    /// After the start every error carries the job's id: the rows can still be had with [`Client::job`] and
    /// [`Client::rows`]. In the ledger they count as fetched when [`Client::delivered`] is told of it.
    pub async fn run(
        &self,
        request: &Request,
        options: &RunOptions,
        progress: &Progress,
    ) -> Result<(Job, Rows), Error> {
        self.run_within(None, request, options, progress, &mut None).await
    }

    /// The same under a cap that is shared with other runs, and waited for. The time counts from when there is room in
    /// it. `seen` keeps the job as it was last seen, whatever becomes of the run.
    async fn run_within(
        &self,
        shared: Option<&Budget>,
        request: &Request,
        options: &RunOptions,
        progress: &Progress,
        seen: &mut Option<Job>,
    ) -> Result<(Job, Rows), Error> {
        let prepared = Call::new(None).finish(self.key(), self.prepare(request))?;
        let why_run = match Box::pin(self.reused(&prepared, options, progress, seen)).await? {
            Reused::Rows(answer) => return Ok(*answer),
            Reused::Nothing(why_run) => why_run,
        };
        let (mut job, mut rows) = self.run_anew(shared, &prepared, options, progress, seen).await?;
        if let Some(why) = why_run {
            results::keep::note(&mut job, &mut rows, why);
        }
        Ok((job, rows))
    }

    /// The run itself. It is an operation of its own: what an earlier job was asked for took its time, and has its own
    /// errors.
    async fn run_anew(
        &self,
        shared: Option<&Budget>,
        prepared: &Prepared,
        options: &RunOptions,
        progress: &Progress,
        seen: &mut Option<Job>,
    ) -> Result<(Job, Rows), Error> {
        let timeout = Some(options.timeout.unwrap_or(self.config().timeout));
        let call = Call::new(timeout);
        let result = async {
            let reservation = self.reserve(&call, prepared, options.max_cost_usd, shared, progress).await?;
            // How long others held the shared cap is not this run's fault.
            let call = if shared.is_some() { &call.until(Deadline::after(Instant::now(), timeout)) } else { &call };
            let job = seen.insert(self.start_with(call, prepared, reservation, progress).await?);
            let _waited = self.0.reservations.while_waited(job.id());
            self.wait_updating(call, job, progress).await?;
            self.rows_within(call, job, &options.rows, progress).await
        };
        let result = result.await;
        call.finish(self.key(), result)
    }

    /// Takes up a job by its id, in any process: with what the ledger knows of it. Sends nothing.
    ///
    /// With the agent (`group/slug`), rows have its declared columns even if neither service nor ledger name it.
    pub fn job(&self, id: &str, agent: Option<&str>) -> Result<Job, Error> {
        let id = id.parse()?;
        let agent: Option<AgentName> = agent.map(str::parse).transpose()?;
        Ok(self.recall(id, agent))
    }

    /// The address requests go to, before the paths of the contract.
    pub fn address(&self) -> &str {
        self.0.transport.root()
    }

    /// The jobs that calls of this client wait for now. Asks nobody.
    pub fn waited_for(&self) -> Vec<JobId> {
        self.0.waiting_jobs.jobs()
    }

    fn config(&self) -> &ClientConfig {
        &self.0.config
    }

    fn key(&self) -> &ApiKey {
        &self.0.config.api_key
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").field("address", &self.address()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_send<T: Send>(_: &T) {}

    #[test]
    fn every_operation_can_move_between_threads() {
        let config = ClientConfig::new("http://127.0.0.1:9", ApiKey::new("canary-0123456789").unwrap());
        let client = Client::new(config).unwrap();
        let job = client.job("j1", Some("events/events")).unwrap();
        let params = serde_json::json!({"searchQueries": ["x"]}).as_object().unwrap().clone();
        let request = Request::new("events/events", params).unwrap();
        let (run, rows, progress) = (RunOptions::default(), RowOptions::default(), Progress::new());
        is_send(&client.run(&request, &run, &progress));
        is_send(&client.start(&request, None, &progress));
        is_send(&client.wait(&job, None, &progress));
        is_send(&client.refresh(&job, &progress));
        is_send(&client.rows(&job, &rows, &progress));
        is_send(&client.download(&job, std::path::Path::new("x"), &progress));
        is_send(&client.cancel(&job));
        is_send(&client.estimate(&request));
        is_send(&client.agents(None));
        is_send(&client.agent("events/events"));
        is_send(&client.groups());
        is_send(&client.balance());
    }
}
