//! Fetching the rows of a job and decoding them while they arrive.

use std::time::{Duration, SystemTime};

use arrow_schema::SchemaRef;
use tokio::time::Instant;

use super::Client;
use super::body::Consume;
use super::call::Call;
use super::error::Error;
use super::error_kind::{ErrorKind, Outcome};
use super::fetch::{Ask, Fetched, not_json};
use super::job::{self, Job};
use super::progress::{Phase, Progress};
use super::status::ended;
use super::transport::Verb;
use crate::rows::{Declared, DecodeError, DecodeOptions, Decoded, Decoder, Form, Note, ParseDates, Rows};
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

/// What an answer of the results call came to.
enum Reading {
    Rows(Box<Job>, Rows),
    NotYet(Option<Error>),
}

impl Client {
    /// Fetches and decodes the rows of a completed job. Does not wait for one that is still going.
    ///
    /// # Errors
    /// `ResultsNotReady` while the job is going, `JobFailed` if it ended without rows, `Decode` with the rows read so far
    /// where the body is broken.
    pub async fn rows(&self, job: &Job, options: &RowOptions, progress: &Progress) -> Result<(Job, Rows), Error> {
        let call = Call::new(None);
        let result = self.rows_within(&call, job, options, progress).await;
        call.seal(self.key(), result)
    }

    pub(super) async fn rows_within(
        &self,
        call: &Call,
        job: &Job,
        options: &RowOptions,
        progress: &Progress,
    ) -> Result<(Job, Rows), Error> {
        call.is_about(job.id());
        progress.know_job(job.id());
        let mut job = job.clone();
        let mut patience = Patience::new(self.config().poll_floor, self.config().grace);
        loop {
            progress.enter(Phase::Fetching);
            match self.read_rows(call, &job, options, progress).await? {
                Reading::Rows(job, rows) => {
                    progress.enter(Phase::Done);
                    return Ok((*job, rows));
                }
                Reading::NotYet(refusal) => {
                    job = self.still_ready(call, &job, refusal, &mut patience, progress).await?;
                }
            }
        }
    }

    /// The results call found nothing: whether it is worth asking again, which only the status call can say.
    ///
    /// Returns after a pause if the job is completed and its rows may still appear.
    pub(super) async fn still_ready(
        &self,
        call: &Call,
        job: &Job,
        refusal: Option<Error>,
        patience: &mut Patience,
        progress: &Progress,
    ) -> Result<Job, Error> {
        let job = self.ask_status(call, job, progress).await?;
        let id = job.id();
        match job.status() {
            Status::Completed => {}
            Status::Failed | Status::Cancelled => return Err(ended(&job)),
            Status::Going(word) => {
                let message = format!("the rows of job `{id}` are not ready: it is still `{word}`");
                return Err(not_ready(refusal, message).with_hint("wait for the job first"));
            }
        }
        if let Some(refusal) = refusal {
            let has_expired = job.expires_at().is_some_and(|moment| moment <= SystemTime::now());
            let is_gone = refusal.status_code() == Some(410) && patience.is_spent(call);
            if has_expired || is_gone {
                let when = job.record().expires_at.as_deref().map(|when| format!(" (`{when}`)")).unwrap_or_default();
                return Err(refusal.reworded(format!("the rows of job `{id}` have expired{when}")));
            }
            if patience.is_spent(call) {
                let message = format!("job `{id}` is completed, but its rows cannot be had yet");
                return Err(not_ready(Some(refusal), message));
            }
        } else if patience.is_spent(call) {
            let message = format!("job `{id}` is completed, but its results hold no rows yet");
            return Err(not_ready(None, message));
        }
        patience.pause().await;
        Ok(job)
    }

    async fn read_rows(
        &self,
        call: &Call,
        job: &Job,
        options: &RowOptions,
        progress: &Progress,
    ) -> Result<Reading, Error> {
        let ask = self.ask_results(job);
        let declared = match (&options.schema, job.agent().and_then(|agent| self.known_agent(&agent))) {
            (Some(schema), _) => Declared::Schema(schema.clone()),
            (None, Some(agent)) => Declared::Agent(agent),
            (None, None) => Declared::Nothing,
        };
        let decoding = DecodeOptions {
            form: Form::Envelope,
            declared,
            parse_dates: options.parse_dates.clone(),
            max_columns: options.max_columns,
            batch_rows: options.batch_rows,
        };
        let make = || Ok(Receiver::new(Decoder::new(decoding.clone()), progress.clone()));
        match self.fetch(call, &ask, make).await {
            Ok(fetched) => judge(job, fetched),
            Err(error) if matches!(error.status_code(), Some(404 | 410)) => Ok(Reading::NotYet(Some(error))),
            Err(error) => Err(error),
        }
    }

    pub(super) fn ask_results(&self, job: &Job) -> Ask<'static> {
        let what = format!("the results of job `{}`", job.id());
        Ask { verb: Verb::Get, path: self.0.paths.results(job.id()), what, is_download: true }
    }
}

/// How long rows that should be there are asked for again, at growing distances.
pub(super) struct Patience {
    pause: Duration,
    ends: Instant,
}

impl Patience {
    pub(super) fn new(first: Duration, grace: Duration) -> Self {
        Self { pause: first, ends: Instant::now() + grace }
    }

    fn is_spent(&self, call: &Call) -> bool {
        let next = Instant::now() + self.pause;
        next > self.ends || !call.deadline.allows(next)
    }

    async fn pause(&mut self) {
        tokio::time::sleep(self.pause).await;
        self.pause *= 2;
    }
}

/// Decodes a body while it arrives and remembers how it began, for the error if it is no such body.
struct Receiver {
    decoder: Decoder,
    head: Vec<u8>,
    bytes: u64,
    progress: Progress,
    /// The decoder gave up; the rest of the beginning is still read, so that a page can be told by its title.
    broken: Option<DecodeError>,
}

/// How much of the beginning is kept.
const HEAD: usize = 4096;

impl Receiver {
    fn new(decoder: Decoder, progress: Progress) -> Self {
        Self { decoder, head: Vec::new(), bytes: 0, progress, broken: None }
    }
}

impl Consume for Receiver {
    fn feed(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let room = HEAD - self.head.len();
        self.head.extend_from_slice(&bytes[..bytes.len().min(room)]);
        self.bytes += bytes.len() as u64;
        if self.broken.is_none() {
            self.broken = self.decoder.feed(bytes).err();
        }
        self.progress.received(self.bytes, self.decoder.rows_read());
        match self.broken.take_if(|_| self.head.len() == HEAD) {
            Some(error) => Err(undecodable(error, &self.head, None)),
            None => Ok(()),
        }
    }
}

/// A whole body was read: are these the rows of this job?
fn judge(job: &Job, fetched: Fetched<Receiver>) -> Result<Reading, Error> {
    let Receiver { decoder, head, broken, .. } = fetched.consumer;
    let content_type = fetched.content_type.as_deref();
    let Decoded { mut rows, envelope } = match broken {
        Some(error) => return Err(undecodable(error, &head, content_type)),
        None => decoder.finish().map_err(|error| undecodable(error, &head, content_type))?,
    };
    let bad = |message: String| Err(Error::bad_response(message).with_excerpt(&head));
    if let Some(other) = envelope.job_id.as_deref().filter(|other| *other != job.id().as_str()) {
        return bad(format!("asked for the results of job `{}`, the service answered about job `{other}`", job.id()));
    }
    let mut job = job.clone();
    match envelope.status.as_deref().map(Status::parse) {
        None | Some(Status::Completed) if envelope.has_data => {}
        // The status call has the last word on a job that failed, and on one that is going.
        Some(status) if !envelope.has_data || !job.is_completed() => {
            drop(status);
            return Ok(Reading::NotYet(None));
        }
        Some(status) => {
            let word = status.as_str();
            job.note(format!("the results called the job `{word}` after it had been completed; completed is final"));
        }
        None => return bad(format!("the results of job `{}` have no `data`", job.id())),
    }
    let job = job.with_rows(rows.len() as u64);
    for message in job.notes().iter().cloned().chain(overrun(&job)) {
        rows.push_note(Note { column: None, message });
    }
    Ok(Reading::Rows(Box::new(job), rows))
}

/// More rows than were asked for are kept, and their cost is told.
fn overrun(job: &Job) -> Option<String> {
    let (most, rows) = (job.max_rows?, job.row_count()?);
    let more = rows.checked_sub(most).filter(|more| *more > 0)?;
    let cost = job.price_per_1k_usd().and_then(|price| job::cost(more, price));
    let cost = cost.map_or("an unknown amount".to_owned(), |cost| format!("{cost} USD"));
    Some(format!("{rows} rows came where at most {most} were asked for; the {more} more cost {cost}"))
}

/// A body the decoder would not have: broken rows, or no such body at all.
fn undecodable(error: DecodeError, head: &[u8], content_type: Option<&str>) -> Error {
    let first = head.iter().copied().find(|byte| !byte.is_ascii_whitespace());
    let is_json = matches!(first, Some(b'{' | b'[' | 0xEF));
    if !is_json && error.rows.is_empty() {
        let what = not_json(head, content_type);
        return Error::bad_response(format!("the answer for the results is {what}"))
            .with_excerpt(head)
            .with_source(error);
    }
    let message = format!("the rows cannot be decoded: {error}");
    Error::new(ErrorKind::Decode(error), message).with_outcome(Outcome::Accepted).with_excerpt(head)
}

fn not_ready(refusal: Option<Error>, message: String) -> Error {
    match refusal {
        Some(refusal) => refusal.retold(ErrorKind::ResultsNotReady, message),
        None => Error::new(ErrorKind::ResultsNotReady, message),
    }
    .with_outcome(Outcome::Accepted)
}
