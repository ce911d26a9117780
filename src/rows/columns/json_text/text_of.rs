//! JSON text that was written here, as text.

/// JSON text as `str`: `canonical` and `render` write it from what was read, so it is UTF-8.
pub(in crate::rows::columns) fn text_of(json: &[u8]) -> &str {
    if json.is_ascii() {
        // SAFETY: ASCII is UTF-8. To look for that alone takes far fewer steps, and most JSON text is numbers.
        return unsafe { str::from_utf8_unchecked(json) };
    }
    simdutf8::basic::from_utf8(json).expect("JSON text is written from what was read, which is UTF-8")
}
