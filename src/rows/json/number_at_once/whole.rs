//! What all numbers begin with: a sign or none, and whole digits.

use crate::rows::json::scan::LANES;

/// What is loaded of a number that may be long, and has to end within.
pub(super) const MOST_BYTES: usize = 2 * LANES;

/// How many bytes a sign has here: one, or none. No branch depends on whether there is one.
#[inline]
pub(super) fn sign_of<const COUNT: usize>(text: &[u8; COUNT]) -> usize {
    usize::from(text[0] == b'-')
}

/// Whether so many digits, of which this is the first, are a whole number: there is one, and none after a 0.
#[inline]
pub(super) fn is_whole(first: u8, count: usize) -> bool {
    count > 0 && (first != b'0' || count == 1)
}
