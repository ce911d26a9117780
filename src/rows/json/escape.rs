//! Escapes taken out of strings.
//!
//! Text comes with a few short escapes, line ends and quotes most of all, and from services that send only ASCII with a
//! `\u` escape for each letter of other scripts: some in a line of French, nothing else in one of Japanese. One loop
//! takes them all, which writes a fixed number of bytes in each step and counts those that matter; and runs of nothing
//! but `\u` escapes have a loop of their own.

use super::scan::{BLOCK, not_plain_in, special_in};

/// Where strings with escapes are laid out, kept between strings.
#[derive(Debug, Default)]
pub(in crate::rows) struct Unescaped {
    /// Longer than what is laid out, so that a step writes a fixed number of bytes and counts those that matter.
    bytes: Vec<u8>,
    len: usize,
}

impl Unescaped {
    pub(in crate::rows) fn clear(&mut self) {
        self.len = 0;
    }

    /// Gives back all but `kept` bytes.
    pub(in crate::rows) fn forget(&mut self, kept: usize) {
        self.len = 0;
        self.bytes.truncate(kept);
        self.bytes.shrink_to(kept);
    }

    /// What is laid out, and more behind it.
    pub(in crate::rows) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(in crate::rows) fn len(&self) -> usize {
        self.len
    }

    /// Lays out `bytes[from..to]`.
    #[inline]
    pub(in crate::rows) fn append(&mut self, bytes: &[u8], from: usize, to: usize) {
        const STEP: usize = 16;
        let count = to - from;
        if let (0..=STEP, Some(step)) = (count, bytes.get(from..).and_then(<[u8]>::first_chunk::<STEP>)) {
            *self.ahead(STEP).first_chunk_mut().expect("so many were asked for") = *step;
        } else {
            self.ahead(count).copy_from_slice(&bytes[from..to]);
        }
        self.len += count;
    }

    /// Lays out plain text and escapes from `at` on, and gives where something else stands, a lone surrogate among it,
    /// or the bytes soon end. Text that is not ASCII is something else while all before it `is_ascii`; from then on it
    /// is laid out unchecked, and whoever asks for it looks whether it is UTF-8.
    ///
    /// Where in a block an escape stands and which one it is cannot be foreseen, and a branch that is foreseen wrongly
    /// costs as much as a block. So branches depend only on how many escapes a block has, and on whether it has nothing
    /// else: from behind each a whole block is copied, and what was too much is overwritten by what comes next.
    #[inline(never)]
    pub(in crate::rows) fn append_blocks(&mut self, bytes: &[u8], mut at: usize, is_ascii: bool) -> usize {
        /// An escape that begins in the block may end behind it, and from there a whole block is copied.
        const AHEAD: usize = BLOCK + 2 * UNIT + BLOCK;
        while let Some(ahead) = bytes.get(at..).and_then(<[u8]>::first_chunk::<AHEAD>) {
            let block = ahead.first_chunk().expect("it is longer");
            let mut marks = if is_ascii { not_plain_in(block) } else { special_in(block) };
            let out: &mut [u8; AHEAD] = self.ahead(AHEAD).first_chunk_mut().expect("so many were asked for");
            let (mut read, mut written) = (0, 0);
            if marks & ALL_ESCAPES == ALL_ESCAPES {
                (read, written) = resolve_units(ahead, out);
                marks &= u64::MAX.checked_shl(read as u32).unwrap_or_default();
            }
            let is_all = loop {
                copy::<BLOCK>(&ahead[read..], &mut out[written..]);
                if marks == 0 {
                    let rest = BLOCK.saturating_sub(read);
                    (read, written) = (read + rest, written + rest);
                    break true;
                }
                let next = marks.trailing_zeros() as usize;
                (read, written) = (next, written + next - read);
                let escaped: &[u8; 2 * UNIT] = ahead[next..].first_chunk().expect("so many are behind every block");
                let [b'\\', byte, ..] = *escaped else { break false };
                // The next mark is found without waiting for what this one stands for.
                marks &= marks - 1;
                if byte == b'u' {
                    let Some((character, is_pair)) = character(escaped) else { break false };
                    let (utf8, count) = utf8(character);
                    copy::<LONGEST_UTF8>(&utf8.to_le_bytes(), &mut out[written..]);
                    (read, written) = (next + UNIT, written + count);
                    if is_pair {
                        read += UNIT;
                        marks &= marks.wrapping_sub(1);
                    }
                } else {
                    let Some(plain) = short(byte) else { break false };
                    out[written] = plain;
                    (read, written) = (next + 2, written + 1);
                    // What is escaped may have a mark, too.
                    marks &= !(0b10 << next);
                }
            };
            self.len += written;
            at += read;
            if !is_all {
                break;
            }
        }
        at
    }

    #[inline]
    pub(in crate::rows) fn push(&mut self, character: char) {
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

/// Copies so many bytes, without the call that a number known only at run time takes.
#[inline]
fn copy<const COUNT: usize>(from: &[u8], to: &mut [u8]) {
    let to: &mut [u8; COUNT] = to.first_chunk_mut().expect("there is room");
    *to = *from.first_chunk().expect("there are as many");
}

/// Resolves the `\u` escapes at the start of a block that has hardly anything else, one after the other and without
/// copying what stands between, and gives how many bytes were read and written. Pairs of surrogates end it.
#[inline(never)]
fn resolve_units(ahead: &[u8], out: &mut [u8]) -> (usize, usize) {
    let (mut read, mut written) = (0, 0);
    while read < BLOCK
        && let Some((character, false)) = ahead[read..].first_chunk().and_then(character)
    {
        let (utf8, count) = utf8(character);
        copy::<LONGEST_UTF8>(&utf8.to_le_bytes(), &mut out[written..]);
        (read, written) = (read + UNIT, written + count);
    }
    (read, written)
}

/// The marks of a block in which one `\u` escape stands behind the other.
const ALL_ESCAPES: u64 = {
    let (mut marks, mut at) = (0, 0);
    while at < BLOCK {
        marks |= 1 << at;
        at += UNIT;
    }
    marks
};

/// Bytes of a `\u` escape, and of a character at most.
const UNIT: usize = 6;
const LONGEST_UTF8: usize = 4;

/// The character of the `\u` escape at the start, and whether it is two that are a pair of surrogates.
#[inline]
fn character(escaped: &[u8; 2 * UNIT]) -> Option<(u32, bool)> {
    let [b'\\', b'u', a, b, c, d, behind @ ..] = *escaped else { return None };
    match hex4([a, b, c, d])? {
        unit @ (0..0xd800 | 0xe000..) => Some((unit, false)),
        high @ ..0xdc00 => Some((pair(high, low_half(&behind, 0)?), true)),
        _ => None,
    }
}

/// The character in UTF-8, its first byte the lowest, and how many bytes it has.
#[inline]
fn utf8(character: u32) -> (u32, usize) {
    let part = |shift: u32| 0x80 | character >> shift & 0x3f;
    match character {
        0..0x80 => (character, 1),
        0x80..0x800 => (0xc0 | character >> 6 | part(0) << 8, 2),
        0x800..0x10000 => (0xe0 | character >> 12 | part(6) << 8 | part(0) << 16, 3),
        _ => (0xf0 | character >> 18 | part(12) << 8 | part(6) << 16 | part(0) << 24, 4),
    }
}

/// As many bytes from `at` on as the escape of a unit has.
#[inline]
fn ahead_of(bytes: &[u8], at: usize) -> Option<&[u8; UNIT]> {
    bytes.get(at..)?.first_chunk()
}

pub(in crate::rows) struct Escape {
    /// `None` for a lone surrogate.
    pub(in crate::rows) character: Option<char>,
    /// Bytes of the body, the backslash among them.
    pub(in crate::rows) length: usize,
}

/// The escape at the backslash at `at`; `None` if it is none.
#[inline]
pub(in crate::rows) fn escape(bytes: &[u8], at: usize) -> Option<Escape> {
    match *bytes.get(at + 1)? {
        b'u' => unicode(bytes, at),
        byte => short(byte).map(|plain| Escape { character: Some(char::from(plain)), length: 2 }),
    }
}

/// What a backslash and this byte stand for.
#[inline]
fn short(byte: u8) -> Option<u8> {
    Some(SHORT_ESCAPES[usize::from(byte)]).filter(|&plain| plain != 0)
}

/// The `\u` escape at `at`, or two that are a pair of surrogates.
fn unicode(bytes: &[u8], at: usize) -> Option<Escape> {
    let [b'\\', b'u', digits @ ..] = *ahead_of(bytes, at)? else { return None };
    let first = hex4(digits)?;
    if let (0xd800..0xdc00, Some(second)) = (first, low_half(bytes, at + UNIT)) {
        return Some(Escape { character: char::from_u32(pair(first, second)), length: 2 * UNIT });
    }
    Some(Escape { character: char::from_u32(first), length: UNIT })
}

/// The second half of a pair of surrogates, if it stands at `at`.
#[inline]
fn low_half(bytes: &[u8], at: usize) -> Option<u32> {
    let [b'\\', b'u', digits @ ..] = *ahead_of(bytes, at)? else { return None };
    hex4(digits).filter(|unit| matches!(unit, 0xdc00..0xe000))
}

/// The character of a pair of surrogates.
#[inline]
fn pair(high: u32, low: u32) -> u32 {
    0x10000 + ((high & 0x3ff) << 10) + (low & 0x3ff)
}

#[inline]
fn hex4([a, b, c, d]: [u8; 4]) -> Option<u32> {
    let value = |table: usize, digit: u8| HEX_VALUES[table][usize::from(digit)];
    let unit = value(0, a) | value(1, b) | value(2, c) | value(3, d);
    (unit < NO_DIGIT).then_some(unit)
}

/// Above every unit of UTF-16.
const NO_DIGIT: u32 = 0x1_0000;

/// The value of each hexadecimal digit at each of four places, or [`NO_DIGIT`].
static HEX_VALUES: [[u32; 256]; 4] = {
    let mut values = [[NO_DIGIT; 256]; 4];
    let mut place = 0;
    while place < 4 {
        let mut value = 0;
        while value < 16 {
            let digit = b"0123456789abcdef"[value];
            let shifted = (value as u32) << (12 - 4 * place);
            values[place][digit as usize] = shifted;
            values[place][digit.to_ascii_uppercase() as usize] = shifted;
            value += 1;
        }
        place += 1;
    }
    values
};

/// What a backslash and each byte stand for, 0 where they stand for nothing.
static SHORT_ESCAPES: [u8; 256] = {
    let mut values = [0; 256];
    let (names, plain) = (b"\"\\/bfnrt", b"\"\\/\x08\x0c\n\r\t");
    let mut at = 0;
    while at < names.len() {
        values[names[at] as usize] = plain[at];
        at += 1;
    }
    values
};
