//! Fetching the rows of a job and decoding them while they arrive.

use std::time::Duration;

use arrow_schema::SchemaRef;
use tokio::time::Instant;

use super::receive::{InMemory, Receiver, RowReader};
use crate::client::Client;
use crate::client::call::Call;
use crate::client::error::Error;
use crate::client::error_kind::{ErrorKind, Outcome};
use crate::client::fetch::HttpRequest;
use crate::client::job::Job;
use crate::client::pacing::pacer::Priority;
use crate::client::polling::status::ended;
use crate::client::progress::{Phase, Progress};
use crate::client::shown::clipped_word;
use crate::client::transport::Method;
use crate::rows::{Declared, DecodeOptions, Form, Note, ParseDates, Rows};
use crate::wire::Status;

/// How rows are decoded.
#[derive(Debug, Clone)]
pub struct RowOptions {
    /// Columns known beforehand; without them those the catalogue declares for the job's agent.
    pub schema: Option<SchemaRef>,
    pub parse_dates: ParseDates,
    pub max_columns: usize,
    pub batch_rows: usize,
}

impl Default for RowOptions {
    fn default() -> Self {
        let DecodeOptions { max_columns, batch_rows, .. } = DecodeOptions::default();
        Self { schema: None, parse_dates: ParseDates::None, max_columns, batch_rows }
    }
}

impl Client {
    /// Fetches and decodes the rows of a completed job. Does not wait for one that is still going. In the ledger they
    /// count as fetched when [`Client::delivered`] is told of it.
    ///
    /// # Errors
    /// `ResultsNotReady` while the job is going, `JobFailed` if it ended without rows, `Decode` with the rows read so
    /// far where the body is broken.
    pub async fn rows(&self, job: &Job, options: &RowOptions, progress: &Progress) -> Result<(Job, Rows), Error> {
        let call = Call::new(None);
        let result = self.rows_within(&call, job, options, progress).await;
        call.finish(self.key(), result)
    }

    pub(in crate::client) async fn rows_within(
        &self,
        call: &Call,
        job: &Job,
        options: &RowOptions,
        progress: &Progress,
    ) -> Result<(Job, Rows), Error> {
        let (mut job, mut rows) = self.decoded(call, job, options, progress).await?;
        self.keep_rows(&mut job, &mut rows, options).await;
        Ok((job, rows))
    }

    /// The same without keeping them.
    pub(in crate::client) async fn decoded(
        &self,
        call: &Call,
        job: &Job,
        options: &RowOptions,
        progress: &Progress,
    ) -> Result<(Job, Rows), Error> {
        let decoding = self.decoding(job, options);
        let make = || Ok(InMemory::new(decoding.clone()));
        let (job, mut rows) = self.receive(call, job, progress, make).await?;
        job.notes().iter().for_each(|note| rows.push_note(Note::on_table(note)));
        Ok((job, rows))
    }

    /// Reads the results into what `make` gives, as often as it takes until they are there.
    pub(in crate::client) async fn receive<R: RowReader>(
        &self,
        call: &Call,
        job: &Job,
        progress: &Progress,
        make: impl Fn() -> Result<R, Error> + Send + Sync,
    ) -> Result<(Job, R::Output), Error> {
        call.is_about(job.id());
        progress.know_job(job.id());
        progress.see_status(job.status().as_str());
        drop(self.request_price(job));
        let mut job = job.clone();
        let mut patience = Patience::new(self.config().poll_floor, self.config().grace);
        loop {
            progress.enter(Phase::Fetching);
            let received =
                self.fetch(call, &self.results_request(&job), || Ok(Receiver::new(make()?, &job, progress))).await;
            let refusal = match received {
                Ok(Some((complete, output))) => {
                    let complete = self.with_price(call, complete).await;
                    self.0.reservations.settle(&complete);
                    self.forget_shortage();
                    let job = self.remember(&job, complete).await;
                    progress.enter(Phase::Done);
                    return Ok((job, output));
                }
                Ok(None) => None,
                Err(error) if matches!(error.status_code(), Some(404 | 410)) => Some(error),
                Err(error) => return Err(error),
            };
            job = self.wait_for_rows(call, &job, refusal, &mut patience, progress).await?;
        }
    }

    /// The results call found nothing: whether it is worth asking again, which only the status call can say.
    ///
    /// Returns after a pause if the job is completed and its rows may still appear. Where they certainly will not, that
    /// is written down.
    pub(in crate::client) async fn wait_for_rows(
        &self,
        call: &Call,
        job: &Job,
        refusal: Option<Error>,
        patience: &mut Patience,
        progress: &Progress,
    ) -> Result<Job, Error> {
        let mut job = job.clone();
        let refused = match self.ask_status(call, &job, progress).await {
            Ok(next) => {
                job = next;
                self.give_up_on(call, &job, refusal, patience)
            }
            // As with the results, a first word of that is not the last.
            Err(error) => Some(error).filter(|error| error.status_code() != Some(410) || patience.is_spent(call)),
        };
        if let Some(error) = refused {
            self.note_if_gone(&job, &error).await;
            return Err(error);
        }
        self.let_pass(patience.next()).await;
        Ok(job)
    }

    /// Why it is not worth asking for the rows again, if it is not; the job was heard of since they were not there.
    fn give_up_on(&self, call: &Call, job: &Job, refusal: Option<Error>, patience: &Patience) -> Option<Error> {
        let id = job.id();
        match job.status() {
            Status::Completed => {}
            Status::Failed | Status::Cancelled => return Some(ended(job)),
            Status::Going(word) => {
                let word = clipped_word(word);
                let message = format!("the rows of job `{id}` are not ready: it is still `{word}`");
                return Some(not_ready(refusal, message).with_hint("wait for the job first"));
            }
        }
        if let Some(refusal) = refusal {
            let has_expired = job.expires_at().is_some_and(|moment| moment <= self.0.clock.now());
            let is_gone = refusal.status_code() == Some(410) && patience.is_spent(call);
            if has_expired || is_gone {
                let when = job.record().expires_at.as_deref().filter(|_| has_expired);
                let when = when.map(|when| format!(" (`{when}`)")).unwrap_or_default();
                return Some(refusal.reworded(format!("the rows of job `{id}` have expired{when}")));
            }
            if patience.is_spent(call) {
                let message = format!("job `{id}` is completed, but its rows cannot be had yet");
                return Some(not_ready(Some(refusal), message));
            }
        } else if patience.is_spent(call) {
            let message = format!("job `{id}` is completed, but its results hold no rows yet");
            return Some(not_ready(None, message));
        }
        None
    }

    pub(in crate::client) fn decoding(&self, job: &Job, options: &RowOptions) -> DecodeOptions {
        let declared = match (&options.schema, job.agent().and_then(|agent| self.known_agent(&agent))) {
            (Some(schema), _) => Declared::Schema(schema.clone()),
            (None, Some(agent)) => Declared::Agent(agent),
            (None, None) => Declared::Nothing,
        };
        DecodeOptions {
            form: Form::Answer,
            declared,
            parse_dates: options.parse_dates.clone(),
            max_columns: options.max_columns,
            batch_rows: options.batch_rows,
            threads: self.config().threads,
            ..DecodeOptions::default()
        }
    }

    pub(in crate::client) fn results_request(&self, job: &Job) -> HttpRequest<'static> {
        let what = format!("the results body of job `{}`", job.id());
        HttpRequest {
            method: Method::Get,
            path: self.0.paths.results(job.id()),
            what,
            is_download: true,
            priority: Priority::Work,
        }
    }
}

/// How long rows that should be there are asked for again, at growing distances.
pub(in crate::client) struct Patience {
    pause: Duration,
    ends: Instant,
}

impl Patience {
    pub(in crate::client) fn new(first: Duration, grace: Duration) -> Self {
        Self { pause: first, ends: Instant::now() + grace }
    }

    fn is_spent(&self, call: &Call) -> bool {
        let next = Instant::now() + self.pause;
        next > self.ends || !call.deadline.allows(next)
    }

    /// The next pause; each is twice as long as the one before, so that there are few whatever the clock.
    fn next(&mut self) -> Duration {
        let pause = self.pause;
        self.pause *= 2;
        pause
    }
}

fn not_ready(refusal: Option<Error>, message: String) -> Error {
    match refusal {
        Some(refusal) => refusal.retold(ErrorKind::ResultsNotReady, message),
        None => Error::new(ErrorKind::ResultsNotReady, message),
    }
    .with_outcome(Outcome::Accepted)
}
