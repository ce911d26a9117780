//! Compressed answers: honest ones, broken ones, ones under a false name, and small ones that become large.

use std::io::{self, Write};

use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, header};
use axum::response::Response;
use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};
use futures_util::stream;

use super::altered::{whole, with_body};
use super::fault::Coding;

/// Blanks are compressed this many at a time.
static BLANKS: [u8; 1 << 16] = [b' '; 1 << 16];

/// Compresses the body of an answer.
pub(super) async fn encoded(response: Response, coding: Coding, declared: Option<&str>, corrupt: bool) -> Response {
    let (mut head, body) = whole(response).await;
    let mut encoder = Encoder::new(coding);
    let mut bytes = encoder.push(&body).and_then(|()| encoder.finish()).unwrap_or_default();
    if corrupt {
        // In the middle, so that what begins well goes wrong, and checksums notice what decoders do not.
        let middle = bytes.len() / 2;
        bytes.iter_mut().skip(middle).take(8).for_each(|byte| *byte = !*byte);
    }
    let name = declared.unwrap_or(coding.name());
    if let Ok(name) = HeaderValue::from_str(name) {
        head.headers.insert(header::CONTENT_ENCODING, name);
    }
    with_body(head, bytes)
}

/// Compresses the body of an answer and blanks after it, `bytes` in all, made while they are sent.
pub(super) async fn bomb(response: Response, coding: Coding, bytes: u64) -> Response {
    let (mut head, body) = whole(response).await;
    head.headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(coding.name()));
    head.headers.remove(header::CONTENT_LENGTH);
    let mut encoder = Some(Encoder::new(coding));
    let mut first = Some(body.clone());
    let mut left = bytes.saturating_sub(body.len() as u64);
    let pieces = std::iter::from_fn(move || {
        let mut piece = Vec::new();
        while piece.is_empty() {
            let open = encoder.as_mut()?;
            let written = match first.take() {
                Some(body) => open.push(&body),
                None if left > 0 => {
                    let blanks = left.min(BLANKS.len() as u64);
                    left -= blanks;
                    open.push(&BLANKS[..blanks as usize])
                }
                None => {
                    let last = encoder.take().and_then(|encoder| encoder.finish().ok()).unwrap_or_default();
                    return Some(Ok::<_, io::Error>(Bytes::from(last)));
                }
            };
            if let Err(error) = written {
                return Some(Err(error));
            }
            piece = open.taken();
        }
        Some(Ok(Bytes::from(piece)))
    });
    Response::from_parts(head, Body::from_stream(stream::iter(pieces)))
}

/// One of the three, writing into memory.
enum Encoder {
    Gzip(GzEncoder<Vec<u8>>),
    Deflate(ZlibEncoder<Vec<u8>>),
    Zstd(zstd::Encoder<'static, Vec<u8>>),
}

impl Encoder {
    fn new(coding: Coding) -> Self {
        match coding {
            Coding::Gzip => Self::Gzip(GzEncoder::new(Vec::new(), Compression::fast())),
            Coding::Deflate => Self::Deflate(ZlibEncoder::new(Vec::new(), Compression::fast())),
            Coding::Zstd => {
                Self::Zstd(zstd::Encoder::new(Vec::new(), 1).expect("level 1 exists, and memory takes every byte"))
            }
        }
    }

    fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Gzip(encoder) => encoder.write_all(bytes),
            Self::Deflate(encoder) => encoder.write_all(bytes),
            Self::Zstd(encoder) => encoder.write_all(bytes),
        }
    }

    /// What was compressed so far and not taken yet.
    fn taken(&mut self) -> Vec<u8> {
        std::mem::take(match self {
            Self::Gzip(encoder) => encoder.get_mut(),
            Self::Deflate(encoder) => encoder.get_mut(),
            Self::Zstd(encoder) => encoder.get_mut(),
        })
    }

    fn finish(self) -> io::Result<Vec<u8>> {
        match self {
            Self::Gzip(encoder) => encoder.finish(),
            Self::Deflate(encoder) => encoder.finish(),
            Self::Zstd(encoder) => encoder.finish(),
        }
    }
}
