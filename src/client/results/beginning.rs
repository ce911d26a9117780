//! How a results body began, which tells what it is: JSON, CSV, or a page in place of either.

use crate::client::error::Error;
use crate::client::response::json::not_json;
use crate::rows::BOM;

/// How much of the beginning is kept.
const MOST: usize = 4096;

/// The first bytes of a body, and what it was said to be.
#[derive(Debug, Default)]
pub(super) struct Beginning {
    content_type: Option<String>,
    head: Vec<u8>,
}

impl Beginning {
    pub(super) fn of_type(content_type: Option<&str>) -> Self {
        Self { content_type: content_type.map(str::to_owned), head: Vec::new() }
    }

    /// Keeps of these bytes what there is room for.
    pub(super) fn take(&mut self, bytes: &[u8]) {
        let room = MOST - self.head.len();
        self.head.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    pub(super) fn head(&self) -> &[u8] {
        &self.head
    }

    /// Whether no more is kept.
    pub(super) fn is_full(&self) -> bool {
        self.head.len() == MOST
    }

    /// Whether nothing but space came.
    pub(super) fn is_blank(&self) -> bool {
        self.head.trim_ascii().is_empty()
    }

    /// Whether the body is CSV, as it was said to be: many a service says so of JSON, too. `None` until a byte is there
    /// that tells.
    pub(super) fn is_csv(&self) -> Option<bool> {
        if !self.is_called_csv() {
            return Some(false);
        }
        match self.first() {
            None if self.is_full() => Some(true),
            None => None,
            Some(first) => Some(!begins_json(first)),
        }
    }

    /// Whether it may be rows, which come as JSON or are called CSV.
    pub(super) fn is_results(&self) -> bool {
        self.is_called_csv() || self.first().is_some_and(begins_json)
    }

    /// The error of what is none.
    pub(super) fn no_results(&self) -> Error {
        let what = not_json(&self.head, self.content_type.as_deref());
        Error::bad_response(format!("the answer for the results is {what}")).with_excerpt(&self.head)
    }

    /// Whether the mark of an encoding came and nothing after it.
    pub(super) fn ends_in_mark(&self) -> bool {
        !self.is_blank() && self.first().is_none()
    }

    fn is_called_csv(&self) -> bool {
        let kind = self.content_type.as_deref().and_then(|kind| kind.split(';').next()).unwrap_or_default();
        kind.trim().eq_ignore_ascii_case("text/csv")
    }

    /// The first byte that is neither space nor of the mark of its encoding.
    fn first(&self) -> Option<u8> {
        if self.head.len() < BOM.len() && BOM.starts_with(&self.head) {
            return None;
        }
        let head = self.head.strip_prefix(BOM).unwrap_or(&self.head);
        head.trim_ascii_start().first().copied()
    }
}

fn begins_json(first: u8) -> bool {
    matches!(first, b'{' | b'[')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_csv(content_type: &str, head: &[u8]) -> Option<bool> {
        let mut beginning = Beginning::of_type(Some(content_type));
        head.iter().for_each(|byte| beginning.take(&[*byte]));
        beginning.is_csv()
    }

    #[test]
    fn csv_is_what_is_called_so_and_does_not_begin_as_json() {
        for json in [&b"{"[..], b"[", b" \r\n{", b"\xef\xbb\xbf{", b"\xef\xbb\xbf\t["] {
            assert_eq!(is_csv("Text/CSV; charset=utf-8", json), Some(false), "{json:?}");
        }
        for csv in [&b"a"[..], b" a,b", b"\xef\xbb\xbfid", b"\"", b"\xefb"] {
            assert_eq!(is_csv("text/csv", csv), Some(true), "{csv:?}");
            assert_eq!(is_csv("application/json", csv), Some(false), "{csv:?}");
        }
    }

    #[test]
    fn what_does_not_tell_yet_is_waited_for_but_not_for_ever() {
        for open in [&b""[..], b" ", b"\r\n", b"\xef", b"\xef\xbb", b"\xef\xbb\xbf", b"\xef\xbb\xbf "] {
            assert_eq!(is_csv("text/csv", open), None, "{open:?}");
        }
        assert_eq!(is_csv("text/csv", &[b' '; MOST]), Some(true));
    }
}
