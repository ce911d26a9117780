//! A run from its start to its rows.

use std::time::Duration;

use rust_decimal::Decimal;
use tokio::time::Instant;

use super::Client;
use super::call::Call;
use super::deadline::Deadline;
use super::error::Error;
use super::job::Job;
use super::money::budget::Budget;
use super::prepare::Prepared;
use super::progress::Progress;
use super::request::Request;
use super::results;
use super::results::reuse::Reused;
use super::results::rows::RowOptions;
use crate::rows::Rows;

/// How a run is done.
#[derive(Debug, Clone, Default)]
pub struct RunOptions {
    /// For everything together; `None` means [`ClientConfig::timeout`](super::ClientConfig::timeout).
    pub timeout: Option<Duration>,
    /// The run is refused before anything is sent if it could cost more, or if nobody can say how much.
    pub max_cost_usd: Option<Decimal>,
    /// Rows of an equal request that were kept within this time are the answer, and nothing is started unless neither
    /// the disk nor the service has them any more. It needs
    /// [`ClientConfig::keep_rows`](super::ClientConfig::keep_rows).
    pub reuse: Option<Duration>,
    pub rows: RowOptions,
}

impl Client {
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

    /// Runs under a cap that is shared with other runs, and waited for. The time counts from when there is room in
    /// it. `seen` keeps the job as it was last seen, whatever becomes of the run.
    pub(super) async fn run_within(
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::{ApiKey, ClientConfig};

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
