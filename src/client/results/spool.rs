//! Results of any size in constant memory: the body goes to a temporary file while its shape is learned, then the file
//! is read again in batches of the final schema.

use std::fs::File;
use std::io::{self, Write};

use arrow_schema::ArrowError;

use super::receive::{ReaderError, RowReader};
use super::rows::RowOptions;
use crate::client::Client;
use crate::client::call::Call;
use crate::client::error::Error;
use crate::client::error_kind::ErrorKind;
use crate::client::job::Job;
use crate::client::progress::Progress;
use crate::rows::{Batches, DecodeOptions, Envelope, Note, Survey, Surveyed};

/// A result on disk, ready to be read in batches. The file has no name and goes away with this value.
#[derive(Debug)]
pub struct Spooled {
    pub job: Job,
    pub notes: Vec<Note>,
    pub row_count: u64,
    pub batches: Batches<File>,
}

impl Client {
    /// Fetches the rows of a completed job to disk. [`RowOptions::batch_rows`] is the most rows of one batch. In the
    /// ledger they count as fetched when [`Client::delivered`] is told of it.
    ///
    /// # Errors
    /// Those of [`Client::rows`], and `File` where the temporary directory is full or cannot be written.
    pub async fn spool(&self, job: &Job, options: &RowOptions, progress: &Progress) -> Result<Spooled, Error> {
        let call = Call::new(None);
        let decoding = self.decoding(job, options);
        let received = self.receive(&call, job, progress, || OnDisk::new(decoding.clone())).await;
        let spooled = received.and_then(|(job, (surveyed, file))| {
            let row_count = surveyed.row_count;
            let batches = surveyed.batches(file).map_err(|error| unreadable(&error))?;
            let mut notes = batches.notes().to_vec();
            notes.extend(job.notes().iter().map(Note::on_table));
            Ok(Spooled { job, notes, row_count, batches })
        });
        call.finish(self.key(), spooled)
    }
}

/// Learns the shape of a body and keeps its bytes on disk.
struct OnDisk {
    survey: Survey,
    file: File,
}

impl OnDisk {
    fn new(options: DecodeOptions) -> Result<Self, Error> {
        let file = tempfile::tempfile().map_err(|error| unusable(&error))?;
        Ok(Self { survey: Survey::new(options), file })
    }
}

impl RowReader for OnDisk {
    type Output = (Surveyed, File);

    fn feed(&mut self, bytes: &[u8]) -> Result<(), ReaderError> {
        self.survey.feed(bytes)?;
        self.file.write_all(bytes).map_err(|error| ReaderError::Other(unusable(&error)))
    }

    fn rows_read(&self) -> u64 {
        self.survey.rows_read()
    }

    fn spare_thread(&mut self) {
        self.survey.spare_thread();
    }

    fn drain(&mut self) -> Result<(), ReaderError> {
        Ok(self.survey.drain()?)
    }

    fn finish(self) -> Result<(Self::Output, Envelope, u64), ReaderError> {
        let surveyed = self.survey.finish()?;
        let (envelope, rows) = (surveyed.envelope.clone(), surveyed.row_count);
        Ok(((surveyed, self.file), envelope, rows))
    }

    fn expect_csv(&mut self, _told: Option<u64>) -> Result<(), Error> {
        Err(Error::new(ErrorKind::Unsupported, "results that come as CSV cannot be streamed")
            .with_hint("take all rows at once"))
    }
}

fn unreadable(error: &ArrowError) -> Error {
    Error::new(ErrorKind::File { path: None }, format!("the temporary file of the results cannot be read: {error}"))
}

fn unusable(error: &io::Error) -> Error {
    let message = format!("the temporary file for the results cannot be written: {error}");
    let source = error.raw_os_error().map_or_else(|| error.kind().into(), io::Error::from_raw_os_error);
    Error::new(ErrorKind::File { path: None }, message).with_source(source)
}
