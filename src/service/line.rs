//! A connection between hyper and the socket: its heads are looked at, what hyper refuses by itself gets a body, and a
//! fault can take it out of hyper's hands.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use super::heads::{Heads, Verdict};
use super::router::NUMBER;
use crate::lock::lock;

/// A stream that reads and writes until it is taken; after that it is closed to whoever still holds it.
#[derive(Debug, Clone)]
pub(super) struct Line(Arc<Mutex<Inner>>);

#[derive(Debug)]
struct Inner {
    stream: Option<TcpStream>,
    heads: Heads,
    /// The rest of what is sent instead of what hyper would send.
    instead: Option<Vec<u8>>,
}

impl Line {
    pub(super) fn new(stream: TcpStream) -> Self {
        let heads = Heads::default();
        Self(Arc::new(Mutex::new(Inner { stream: Some(stream), heads, instead: None })))
    }

    /// Takes the stream out of the hands of whoever reads and writes here.
    pub(super) fn take(&self) -> Option<TcpStream> {
        self.lock().stream.take()
    }

    /// What is known of the framing of the request that hyper has just read.
    pub(super) fn begin(&self) -> Verdict {
        self.lock().heads.next()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        lock(&self.0)
    }
}

impl Inner {
    fn stream(&mut self) -> io::Result<Pin<&mut TcpStream>> {
        self.stream.as_mut().map(Pin::new).ok_or_else(|| io::ErrorKind::NotConnected.into())
    }

    /// Sends a refusal with a body in the place of an empty one, and says how much of the other that was: all.
    fn poll_instead(&mut self, context: &mut Context<'_>, length: usize) -> Poll<io::Result<usize>> {
        while let Some(mut rest) = self.instead.take() {
            match self.stream()?.poll_write(context, &rest) {
                Poll::Ready(written) => drop(rest.drain(..written?)),
                Poll::Pending => {
                    self.instead = Some(rest);
                    return Poll::Pending;
                }
            }
            self.instead = (!rest.is_empty()).then_some(rest);
        }
        Poll::Ready(Ok(length))
    }
}

impl AsyncRead for Line {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let mut inner = self.lock();
        let before = into.filled().len();
        ready!(inner.stream()?.poll_read(context, into))?;
        inner.heads.see(&into.filled()[before..]);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Line {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let mut inner = self.lock();
        if inner.instead.is_none() {
            inner.instead = refusal(bytes);
        }
        if inner.instead.is_some() {
            return inner.poll_instead(context, bytes.len());
        }
        inner.stream()?.poll_write(context, bytes)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match pieces {
            [only] => self.poll_write(context, only),
            _ => self.lock().stream()?.poll_write_vectored(context, pieces),
        }
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.lock().stream()?.poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.lock().stream()?.poll_shutdown(context)
    }
}

/// The refusal that hyper would send without a body, with one. Answers of the service itself have a number.
fn refusal(bytes: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(bytes).ok()?;
    let status = text.strip_prefix("HTTP/1.1 4")?.get(..2)?;
    let rest = text.strip_suffix("\r\n\r\n").filter(|text| text.contains("\r\ncontent-length: 0"))?;
    if rest.contains(NUMBER) {
        return None;
    }
    let (code, message) = match status {
        "14" => ("uri_too_long", "the address is too long"),
        "31" => ("head_too_large", "the head of the request is too long or has too many headers"),
        "08" => ("timeout", "the head of the request took too long"),
        _ => ("bad_request", "this is not a request as HTTP has it"),
    };
    let body = format!(r#"{{"error":"{code}","message":"{message}"}}"#);
    let length = format!("\r\ncontent-type: application/json\r\ncontent-length: {}", body.len());
    let head = rest.replacen("\r\ncontent-length: 0", &length, 1);
    Some(format!("{head}\r\n\r\n{body}").into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_empty_refusal_gets_another_body() {
        let empty = b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\ndate: now\r\n\r\n";
        let text = String::from_utf8(refusal(empty).unwrap()).unwrap();
        assert!(text.contains("date: now\r\n\r\n{\"error\":\"head_too_large\""), "{text}");
        assert!(refusal(b"HTTP/1.1 404 Not Found\r\ncontent-length: 2\r\n\r\n{}").is_none());
        assert!(refusal(b"HTTP/1.1 404 Not Found\r\nx-request-id: req-1\r\ncontent-length: 0\r\n\r\n").is_none());
        assert!(refusal(b"HTTP/1.1 204 No Content\r\ncontent-length: 0\r\n\r\n").is_none());
    }
}
