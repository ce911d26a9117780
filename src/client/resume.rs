//! Taking up everything that is unfinished: jobs that were going when they were last heard of, and completed ones whose rows
//! were never fetched.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use tokio::sync::Semaphore;

use super::Client;
use super::call::Call;
use super::error::Error;
use super::job::Job;
use super::progress::Progress;
use super::results::RowOptions;
use crate::ledger::Which;
use crate::rows::Rows;

/// How many results are fetched at once: rows are held until they are taken.
const DOWNLOADS: usize = 4;

/// A job that was taken up, and what it came to.
#[derive(Debug)]
pub struct Resumed {
    pub job: Job,
    pub rows: Result<Rows, Error>,
}

/// Jobs that were taken up. They are worked on while one waits for the next, and given up when this is dropped.
pub struct Resuming(FuturesUnordered<BoxFuture<'static, Resumed>>);

impl Client {
    /// Takes up everything unfinished, the oldest first; `timeout` is for each job, `None` means
    /// [`ClientConfig::timeout`](super::ClientConfig::timeout).
    pub async fn resume(&self, timeout: Option<Duration>) -> Result<Resuming, Error> {
        let entries = self.kept(|account| {
            let mut entries = account.entries(&Which::Running, None)?;
            entries.extend(account.entries(&Which::Unfetched, None)?);
            entries.sort_by_key(|entry| entry.number);
            Ok(entries)
        });
        let downloads = Arc::new(Semaphore::new(DOWNLOADS));
        let finish = |job| {
            let (client, downloads) = (self.clone(), Arc::clone(&downloads));
            let work: BoxFuture<'static, Resumed> =
                Box::pin(async move { client.finish(job, timeout, &downloads).await });
            work
        };
        Ok(Resuming(entries.await?.iter().filter_map(|entry| self.job_in(entry)).map(finish).collect()))
    }

    async fn finish(&self, job: Job, timeout: Option<Duration>, downloads: &Semaphore) -> Resumed {
        let (call, progress) = (Call::new(timeout.or(Some(self.config().timeout))), Progress::new());
        let mut last = job.clone();
        let rows = async {
            last = self.wait_within(&call, &job, &progress).await?;
            let _turn = downloads.acquire().await;
            let (job, rows) = self.rows_within(&call, &last, &RowOptions::default(), &progress).await?;
            last = job;
            Ok(rows)
        };
        let rows = call.seal(self.key(), rows.await);
        if rows.as_ref().is_err_and(|error| matches!(error.status_code(), Some(404 | 410))) {
            // Not taken up again. If this is not written down, it is found out once more.
            let id = last.id().clone();
            let _ = self.in_ledger(move |account| account.gone(&id)).await;
        }
        Resumed { job: last, rows }
    }
}

impl Resuming {
    /// The next one that is finished, in whichever way; `None` after the last.
    pub async fn next(&mut self) -> Option<Resumed> {
        self.0.next().await
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
