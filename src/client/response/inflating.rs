//! Inflating beside receiving: a compressed body that turns out large goes through a thread of its own.
//!
//! Chunks go to the thread and pieces come back through channels that hold few of them, so neither side runs away from
//! the other. The limits are those of [`Inflate`], which moves there. The thread ends when it has inflated the whole
//! body, when that is broken, and when this value is dropped.

use tokio::sync::mpsc::{self, Receiver, Sender};

use crate::inflate::{Inflate, InflateError, ROOM};

/// Compressed bytes that are inflated where they are received before a thread is worth its start.
const SMALL_BYTES: u64 = 64 << 10;

/// How many chunks, and how many pieces, may wait.
const WAITING: usize = 4;

pub(in crate::client) struct Inflating {
    place: Place,
    may_move: bool,
}

enum Place {
    Here(Box<Inflate>),
    Apart { chunks: Sender<Chunk>, pieces: Receiver<Piece> },
}

type Chunk = Box<dyn AsRef<[u8]> + Send>;

enum Piece {
    Bytes(Vec<u8>),
    Inflate(InflateError),
    /// The body is whole.
    End,
}

impl Inflating {
    pub(in crate::client) fn new(inflate: Inflate, threads: usize) -> Self {
        Self { may_move: threads > 1 && !inflate.is_idle(), place: Place::Here(Box::new(inflate)) }
    }

    /// The next piece that a thread has inflated; without a thread there never is one.
    pub(in crate::client) async fn piece(&mut self) -> Result<Vec<u8>, InflateError> {
        match &mut self.place {
            Place::Here(_) => std::future::pending().await,
            Place::Apart { pieces, .. } => match next(pieces).await? {
                Some(bytes) => Ok(bytes),
                None => Err(lost()),
            },
        }
    }

    /// Takes the next bytes as received, and hands on what is inflated by then.
    pub(in crate::client) async fn push<E: From<InflateError>>(
        &mut self,
        chunk: impl AsRef<[u8]> + Send + 'static,
        give: &mut impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        match &mut self.place {
            Place::Here(inflate) if !self.may_move || inflate.taken() < SMALL_BYTES => {
                return inflate.push(chunk.as_ref(), give);
            }
            Place::Here(_) => self.move_apart(),
            Place::Apart { .. } => {}
        }
        let Place::Apart { chunks, pieces } = &mut self.place else { return Ok(()) };
        loop {
            tokio::select! {
                biased;
                Ok(room) = chunks.reserve() => {
                    room.send(Box::new(chunk));
                    return Ok(());
                }
                piece = next(pieces) => give(&piece?.ok_or_else(lost)?)?,
            }
        }
    }

    /// Hands on the rest and checks that the body ended where its encoding ends.
    pub(in crate::client) async fn finish<E: From<InflateError>>(
        self,
        give: &mut impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        match self.place {
            Place::Here(inflate) => Ok(inflate.finish()?),
            Place::Apart { chunks, mut pieces } => {
                drop(chunks);
                while let Some(piece) = next(&mut pieces).await? {
                    give(&piece)?;
                }
                Ok(())
            }
        }
    }

    fn move_apart(&mut self) {
        let (chunks, incoming) = mpsc::channel(WAITING);
        let (outgoing, pieces) = mpsc::channel(WAITING);
        if let Place::Here(inflate) = std::mem::replace(&mut self.place, Place::Apart { chunks, pieces }) {
            tokio::task::spawn_blocking(move || inflate_all(*inflate, incoming, &outgoing));
        }
    }
}

/// Takes a piece out; `None` after the last.
async fn next(pieces: &mut Receiver<Piece>) -> Result<Option<Vec<u8>>, InflateError> {
    match pieces.recv().await {
        Some(Piece::Bytes(bytes)) => Ok(Some(bytes)),
        Some(Piece::End) => Ok(None),
        Some(Piece::Inflate(error)) => Err(error),
        None => Err(lost()),
    }
}

fn lost() -> InflateError {
    InflateError("the thread that inflates the answer is gone".to_owned())
}

/// What the thread does.
fn inflate_all(mut inflate: Inflate, mut chunks: Receiver<Chunk>, pieces: &Sender<Piece>) {
    let mut result = Ok(());
    while result.is_ok()
        && let Some(chunk) = chunks.blocking_recv()
    {
        result = inflate_chunk(&mut inflate, (*chunk).as_ref(), pieces);
    }
    let last = match result.and_then(|()| Ok(inflate.finish()?)) {
        Ok(()) => Piece::End,
        Err(Stop::Inflate(error)) => Piece::Inflate(error),
        Err(Stop::Unwanted) => return,
    };
    // Nobody receives what is no longer wanted.
    let _ = pieces.blocking_send(last);
}

/// Sends on what a chunk holds; what comes before a fault, too, as if it were inflated where it is received.
fn inflate_chunk(inflate: &mut Inflate, mut left: &[u8], pieces: &Sender<Piece>) -> Result<(), Stop> {
    loop {
        let mut piece = Vec::with_capacity(ROOM);
        let filled = inflate.fill(&mut left, &mut piece);
        if !piece.is_empty() {
            pieces.blocking_send(Piece::Bytes(piece)).map_err(|_| Stop::Unwanted)?;
        }
        if !filled? {
            return Ok(());
        }
    }
}

/// Why the thread ends early.
enum Stop {
    Inflate(InflateError),
    /// The body is no longer read.
    Unwanted,
}

impl From<InflateError> for Stop {
    fn from(error: InflateError) -> Self {
        Self::Inflate(error)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::thread;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;
    use crate::inflate::{Coding, Limits};

    /// Numbers in no order, so that they stay large.
    fn body() -> Vec<u8> {
        let mut random = fastrand::Rng::with_seed(7);
        (0..200_000).flat_map(|_| random.u32(..).to_string().into_bytes()).collect()
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    async fn inflated(body: &[u8], threads: usize, limit: u64) -> (Vec<u8>, Result<(), InflateError>) {
        let mut inflating = Inflating::new(Inflate::new(Coding::Gzip, Limits::Answer(limit)).unwrap(), threads);
        let mut whole = Vec::new();
        let mut keep = |piece: &[u8]| {
            whole.extend_from_slice(piece);
            Ok(())
        };
        for chunk in body.chunks(10_000) {
            if let Err(broken) = inflating.push(chunk.to_vec(), &mut keep).await {
                return (whole, Err(broken));
            }
        }
        let result = inflating.finish(&mut keep).await;
        (whole, result)
    }

    #[tokio::test]
    async fn a_thread_gives_the_same_bytes_and_faults_as_none() {
        let body = body();
        let whole = gzip(&body);
        assert_eq!(inflated(&whole, 2, u64::MAX).await, (body, Ok(())));
        let mut corrupt = whole.clone();
        let late = corrupt.len() - 5000;
        corrupt[late] ^= 0x55;
        let cases = [(&whole[..late], u64::MAX), (&corrupt[..], u64::MAX), (&whole[..], 1_000_000)];
        for (body, limit) in cases {
            let (apart, here) = (inflated(body, 2, limit).await, inflated(body, 1, limit).await);
            assert!(here.1.is_err());
            assert_eq!(apart, here);
        }
    }

    #[test]
    fn the_thread_ends_when_nobody_takes_its_pieces() {
        let (chunks, incoming) = mpsc::channel(WAITING);
        let (outgoing, pieces) = mpsc::channel(1);
        let inflate = Inflate::new(Coding::Gzip, Limits::Own).unwrap();
        let thread = thread::spawn(move || inflate_all(inflate, incoming, &outgoing));
        chunks.blocking_send(Box::new(gzip(&body())) as Chunk).unwrap();
        drop(pieces);
        thread.join().unwrap();
        assert!(chunks.is_closed());
    }
}
