//! What comes back: its head, and its body piece by piece.

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::header::HeaderName;

use super::failure::Failure;
use super::framing;

/// The head of an answer, with its body still to come.
pub(in crate::client) struct Response(pub(super) hyper::Response<Incoming>);

impl Response {
    pub(in crate::client) fn status(&self) -> u16 {
        self.0.status().as_u16()
    }

    /// The first header of this name, where it is text.
    pub(in crate::client) fn header(&self, name: &str) -> Option<&str> {
        self.0.headers().get(name)?.to_str().ok()
    }

    /// All headers of this name; what is not text is told as junk.
    pub(in crate::client) fn headers<'a>(&'a self, name: &'static str) -> impl Iterator<Item = &'a str> {
        let values = self.0.headers().get_all(HeaderName::from_static(name)).iter();
        values.map(|value| value.to_str().unwrap_or("junk"))
    }

    /// Whether the body is compressed, or what else an encoding may do to it.
    pub(in crate::client) fn is_encoded(&self) -> bool {
        self.headers("content-encoding").any(|named| !matches!(named.trim(), "" | "identity"))
    }

    /// Whether only the end of the connection ends the body, so that a broken one looks like a whole one.
    pub(in crate::client) fn ends_with_connection(&self) -> bool {
        framing::ends_with_connection(self.0.version(), self.0.headers())
    }

    /// The next bytes of the body as they arrive, `None` at its end.
    pub(in crate::client) async fn chunk(&mut self) -> Result<Option<Bytes>, Failure> {
        while let Some(frame) = self.0.body_mut().frame().await {
            // What is no data is trailers, which nobody has a use for.
            if let Ok(bytes) = frame.map_err(Failure::broken)?.into_data() {
                return Ok(Some(bytes));
            }
        }
        Ok(None)
    }
}
