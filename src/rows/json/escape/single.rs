//! A single escape.

/// Bytes of a `\u` escape, which stands for one unit of UTF-16.
pub(super) const UNIT: usize = 6;
/// Bytes of a character in UTF-8 at most.
pub(super) const LONGEST_UTF8: usize = 4;

/// The bytes from `at` on that a `\u` escape there would have.
#[inline]
pub(super) fn ahead_of(bytes: &[u8], at: usize) -> Option<&[u8; UNIT]> {
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
pub(super) fn short(byte: u8) -> Option<u8> {
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
pub(super) fn low_half(bytes: &[u8], at: usize) -> Option<u32> {
    let [b'\\', b'u', digits @ ..] = *ahead_of(bytes, at)? else { return None };
    hex4(digits).filter(|unit| matches!(unit, 0xdc00..0xe000))
}

/// The character of a pair of surrogates.
#[inline]
pub(super) fn pair(high: u32, low: u32) -> u32 {
    0x10000 + ((high & 0x3ff) << 10) + (low & 0x3ff)
}

#[inline]
pub(super) fn hex4([a, b, c, d]: [u8; 4]) -> Option<u32> {
    let value = |table: usize, digit: u8| HEX_VALUES[table][usize::from(digit)];
    let unit = value(0, a) | value(1, b) | value(2, c) | value(3, d);
    (unit < NO_DIGIT).then_some(unit)
}

/// Above every unit of UTF-16.
pub(super) const NO_DIGIT: u32 = 0x1_0000;

/// The value of each hexadecimal digit at each of four places, or [`NO_DIGIT`].
pub(super) static HEX_VALUES: [[u32; 256]; 4] = {
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
pub(super) static SHORT_ESCAPES: [u8; 256] = {
    let mut values = [0; 256];
    let (names, plain) = (b"\"\\/bfnrt", b"\"\\/\x08\x0c\n\r\t");
    let mut at = 0;
    while at < names.len() {
        values[names[at] as usize] = plain[at];
        at += 1;
    }
    values
};
