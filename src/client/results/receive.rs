//! One results body: read as it arrives, then judged as a whole. Are these the rows of this job?

use super::beginning::Beginning;
use super::csv::Csv;
use crate::client::error::Error;
use crate::client::error_kind::{ErrorKind, Outcome};
use crate::client::job::{self, Job};
use crate::client::progress::Progress;
use crate::client::response::body::{Consume, FinishError};
use crate::client::shown::{clipped, clipped_word};
use crate::client::transport::Response;
use crate::rows::{DecodeError, DecodeOptions, Decoded, Decoder, Envelope, Rows};
use crate::wire::Status;

/// What reads the bytes of a results body.
pub(in crate::client) trait RowReader: Send {
    type Output;

    fn feed(&mut self, bytes: &[u8]) -> Result<(), ReaderError>;

    fn rows_read(&self) -> u64;

    /// The body comes compressed, and a large one is inflated on a thread beside: one less is for its rows. Said before
    /// the first byte.
    fn spare_thread(&mut self);

    /// Reads everything that was fed, where other threads have some of it before them.
    fn drain(&mut self) -> Result<(), ReaderError>;

    /// Ends the body: what was read, what stood around the rows, and how many there were.
    fn finish(self) -> Result<(Self::Output, Envelope, u64), ReaderError>;

    /// The body is CSV: from here on it is read as such. It does not say itself how many rows it has; `told` is what
    /// the service said of the completed job.
    ///
    /// # Errors
    /// Where this reader cannot.
    fn expect_csv(&mut self, told: Option<u64>) -> Result<(), Error>;
}

/// Why a reader gives up.
pub(in crate::client) enum ReaderError {
    Rows(DecodeError),
    /// What came can be read, and is not all that was told of.
    Short(DecodeError),
    Other(Error),
}

impl From<DecodeError> for ReaderError {
    fn from(error: DecodeError) -> Self {
        Self::Rows(error)
    }
}

/// Decodes into memory.
pub(in crate::client) struct InMemory {
    decoder: Decoder,
    max_columns: usize,
    csv: Option<Csv>,
}

impl InMemory {
    pub(in crate::client) fn new(options: DecodeOptions) -> Self {
        Self { max_columns: options.max_columns, decoder: Decoder::new(options), csv: None }
    }
}

impl RowReader for InMemory {
    type Output = Rows;

    fn feed(&mut self, bytes: &[u8]) -> Result<(), ReaderError> {
        match &mut self.csv {
            Some(csv) => csv.feed(bytes),
            None => self.decoder.feed(bytes)?,
        }
        Ok(())
    }

    fn rows_read(&self) -> u64 {
        self.decoder.rows_read()
    }

    fn spare_thread(&mut self) {
        self.decoder.spare_thread();
    }

    fn drain(&mut self) -> Result<(), ReaderError> {
        Ok(self.decoder.drain()?)
    }

    fn finish(self) -> Result<(Rows, Envelope, u64), ReaderError> {
        let Decoded { rows, envelope } = match self.csv {
            Some(csv) => {
                let envelope = Envelope { has_data: true, ..Envelope::default() };
                Decoded { rows: csv.rows(self.max_columns)?, envelope }
            }
            None => self.decoder.finish()?,
        };
        let count = rows.len() as u64;
        Ok((rows, envelope, count))
    }

    fn expect_csv(&mut self, told: Option<u64>) -> Result<(), Error> {
        self.csv = Some(Csv::new(told));
        Ok(())
    }
}

/// Feeds a reader and remembers how the body began, for the error if it is no such body.
pub(in crate::client) struct Receiver<R> {
    reader: R,
    job: Job,
    progress: Progress,
    beginning: Beginning,
    /// The reader was told what the body is, and has all that came.
    is_told: bool,
    bytes: u64,
    /// The reader gave up; the rest of the beginning is still taken, so that a page can be told by its title.
    broken: Option<DecodeError>,
}

impl<R: RowReader> Receiver<R> {
    pub(in crate::client) fn new(reader: R, job: &Job, progress: &Progress) -> Self {
        Self {
            reader,
            job: job.clone(),
            progress: progress.clone(),
            beginning: Beginning::default(),
            is_told: false,
            bytes: 0,
            broken: None,
        }
    }

    fn read(&mut self, bytes: &[u8]) -> Result<(), Error> {
        if self.broken.is_some() {
            return Ok(());
        }
        let fed = self.reader.feed(bytes);
        self.take_in(fed)
    }

    /// Remembers a fault in the rows.
    fn take_in(&mut self, read: Result<(), ReaderError>) -> Result<(), Error> {
        match read {
            Ok(()) => Ok(()),
            Err(ReaderError::Rows(error) | ReaderError::Short(error)) => {
                self.broken = Some(error);
                Ok(())
            }
            Err(ReaderError::Other(error)) => Err(error),
        }
    }

    /// Gives up on a body with a fault, as soon as its beginning is there.
    fn refuse(&mut self) -> Result<(), Error> {
        match self.broken.take_if(|_| self.beginning.is_full()) {
            Some(error) => Err(undecodable(error, &self.beginning)),
            None => Ok(()),
        }
    }
}

impl<R: RowReader> Consume for Receiver<R> {
    /// The job as it is now and its rows; `None` where the answer says that they are not there yet.
    type Output = Option<(Job, R::Output)>;

    fn begin(&mut self, head: &Response) {
        self.beginning = Beginning::of_type(head.header("content-type"));
        if head.is_encoded() {
            self.reader.spare_thread();
        }
    }

    fn feed(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.beginning.take(bytes);
        self.bytes += bytes.len() as u64;
        if self.is_told {
            self.read(bytes)?;
        } else if let Some(is_csv) = self.beginning.is_csv() {
            self.is_told = true;
            if is_csv {
                self.reader.expect_csv(self.job.row_count().filter(|_| self.job.is_completed()))?;
            }
            // Until it tells, all of a body is in its beginning.
            let held = self.beginning.head()[..self.bytes as usize - bytes.len()].to_vec();
            self.read(&held)?;
            self.read(bytes)?;
        }
        self.progress.received(self.bytes, self.reader.rows_read());
        self.refuse()
    }

    fn drain(&mut self) -> Result<(), Error> {
        if self.broken.is_none() {
            let drained = self.reader.drain();
            self.take_in(drained)?;
        }
        self.refuse()
    }

    fn finish(self) -> Result<Self::Output, FinishError> {
        let Self { reader, job, progress, beginning, bytes, broken, .. } = self;
        if let Some(error) = broken {
            return Err(FinishError::Wrong(undecodable(error, &beginning)));
        }
        let (output, envelope, rows) = match reader.finish() {
            Ok(finished) => finished,
            Err(ReaderError::Other(error)) => return Err(FinishError::Wrong(error)),
            Err(ReaderError::Short(error)) => return Err(FinishError::Short(undecodable(error, &beginning))),
            Err(ReaderError::Rows(error)) => {
                let told = undecodable(error, &beginning);
                return Err(if beginning.is_blank() { FinishError::Wrong(told) } else { FinishError::Early(told) });
            }
        };
        progress.received(bytes, rows);
        check_envelope(job, &envelope, rows, beginning.head())
            .map(|job| job.map(|job| (job, output)))
            .map_err(FinishError::Wrong)
    }
}

/// The job after an answer with this envelope and so many rows; `None` where they are not there yet.
fn check_envelope(mut job: Job, envelope: &Envelope, rows: u64, head: &[u8]) -> Result<Option<Job>, Error> {
    let bad = |message: String| Err(Error::bad_response(message).with_excerpt(head));
    if let Some(other) = envelope.job_id.as_deref().filter(|other| *other != job.id().as_str()) {
        return bad(format!(
            "asked for the results of job `{}`, the service answered about job `{}`",
            job.id(),
            clipped(other)
        ));
    }
    match envelope.status.as_deref().map(Status::parse) {
        None | Some(Status::Completed) if envelope.has_data => {}
        // The status call has the last word on a job that failed, and on one that is going.
        Some(_) if !envelope.has_data || !job.is_completed() => return Ok(None),
        // No rows beside such a word are rows that are not there yet, unless the job is known to have none.
        Some(_) if rows == 0 && job.row_count() != Some(0) => return Ok(None),
        Some(status) => {
            let word = clipped_word(status.as_str());
            job.note(format!("the results called the job `{word}` after it had been completed; completed is final"));
        }
        None => return bad(format!("the results of job `{}` have no `data`", job.id())),
    }
    let mut job = job.with_rows(rows);
    if let Some(note) = overrun(&job) {
        job.note(note);
    }
    Ok(Some(job))
}

/// More rows than were asked for are kept, and their cost is told.
fn overrun(job: &Job) -> Option<String> {
    let (most, rows) = (job.max_rows?, job.row_count()?);
    let more = rows.checked_sub(most).filter(|more| *more > 0)?;
    let cost = job.price_per_1k_usd().and_then(|price| job::cost(more, price));
    let cost = cost.map_or("an unknown amount".to_owned(), |cost| format!("{cost} USD"));
    Some(format!("{rows} rows came where at most {most} were asked for; the {more} more cost {cost}"))
}

/// A body the reader would not have: broken rows, or no such body at all.
pub(super) fn undecodable(mut error: DecodeError, beginning: &Beginning) -> Error {
    // It may quote the body.
    error.message = clipped(&error.message);
    if error.rows.is_empty() && !beginning.is_results() {
        return beginning.no_results().with_source(error);
    }
    let head = beginning.head();
    let message = format!("the rows cannot be decoded: {error}");
    Error::new(ErrorKind::Decode(error), message).with_outcome(Outcome::Accepted).with_excerpt(head)
}
