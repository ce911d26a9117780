//! Request bodies: read within bounds of size and time, and read to their end when they were refused.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use http_body_util::{BodyExt, LengthLimitError, Limited};

use super::response::Refusal;

/// The longest body that is read: 2 MiB, some twenty thousand addresses.
const MAX_BYTES: usize = 2 * 1024 * 1024;

/// How long a body may take, from its first byte to its last.
const TIME: Duration = Duration::from_secs(10);

/// How much of a refused body is read, and how long, so that a caller who is still sending gets to see the answer.
const DISCARDED_BYTES: usize = 64 * 1024 * 1024;

/// Reads the body of a run request.
pub(super) async fn read(request: Request) -> Result<Bytes, Refusal> {
    let (head, body) = request.into_parts();
    check_type(&head.headers)?;
    if body.size_hint().lower() > MAX_BYTES as u64 {
        return Err(too_large());
    }
    match tokio::time::timeout(TIME, Limited::new(body, MAX_BYTES).collect()).await {
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_large()),
        Ok(Err(_)) => Err(Refusal::new(StatusCode::BAD_REQUEST, "bad_body", "the body ended early or is malformed")),
        Err(_) => Err(Refusal::new(StatusCode::REQUEST_TIMEOUT, "timeout", "the body took longer than 10 s")),
    }
}

fn too_large() -> Refusal {
    let message = format!("a body must not be longer than {MAX_BYTES} bytes");
    Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, "body_too_large", message)
}

/// Bodies are JSON, not compressed. A request that does not say what it brings is taken at its bytes.
fn check_type(headers: &HeaderMap) -> Result<(), Refusal> {
    let refused = |message: &str| Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", message);
    let is_plain = |value: &header::HeaderValue| value.as_bytes().eq_ignore_ascii_case(b"identity");
    if !headers.get_all(header::CONTENT_ENCODING).iter().all(is_plain) {
        return Err(refused("a body must not be compressed"));
    }
    let is_json = |value: &header::HeaderValue| {
        let essence =
            value.to_str().unwrap_or_default().split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        essence == "application/json" || (essence.starts_with("application/") && essence.ends_with("+json"))
    };
    if headers.get_all(header::CONTENT_TYPE).iter().all(is_json) {
        Ok(())
    } else {
        Err(refused("the body must be sent as `Content-Type: application/json`"))
    }
}

/// Sees to it that a body nobody wanted is read on after the answer.
///
/// Without that, closing the connection while bytes are still coming in makes the system drop the answer on its way.
pub(super) async fn read_on(request: Request, next: Next) -> Response {
    let waits = request.headers().contains_key(header::EXPECT);
    let wrap = |body: Body| if waits { body } else { Body::new(Leftover(Some(body))) };
    next.run(request.map(wrap)).await
}

/// A body that is read on, within bounds, when it is dropped before its end.
struct Leftover(Option<Body>);

impl HttpBody for Leftover {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<hyper::body::Frame<Bytes>, axum::Error>>> {
        let Some(body) = self.0.as_mut() else { return Poll::Ready(None) };
        let frame = Pin::new(body).poll_frame(context);
        if let Poll::Ready(None | Some(Err(_))) = frame {
            self.0 = None;
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.0.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> hyper::body::SizeHint {
        self.0.as_ref().map(HttpBody::size_hint).unwrap_or_default()
    }
}

impl Drop for Leftover {
    fn drop(&mut self) {
        let Some(body) = self.0.take().filter(|body| !body.is_end_stream()) else { return };
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        runtime.spawn(tokio::time::timeout(TIME, discard(body)));
    }
}

async fn discard(mut body: Body) {
    let mut discarded = 0;
    while let Some(Ok(frame)) = body.frame().await {
        discarded += frame.data_ref().map_or(0, Bytes::len);
        if discarded > DISCARDED_BYTES {
            return;
        }
    }
}
