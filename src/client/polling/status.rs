//! Asking once how a job is, and cancelling it.

use std::time::Duration;

use serde_json::{Map, Value};
use tokio::time::Instant;

use crate::client::Client;
use crate::client::call::Call;
use crate::client::error::{Error, taken_up_by};
use crate::client::error_kind::{ErrorKind, Outcome};
use crate::client::fetch::HttpRequest;
use crate::client::job::Job;
use crate::client::pacing::pacer::Priority;
use crate::client::progress::Progress;
use crate::client::response::body::Whole;
use crate::client::shown::{clipped, redact_record};
use crate::client::transport::Method;
use crate::wire::{JobRecord, Status};

impl Client {
    /// Asks once how the job is. A job that was completed stays completed.
    pub async fn refresh(&self, job: &Job, progress: &Progress) -> Result<Job, Error> {
        let call = Call::new(None);
        call.is_about(job.id());
        let result = async { Ok(self.with_cost(&call, self.ask_status(&call, job, progress).await?).await) };
        let result = result.await;
        call.finish(self.key(), result)
    }

    /// Cancels the job where the service offers that.
    ///
    /// # Errors
    /// `Unsupported` where it does not; the job is untouched then.
    pub async fn cancel(&self, job: &Job) -> Result<Job, Error> {
        let call = Call::new(None);
        call.is_about(job.id());
        let result = self.cancel_within(&call, job).await;
        call.finish(self.key(), result)
    }

    /// One status call. A job may be unknown for a short while after its start.
    pub(in crate::client) async fn ask_status(
        &self,
        call: &Call,
        job: &Job,
        progress: &Progress,
    ) -> Result<Job, Error> {
        let request = self.status_request(job);
        let mut pause = self.config().poll_floor;
        loop {
            match self.fetch_json::<Map<String, Value>>(call, &request).await {
                Ok(fields) => {
                    let job = self.remember(job, self.next_snapshot(job, fields)?).await;
                    progress.polled(job.status().as_str());
                    return Ok(job);
                }
                Err(error) if error.status_code() == Some(404) && self.is_fresh(job, call, pause) => {
                    self.let_pass(pause).await;
                    pause *= 2;
                }
                Err(error) if error.status_code() == Some(404) => {
                    let text = error.message().replacen("the status of job", "job", 1);
                    let hint = if job.is_just_started() {
                        let take_up = taken_up_by(job.id());
                        format!("it was started, so the service may know it later: {take_up} takes it up again")
                    } else {
                        "the id belongs to another key or service, the job is gone, or not known yet".to_owned()
                    };
                    return Err(error.with_hint(hint).reworded(text));
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// The question how a job is.
    pub(in crate::client) fn status_request(&self, job: &Job) -> HttpRequest<'static> {
        HttpRequest::poll(self.0.paths.job(job.id()), format!("the status of job `{}`", job.id()))
    }

    fn is_fresh(&self, job: &Job, call: &Call, pause: Duration) -> bool {
        let next = Instant::now() + pause;
        job.started.is_some_and(|started| next <= started + self.config().grace) && call.deadline.allows(next)
    }

    async fn cancel_within(&self, call: &Call, job: &Job) -> Result<Job, Error> {
        let what = format!("the cancelling of job `{}`", job.id());
        let request = HttpRequest {
            method: Method::Delete,
            path: self.0.paths.job(job.id()),
            what,
            is_download: false,
            priority: Priority::Work,
        };
        let answer = self.fetch(call, &request, || Ok(Whole::default())).await;
        let refusal = match answer {
            Ok(body) => {
                // Some answer with the record, some with nothing; where it says no status, the status call does.
                let fields = serde_json::from_slice::<Map<String, Value>>(&body).ok();
                return match fields.filter(|fields| fields.contains_key("status")) {
                    Some(fields) => Ok(self.remember(job, self.next_snapshot(job, fields)?).await),
                    None => self.ask_status(call, job, &Progress::new()).await,
                };
            }
            Err(error) if matches!(error.status_code(), Some(404 | 405 | 409 | 501)) => error,
            Err(error) => return Err(error),
        };
        let status = refusal.status_code();
        if matches!(status, Some(404 | 409)) {
            // There is no such call or no such job, the job has ended, or an earlier attempt, whose answer was lost,
            // has cancelled it: the status call tells which.
            match self.ask_status(call, job, &Progress::new()).await {
                Ok(job) if *job.status() == Status::Cancelled => return Ok(job),
                Err(error) if status == Some(404) => return Err(error),
                _ => {}
            }
        }
        if status == Some(409) {
            return Err(refusal);
        }
        let message = format!("the service offers no cancelling; job `{}` is untouched", job.id());
        Err(refusal.retold(ErrorKind::Unsupported, message))
    }

    /// The next snapshot from the fields of an answer, which must be about this job.
    pub(in crate::client) fn next_snapshot(&self, job: &Job, mut fields: Map<String, Value>) -> Result<Job, Error> {
        redact_record(&mut fields, self.key());
        let shown = serde_json::to_vec(&fields).unwrap_or_default();
        let bad = |message: String| Error::bad_response(clipped(&message)).with_excerpt(&shown);
        let record = JobRecord::from_fields(fields).map_err(bad)?;
        if let Some(id) = record.id.as_deref().filter(|id| *id != job.id().as_str()) {
            return Err(bad(format!("asked about job `{}`, the service answered about job `{id}`", job.id())));
        }
        let job = job.with_record(record, Instant::now());
        self.0.reservations.settle(&job);
        Ok(job)
    }
}

/// The error of a job that ended without rows.
pub(in crate::client) fn ended(job: &Job) -> Error {
    let word = job.status().as_str();
    let reason = job.record().error.as_deref().map(|reason| format!(": {}", clipped(reason))).unwrap_or_default();
    Error::new(ErrorKind::JobFailed, format!("job `{}` ended as `{word}`{reason}", job.id()))
        .with_outcome(Outcome::Accepted)
}
