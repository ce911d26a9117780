//! What a message says of a byte that may not stand where it does: the byte itself, what was expected, and the usual
//! reason. It says nothing of the bytes that follow: how many of those are there depends on how the body arrives, and a
//! message must not.

use std::fmt;

use super::cursor::{Cursor, Stop};

/// What has to stand somewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::rows) enum Expected {
    Body,
    Results,
    Outer,
    Row,
    Key,
    Colon,
    Value,
    Digits,
    InObject,
    InArray,
    AfterRow,
    LineEnd,
    End,
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Body => "an object or an array",
            Self::Results => "the object that results come in",
            Self::Outer => "an object with the first name of `record_path`",
            Self::Row => "a row, which is an object",
            Self::Key => "a key",
            Self::Colon => "`:` after a key",
            Self::Value => "a JSON value",
            Self::Digits => "digits",
            Self::InObject => "`,` or `}` in an object",
            Self::InArray => "`,` or `]` in an array",
            Self::AfterRow => "`,` or `]` after a row",
            Self::LineEnd => "a line break after a row",
            Self::End => "the end of the body",
        })
    }
}

impl Cursor<'_> {
    /// The fault that something other than `expected` stands at the cursor.
    #[cold]
    pub(in crate::rows) fn unexpected(&self, expected: Expected) -> Stop {
        match self.bytes.get(self.at) {
            Some(&found) => {
                self.bad(format!("expected {expected}, found {}{}", shown(found), meaning(found, expected)))
            }
            None => self.bad(format!("expected {expected}")),
        }
    }
}

fn shown(byte: u8) -> String {
    if byte.is_ascii_graphic() { format!("`{}`", char::from(byte)) } else { format!("the byte 0x{byte:02x}") }
}

fn meaning(byte: u8, expected: Expected) -> &'static str {
    match (expected, byte) {
        (Expected::Body | Expected::Results | Expected::Outer, b'<') => " (is it HTML or XML?)",
        (Expected::Body, b'P') => " (is it plain text, Parquet or zip?)",
        (Expected::Body, b'B') => " (is it plain text, or compressed with bzip2?)",
        (Expected::Body, 0xfd) => " (is it compressed? xz begins so)",
        (Expected::Body | Expected::Results | Expected::Outer, b'a'..=b'z' | b'A'..=b'Z') => " (is it plain text?)",
        (Expected::Body | Expected::Results | Expected::Outer, 0x1f) => " (is it compressed? gzip begins so)",
        (Expected::Body | Expected::Results | Expected::Outer, b'(') => " (is it compressed? zstd begins so)",
        (Expected::Body | Expected::Results | Expected::Outer, 0xfe | 0xff) | (Expected::Row | Expected::Key, 0x00) => {
            " (is it UTF-16? JSON is UTF-8)"
        }
        (Expected::Row, b'[') => " (an array has no names for its columns)",
        (Expected::Row, b'"' | b'-' | b'0'..=b'9' | b'n' | b't' | b'f') => {
            " (a value alone has no name for its column)"
        }
        (Expected::Key, b'\'' | b'_' | b'a'..=b'z' | b'A'..=b'Z') => " (keys are written in double quotes)",
        (Expected::Value, b'\'') => " (strings are written in double quotes)",
        (Expected::Value | Expected::Digits, b'N' | b'I') => {
            " (JSON has no NaN, Infinity or None: it has to be written as `null`)"
        }
        (Expected::Value | Expected::Digits, b'T' | b'F' | b'n' | b't' | b'f' | b'u') => {
            " (JSON knows `null`, `true`, `false` and finite numbers)"
        }
        (Expected::Value, b'}') => " (is a value missing?)",
        (Expected::End, b'{' | b'[') => " (is it another body? each is read by itself, and `concat` joins them)",
        (Expected::Outer, b'[') => {
            " (`record_path` leads through objects only: read each element by itself and join them with `concat`)"
        }
        (Expected::Value | Expected::Row | Expected::Key, b',' | b']' | b'}') => " (is there a comma too many?)",
        (_, b'/' | b'#') => " (JSON knows no comments)",
        (_, 0xc2) => " (a no-break space begins so)",
        (_, 0xe2) => " (a typographic quote begins so; JSON's is `\"`)",
        (_, 0xef) => " (a byte order mark begins so: were files joined?)",
        (_, 0x1e) => " (are these text sequences? lines are separated by line breaks alone)",
        (Expected::LineEnd, b',') => " (are the lines an array? it stands in `[` and `]`)",
        (Expected::LineEnd, b'{') => " (each object stands on a line of its own)",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_found_is_told_and_what_it_mostly_means() {
        for (body, expected, told) in [
            ("<html>", Expected::Body, "an object or an array, found `<` (is it HTML or XML?)"),
            ("Internal Server Error", Expected::Body, "an object or an array, found `I` (is it plain text?)"),
            ("\u{1f}", Expected::Body, "an object or an array, found the byte 0x1f (is it compressed? gzip begins so)"),
            ("PAR1", Expected::Body, "an object or an array, found `P` (is it plain text, Parquet or zip?)"),
            ("BZh9", Expected::Body, "an object or an array, found `B` (is it plain text, or compressed with bzip2?)"),
            ("[1]", Expected::Row, "a row, which is an object, found `[` (an array has no names for its columns)"),
            ("null", Expected::Row, "a row, which is an object, found `n` (a value alone has no name for its column)"),
            ("]", Expected::Row, "a row, which is an object, found `]` (is there a comma too many?)"),
            ("}", Expected::Key, "a key, found `}` (is there a comma too many?)"),
            ("name", Expected::Key, "a key, found `n` (keys are written in double quotes)"),
            ("}", Expected::Value, "a JSON value, found `}` (is a value missing?)"),
            (
                "NaN",
                Expected::Value,
                "a JSON value, found `N` (JSON has no NaN, Infinity or None: it has to be written as `null`)",
            ),
            (
                "True",
                Expected::Value,
                "a JSON value, found `T` (JSON knows `null`, `true`, `false` and finite numbers)",
            ),
            ("]", Expected::InObject, "`,` or `}` in an object, found `]`"),
            ("N", Expected::InObject, "`,` or `}` in an object, found `N`"),
            (
                "[",
                Expected::End,
                "the end of the body, found `[` (is it another body? each is read by itself, and `concat` joins them)",
            ),
            ("“", Expected::Key, "a key, found the byte 0xe2 (a typographic quote begins so; JSON's is `\"`)"),
            (
                ",",
                Expected::LineEnd,
                "a line break after a row, found `,` (are the lines an array? it stands in `[` and `]`)",
            ),
            ("", Expected::Row, "a row, which is an object"),
        ] {
            let Stop::Bad(fault) = Cursor::new(body.as_bytes(), true).unexpected(expected) else { panic!("{body}") };
            assert_eq!((fault.at, fault.message), (0, format!("expected {told}")));
        }
    }
}
