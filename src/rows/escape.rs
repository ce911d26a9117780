//! Escapes taken out of strings.
//!
//! Text in other scripts may come as nothing but `\u` escapes, so runs of them are read in a loop of their own. It writes a
//! fixed number of bytes for each and counts those that matter.

/// Where strings with escapes are laid out, kept between strings.
#[derive(Debug, Default)]
pub(super) struct Room {
    /// Longer than what is laid out, so that a step writes a fixed number of bytes and counts those that matter.
    bytes: Vec<u8>,
    len: usize,
}

impl Room {
    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    pub(super) fn text(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// Lays out `bytes[from..to]`.
    #[inline]
    pub(super) fn append(&mut self, bytes: &[u8], from: usize, to: usize) {
        const STEP: usize = 16;
        let count = to - from;
        if let (0..=STEP, Some(step)) = (count, bytes.get(from..from + STEP)) {
            self.ahead(STEP).copy_from_slice(step);
        } else {
            self.ahead(count).copy_from_slice(&bytes[from..to]);
        }
        self.len += count;
    }

    /// Lays out the characters of the `\u` escapes from `from` on that are one unit each. Gives where they end, or where it
    /// has had enough of them.
    #[inline]
    pub(super) fn append_units(&mut self, bytes: &[u8], from: usize) -> usize {
        const STEP: usize = 64;
        let step = self.ahead(STEP);
        let (mut at, mut len) = (from, 0);
        while let (Some(unit), Some(place)) = (unit(bytes, at), step[len..].first_chunk_mut()) {
            let (utf8, count) = match unit {
                0..0x80 => (unit, 1),
                0x80..0x800 => (0x80c0 | unit >> 6 | (unit & 0x3f) << 8, 2),
                _ => (0x80_80e0 | unit >> 12 | (unit >> 6 & 0x3f) << 8 | (unit & 0x3f) << 16, 3),
            };
            *place = utf8.to_le_bytes();
            len += count;
            at += UNIT;
        }
        self.len += len;
        at
    }

    #[inline]
    pub(super) fn push(&mut self, character: char) {
        const LONGEST_UTF8: usize = 4;
        self.len += character.encode_utf8(self.ahead(LONGEST_UTF8)).len();
    }

    /// The next `count` bytes.
    #[inline]
    fn ahead(&mut self, count: usize) -> &mut [u8] {
        let end = self.len + count;
        if end > self.bytes.len() {
            self.bytes.resize(end.max(2 * self.bytes.len()), 0);
        }
        &mut self.bytes[self.len..end]
    }
}

/// Bytes of a `\u` escape.
const UNIT: usize = 6;

/// The unit of UTF-16 of the `\u` escape at `at`, if there is one and it is a whole character.
#[inline]
fn unit(bytes: &[u8], at: usize) -> Option<u32> {
    let [b'\\', b'u', digits @ ..] = bytes.get(at..)?.first_chunk::<UNIT>()? else { return None };
    hex4(*digits).filter(|unit| unit & 0xf800 != 0xd800)
}

pub(super) struct Escape {
    /// `None` for a lone surrogate.
    pub(super) character: Option<char>,
    /// Bytes of the body, the backslash among them.
    pub(super) length: usize,
}

/// The escape at the backslash at `at`; `None` if it is none.
#[inline]
pub(super) fn escape(bytes: &[u8], at: usize) -> Option<Escape> {
    let short = |byte: u8| Some(Escape { character: Some(char::from(byte)), length: 2 });
    match *bytes.get(at + 1)? {
        b'u' => unicode(bytes, at),
        byte @ (b'"' | b'\\' | b'/') => short(byte),
        b'b' => short(0x08),
        b'f' => short(0x0c),
        b'n' => short(b'\n'),
        b'r' => short(b'\r'),
        b't' => short(b'\t'),
        _ => None,
    }
}

/// The `\u` escape at `at`, or two that are a pair of surrogates.
fn unicode(bytes: &[u8], at: usize) -> Option<Escape> {
    let half = |at: usize| match bytes.get(at..)?.first_chunk::<UNIT>()? {
        [b'\\', b'u', digits @ ..] => hex4(*digits),
        _ => None,
    };
    let first = half(at)?;
    if let (0xd800..0xdc00, Some(second @ 0xdc00..0xe000)) = (first, half(at + UNIT)) {
        let scalar = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
        return Some(Escape { character: char::from_u32(scalar), length: 2 * UNIT });
    }
    Some(Escape { character: char::from_u32(first), length: UNIT })
}

#[inline]
fn hex4(digits: [u8; 4]) -> Option<u32> {
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
