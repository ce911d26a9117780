//! Waiting until a job has ended.

use std::pin::pin;
use std::time::Duration;

use tokio::time::Instant;

use super::poll;
use super::status::ended;
use super::waiting_jobs::Update;
use crate::client::Client;
use crate::client::call::Call;
use crate::client::deadline::Deadline;
use crate::client::error::Error;
use crate::client::error_kind::{ErrorKind, Outcome};
use crate::client::job::Job;
use crate::client::pacing::pacer::Priority;
use crate::client::progress::{Phase, Progress};
use crate::client::shown::{clipped_to, clipped_word};
use crate::wire::Status;

/// The last poll before a timeout is reported may take this much longer than the timeout, and so may one that is not
/// needed.
const LAST_POLL: Duration = Duration::from_secs(5);

impl Client {
    /// Waits until the job is completed. `None` waits for
    /// [`ClientConfig::timeout`](crate::client::ClientConfig::timeout).
    ///
    /// # Errors
    /// `JobFailed` as soon as it is known, `JobTimeout` after one more poll at the end of the time.
    pub async fn wait(&self, job: &Job, timeout: Option<Duration>, progress: &Progress) -> Result<Job, Error> {
        let call = Call::new(timeout.or(Some(self.config().timeout)));
        let result = async {
            let mut next = self.wait_within(&call, job, progress).await?;
            if job.is_completed() && job.is_just_started() && job.row_count().is_none() {
                next = self.ask_what_came_of(&call, next, progress).await;
            }
            Ok(self.with_cost(&call, next).await)
        };
        let result = result.await;
        call.seal(self.key(), result)
    }

    /// The answer to a start tells no count and no times. They are asked for once, and not for long: that is no reason
    /// to fail.
    async fn ask_what_came_of(&self, call: &Call, mut job: Job, progress: &Progress) -> Job {
        let now = Instant::now();
        let call = call.until(Deadline::after(now, Some(call.deadline.cut(now, LAST_POLL))));
        let asked = async {
            self.turn(&call, Priority::Poll).await?;
            self.heard(&job, self.fetch_json_once(&call, &self.status_request(&job)).await?)
        };
        match asked.await {
            Ok(heard) => {
                progress.polled(heard.status().as_str());
                self.remember(&job, heard).await
            }
            Err(error) => {
                job.note(format!("what came of it is not known: {}", clipped_to(error.message(), 448)));
                job
            }
        }
    }

    pub(in crate::client) async fn wait_within(
        &self,
        call: &Call,
        job: &Job,
        progress: &Progress,
    ) -> Result<Job, Error> {
        let mut job = job.clone();
        self.wait_seeing(call, &mut job, progress).await?;
        Ok(job)
    }

    /// The same, and `job` is as it was last heard of, however the waiting ends.
    pub(in crate::client) async fn wait_seeing(
        &self,
        call: &Call,
        job: &mut Job,
        progress: &Progress,
    ) -> Result<(), Error> {
        call.is_about(job.id());
        progress.know_job(job.id());
        progress.enter(Phase::Waiting);
        let subscription = self.0.waiting_jobs.subscribe(job.id());
        // A job taken up by its id has no known age; it counts from here.
        let started = job.started.unwrap_or_else(Instant::now);
        let mut has_polled = false;
        let mut failing_since: Option<Instant> = None;
        loop {
            match job.status() {
                Status::Completed => return Ok(()),
                Status::Failed | Status::Cancelled => return Err(ended(job)),
                // By when it is completed, its price may be known.
                Status::Going(_) => drop(self.ask_price_aside(job)),
            }
            let now = Instant::now();
            if has_polled && call.deadline.is_over(now) {
                return Err(timed_out(job, call.elapsed()));
            }
            let mut turned = pin!(self.0.clock.turned());
            turned.as_mut().enable();
            let heard = job.heard.filter(|heard| !self.0.clock.was_turned_since(*heard));
            let due = heard.map_or(now, |heard| heard + self.poll_pause(heard - started));
            let due = failing_since.map_or(due, |since| due.max(now + self.poll_pause(now - since)));
            let update = tokio::select! {
                update = subscription.until(call.deadline.moment().map_or(due, |deadline| due.min(deadline))) => update,
                () = turned => continue,
            };
            let update = match update {
                Some(update) => Ok(update),
                // The last poll has no time for a list.
                None if call.deadline.is_over(Instant::now()) => Ok(Update::Alone),
                None => self.poll_together(call, &subscription).await,
            };
            let now = Instant::now();
            let within = call.until(call.deadline.or_at_least(now, LAST_POLL.min(self.config().request_timeout)));
            let answered = match update {
                // Whoever asked finds out whether all fails or the list alone.
                Ok(Update::FailedElsewhere)
                    if !call.deadline.is_over(now) && self.may_outlast(*failing_since.get_or_insert(now)) =>
                {
                    continue;
                }
                Ok(update) => self.told(&within, job, update, progress).await,
                Err(error) => Err(error),
            };
            *job = match answered {
                Err(error) if Self::is_last_word(&error, call) => {
                    let message = timed_out(job, call.elapsed()).message().to_owned();
                    let message = format!("{message}; the last poll failed: {}", clipped_to(error.message(), 448));
                    return Err(error.retold(ErrorKind::JobTimeout, message));
                }
                Err(error) if error.is_temporary() && self.may_outlast(*failing_since.get_or_insert(now)) => {
                    match error.status_code() {
                        // To be told to ask more rarely is an answer.
                        Some(429) => progress.see_status(job.status().as_str()),
                        _ => progress.lose_sight(job.status().as_str()),
                    }
                    continue;
                }
                answered => answered?,
            };
            failing_since = None;
            has_polled = true;
        }
    }

    /// How the job is by an update on it; where that says nothing, the job is asked about alone.
    async fn told(&self, call: &Call, job: &Job, update: Update, progress: &Progress) -> Result<Job, Error> {
        let failure = if let Update::Failed(failure) = update { Some(failure) } else { None };
        if let Update::Record(fields) = update
            && let Ok(next) = self.heard(job, fields)
        {
            progress.polled(next.status().as_str());
            return Ok(self.remember(job, next).await);
        }
        let answered = self.ask_status(call, job, progress).await;
        if let (Some(failure), Ok(_)) = (failure, &answered) {
            self.0.waiting_jobs.failed_alone(failure);
        }
        answered
    }

    /// Whether a failed poll was the last: the time is over, or the rate limit puts the next one beyond it.
    fn is_last_word(error: &Error, call: &Call) -> bool {
        error.is_put_off() || (error.is_temporary() && call.deadline.is_over(Instant::now()))
    }

    /// Whether an outage that began then may still end before waiting gives up.
    fn may_outlast(&self, since: Instant) -> bool {
        since.elapsed() < self.config().outage
    }

    fn poll_pause(&self, age: Duration) -> Duration {
        poll::pause(age, self.config().poll_floor)
    }
}

fn timed_out(job: &Job, elapsed: Duration) -> Error {
    let word = clipped_word(job.status().as_str());
    let message = format!("job `{}` was still `{word}` after {elapsed:.1?}", job.id());
    Error::new(ErrorKind::JobTimeout, message)
        .with_outcome(Outcome::Accepted)
        .with_hint("the job goes on and is billed")
}
