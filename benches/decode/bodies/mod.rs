//! Bodies of rows made up from a seed: of the eight shapes in `benches/bodies.py` (`raced`), and of those that only
//! instructions are counted of (`counted`).

mod counted;
mod pieces;
mod raced;

use std::fmt::Write as _;

use bytes::Bytes;
use fastrand::Rng;
use serde_json::Value;

use counted::{html, maps, numbers, outlines, reordered};
use raced::{comments, drifting, escaped, events, feed, long_text, places, sparse};

/// Makes a row, from a source of randomness and how far into the body it stands (0 to 1).
type MakeRow = fn(&mut Rng, f64) -> Value;

/// What a body may hold, by name.
pub(crate) const KINDS: [(&str, MakeRow); 8] = [
    ("events", events),
    ("comments", comments),
    ("places", places),
    ("feed", feed),
    ("sparse", sparse),
    ("drifting", drifting),
    ("escaped", escaped),
    ("long-text", long_text),
];

/// More of them, which no peer reads: each member on a line of its own, objects with too many keys for a struct, text
/// with short escapes, lists of numbers, numbers of now this and now that length, and members that are left out or stand
/// in another order.
pub(crate) const MORE_KINDS: [(&str, MakeRow); 6] = [
    ("indented", events),
    ("maps", maps),
    ("html", html),
    ("outlines", outlines),
    ("numbers", numbers),
    ("reordered", reordered),
];

/// A body in the forms that peers read.
pub(crate) struct Body {
    pub(crate) name: &'static str,
    pub(crate) rows: usize,
    /// As the service sends it.
    pub(crate) envelope: Bytes,
    /// A row a line.
    pub(crate) lines: Vec<u8>,
}

/// A body of at least so many bytes.
pub(crate) fn body(name: &str, bytes: usize) -> Body {
    let (name, row) = *KINDS.iter().chain(&MORE_KINDS).find(|(kind, _)| *kind == name).expect("a kind there is");
    let mut random = Rng::with_seed(name.len() as u64);
    let (mut lines, mut data, mut rows) = (Vec::with_capacity(bytes + (16 << 10)), Vec::new(), 0);
    while data.len() < bytes {
        let value = row(&mut random, data.len() as f64 / bytes as f64);
        let text = match name {
            "escaped" => in_ascii(&value.to_string()),
            "indented" => format!("{value:#}"),
            _ => value.to_string(),
        };
        lines.extend_from_slice(text.as_bytes());
        lines.push(b'\n');
        data.extend_from_slice(if rows == 0 { b"" } else { b"," });
        data.extend_from_slice(text.as_bytes());
        rows += 1;
    }
    let mut envelope = format!("{{\"status\":\"completed\",\"row_count\":{rows},\"data\":[").into_bytes();
    envelope.append(&mut data);
    envelope.extend_from_slice(b"]}");
    Body { name, rows, envelope: envelope.into(), lines }
}

/// JSON text with every character beyond ASCII as escapes.
fn in_ascii(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 3);
    for character in text.chars() {
        if character.is_ascii() {
            out.push(character);
        } else {
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units) {
                write!(out, "\\u{unit:04x}").unwrap();
            }
        }
    }
    out
}
