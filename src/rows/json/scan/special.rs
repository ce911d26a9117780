//! Which bytes end or break a string, told one by one.

/// Whether a JSON string treats the byte specially: it is a quote, a backslash or a control character.
#[inline]
pub(super) fn is_special(byte: u8) -> bool {
    byte == b'"' || byte == b'\\' || byte < 0x20
}

/// Whether the byte is special or not ASCII.
#[inline]
pub(super) fn is_not_plain(byte: u8) -> bool {
    is_special(byte) || !byte.is_ascii()
}

/// The place of the first byte that `is_sought`, from `from` on; the end where there is none. The tail of every search.
#[inline]
pub(super) fn find(bytes: &[u8], from: usize, is_sought: impl Fn(u8) -> bool) -> usize {
    bytes[from..].iter().position(|&byte| is_sought(byte)).map_or(bytes.len(), |count| from + count)
}
