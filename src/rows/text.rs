//! Strings: escapes taken out when reading, put in when writing.

use super::cursor::{Cursor, RawString, Scan};

impl RawString<'_> {
    /// Appends the text to `out`, escapes resolved. Gives the number of lone surrogates that became U+FFFD.
    pub(super) fn unescape(self, out: &mut Vec<u8>) -> Scan<u64> {
        let bytes = self.bytes;
        let mut lone = 0;
        let mut at = 0;
        while at < bytes.len() {
            let plain = bytes[at..].iter().position(|&byte| byte == b'\\').unwrap_or(bytes.len() - at);
            out.extend_from_slice(&bytes[at..at + plain]);
            at += plain;
            let Some(&kind) = bytes.get(at + 1) else { break };
            at += 2;
            let byte = match kind {
                b'"' | b'\\' | b'/' => kind,
                b'b' => 0x08,
                b'f' => 0x0c,
                b'n' => b'\n',
                b'r' => b'\r',
                b't' => b'\t',
                b'u' => {
                    let (character, taken) = unicode(bytes, at)
                        .ok_or_else(|| Cursor::bad_at(self.start + at - 2, "invalid \\u escape in a string"))?;
                    lone += u64::from(character.is_none());
                    let mut utf8 = [0; 4];
                    let text = character.unwrap_or(char::REPLACEMENT_CHARACTER).encode_utf8(&mut utf8);
                    out.extend_from_slice(text.as_bytes());
                    at += taken;
                    continue;
                }
                _ => return Err(Cursor::bad_at(self.start + at - 2, "invalid escape in a string")),
            };
            out.push(byte);
        }
        Ok(lone)
    }
}

/// The character of a `\u` escape whose digits start at `at`, and the bytes it takes; no character for a lone surrogate.
fn unicode(bytes: &[u8], at: usize) -> Option<(Option<char>, usize)> {
    let first = hex4(bytes, at)?;
    if !(0xd800..0xe000).contains(&first) {
        return Some((char::from_u32(first), 4));
    }
    if first < 0xdc00 && bytes.get(at + 4..at + 6) == Some(b"\\u") {
        let second = hex4(bytes, at + 6)?;
        if (0xdc00..0xe000).contains(&second) {
            let scalar = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
            return Some((char::from_u32(scalar), 10));
        }
    }
    Some((None, 4))
}

fn hex4(bytes: &[u8], at: usize) -> Option<u32> {
    let digits: [u8; 4] = bytes.get(at..at + 4)?.try_into().ok()?;
    let [a, b, c, d] = digits.map(|digit| u32::from(HEX_VALUES[usize::from(digit)]));
    // No digit's value has a bit above the lowest four.
    ((a | b | c | d) < 16).then_some(a << 12 | b << 8 | c << 4 | d)
}

/// The value of each hexadecimal digit; 255 for every other byte.
const HEX_VALUES: [u8; 256] = {
    let mut values = [255; 256];
    let mut value = 0;
    while value < 16 {
        let digit = b"0123456789abcdef"[value];
        values[digit as usize] = value as u8;
        values[digit.to_ascii_uppercase() as usize] = value as u8;
        value += 1;
    }
    values
};

/// Writes a JSON string as RFC 8785 has it: short escapes, lower-case `\u00xx`, everything else as it is.
pub(super) fn write_string(text: &[u8], out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    out.push(b'"');
    let mut start = 0;
    for (at, &byte) in text.iter().enumerate() {
        let short = match byte {
            b'"' | b'\\' => byte,
            0x08 => b'b',
            0x09 => b't',
            0x0a => b'n',
            0x0c => b'f',
            0x0d => b'r',
            0..0x20 => b'u',
            _ => continue,
        };
        out.extend_from_slice(&text[start..at]);
        out.extend_from_slice(&[b'\\', short]);
        if short == b'u' {
            out.extend_from_slice(&[b'0', b'0', HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
        }
        start = at + 1;
    }
    out.extend_from_slice(&text[start..]);
    out.push(b'"');
}
