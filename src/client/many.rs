//! Many runs at once, so many at a time, under one cap.
//!
//! Requests are added one by one as there is room, and each comes back as a [`Done`] when its run has ended, in
//! whatever order that happens. A run that fails is its own affair, unless its error says that every other would fail
//! the same way: then nothing more is started.
//!
//! The runs are tasks of the runtime, so that they go on while nobody asks for the next one; they end with the
//! [`Many`].

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, OnceLock};
use std::task::Poll;

use rust_decimal::Decimal;
use tokio::task::{Id, JoinError, JoinSet};

use super::Client;
use super::call::Call;
use super::error::Error;
use super::error_kind::{ErrorKind, Outcome};
use super::job::Job;
use super::money::budget::Budget;
use super::money::caps;
use super::progress::{Phase, Progress};
use super::request::Request;
use super::run::RunOptions;
use crate::lock::lock;
use crate::rows::Rows;
use crate::wire::JobId;

/// Runs under way together. Dropping it drops them; jobs that were started go on at the service.
pub struct Many {
    client: Client,
    options: RunOptions,
    budget: Option<Budget>,
    concurrency: usize,
    tasks: Mutex<Tasks>,
    /// Why nothing more is started.
    halted: Arc<OnceLock<Halt>>,
}

/// The status, if it was one, and the message of the error that concerns all.
type Halt = (Option<u16>, String);

struct Tasks {
    runs: JoinSet<Done>,
    under_way: HashMap<Id, (u64, Progress)>,
    /// Ended, and waiting to be taken.
    ended: VecDeque<Done>,
}

/// One run that has ended.
pub struct Done {
    /// The number that its request was added under.
    pub number: u64,
    /// The job as it was last seen, if there was one.
    pub job: Option<Job>,
    pub result: Result<Rows, Error>,
}

impl Done {
    /// What the run has cost: nothing where certainly nothing was billed, `None` where that is not known (yet).
    pub fn cost_usd(&self) -> Option<Decimal> {
        let is_free =
            |error: &Error| self.job.is_none() && matches!(error.outcome(), Outcome::NotSent | Outcome::Rejected);
        match &self.result {
            _ if self.job.as_ref().is_some_and(Job::is_reused) => Some(Decimal::ZERO),
            Err(error) if is_free(error) => Some(Decimal::ZERO),
            _ => self.job.as_ref()?.billed_usd(None),
        }
    }
}

/// What goes on, or may go on, at the service when runs are given up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Left {
    pub jobs: Vec<JobId>,
    /// Completed and billed, and nobody has taken their rows.
    pub untaken: Vec<JobId>,
    /// Starts that were on their way.
    pub starting: usize,
}

impl Left {
    fn count(&mut self, done: Done) {
        let Some(job) = done.job.filter(|job| !job.is_reused()) else { return };
        match done.result {
            Ok(_) => self.untaken.push(job.id().clone()),
            Err(error) if matches!(error.kind(), ErrorKind::JobFailed) => {}
            Err(_) => self.jobs.push(job.id().clone()),
        }
    }
}

impl Client {
    /// Prepares to do many runs, so many at a time, with these options each. `max_cost_usd` caps all of them together;
    /// a run that the others leave no room for waits until they have told what they cost. Sends nothing.
    ///
    /// # Errors
    /// `Config` where the cap is no amount, nothing could ever run, or rows are to be reused that are not kept.
    pub fn many(&self, concurrency: usize, max_cost_usd: Option<Decimal>, options: RunOptions) -> Result<Many, Error> {
        caps::check(max_cost_usd)?;
        self.check_reuse(&options)?;
        if concurrency == 0 {
            return Err(Error::new(ErrorKind::Config, "`concurrency` must be 1 or more"));
        }
        let tasks = Tasks { runs: JoinSet::new(), under_way: HashMap::new(), ended: VecDeque::new() };
        let budget = max_cost_usd.map(Budget::new);
        let (tasks, halted) = (Mutex::new(tasks), Arc::default());
        Ok(Many { client: self.clone(), options, budget, concurrency, tasks, halted })
    }
}

impl Many {
    /// How many more requests can be added now.
    pub fn room(&self) -> usize {
        self.with(|tasks| self.concurrency.saturating_sub(tasks.runs.len()))
    }

    /// Whose runs they are.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Starts the run of a request. It needs the runtime's context.
    pub fn add(&self, number: u64, request: Request) {
        let progress = Progress::new();
        let (client, options, budget) = (self.client.clone(), self.options.clone(), self.budget.clone());
        let (seen, halted) = (progress.clone(), self.halted.clone());
        let run = async move {
            if let Some(halt) = halted.get() {
                return Done { number, job: None, result: Err(not_started(halt)) };
            }
            let mut job = None;
            let result = client.run_within(budget.as_ref(), &request, &options, &seen, &mut job).await;
            match result {
                Ok((job, rows)) => Done { number, job: Some(job), result: Ok(rows) },
                Err(error) => {
                    if concerns_all(&error) {
                        let _ = halted.set((error.status_code(), error.message().to_owned()));
                    }
                    job.iter_mut().for_each(|job| client.set_known_price(job));
                    Done { number, job, result: Err(error) }
                }
            }
        };
        self.with(|tasks| {
            let task = tasks.runs.spawn(run);
            tasks.under_way.insert(task.id(), (number, progress));
        });
    }

    /// The next run that has ended; `None` when none is under way.
    pub async fn next(&self) -> Option<Done> {
        self.ended().await;
        self.take()
    }

    /// Waits until there is a run to [`take`](Self::take), or none is under way. Given up, it leaves what has ended
    /// meanwhile to whoever takes next.
    pub async fn ended(&self) {
        std::future::poll_fn(|context| {
            self.with(|tasks| {
                if !tasks.ended.is_empty() {
                    return Poll::Ready(());
                }
                tasks.runs.poll_join_next_with_id(context).map(|joined| {
                    let Some(joined) = joined else { return };
                    let id = joined.as_ref().map_or_else(JoinError::id, |(id, _)| *id);
                    let under_way = tasks.under_way.remove(&id);
                    let done = joined.map_or_else(|broken| self.broken(broken, under_way), |(_, done)| done);
                    tasks.ended.push_back(done);
                })
            })
        })
        .await;
    }

    /// A run that has ended, once.
    pub fn take(&self) -> Option<Done> {
        self.with(|tasks| tasks.ended.pop_front())
    }

    /// Ends all runs that are under way, and tells what they leave behind.
    pub fn stop(&self) -> Left {
        self.with(|tasks| {
            let mut left = Left::default();
            tasks.ended.drain(..).for_each(|done| left.count(done));
            while let Some(ended) = tasks.runs.try_join_next_with_id() {
                let Ok((id, done)) = ended else { continue };
                tasks.under_way.remove(&id);
                left.count(done);
            }
            tasks.runs.abort_all();
            let mut under_way: Vec<(u64, Progress)> = tasks.under_way.drain().map(|(_, run)| run).collect();
            under_way.sort_by_key(|(number, _)| *number);
            for (_, progress) in under_way {
                match progress.job_id() {
                    // It cost nothing.
                    Some(_) if progress.is_reused() => {}
                    Some(id) if progress.phase() != Phase::Done => left.jobs.push(id),
                    // Its rows are there, and what is left to do is not done.
                    Some(id) => left.untaken.push(id),
                    None if progress.phase() == Phase::Starting => left.starting += 1,
                    _ => {}
                }
            }
            left
        })
    }

    /// A run that did not come to its end: its job, which was paid for, is not lost with it.
    fn broken(&self, broken: JoinError, under_way: Option<(u64, Progress)>) -> Done {
        let (number, progress) = under_way.unwrap_or_default();
        let call = Call::new(None);
        let mut error = Error::new(ErrorKind::Internal, "a run ended in the middle").with_source(broken);
        let job = progress.job_id().map(|id| Job::new(id, None, None));
        if let Some(job) = &job {
            call.is_about(job.id());
            error = error.with_outcome(Outcome::Accepted);
        } else if progress.phase() == Phase::Starting {
            error = error.with_outcome(Outcome::Unknown);
        }
        Done { number, job, result: call.finish(self.client.key(), Err(error)) }
    }

    fn with<T>(&self, act: impl FnOnce(&mut Tasks) -> T) -> T {
        act(&mut lock(&self.tasks))
    }
}

/// Whether every other run would fail in the same way.
fn concerns_all(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Config | ErrorKind::Api { status: 401, .. })
}

fn not_started((status, reason): &Halt) -> Error {
    let kind = match *status {
        Some(status) => ErrorKind::Api { status, code: None, message: None, request_id: None },
        None => ErrorKind::Config,
    };
    Error::new(kind, format!("not started, because every run would fail as an earlier one did: {reason}"))
}

#[cfg(test)]
mod tests {
    use super::super::{ApiKey, ClientConfig};
    use super::*;

    #[tokio::test]
    async fn a_run_that_breaks_tells_its_job() {
        let config = ClientConfig::new("http://127.0.0.1:9", ApiKey::new("canary-0123456789").unwrap());
        let many = Client::new(config).unwrap().many(1, None, RunOptions::default()).unwrap();
        let progress = Progress::new();
        progress.know_job(&"j7".parse().unwrap());
        many.with(|tasks| {
            let task = tasks.runs.spawn(async { panic!("broken") });
            tasks.under_way.insert(task.id(), (7, progress));
        });
        let done = many.next().await.unwrap();
        let error = done.result.as_ref().unwrap_err();
        assert_eq!((done.number, done.cost_usd(), error.outcome()), (7, None, Outcome::Accepted));
        assert_eq!(error.job_id().map(JobId::as_str), Some("j7"));
        assert_eq!(done.job.unwrap().id().as_str(), "j7");
    }
}
