//! Taking up everything that is unfinished: jobs that were going when they were last heard of, and completed ones whose
//! rows were never fetched.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::client::Client;
use crate::client::call::Call;
use crate::client::deadline::Deadline;
use crate::client::error::Error;
use crate::client::job::Job;
use crate::client::progress::Progress;
use crate::client::results::rows::RowOptions;
use crate::ledger::Which;
use crate::lock::lock;
use crate::rows::Rows;

/// How many results are fetched, or held until they are taken, at once.
const DOWNLOADS: usize = 4;

/// A job that was taken up, and what it came to.
#[derive(Debug)]
pub struct Resumed {
    pub job: Job,
    pub rows: Result<Rows, Error>,
}

/// Jobs that were taken up. They are worked on while nobody waits for the next, too, and given up when this is dropped.
pub struct Resuming(Mutex<Tasks>);

struct Tasks {
    jobs: JoinSet<Finished>,
    /// Waiting to be taken.
    finished: VecDeque<Finished>,
}

/// What is ready to be taken; the rows hold their place until then.
struct Finished {
    resumed: Resumed,
    _turn: Option<OwnedSemaphorePermit>,
}

impl Client {
    /// Takes up everything unfinished, the oldest first; `timeout` bounds the wait for each job, and then its fetching.
    /// `None` means [`ClientConfig::timeout`](crate::client::ClientConfig::timeout).
    pub async fn resume(&self, timeout: Option<Duration>) -> Result<Resuming, Error> {
        let entries = self.require_ledger(|account| {
            let mut entries = account.entries(&Which::Running, None)?;
            entries.extend(account.entries(&Which::Unfetched, None)?);
            entries.sort_by_key(|entry| entry.number);
            // One may have been completed between the two reads.
            entries.dedup_by_key(|entry| entry.number);
            Ok(entries)
        });
        let (mut tasks, turns) = (JoinSet::new(), Arc::new(Semaphore::new(DOWNLOADS)));
        for job in entries.await?.iter().filter_map(|entry| self.job_in(entry)) {
            let (client, turns) = (self.clone(), Arc::clone(&turns));
            tasks.spawn(async move { client.finish(job, timeout, turns).await });
        }
        Ok(Resuming(Mutex::new(Tasks { jobs: tasks, finished: VecDeque::new() })))
    }

    async fn finish(&self, job: Job, timeout: Option<Duration>, turns: Arc<Semaphore>) -> Finished {
        let timeout = Some(timeout.unwrap_or(self.config().timeout));
        let (call, progress) = (Call::new(timeout), Progress::new());
        let (mut last, mut turn) = (job.clone(), None);
        let rows = async {
            let mut waited = self.wait_updating(&call, &mut last, &progress).await;
            if waited.as_ref().is_err_and(|error| error.status_code() == Some(410)) {
                // Its first word is not its last: what is written down as gone is never taken up again.
                self.let_pass(self.config().poll_floor).await;
                waited = self.wait_updating(&call, &mut last, &progress).await;
            }
            if let Err(error) = waited {
                self.note_if_gone(&last, &error).await;
                return Err(error);
            }
            turn = turns.acquire_owned().await.ok();
            // How long others held their places is not this job's fault.
            let call = call.until(Deadline::after(Instant::now(), timeout));
            let (job, rows) = self.rows_within(&call, &last, &RowOptions::default(), &progress).await?;
            last = job;
            Ok(rows)
        };
        let rows = call.finish(self.key(), rows.await);
        let turn = turn.filter(|_| rows.is_ok());
        Finished { resumed: Resumed { job: last, rows }, _turn: turn }
    }
}

impl Resuming {
    /// The next one that is finished, in whichever way; `None` after the last.
    pub async fn next(&self) -> Option<Resumed> {
        self.finished().await;
        self.take()
    }

    /// Waits until there is one to [`take`](Self::take), or none is left. Given up, it leaves what was finished
    /// meanwhile to whoever takes next.
    pub async fn finished(&self) {
        std::future::poll_fn(|context| {
            self.with(|tasks| {
                if !tasks.finished.is_empty() {
                    return Poll::Ready(());
                }
                tasks.jobs.poll_join_next(context).map(|joined| match joined {
                    Some(Ok(finished)) => tasks.finished.push_back(finished),
                    Some(Err(lost)) => lost.try_into_panic().map_or((), |panic| std::panic::resume_unwind(panic)),
                    None => {}
                })
            })
        })
        .await;
    }

    /// One that is finished, once.
    pub fn take(&self) -> Option<Resumed> {
        self.with(|tasks| tasks.finished.pop_front()).map(|finished| finished.resumed)
    }

    fn with<T>(&self, act: impl FnOnce(&mut Tasks) -> T) -> T {
        act(&mut lock(&self.0))
    }
}
