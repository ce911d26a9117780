//! What happens on the wire where HTTP has no word for it: bytes, pauses, and how the connection ends.

use std::fmt::Write as _;
use std::io;
use std::time::Duration;

use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::http::response::Parts;
use axum::response::Response;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::altered::whole;
use super::fault::{Fault, Framing};
use super::malformed;
use crate::service::clock::Clock;

/// What a connection does instead of answering; it ends with it.
pub(in crate::service) struct Script {
    steps: Box<dyn Iterator<Item = Step> + Send>,
    end: End,
}

pub(super) enum Step {
    Send(Bytes),
    /// By the service's clock; `None` until the caller leaves.
    Wait(Option<Duration>),
}

#[derive(Debug, Clone, Copy)]
enum End {
    Close,
    Reset,
}

impl Script {
    /// What a fault makes of an answer.
    pub(in crate::service) async fn of(fault: &Fault, response: Response) -> Self {
        let seconds = |seconds: f64| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        let (head, body) = whole(response).await;
        let steps: Box<dyn Iterator<Item = Step> + Send> = match fault {
            Fault::Reset { .. } => return Self { steps: Box::new(std::iter::empty()), end: End::Reset },
            Fault::Hang { seconds: pause, .. } => {
                let answer = [lines(&head, Framing::Length, body.len()), body].into_iter().map(Step::Send);
                Box::new(std::iter::once(Step::Wait(pause.map(seconds))).chain(answer))
            }
            Fault::Cut { at, framing } => {
                let sent = body.slice(..at.of(body.len()));
                let chunk = match framing {
                    // A chunk that promises all of the body.
                    Framing::Chunked => Bytes::from(format!("{:x}\r\n", body.len())),
                    Framing::Length | Framing::Close => Bytes::new(),
                };
                Box::new([lines(&head, *framing, body.len()), chunk, sent].into_iter().map(Step::Send))
            }
            Fault::Stall { at, seconds: pause } => {
                let at = at.of(body.len());
                let first = Bytes::from([lines(&head, Framing::Length, body.len()), body.slice(..at)].concat());
                Box::new([Step::Send(first), Step::Wait(pause.map(seconds)), Step::Send(body.slice(at..))].into_iter())
            }
            Fault::Drip { bytes, every } => {
                let (bytes, pause, length) = (*bytes, seconds(*every), body.len());
                let first = std::iter::once(Step::Send(lines(&head, Framing::Length, length)));
                let drop = move |at: usize| {
                    let drop = body.slice(at..at.saturating_add(bytes).min(length));
                    [Step::Send(drop), Step::Wait(Some(pause))]
                };
                Box::new(first.chain((0..length).step_by(bytes).flat_map(drop)))
            }
            Fault::Malformed { how } => malformed::steps(*how, &body),
            _ => Box::new(std::iter::empty()),
        };
        Self { steps, end: End::Close }
    }
}

/// Plays a script on a connection, until it is over or the caller has left.
pub(in crate::service) async fn perform(mut stream: TcpStream, script: Script, clock: &Clock) {
    // Before a byte is sent, so that a caller who has seen one can advance the clock and be sure that it counts.
    let mut until = clock.pacing();
    for step in script.steps {
        let played = match step {
            Step::Send(bytes) => stream.write_all(&bytes).await,
            Step::Wait(None) => {
                left(&stream).await;
                Err(io::ErrorKind::ConnectionAborted.into())
            }
            Step::Wait(Some(pause)) => {
                until = until.saturating_add(pause);
                tokio::select! {
                    () = clock.reach(until) => Ok(()),
                    () = left(&stream) => Err(io::ErrorKind::ConnectionAborted.into()),
                }
            }
        };
        if played.is_err() {
            return;
        }
    }
    let _ = match script.end {
        End::Close => stream.shutdown().await,
        // Closing a socket that lingers for no time sends a reset.
        End::Reset => stream.set_zero_linger(),
    };
}

/// Ends when the caller has closed the connection.
async fn left(stream: &TcpStream) {
    let mut unread = [0; 1024];
    while stream.readable().await.is_ok() {
        match stream.try_read(&mut unread) {
            Ok(0) => return,
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(_) => return,
        }
    }
}

/// The head of an answer as text, with the framing it is to have.
fn lines(head: &Parts, framing: Framing, length: usize) -> Bytes {
    let status = head.status;
    let mut text =
        format!("HTTP/1.1 {} {}\r\n", status.as_u16(), status.canonical_reason().unwrap_or("Fault")).into_bytes();
    let mut line = String::from("connection: close\r\n");
    let _ = match framing {
        Framing::Length => write!(line, "content-length: {length}\r\n"),
        Framing::Chunked => write!(line, "transfer-encoding: chunked\r\n"),
        Framing::Close => Ok(()),
    };
    text.extend_from_slice(line.as_bytes());
    push_headers(&mut text, &head.headers);
    text.extend_from_slice(b"\r\n");
    text.into()
}

fn push_headers(text: &mut Vec<u8>, headers: &HeaderMap) {
    for (name, value) in headers.iter().filter(|(name, _)| !matches!(name.as_str(), "content-length" | "connection")) {
        text.extend_from_slice(name.as_str().as_bytes());
        text.extend_from_slice(b": ");
        text.extend_from_slice(value.as_bytes());
        text.extend_from_slice(b"\r\n");
    }
}
