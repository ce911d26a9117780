//! Kinds of errors, as far as a caller does something else about each.

/// What a caller can do about a [`DecodeError`](super::DecodeError).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecodeErrorKind {
    /// Nothing: the body breaks the rules of JSON or of a results object, or is beyond a fixed limit.
    Malformed,
    /// Fetch it again: it ends before its JSON does.
    Truncated,
    /// Allow more columns: see [`DecodeOptions::max_columns`](super::DecodeOptions::max_columns).
    TooManyColumns,
}
