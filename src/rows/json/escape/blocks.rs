//! Laying out a string, a block after the other.

use super::single::LONGEST_UTF8;
use super::{at_once, one_by_one};
use crate::rows::memory::Tail;

/// How far blocks were read.
pub(super) enum Blocks {
    /// To where neither an escape nor plain text stands.
    End(usize),
    /// To a block that was not read, or to where the bytes soon end.
    Rest(usize),
}

/// Lays out plain text and escapes from `at` on, and gives where something else stands, a lone surrogate among it, or
/// the bytes soon end. Text that is not ASCII is something else while all before it `is_ascii`; from then on it is laid
/// out unchecked, and whoever asks for it looks whether it is UTF-8.
#[inline]
pub(in crate::rows::json) fn append_blocks(tail: &mut Tail<'_>, bytes: &[u8], at: usize, is_ascii: bool) -> usize {
    match at_once::append(tail, bytes, at, is_ascii) {
        Blocks::End(at) => at,
        Blocks::Rest(at) => one_by_one::append(tail, bytes, at, is_ascii),
    }
}

/// Lays out `count` bytes from `at` on.
#[inline]
pub(in crate::rows::json) fn append_plain(tail: &mut Tail<'_>, bytes: &[u8], at: usize, count: usize) {
    const STEP: usize = 16;
    match bytes[at..].first_chunk::<STEP>() {
        Some(step) if count <= STEP => tail.put(step, count),
        _ => tail.extend(&bytes[at..at + count]),
    }
}

#[inline]
pub(in crate::rows::json) fn push(tail: &mut Tail<'_>, character: char) {
    let mut utf8 = [0; LONGEST_UTF8];
    let count = character.encode_utf8(&mut utf8).len();
    tail.put(&utf8, count);
}
