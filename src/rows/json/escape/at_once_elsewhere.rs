//! Processors that take escapes one by one.

use super::unescaped::{Blocks, Unescaped};

/// Leaves all of them.
#[inline]
pub(super) fn append(_unescaped: &mut Unescaped, _bytes: &[u8], at: usize, _is_ascii: bool) -> Blocks {
    Blocks::Rest(at)
}
