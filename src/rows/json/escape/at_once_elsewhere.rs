//! Processors that take escapes one by one.

use super::blocks::Blocks;
use crate::rows::memory::Tail;

/// Leaves all of them.
#[inline]
pub(super) fn append(_tail: &mut Tail<'_>, _bytes: &[u8], at: usize, _is_ascii: bool) -> Blocks {
    Blocks::Rest(at)
}
