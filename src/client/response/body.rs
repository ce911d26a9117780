//! The body of an answer, read within bounds: of size, of time, and of what may come out of a compressed one.

use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::encoding;
use super::inflating::Inflating;
use crate::client::deadline::Deadline;
use crate::client::error::Error;
use crate::client::transport::{Failure, Response};
use crate::inflate::{Inflate, InflateError, Limits};

/// Who takes the decompressed bytes of a body.
pub(in crate::client) trait Consume: Send {
    type Output;

    /// Takes the head of the answer, before the first byte of the body.
    fn begin(&mut self, _head: &Response) {}

    /// Takes the next bytes. An error ends the reading and is final.
    fn feed(&mut self, bytes: &[u8]) -> Result<(), Error>;

    /// Looks at what was fed and not looked at yet. The reading is about to fail for a reason of its own, and what is
    /// wrong with the bytes before comes first.
    fn drain(&mut self) -> Result<(), Error> {
        Ok(())
    }

    /// Makes of the whole body what was wanted.
    fn finish(self) -> Result<Self::Output, FinishError>;
}

/// Why a body that came to its end is of no use.
#[derive(Debug)]
pub(in crate::client) enum FinishError {
    /// It ends early. Where the end of the connection was the end of the body, this is a connection that broke.
    Early(Error),
    /// It holds less than was told of, and what it holds is in the error. Where the end of the connection was the end
    /// of the body, asking again may bring all of it.
    Short(Error),
    Wrong(Error),
}

/// The bounds of one body.
#[derive(Debug, Clone, Copy)]
pub(in crate::client) struct Bounds {
    /// Decompressed bytes at most.
    pub bytes: u64,
    /// When the whole body must have come, whatever arrives.
    pub whole_by: Deadline,
    /// How long a read may bring nothing, and the time over which [`LEAST_RATE`] is measured.
    pub idle: Duration,
}

/// Bytes a second below which a download counts as stalled: a tenth of the slowest mobile connection.
const LEAST_RATE: f64 = 256.0;

/// Why a body was not read to its end.
#[derive(Debug)]
pub(in crate::client) enum BodyError {
    /// The connection broke, or the framing is wrong.
    Failed(Failure),
    /// It came too slowly.
    Slow(String),
    /// The encoding is broken, unknown, or grows beyond its bounds.
    BadEncoding(String),
    /// The consumer would not have it.
    Refused(Error),
}

impl From<InflateError> for BodyError {
    fn from(InflateError(message): InflateError) -> Self {
        Self::BadEncoding(message)
    }
}

/// Reads a body to its end into `consumer`.
pub(in crate::client) async fn read(
    answer: &mut Response,
    bounds: Bounds,
    consumer: &mut impl Consume,
) -> Result<(), BodyError> {
    read_with(answer, bounds, 1, consumer).await
}

/// The same for a body that may be large: with more than one of `threads` it is inflated beside being received.
pub(in crate::client) async fn read_with(
    answer: &mut Response,
    bounds: Bounds,
    threads: usize,
    consumer: &mut impl Consume,
) -> Result<(), BodyError> {
    match read_to_end(answer, bounds, threads, consumer).await {
        Ok(()) => Ok(()),
        Err(BodyError::Refused(error)) => Err(BodyError::Refused(error)),
        Err(error) => Err(consumer.drain().map_or_else(BodyError::Refused, |()| error)),
    }
}

async fn read_to_end(
    answer: &mut Response,
    bounds: Bounds,
    threads: usize,
    consumer: &mut impl Consume,
) -> Result<(), BodyError> {
    let coding = encoding::coding(answer.headers("content-encoding")).map_err(BodyError::BadEncoding)?;
    let mut inflating = Inflating::new(Inflate::new(coding, Limits::Answer(bounds.bytes))?, threads);
    let mut window = Window { begun: Instant::now(), bytes: 0 };
    let mut give = |piece: &[u8]| consumer.feed(piece).map_err(BodyError::Refused);
    loop {
        let now = Instant::now();
        let by = now + bounds.whole_by.cut(now, bounds.idle);
        let chunk = tokio::select! {
            biased;
            piece = inflating.piece() => {
                give(&piece?)?;
                continue;
            }
            chunk = timeout_at(by, answer.chunk()) => chunk,
        };
        let chunk = match chunk {
            Ok(chunk) => chunk.map_err(BodyError::Failed)?,
            Err(_) if bounds.whole_by.is_over(Instant::now()) => return Err(late()),
            Err(_) => return Err(BodyError::Slow(format!("no byte of the answer came for {:?}", bounds.idle))),
        };
        // The thread that inflates may be kept waiting as well, for its start or by what it does.
        let Some(chunk) = chunk else { return in_time(bounds.whole_by, inflating.finish(&mut give)).await };
        window.count(chunk.as_ref().len(), bounds.idle)?;
        if bounds.whole_by.is_over(Instant::now()) {
            return Err(late());
        }
        in_time(bounds.whole_by, inflating.push(chunk, &mut give)).await?;
    }
}

/// What a wait comes to, if it ends by then.
async fn in_time(whole_by: Deadline, wait: impl Future<Output = Result<(), BodyError>>) -> Result<(), BodyError> {
    match whole_by.moment() {
        Some(moment) => timeout_at(moment, wait).await.unwrap_or_else(|_| Err(late())),
        None => wait.await,
    }
}

fn late() -> BodyError {
    BodyError::Slow("the answer was not whole in time".to_owned())
}

/// Reads the beginning of a body as far as it comes: for errors, where a part says enough.
pub(in crate::client) async fn read_beginning(answer: &mut Response, bounds: Bounds) -> Vec<u8> {
    let mut beginning = Beginning { bytes: Vec::new(), limit: bounds.bytes as usize };
    let _ = read(answer, Bounds { bytes: u64::MAX, ..bounds }, &mut beginning).await;
    beginning.bytes
}

/// The time since which bytes are counted, so that a drip of single bytes is no sign of life.
struct Window {
    begun: Instant,
    bytes: u64,
}

impl Window {
    fn count(&mut self, bytes: usize, length: Duration) -> Result<(), BodyError> {
        self.bytes += bytes as u64;
        let age = self.begun.elapsed();
        if age < length {
            return Ok(());
        }
        if (self.bytes as f64) < LEAST_RATE * age.as_secs_f64() {
            return Err(BodyError::Slow(format!("only {} bytes of the answer came in {age:.1?}", self.bytes)));
        }
        *self = Self { begun: Instant::now(), bytes: 0 };
        Ok(())
    }
}

/// A small body, held in memory.
#[derive(Debug, Default)]
pub(in crate::client) struct Whole(pub Vec<u8>);

impl Consume for Whole {
    type Output = Vec<u8>;

    fn feed(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    fn finish(self) -> Result<Vec<u8>, FinishError> {
        Ok(self.0)
    }
}

struct Beginning {
    bytes: Vec<u8>,
    limit: usize,
}

impl Consume for Beginning {
    type Output = Vec<u8>;

    fn feed(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let room = self.limit - self.bytes.len();
        self.bytes.extend_from_slice(&bytes[..bytes.len().min(room)]);
        if bytes.len() < room { Ok(()) } else { Err(Error::bad_response("the beginning has been read")) }
    }

    fn finish(self) -> Result<Vec<u8>, FinishError> {
        Ok(self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_wait_that_never_ends_is_over_when_the_body_should_be_whole() {
        let begun = Instant::now();
        let by = Deadline::after(begun, Some(Duration::from_secs(9)));
        let Err(BodyError::Slow(message)) = in_time(by, std::future::pending()).await else { panic!("it ended") };
        assert_eq!((message.as_str(), begun.elapsed().as_secs()), ("the answer was not whole in time", 9));
        assert!(in_time(Deadline::after(begun, None), std::future::ready(Ok(()))).await.is_ok());
    }
}
