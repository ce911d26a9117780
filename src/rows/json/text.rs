//! Strings: taken from the body, and written.

use super::cursor::{Cursor, ReadResult, Stop};
use super::escape::{Unescaped, append_blocks, append_plain, escape, push};
use super::scan::{self, BLOCK};
use crate::rows::memory::{Tail, Values};

/// A text no longer than this is appended by copying exactly so many bytes, however short it is: that is a few moves,
/// where a copy of any other number of bytes is a call. What was copied beyond the text is overwritten by the next one.
pub(in crate::rows) const LOADED: usize = 64;

/// What is said of bytes that are no text.
pub(in crate::rows) const NOT_UTF8: &str = "invalid UTF-8 (JSON is UTF-8: is it Latin-1 or another encoding?)";

/// A string, escapes resolved: valid UTF-8. Columns make arrays of text from it without looking again, so whatever
/// makes one here has to have checked.
#[derive(Debug, Clone, Copy)]
pub(in crate::rows) struct Text<'t> {
    /// The text, and in the body what stands after it, so that a fixed number of bytes can be copied: see [`LOADED`].
    window: &'t [u8],
    len: usize,
    /// How many lone surrogates became U+FFFD.
    pub(in crate::rows) lone_surrogates: u64,
}

/// A string that [`Cursor::plain_text`] did not give.
pub(in crate::rows) struct NotPlain {
    /// Where it starts, after its quote.
    start: usize,
    /// How many of its bytes were looked at and have nothing special.
    plain: usize,
}

/// A string that was taken, valid UTF-8 as [`Text`] is.
pub(in crate::rows) enum Taken<'a> {
    /// One without escapes, which stays where it is in the body.
    InBody(Text<'a>),
    /// One that was laid out without its escapes, and how many lone surrogates became U+FFFD.
    LaidOut { lone_surrogates: u64 },
}

impl<'t> Text<'t> {
    #[inline]
    pub(in crate::rows) fn bytes(&self) -> &'t [u8] {
        &self.window[..self.len]
    }

    /// The text, and in the body what stands after it.
    #[inline]
    pub(in crate::rows) fn window(&self) -> &'t [u8] {
        self.window
    }

    #[inline]
    pub(in crate::rows) fn len(&self) -> usize {
        self.len
    }

    /// The first bytes, among them some of what stands after a shorter text. None where the window ends before.
    #[inline]
    pub(in crate::rows) fn loaded(&self) -> Option<&'t [u8; LOADED]> {
        self.window.first_chunk()
    }
}

impl<'t> From<&'t str> for Text<'t> {
    fn from(text: &'t str) -> Self {
        Self { window: text.as_bytes(), len: text.len(), lone_surrogates: 0 }
    }
}

impl<'a> Cursor<'a> {
    /// Takes a string as one of its own; the cursor stands on its first quote.
    pub(in crate::rows) fn string(&mut self) -> ReadResult<String> {
        let start = self.at + 1;
        let mut unescaped = Unescaped::default();
        let text = self.text(&mut unescaped)?;
        String::from_utf8(text.bytes().to_vec()).map_err(|_| Self::bad_at(start, NOT_UTF8))
    }

    /// Takes a string; the cursor stands on its first quote. One with escapes is laid out in `unescaped`.
    #[inline]
    pub(in crate::rows) fn text<'t>(&mut self, unescaped: &'t mut Unescaped) -> ReadResult<Text<'t>>
    where
        'a: 't,
    {
        let not_plain = match self.plain_text(self.at) {
            Ok((text, end)) => {
                self.at = end;
                return Ok(text);
            }
            Err(not_plain) => not_plain,
        };
        let unescaped = &mut unescaped.0;
        unescaped.clear();
        match self.other_text(not_plain, unescaped)? {
            Taken::InBody(text) => Ok(text),
            Taken::LaidOut { lone_surrogates } => Ok(Text { window: unescaped, len: unescaped.len(), lone_surrogates }),
        }
    }

    /// The string whose first quote is at `at`, and the place after its last, if it has no escapes and is ASCII, or
    /// known to be UTF-8. Any other is left to [`other_text`](Self::other_text).
    #[expect(
        clippy::inline_always,
        reason = "the place in the body then stays in registers: 6 % fewer instructions in all"
    )]
    #[inline(always)]
    pub(in crate::rows) fn plain_text(&self, at: usize) -> Result<(Text<'a>, usize), NotPlain> {
        debug_assert_eq!(self.bytes[at], b'"', "a string begins with a quote");
        let start = at + 1;
        let window = &self.bytes[start..];
        // In mostly non-ASCII text a branch on whether this string is ASCII would mispredict, so both kinds take the
        // same path.
        let is_checked_ahead = self.checked.reaches(start);
        let len = if is_checked_ahead { scan::find_special(window) } else { scan::find_not_plain(window) };
        if window.get(len) != Some(&b'"') || is_checked_ahead && !self.checked.has(start, start + len) {
            return Err(NotPlain { start, plain: len });
        }
        Ok((Text { window, len, lone_surrogates: 0 }, start + len + 1))
    }

    /// Takes a string that `plain_text` has just left. One with escapes is laid out after what stands in `out`; what
    /// turns out to be no string leaves nothing there.
    #[expect(clippy::needless_pass_by_value, reason = "it is used up: it holds for the string that was left just now")]
    pub(in crate::rows) fn other_text(&mut self, not_plain: NotPlain, out: &mut Values<u8>) -> ReadResult<Taken<'a>> {
        let NotPlain { start, plain: mut len } = not_plain;
        debug_assert_eq!(self.bytes[start - 1], b'"', "a string was left there");
        let mut is_ascii = !self.checked.reaches(start);
        let window = &self.bytes[start..];
        if let Some(0x80..) = window.get(len) {
            is_ascii = false;
            len += scan::find_special(&window[len..]);
        }
        if window.get(len) != Some(&b'"') {
            return self.unescape(start, len, is_ascii, out);
        }
        if !self.checked.is_utf8(self.bytes, start, start + len) {
            return Err(self.fault_in_string(start));
        }
        self.at = start + len + 1;
        Ok(Taken::InBody(Text { window, len, lone_surrogates: 0 }))
    }

    /// Takes the string that starts at `start` and has an escape after `plain` bytes, or is no string; `is_ascii` says
    /// that those are known to be ASCII.
    fn unescape(
        &mut self,
        start: usize,
        plain: usize,
        mut is_ascii: bool,
        out: &mut Values<u8>,
    ) -> ReadResult<Taken<'a>> {
        let bytes = self.bytes;
        let (mut at, mut lone_surrogates) = (start, 0);
        let mut tail = Tail::after(out);
        // A few bytes are laid out along with what comes after them.
        if plain > BLOCK {
            tail.extend(&bytes[start..start + plain]);
            at += plain;
        }
        loop {
            at = append_blocks(&mut tail, bytes, at, is_ascii);
            let plain = match bytes.get(at) {
                Some(b'"') => break,
                Some(b'\\') => {
                    let Some(escape) = escape(bytes, at) else { return Err(self.fault_in_string(start)) };
                    lone_surrogates += u64::from(escape.character.is_none());
                    push(&mut tail, escape.character.unwrap_or(char::REPLACEMENT_CHARACTER));
                    at += escape.length;
                    continue;
                }
                Some(0x20..0x80) => scan::find_not_plain(&bytes[at..]),
                Some(0x80..) => {
                    is_ascii = false;
                    scan::find_special(&bytes[at..])
                }
                Some(_) | None => return Err(self.fault_in_string(start)),
            };
            append_plain(&mut tail, bytes, at, plain);
            at += plain;
        }
        if !is_ascii && !self.checked.is_utf8(bytes, start, at) {
            return Err(self.fault_in_string(start));
        }
        tail.keep();
        self.at = at + 1;
        Ok(Taken::LaidOut { lone_surrogates })
    }

    /// Why there is no string at `start`. Whether it ends is looked at first, then its UTF-8, then its escapes, so that
    /// one fault is named wherever the window ends.
    #[cold]
    fn fault_in_string(&self, start: usize) -> Stop {
        let bytes = self.bytes;
        let mut at = start;
        let mut bad_escape = None;
        loop {
            at += scan::find_special(&bytes[at..]);
            match bytes.get(at) {
                Some(b'"') => break,
                Some(b'\\') if at + 1 < bytes.len() => {
                    let length = escape(bytes, at).map(|escape| escape.length);
                    bad_escape = bad_escape.or(if length.is_none() { Some(at) } else { None });
                    // What is escaped is stepped over: it may be a quote.
                    at += 2;
                }
                Some(b'\\') | None => return Stop::NeedMore,
                Some(&byte) => return Self::bad_at(at, control_character(byte)),
            }
        }
        match (simdutf8::compat::from_utf8(&bytes[start..at]), bad_escape) {
            (Err(error), _) => Self::bad_at(start + error.valid_up_to(), NOT_UTF8),
            (Ok(_), Some(at)) if bytes[at + 1] == b'u' => Self::bad_at(at, "invalid \\u escape in a string"),
            (Ok(_), at) => Self::bad_at(at.unwrap_or(start), "invalid escape in a string"),
        }
    }
}

/// Writes a JSON string as RFC 8785 has it: short escapes, lower-case `\u00xx`, everything else as it is.
pub(in crate::rows) fn write_string(text: &[u8], out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    out.push(b'"');
    let mut rest = text;
    loop {
        let (plain, special) = rest.split_at(scan::find_special(rest));
        out.extend_from_slice(plain);
        let Some((&byte, after)) = special.split_first() else { break };
        let short = match byte {
            0x08 => b'b',
            0x09 => b't',
            0x0a => b'n',
            0x0c => b'f',
            0x0d => b'r',
            0..0x20 => b'u',
            // A quote or a backslash.
            _ => byte,
        };
        out.extend_from_slice(&[b'\\', short]);
        if short == b'u' {
            out.extend_from_slice(&[b'0', b'0', HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
        }
        rest = after;
    }
    out.push(b'"');
}

/// What is wrong with a byte below the space in a string.
fn control_character(byte: u8) -> &'static str {
    match byte {
        b'\n' | b'\r' => "line break in a string (is the closing quote missing? within a string it is written `\\n`)",
        _ => "control character in a string",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The text and its lone surrogates, or the fault and where it is; `None` where the string does not end.
    type Outcome = Option<Result<(Vec<u8>, u64), (usize, String)>>;

    fn read(body: &[u8], unescaped: &mut Unescaped) -> Outcome {
        outcome(Cursor::new(body, false).text(unescaped))
    }

    fn outcome(read: ReadResult<Text<'_>>) -> Outcome {
        match read {
            Ok(text) => Some(Ok((text.bytes().to_vec(), text.lone_surrogates))),
            Err(Stop::Bad(fault)) => Some(Err((fault.at, fault.message))),
            Err(_) => None,
        }
    }

    /// Reads a string one look after the other: for the end, for UTF-8, and for escapes, byte by byte.
    fn read_slowly(body: &[u8]) -> Outcome {
        let fault = |at: usize, message: &str| Some(Err((at, message.to_owned())));
        let mut end = 1;
        loop {
            match *body.get(end)? {
                b'"' => break,
                b'\\' => end += 1,
                byte @ 0..0x20 => return fault(end, control_character(byte)),
                _ => {}
            }
            end += 1;
        }
        let inside = &body[1..end];
        if let Err(error) = std::str::from_utf8(inside) {
            return fault(1 + error.valid_up_to(), NOT_UTF8);
        }
        let (mut units, mut at) = (Vec::new(), 0);
        let text = std::str::from_utf8(inside).unwrap();
        while let Some(character) = text[at..].chars().next() {
            at += character.len_utf8();
            if character != '\\' {
                units.extend(character.encode_utf16(&mut [0; 2]).iter().copied());
                continue;
            }
            let start = at;
            at += 1;
            units.push(match inside[start] {
                b'n' => 10,
                b't' => 9,
                b'r' => 13,
                b'b' => 8,
                b'f' => 12,
                byte @ (b'"' | b'\\' | b'/') => u16::from(byte),
                b'u' => {
                    at += 4;
                    let digits = text.get(start + 1..at).filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
                    match digits {
                        Some(digits) => u16::from_str_radix(digits, 16).unwrap(),
                        None => return fault(start, "invalid \\u escape in a string"),
                    }
                }
                _ => return fault(start, "invalid escape in a string"),
            });
        }
        let (mut out, mut lone) = (String::new(), 0);
        for unit in char::decode_utf16(units) {
            lone += u64::from(unit.is_err());
            out.push(unit.unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        Some(Ok((out.into_bytes(), lone)))
    }

    fn piece() -> impl Strategy<Value = Vec<u8>> {
        let text = |text: &str| text.as_bytes().to_vec();
        prop_oneof![
            4 => "[ -!#-\\[\\]-~]{0,40}".prop_map(String::into_bytes),
            4 => "\\\\u[0-9a-fA-F]{4}".prop_map(String::into_bytes),
            2 => prop::sample::select(vec!["\\n", "\\\"", "\\\\", "\\/", "\\b", "\\f", "\\r", "\\t"]).prop_map(text),
            2 => prop::sample::select(vec!["é", "日本", "🎷", "\\ud83c\\udfb7", "\\ud83c", "\\udfb7"]).prop_map(text),
            1 => "(\\\\u[0-9a-fA-F]{4}){10,30}".prop_map(String::into_bytes),
            1 => "([ -!#-\\[\\]-~]{0,9}\\\\[\"\\\\/bfnrt]){5,30}".prop_map(String::into_bytes),
            1 => "(\\\\n|[ -!#-\\[\\]-~]|\\\\u0[0-7][0-9a-f]{2}|\\\\ud83[c-e]\\\\udf[a-f][0-9]){20,80}".prop_map(String::into_bytes),
            1 => prop::sample::select(vec!["\\", "\\x", "\\u12", "\\u12g4", "\"", "\n", "\\é"]).prop_map(text),
            1 => any::<u8>().prop_map(|byte| vec![byte]),
        ]
    }

    proptest! {
        #[test]
        fn a_string_is_what_it_is_byte_by_byte(
            strings in prop::collection::vec((prop::collection::vec(piece(), 0..12), prop_oneof![Just(1), Just(200)]), 1..4),
        ) {
            let mut unescaped = Unescaped::default();
            for (pieces, after) in strings {
                let body = [b"\"", pieces.concat().as_slice(), b"\"", " ".repeat(after).as_bytes()].concat();
                for end in 1..=body.len() {
                    prop_assert_eq!(read(&body[..end], &mut unescaped), read_slowly(&body[..end]), "{:?}", &body[..end]);
                }
            }
        }

        #[test]
        fn strings_are_the_same_whatever_stands_before_them(
            strings in prop::collection::vec(prop::collection::vec(piece(), 0..4), 1..40),
        ) {
            let bodies: Vec<Vec<u8>> = strings.iter().map(|pieces| [b"\"", pieces.concat().as_slice(), b"\""].concat()).collect();
            let (all, mut start) = (bodies.concat(), 0);
            let (mut cursor, mut unescaped) = (Cursor::new(&all, false), Unescaped::default());
            for body in &bodies {
                let expected = read_slowly(&all[start..]).map(|read| read.map_err(|(at, message)| (start + at, message)));
                cursor.at = start;
                prop_assert_eq!(outcome(cursor.text(&mut unescaped)), expected);
                start += body.len();
            }
        }
    }
}
