//! The start of a run: the one request that may cost money, and so the one that is not simply repeated.
//!
//! The contract has no idempotency key. A start is repeated only when it is certain that the service did nothing with
//! the one before: it was never sent, or the service refused it and named a pause. Everything else that is not a job id
//! is told as `StartUncertain` and left to the caller. Where there is a ledger, the intent is in it before anything is
//! sent, and the id before the start returns.

use std::sync::Arc;

use rust_decimal::Decimal;
use serde_json::{Map, Value};
use tokio::time::{Instant, timeout};

use super::Client;
use super::api_key::ApiKey;
use super::call::Call;
use super::deadline::Deadline;
use super::error::Error;
use super::error_kind::{ErrorKind, Outcome};
use super::fetch::failed;
use super::job::Job;
use super::money::reservations::{Reservation, StartReservation};
use super::pacing::pacer::Priority;
use super::pacing::retry::{Attempts, Retry};
use super::prepare::Prepared;
use super::progress::{Phase, Progress};
use super::request::Request;
use super::response::body::{self, BodyError, Bounds, Whole};
use super::response::json::not_json;
use super::response::refusal::Refusal;
use super::shown::redact_record;
use super::transport::{Encodings, Method, Response};
use crate::wire::{JobId, JobRecord};

/// The answer to a start is a few hundred bytes.
const ANSWER_BYTES: u64 = 1 << 20;

/// What a single attempt came to.
pub(super) enum Reply {
    Started(Box<Job>),
    /// Certainly nothing runs.
    NotStarted(Error, Retry),
    /// Perhaps something runs.
    Uncertain(Error),
}

impl Client {
    /// Starts a run and returns its job; at most one start is ever billed. With a cap it is refused as [`Client::run`]
    /// is.
    ///
    /// # Errors
    /// `StartUncertain` where the start may have been received and no id came back: it is never repeated by itself.
    /// Every other error means that nothing runs.
    pub async fn start(
        &self,
        request: &Request,
        max_cost_usd: Option<Decimal>,
        progress: &Progress,
    ) -> Result<Job, Error> {
        let call = Call::new(None);
        let result = async {
            let prepared = self.prepare(request)?;
            let reservation = self.reserve(&call, &prepared, max_cost_usd, None, progress).await?;
            let job = self.start_with(&call, &prepared, reservation, progress).await?;
            // Nobody waits for the job yet.
            self.0.reservations.abandon(job.id());
            Ok(job)
        };
        let result = result.await;
        call.finish(self.key(), result)
    }

    /// Starts a run that has its reservation, which then belongs to the job.
    pub(super) async fn start_with(
        &self,
        call: &Call,
        prepared: &Prepared,
        reservation: Option<Reservation>,
        progress: &Progress,
    ) -> Result<Job, Error> {
        let reservation = StartReservation::new(reservation);
        let waited = reservation.while_waited(&self.0.reservations);
        let started = self.start_prepared(call, prepared, progress, &reservation).await;
        match started {
            Ok(job) => {
                reservation.pass_on_to(&job, &self.0.reservations);
                waited.disarm();
                Ok(job)
            }
            Err(error) => {
                // It is released before anything else is asked.
                drop(waited);
                drop(reservation);
                let is_shortage = error.status_code() == Some(402);
                Err(if is_shortage { self.with_shortage(call, prepared, error).await } else { error })
            }
        }
    }

    async fn start_prepared(
        &self,
        call: &Call,
        prepared: &Prepared,
        progress: &Progress,
        reservation: &StartReservation,
    ) -> Result<Job, Error> {
        let mut attempts = Attempts::default();
        self.turn(call, Priority::Work).await?;
        let written = self.intend(prepared).await?;
        loop {
            call.count_attempt();
            progress.enter(Phase::Starting);
            let reply = match &written {
                Some(starting) => starting.send(call.deadline, progress, reservation).await,
                None => self.start_once(call.deadline, prepared).await,
            };
            match reply {
                Reply::Started(job) => {
                    call.is_about(job.id());
                    progress.know_job(job.id());
                    progress.see_status(job.status().as_str());
                    self.0.pacer.succeeded();
                    return Ok(*job);
                }
                Reply::Uncertain(error) if written.is_some() => {
                    let hint = "it is not repeated by itself; `client.reconcile()` asks the service what became of it";
                    return Err(error.with_hint(hint));
                }
                Reply::Uncertain(error) => return Err(error),
                Reply::NotStarted(error, retry) => {
                    progress.enter(Phase::Idle);
                    let is_repeated = self.pause(call, &mut attempts, retry, &error).await;
                    let mut next = if is_repeated { self.turn(call, Priority::Work).await } else { Err(error) };
                    if let (Ok(()), Some(starting)) = (&next, &written) {
                        next = starting.postpone().await;
                    }
                    if let Err(error) = next {
                        if let Some(starting) = &written {
                            starting.give_up().await;
                        }
                        return Err(error);
                    }
                }
            }
        }
    }

    pub(super) async fn start_once(&self, deadline: Deadline, prepared: &Prepared) -> Reply {
        let now = Instant::now();
        let limit = self.config().request_timeout;
        let time = deadline.or_at_least(now, self.config().least_start()).cut(now, limit);
        let by = Deadline::after(now, Some(time));
        let what = format!("the start of `{}`", prepared.agent);
        let path = self.0.paths.run(&prepared.wire);
        let mut answer =
            match timeout(time, self.0.transport.send(Method::Post(&prepared.body), &path, Encodings::Known)).await {
                Ok(Ok(answer)) => answer,
                Ok(Err(failure)) if failure.was_sent => {
                    let detail = failure.detail.clone();
                    let (error, _) = failed(failure, &what, self.address());
                    return Reply::Uncertain(uncertain(error, prepared, &detail));
                }
                Ok(Err(failure)) => {
                    let (error, retry) = failed(failure, &what, self.address());
                    return Reply::NotStarted(error, retry);
                }
                Err(_) => {
                    let why = format!("no answer came within {time:.1?}");
                    return Reply::Uncertain(uncertain_because(prepared, &why));
                }
            };
        if matches!(answer.status(), 200..=299) {
            return self.read_start(&mut answer, prepared, by).await;
        }
        let refusal = self.read_refusal(&mut answer, by).await;
        self.reply_to_refusal(refusal, prepared, &what)
    }

    /// Which refusals are certain to have started nothing.
    fn reply_to_refusal(&self, refusal: Refusal, prepared: &Prepared, what: &str) -> Reply {
        let retry = match refusal.status {
            429 => Retry::Throttled(refusal.retry_after),
            // "Come back later" is said by a service that did not take the request; a bare 503 may come from a gateway
            // that did pass it on.
            503 if refusal.retry_after.is_some() => Retry::Throttled(refusal.retry_after),
            // A proxy on this side of the service.
            407 => return Reply::NotStarted(refusal.into_error(what, self.key()), Retry::Never),
            // 408 says that the service gave up waiting, not that it did nothing. A 302 or 303 may be the answer to a
            // start that was taken, or a login page in between; 301, 307 and 308 only name another address.
            301 | 307 | 308 | 400..=406 | 409..=499 => Retry::Never,
            _ => {
                let said = refusal.said();
                return Reply::Uncertain(uncertain(refusal.into_error(what, self.key()), prepared, &said));
            }
        };
        let error = if refusal.status == 404 {
            let sent =
                if prepared.wire == prepared.agent { String::new() } else { format!(" (sent as `{}`)", prepared.wire) };
            let what = format!("the agent `{}`{sent}", prepared.agent);
            self.without_agent(refusal.into_error(&what, self.key()), &prepared.agent)
        } else {
            refusal.into_error(what, self.key())
        };
        Reply::NotStarted(error.with_outcome(Outcome::Rejected), retry)
    }

    async fn read_start(&self, answer: &mut Response, prepared: &Prepared, by: Deadline) -> Reply {
        let bounds = Bounds { bytes: ANSWER_BYTES, whole_by: by, idle: self.config().request_timeout };
        let mut whole = Whole::default();
        let read = body::read(answer, bounds, &mut whole).await;
        let why = match read {
            Ok(()) => match job_of(&whole.0, prepared, self.key()) {
                Ok(job) => return Reply::Started(Box::new(self.priced(job, prepared))),
                Err(None) => format!("the answer is {}", not_json(&whole.0, answer.header("content-type"))),
                Err(Some(why)) => why,
            },
            Err(BodyError::Failed(failure)) => format!("the answer broke off: {}", failure.detail),
            Err(BodyError::Slow(why) | BodyError::BadEncoding(why)) => why,
            Err(BodyError::Refused(error)) => error.message().to_owned(),
        };
        Reply::Uncertain(uncertain_because(prepared, &why).with_excerpt(&whole.0))
    }

    fn priced(&self, mut job: Job, prepared: &Prepared) -> Job {
        job.set_price(self.known_price(&prepared.agent));
        job.max_rows = prepared.max_rows();
        job.params = Some(Arc::new(prepared.params.clone()));
        job
    }
}

/// The job a start was answered with. `Err(None)` where the body is no JSON at all.
fn job_of(body: &[u8], prepared: &Prepared, key: &ApiKey) -> Result<Job, Option<String>> {
    let value: Value = serde_json::from_slice(body).map_err(|_| None)?;
    let Value::Object(mut fields) = value else { return Err(Some("the answer is no object".to_owned())) };
    let id = match fields.get("job_id") {
        Some(Value::String(id)) => JobId::try_from(id.clone()).map_err(|error| Some(error.to_string()))?,
        Some(_) => return Err(Some("the answer's `job_id` is no text".to_owned())),
        None => return Err(Some("the answer has no `job_id`".to_owned())),
    };
    redact_record(&mut fields, key);
    let now = Instant::now();
    let mut job = Job::new(id, Some(prepared.agent.clone()), None);
    job.started = Some(now);
    Ok(match record_of(&mut fields, &job) {
        Some(record) => job.with_record(record, now),
        None => job,
    })
}

/// The rest of a start's answer as a job's record, which has to have a status: where none is told, it is that of a job
/// that is under way. `None` where what is told is no record.
fn record_of(fields: &mut Map<String, Value>, job: &Job) -> Option<JobRecord> {
    if !fields.get("status").is_some_and(Value::is_string) {
        fields.insert("status".to_owned(), Value::String(job.status().as_str().to_owned()));
    }
    JobRecord::from_fields(std::mem::take(fields)).ok()
}

pub(super) fn uncertain_because(prepared: &Prepared, why: &str) -> Error {
    uncertain(Error::bad_response(why), prepared, why)
}

fn uncertain(error: Error, prepared: &Prepared, why: &str) -> Error {
    let agent = &prepared.agent;
    let message = format!(
        "the start of `{agent}` went out and no usable answer came back ({why}): it may be running and will be billed"
    );
    error.retold(ErrorKind::StartUncertain, message).with_outcome(Outcome::Unknown).with_hint(
        "it is not repeated by itself; see the balance or the service's list of jobs before starting it again",
    )
}
