//! Saving a results body as it was sent. The file appears whole or not at all.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::rows::Patience;
use crate::client::Client;
use crate::client::call::Call;
use crate::client::error::Error;
use crate::client::error_kind::ErrorKind;
use crate::client::job::Job;
use crate::client::progress::{Phase, Progress};
use crate::client::response::body::{Consume, Unfinished};
use crate::client::transport::Response;
use crate::files::{Order, WholeFile};
use crate::rows::{DecodeErrorKind, DecodeOptions, Survey};
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
        call.seal(self.key(), result)
    }

    async fn download_within(&self, call: &Call, job: &Job, path: &Path, progress: &Progress) -> Result<u64, Error> {
        call.is_about(job.id());
        progress.know_job(job.id());
        let mut patience = Patience::new(self.config().poll_floor, self.config().grace);
        let mut job = if job.is_completed() { job.clone() } else { self.ask_status(call, job, progress).await? };
        if *job.status() != Status::Completed {
            // Asked for now, the body would be a file that looks like results and is none.
            job = self.still_ready(call, &job, None, &mut patience, progress).await?;
        }
        progress.see_status(job.status().as_str());
        job = self.with_cost(call, job).await;
        progress.enter(Phase::Fetching);
        let ask = self.ask_results(&job);
        let order = Order::default();
        // Dropped with this future: what is given up leaves no file.
        let _recall = order.recalled_on_drop();
        let saved = loop {
            match self.fetch(call, &ask, || Saver::beside(path, &order, progress)).await {
                Ok(saved) => break saved,
                Err(error) if matches!(error.status_code(), Some(404 | 410)) => {
                    job = self.still_ready(call, &job, Some(error), &mut patience, progress).await?;
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
    /// Reads along where only the end of the connection ends the body, and a broken one looks like a whole one.
    survey: Option<Survey>,
}

impl Saver {
    fn beside(path: &Path, order: &Order, progress: &Progress) -> Result<Self, Error> {
        let file = WholeFile::create_for(order.clone(), path).map_err(|error| unwritten(path, error))?;
        Ok(Self { file, path: path.to_owned(), bytes: 0, progress: progress.clone(), survey: None })
    }
}

impl Consume for Saver {
    type Output = Self;

    fn begin(&mut self, head: &Response) {
        let options = || DecodeOptions { max_columns: usize::MAX, threads: 1, ..DecodeOptions::default() };
        self.survey = head.ends_with_connection().then(|| Survey::new(options()));
    }

    fn feed(&mut self, bytes: &[u8]) -> Result<(), Error> {
        // What cannot be decoded is saved as it was sent: that is what a download is for.
        if self.survey.as_mut().is_some_and(|survey| survey.feed(bytes).is_err()) {
            self.survey = None;
        }
        self.file.write_all(bytes).map_err(|error| unwritten(&self.path, error))?;
        self.bytes += bytes.len() as u64;
        self.progress.received(self.bytes, 0);
        Ok(())
    }

    fn finish(mut self) -> Result<Self, Unfinished> {
        match self.survey.take().map(Survey::finish) {
            Some(Err(error)) if error.kind == DecodeErrorKind::Truncated => {
                let message = format!("the body cannot be saved: {error}");
                Err(Unfinished::Early(Error::new(ErrorKind::Decode(error), message)))
            }
            _ => Ok(self),
        }
    }
}

fn unwritten(path: &Path, error: io::Error) -> Error {
    let kind = ErrorKind::File { path: Some(path.to_owned()) };
    Error::new(kind, format!("`{}` cannot be written: {error}", path.display())).with_source(error)
}
