//! Asking how a job is, once or until it has ended.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::Client;
use super::body::Whole;
use super::call::Call;
use super::error::Error;
use super::error_kind::{ErrorKind, Outcome};
use super::fetch::Ask;
use super::job::Job;
use super::poll;
use super::progress::{Phase, Progress};
use super::shown::{clipped, clipped_to, clipped_word, redact_record};
use super::transport::Verb;
use crate::wire::{JobRecord, Status};
use serde_json::{Map, Value};

/// The last poll before a timeout is reported may take this much longer than the timeout.
const LAST_POLL: Duration = Duration::from_secs(5);

impl Client {
    /// Asks once how the job is. A job that was completed stays completed.
    pub async fn refresh(&self, job: &Job, progress: &Progress) -> Result<Job, Error> {
        let call = Call::new(None);
        call.is_about(job.id());
        let result = self.ask_status(&call, job, progress).await;
        call.seal(self.key(), result)
    }

    /// Waits until the job is completed. `None` waits for [`ClientConfig::timeout`](super::ClientConfig::timeout).
    ///
    /// # Errors
    /// `JobFailed` as soon as it is known, `JobTimeout` after one more poll at the end of the time.
    pub async fn wait(&self, job: &Job, timeout: Option<Duration>, progress: &Progress) -> Result<Job, Error> {
        let call = Call::new(timeout.or(Some(self.config().timeout)));
        let result = self.wait_within(&call, job, progress).await;
        call.seal(self.key(), result)
    }

    /// Cancels the job where the service offers that.
    ///
    /// # Errors
    /// `Unsupported` where it does not; the job is untouched then.
    pub async fn cancel(&self, job: &Job) -> Result<Job, Error> {
        let call = Call::new(None);
        call.is_about(job.id());
        let result = self.cancel_within(&call, job).await;
        call.seal(self.key(), result)
    }

    pub(super) async fn wait_within(&self, call: &Call, job: &Job, progress: &Progress) -> Result<Job, Error> {
        call.is_about(job.id());
        progress.know_job(job.id());
        progress.enter(Phase::Waiting);
        let mut job = job.clone();
        // A job taken up by its id has no known age; it counts from here.
        let started = job.started.unwrap_or_else(Instant::now);
        let mut has_polled = false;
        let mut failing_since: Option<Instant> = None;
        loop {
            match job.status() {
                Status::Completed => return Ok(job),
                Status::Failed | Status::Cancelled => return Err(ended(&job)),
                Status::Going(_) => {}
            }
            let now = Instant::now();
            if has_polled && call.deadline.is_over(now) {
                return Err(timed_out(&job, call.elapsed()));
            }
            let next = match failing_since {
                Some(since) => now + self.poll_pause(now - since),
                None => job.heard.map_or(now, |heard| heard + self.poll_pause(heard - started)),
            };
            sleep_until(call.deadline.moment().map_or(next, |deadline| next.min(deadline))).await;
            let now = Instant::now();
            let within = call.until(call.deadline.or_at_least(now, LAST_POLL.min(self.config().request_timeout)));
            job = match self.ask_status(&within, &job, progress).await {
                Err(error) if Self::is_last_word(&error, call) => {
                    let message = timed_out(&job, call.elapsed()).message().to_owned();
                    let message = format!("{message}; the last poll failed: {}", clipped_to(error.message(), 448));
                    return Err(error.retold(ErrorKind::JobTimeout, message));
                }
                Err(error) if error.is_temporary() && self.may_outlast(*failing_since.get_or_insert(now)) => continue,
                answered => answered?,
            };
            failing_since = None;
            has_polled = true;
        }
    }

    /// One status call. A job may be unknown for a short while after its start.
    pub(super) async fn ask_status(&self, call: &Call, job: &Job, progress: &Progress) -> Result<Job, Error> {
        let ask = Ask::get(self.0.paths.job(job.id()), format!("the status of job `{}`", job.id()));
        let mut pause = self.config().poll_floor;
        loop {
            match self.fetch_json::<Map<String, Value>>(call, &ask).await {
                Ok(fields) => {
                    let job = self.heard(job, fields)?;
                    progress.polled(job.status().as_str());
                    return Ok(job);
                }
                Err(error) if error.status_code() == Some(404) && self.is_fresh(job, call, pause) => {
                    tokio::time::sleep(pause).await;
                    pause *= 2;
                }
                Err(error) if error.status_code() == Some(404) => {
                    let text = error.message().to_owned();
                    return Err(error
                        .with_hint("the id belongs to another key or service, or the job is gone")
                        .reworded(text));
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Whether a failed poll was the last: the time is over, or the rate limit puts the next one beyond it.
    fn is_last_word(error: &Error, call: &Call) -> bool {
        let is_put_off = matches!(error.kind(), ErrorKind::RequestTimeout) && error.retry_after().is_some();
        is_put_off || (error.is_temporary() && call.deadline.is_over(Instant::now()))
    }

    /// Whether an outage that began then may still end before waiting gives up.
    fn may_outlast(&self, since: Instant) -> bool {
        since.elapsed() < self.config().outage
    }

    fn poll_pause(&self, age: Duration) -> Duration {
        poll::pause(age, self.config().poll_floor)
    }

    fn is_fresh(&self, job: &Job, call: &Call, pause: Duration) -> bool {
        let next = Instant::now() + pause;
        job.started.is_some_and(|started| next <= started + self.config().grace) && call.deadline.allows(next)
    }

    async fn cancel_within(&self, call: &Call, job: &Job) -> Result<Job, Error> {
        let what = format!("the cancelling of job `{}`", job.id());
        let ask = Ask { verb: Verb::Delete, path: self.0.paths.job(job.id()), what, is_download: false };
        let answer = self.fetch(call, &ask, || Ok(Whole::default())).await;
        let unsupported = match answer {
            Ok(body) => {
                // Some answer with the record, some with nothing; where it says no status, the status call does.
                let fields = serde_json::from_slice::<Map<String, Value>>(&body).ok();
                return match fields.filter(|fields| fields.contains_key("status")) {
                    Some(fields) => self.heard(job, fields),
                    None => self.ask_status(call, job, &Progress::new()).await,
                };
            }
            Err(error) if matches!(error.status_code(), Some(404 | 405 | 501)) => error,
            Err(error) => return Err(error),
        };
        if unsupported.status_code() == Some(404) {
            // Either there is no such call or no such job: the status call tells which.
            self.ask_status(call, job, &Progress::new()).await?;
        }
        let message = format!("the service offers no cancelling; job `{}` is untouched", job.id());
        Err(unsupported.retold(ErrorKind::Unsupported, message))
    }

    /// The next snapshot from the fields of an answer, which must be about this job.
    fn heard(&self, job: &Job, mut fields: Map<String, Value>) -> Result<Job, Error> {
        redact_record(&mut fields, self.key());
        let shown = serde_json::to_vec(&fields).unwrap_or_default();
        let bad = |message: String| Error::bad_response(clipped(&message)).with_excerpt(&shown);
        let record = JobRecord::from_fields(fields).map_err(bad)?;
        if let Some(id) = record.id.as_deref().filter(|id| *id != job.id().as_str()) {
            return Err(bad(format!("asked about job `{}`, the service answered about job `{id}`", job.id())));
        }
        Ok(job.hearing(record, Instant::now()))
    }
}

/// The error of a job that ended without rows.
pub(super) fn ended(job: &Job) -> Error {
    let word = job.status().as_str();
    let reason = job.record().error.as_deref().map(|reason| format!(": {}", clipped(reason))).unwrap_or_default();
    Error::new(ErrorKind::JobFailed, format!("job `{}` ended as `{word}`{reason}", job.id()))
        .with_outcome(Outcome::Accepted)
}

fn timed_out(job: &Job, elapsed: Duration) -> Error {
    let word = clipped_word(job.status().as_str());
    let message = format!("job `{}` was still `{word}` after {elapsed:.1?}", job.id());
    Error::new(ErrorKind::JobTimeout, message)
        .with_outcome(Outcome::Accepted)
        .with_hint("the job goes on and is billed; take it up again by its id")
}
