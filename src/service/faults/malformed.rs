//! Answers that are not HTTP, byte by byte.

use std::fmt::Write as _;

use axum::body::Bytes;

use super::fault::Malformed;
use super::script::Step;

/// A second answer where there must be none.
const FORGED: &str =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 23\r\n\r\n{\"usd_remaining\":999999}";

/// What is sent instead of the answer with this body.
pub(super) fn steps(how: Malformed, body: &Bytes) -> Box<dyn Iterator<Item = Step> + Send> {
    let text = match how {
        Malformed::EndlessHints => {
            let hint = Bytes::from_static(b"HTTP/1.1 103 Early Hints\r\nLink: </>; rel=preload\r\n\r\n");
            return Box::new(std::iter::repeat_with(move || Step::Send(hint.clone())));
        }
        Malformed::StatusLine => "HTTP/1.1 fine OK\r\nContent-Length: 2\r\n\r\n{}".to_owned(),
        Malformed::Header => head("this line has no colon\r\nContent-Length: 2\r\n") + "{}",
        Malformed::DoubleLength => {
            let length = body.len();
            return followed(head(&format!("Content-Length: {length}\r\nContent-Length: {}\r\n", length + 7)), body);
        }
        Malformed::NegativeLength => return followed(head("Content-Length: -1\r\n"), body),
        Malformed::ShortLength => {
            let sent = head(&format!("Content-Length: {}\r\n", body.len()));
            return Box::new([sent.into(), body.clone(), Bytes::from(FORGED)].into_iter().map(Step::Send));
        }
        Malformed::LengthAndChunks => {
            let lines = format!("Content-Length: {}\r\nTransfer-Encoding: chunked\r\n", body.len());
            let chunk = format!("{:x}\r\n", body.len());
            let sent = [head(&lines).into(), chunk.into(), body.clone(), Bytes::from_static(b"\r\n0\r\n\r\n")];
            return Box::new(sent.into_iter().map(Step::Send));
        }
        Malformed::ChunkSize => head("Transfer-Encoding: chunked\r\n") + "many\r\n{}\r\n0\r\n\r\n",
        Malformed::ManyHeaders => {
            let mut lines = String::from("Content-Length: 2\r\n");
            for number in 0..1000 {
                let _ = write!(lines, "X-Header-{number}: {number}\r\n");
            }
            head(&lines) + "{}"
        }
        Malformed::LongHeader => head(&format!("Content-Length: 2\r\nX-Long: {}\r\n", "x".repeat(1 << 20))) + "{}",
        Malformed::Noise => "\u{16}\u{3}\u{1} this is no HTTP at all\r\n\r\n".to_owned(),
    };
    Box::new(std::iter::once(Step::Send(text.into())))
}

fn head(lines: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n{lines}\r\n")
}

fn followed(head: String, body: &Bytes) -> Box<dyn Iterator<Item = Step> + Send> {
    Box::new([Bytes::from(head), body.clone()].into_iter().map(Step::Send))
}
