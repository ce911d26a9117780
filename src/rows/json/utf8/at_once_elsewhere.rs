//! Processors that leave the check to a library.

/// Tells nothing.
#[inline]
pub(super) fn is_utf8(_bytes: &[u8]) -> Option<bool> {
    None
}
