//! Saving a results body as it was sent. The file appears whole or not at all.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::beginning::Beginning;
use super::brackets::Brackets;
use super::csv::Csv;
use super::receive::{ReaderError, undecodable};
use super::rows::Patience;
use crate::client::Client;
use crate::client::call::Call;
use crate::client::error::Error;
use crate::client::error_kind::ErrorKind;
use crate::client::job::Job;
use crate::client::progress::{Phase, Progress};
use crate::client::response::body::{Consume, FinishError};
use crate::client::transport::Response;
use crate::files::{Order, WholeFile};
use crate::wire::Status;

impl Client {
    /// Saves the results of a completed job as sent (decompressed) and returns the number of bytes.
    ///
    /// Written to a file beside `path`, synced, then renamed over it; see [`WholeFile`] for what else may be there.
    ///
    /// # Errors
    /// `File` where that fails, `ResultsNotReady` while the job is going.
    pub async fn download(&self, job: &Job, path: &Path, progress: &Progress) -> Result<u64, Error> {
        let call = Call::new(None);
        let result = self.download_within(&call, job, path, progress).await;
        call.finish(self.key(), result)
    }

    async fn download_within(&self, call: &Call, job: &Job, path: &Path, progress: &Progress) -> Result<u64, Error> {
        call.is_about(job.id());
        progress.know_job(job.id());
        let mut patience = Patience::new(self.config().poll_floor, self.config().grace);
        let mut job = if job.is_completed() { job.clone() } else { self.ask_status(call, job, progress).await? };
        if *job.status() != Status::Completed {
            // Asked for now, the body would be a file that looks like results and is none.
            job = self.wait_for_rows(call, &job, None, &mut patience, progress).await?;
        }
        progress.see_status(job.status().as_str());
        job = self.with_cost(call, job).await;
        progress.enter(Phase::Fetching);
        let request = self.results_request(&job);
        let order = Order::default();
        // Dropped with this future: what is given up leaves no file.
        let _recall = order.recalled_on_drop();
        let saved = loop {
            match self.fetch(call, &request, || Saver::beside(path, &order, &job, progress)).await {
                Ok(saved) => break saved,
                Err(error) if matches!(error.status_code(), Some(404 | 410)) => {
                    job = self.wait_for_rows(call, &job, Some(error), &mut patience, progress).await?;
                }
                Err(error) => return Err(error),
            }
        };
        let Saver { file, bytes, .. } = saved;
        // Syncing blocks for as long as the disk likes.
        let committed =
            tokio::task::spawn_blocking(move || file.commit()).await.unwrap_or_else(|error| Err(error.into()));
        committed.map_err(|error| unwritten(path, error))?;
        self.delivered(&job).await;
        progress.enter(Phase::Done);
        Ok(bytes)
    }
}

/// A body on its way to disk.
struct Saver {
    file: WholeFile,
    path: PathBuf,
    bytes: u64,
    progress: Progress,
    /// The rows that the service told of.
    told: Option<u64>,
    beginning: Beginning,
    end: Option<End>,
}

/// Looks for the end of a body that only the end of the connection ends, where a broken one looks like a whole one.
struct End {
    brackets: Brackets,
    /// Where the body may be CSV.
    csv: Option<Csv>,
}

impl Saver {
    fn beside(path: &Path, order: &Order, job: &Job, progress: &Progress) -> Result<Self, Error> {
        Ok(Self {
            file: WholeFile::create_for(order.clone(), path).map_err(|error| unwritten(path, error))?,
            path: path.to_owned(),
            bytes: 0,
            progress: progress.clone(),
            told: job.row_count().filter(|_| job.is_completed()),
            beginning: Beginning::default(),
            end: None,
        })
    }
}

impl Consume for Saver {
    type Output = Self;

    fn begin(&mut self, head: &Response) {
        self.beginning = Beginning::of_type(head.header("content-type"));
        let csv = || Some(Csv::new(self.told)).filter(|_| self.beginning.is_csv() != Some(false));
        self.end = head.ends_with_connection().then(|| End { brackets: Brackets::default(), csv: csv() });
    }

    fn feed(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.beginning.take(bytes);
        if let Some(end) = &mut self.end {
            end.csv.take_if(|_| self.beginning.is_csv() == Some(false));
            match &mut end.csv {
                Some(csv) => csv.feed(bytes),
                None => end.brackets.feed(bytes),
            }
        }
        self.file.write_all(bytes).map_err(|error| unwritten(&self.path, error))?;
        self.bytes += bytes.len() as u64;
        self.progress.received(self.bytes, 0);
        Ok(())
    }

    /// What cannot be decoded is saved as it was sent, which is what a download is for; a page in place of the results
    /// is not, nor half of them.
    fn finish(mut self) -> Result<Self, FinishError> {
        if !self.beginning.is_results() || self.beginning.is_blank() {
            let error = self.beginning.no_results();
            return Err(if self.beginning.ends_in_mark() {
                FinishError::Early(error)
            } else {
                FinishError::Wrong(error)
            });
        }
        match self.end.take() {
            Some(End { csv: Some(csv), .. }) => match csv.rows(usize::MAX) {
                // More than were told are no half of them.
                Err(ReaderError::Short(error)) if self.told.is_some_and(|told| error.rows_read < told) => {
                    Err(FinishError::Short(undecodable(error, &self.beginning)))
                }
                // What is wrong with the last record may be its missing half.
                Err(ReaderError::Rows(error)) if csv.has_its_last_record_at(error.byte_offset) => {
                    Err(FinishError::Early(undecodable(error, &self.beginning)))
                }
                _ => Ok(self),
            },
            Some(End { brackets, .. }) if !brackets.are_closed() => {
                Err(FinishError::Early(Error::new(ErrorKind::Read, "the body ends early")))
            }
            _ => Ok(self),
        }
    }
}

fn unwritten(path: &Path, error: io::Error) -> Error {
    let kind = ErrorKind::File { path: Some(path.to_owned()) };
    Error::new(kind, format!("`{}` cannot be written: {error}", path.display())).with_source(error)
}
