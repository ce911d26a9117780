//! Waiting until a job has ended.

use std::pin::pin;
use std::time::Duration;

use tokio::time::Instant;

use super::poll;
use super::status::ended;
use super::waiting_jobs::{Subscription, Update};
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

/// How long beyond the deadline the last poll may take; and how long at most it may take to ask what came of a job that
/// has ended.
const LAST_POLL: Duration = Duration::from_secs(5);

/// Bytes of another error's text that a message quotes at most: with what stands before it that is about as long as a
/// server's text may be.
const LONGEST_CAUSE: usize = 448;

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
        call.finish(self.key(), result)
    }

    /// The answer to a start tells no count and no times. They are asked for once, and not for long: that is no reason
    /// to fail.
    async fn ask_what_came_of(&self, call: &Call, mut job: Job, progress: &Progress) -> Job {
        let now = Instant::now();
        let call = call.until(Deadline::after(now, Some(call.deadline.cut(now, LAST_POLL))));
        let asked = async {
            self.turn(&call, Priority::Poll).await?;
            self.next_snapshot(&job, self.fetch_json_once(&call, &self.status_request(&job)).await?)
        };
        match asked.await {
            Ok(next) => {
                progress.polled(next.status().as_str());
                self.remember(&job, next).await
            }
            Err(error) => {
                job.note(format!("what came of it is not known: {}", clipped_to(error.message(), LONGEST_CAUSE)));
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
        self.wait_updating(call, &mut job, progress).await?;
        Ok(job)
    }

    /// The same, and `job` is kept as it was last heard of, however the waiting ends.
    pub(in crate::client) async fn wait_updating(
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
                Status::Going(_) => drop(self.request_price(job)),
            }
            if has_polled && call.deadline.is_over(Instant::now()) {
                return Err(timed_out(job, call.elapsed()));
            }
            let Some(update) = self.next_update(call, &subscription, job, started, failing_since).await else {
                continue;
            };
            let now = Instant::now();
            let begun = call.deadline.moment().map_or(now, |deadline| now.min(deadline));
            let within = call.until(call.deadline.or_at_least(begun, self.last_poll()));
            let answered = match update {
                // Whoever asked finds out whether all fails or the list alone.
                Ok(Update::ListFailedElsewhere)
                    if !call.deadline.is_over(now) && self.may_outlast(*failing_since.get_or_insert(now)) =>
                {
                    continue;
                }
                Ok(update) => self.told(&within, job, update, progress).await,
                Err(error) => Err(error),
            };
            match answered {
                Ok(next) => (*job, failing_since, has_polled) = (next, None, true),
                Err(error) => self.outlast(error, call, job, *failing_since.get_or_insert(now), progress)?,
            }
        }
    }

    /// The next update: from another wait's list, or asked for once the job is due. `None` where the service's clock
    /// was advanced before, by which others may be due.
    async fn next_update(
        &self,
        call: &Call,
        subscription: &Subscription<'_>,
        job: &Job,
        started: Instant,
        failing_since: Option<Instant>,
    ) -> Option<Result<Update, Error>> {
        // Enabled before the look at the clock, so that nothing in between is missed.
        let mut advanced = pin!(self.0.clock.advanced());
        advanced.as_mut().enable();
        let due = self.next_poll(job, started, failing_since, Instant::now());
        let update = tokio::select! {
            update = subscription.until(call.deadline.moment().map_or(due, |deadline| due.min(deadline))) => update,
            () = advanced => return None,
        };
        if let Some(update) = update {
            return Some(Ok(update));
        }
        // Of the time for the last poll a list has half: waits that end together hear by one, and where it does not
        // come there is time to ask about the job alone.
        let by = call.deadline.or_at_least(Instant::now(), self.last_poll() / 2);
        Some(self.poll_together(&call.until(by), subscription).await)
    }

    /// When the job is asked about next: by its age, and while polls fail by how long they have failed as well.
    fn next_poll(&self, job: &Job, started: Instant, failing_since: Option<Instant>, now: Instant) -> Instant {
        let heard_at = job.heard_at.filter(|moment| !self.0.clock.was_advanced_since(*moment));
        let due = heard_at.map_or(now, |moment| moment + self.poll_pause(moment - started));
        failing_since.map_or(due, |since| due.max(now + self.poll_pause(now - since)))
    }

    /// Outlasts a failed poll, if it may; else gives what the waiting ends with.
    fn outlast(
        &self,
        error: Error,
        call: &Call,
        job: &Job,
        failing_since: Instant,
        progress: &Progress,
    ) -> Result<(), Error> {
        if Self::is_last_word(&error, call) {
            let message = timed_out(job, call.elapsed()).message().to_owned();
            let message = format!("{message}; the last poll failed: {}", clipped_to(error.message(), LONGEST_CAUSE));
            return Err(error.retold(ErrorKind::JobTimeout, message));
        }
        if !error.is_temporary() || !self.may_outlast(failing_since) {
            return Err(error);
        }
        match error.status_code() {
            // To be told to ask more rarely is an answer.
            Some(429) => progress.see_status(job.status().as_str()),
            _ => progress.lose_sight(job.status().as_str()),
        }
        Ok(())
    }

    /// How the job is by an update on it; where that says nothing, the job is asked about alone.
    async fn told(&self, call: &Call, job: &Job, update: Update, progress: &Progress) -> Result<Job, Error> {
        let failure = if let Update::ListFailed(failure) = update { Some(failure) } else { None };
        if let Update::Record(fields) = update
            && let Ok(next) = self.next_snapshot(job, fields)
        {
            progress.polled(next.status().as_str());
            return Ok(self.remember(job, next).await);
        }
        let answered = self.ask_status(call, job, progress).await;
        if let (Some(failure), Ok(_)) = (failure, &answered) {
            self.0.waiting_jobs.only_the_list_failed(failure);
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

    /// How long beyond the deadline the last poll may take.
    fn last_poll(&self) -> Duration {
        LAST_POLL.min(self.config().request_timeout)
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
