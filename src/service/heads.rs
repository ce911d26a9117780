//! The heads of requests as they come in, looked at before hyper reads them.
//!
//! A head that names a length and chunks, too, ends in two places, and what one reader takes for the body is the next
//! request to another. RFC 9112 (section 6.3) lets a server drop the length and read on; this one refuses. Hyper may
//! drop the length without a trace, so that it has to be seen here.

use std::collections::VecDeque;

/// The longest line that is kept: the two names that matter and a length fit into it.
const KEPT: usize = 64;

/// Finds the heads in the bytes of one connection.
#[derive(Debug, Default)]
pub(super) struct Heads {
    place: Place,
    line: Vec<u8>,
    is_first_line: bool,
    length: Option<u64>,
    has_chunks: bool,
    /// Of each head that has come in and was not asked for yet: whether it ends in two places.
    verdicts: VecDeque<bool>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq)]
enum Place {
    #[default]
    Head,
    /// In a body, so many bytes before its end.
    Body(u64),
    /// After chunks, where nothing is looked at: the connection ends with this request.
    Lost,
}

impl Heads {
    /// Takes in what was read from the connection.
    pub(super) fn see(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            match self.place {
                Place::Lost => return,
                Place::Body(left) => {
                    let taken = left.min(bytes.len() as u64);
                    bytes = &bytes[taken as usize..];
                    self.place = if left == taken { Place::Head } else { Place::Body(left - taken) };
                }
                Place::Head => {
                    let end = bytes.iter().position(|byte| *byte == b'\n');
                    let piece = &bytes[..end.unwrap_or(bytes.len())];
                    self.line.extend_from_slice(&piece[..piece.len().min(KEPT.saturating_sub(self.line.len()))]);
                    bytes = end.map_or(&[][..], |end| &bytes[end + 1..]);
                    if end.is_some() {
                        self.end_line();
                    }
                }
            }
        }
    }

    /// Whether the next request ends in two places, and whether it is the last that can be told apart.
    pub(super) fn next(&mut self) -> Verdict {
        let is_torn = self.verdicts.pop_front().unwrap_or_default();
        Verdict { is_torn, is_last: self.place == Place::Lost }
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        let line = line.strip_suffix(b"\r").unwrap_or(&line);
        match line.iter().position(|byte| *byte == b':') {
            _ if line.is_empty() && !self.is_first_line => {}
            _ if line.is_empty() => self.end_head(),
            Some(colon) if self.is_first_line => self.header(&line[..colon], &line[colon + 1..]),
            _ => self.is_first_line = true,
        }
    }

    fn header(&mut self, name: &[u8], value: &[u8]) {
        if name.eq_ignore_ascii_case(b"transfer-encoding") {
            self.has_chunks = true;
        } else if name.eq_ignore_ascii_case(b"content-length") {
            let number = std::str::from_utf8(value).ok().and_then(|value| value.trim().parse().ok());
            // A length that is no number is refused by hyper, and nothing follows.
            self.length = Some(number.unwrap_or(0));
        }
    }

    fn end_head(&mut self) {
        self.verdicts.push_back(self.has_chunks && self.length.is_some());
        self.place = match self.length {
            _ if self.has_chunks => Place::Lost,
            Some(length) if length > 0 => Place::Body(length),
            _ => Place::Head,
        };
        (self.is_first_line, self.length, self.has_chunks) = (false, None, false);
    }
}

/// What is known of a request by its framing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Verdict {
    /// It names a length and chunks.
    pub(super) is_torn: bool,
    /// Where the next begins is not known here.
    pub(super) is_last: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(text: &str, step: usize) -> Vec<bool> {
        let mut heads = Heads::default();
        text.as_bytes().chunks(step).for_each(|piece| heads.see(piece));
        heads.verdicts.into_iter().collect()
    }

    #[test]
    fn a_head_with_two_ends_is_found_wherever_the_bytes_are_cut_and_whatever_comes_before() {
        let good = "GET / HTTP/1.1\r\nHost: a\r\n\r\nPOST / HTTP/1.1\r\nContent-Length: 46\r\n\r\nContent-Length: 1\r\nTransfer-Encoding: chunked";
        let both = "\r\nPOST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nX: y\r\ncontent-length : 5\r\nContent-Length: 5\r\n\r\n0";
        for step in [1, 2, 7, 4096] {
            assert_eq!(seen(&format!("{good}{both}"), step), [false, false, true], "{step}");
        }
    }

    #[test]
    fn long_lines_are_not_kept_and_bare_line_feeds_end_them_too() {
        let long = format!("GET /{} HTTP/1.1\nX: {}\n\n", "x".repeat(100_000), "y".repeat(100_000));
        let mut heads = Heads::default();
        heads.see(long.as_bytes());
        assert!(heads.line.capacity() <= 2 * KEPT && heads.verdicts == [false]);
    }
}
