//! What a message quotes of a body, which may be of any length.

use std::borrow::Cow;

/// How much of a name stands in a message.
pub(super) const MAX_NAME: usize = 100;

/// The text, cut to at most `most` characters.
pub(super) fn clipped(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        Some((at, _)) => Cow::Owned(format!("{}…", &text[..at])),
        None => Cow::Borrowed(text),
    }
}
