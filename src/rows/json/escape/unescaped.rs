//! Where strings with escapes are laid out, kept between strings.

use super::{LONGEST_UTF8, at_once, one_by_one};

/// A string as it is laid out.
///
/// `repr(C)` keeps `len`, which was just written, from being loaded in one go with the length of `bytes`, for which the
/// processor would wait: 5 to 10 % of what short strings with escapes take.
#[derive(Debug, Default)]
#[repr(C)]
pub(in crate::rows) struct Unescaped {
    /// How much is laid out.
    pub(super) len: usize,
    /// Longer than what is laid out, so that a step writes a fixed number of bytes and counts those that matter.
    bytes: Vec<u8>,
}

/// How far blocks were read.
pub(super) enum Blocks {
    /// To where neither an escape nor plain text stands.
    End(usize),
    /// To a block that was not read, or to where the bytes soon end.
    Rest(usize),
}

impl Unescaped {
    pub(in crate::rows) fn clear(&mut self) {
        self.len = 0;
    }

    /// Gives back all but `kept` bytes.
    pub(in crate::rows) fn forget(&mut self, kept: usize) {
        self.len = 0;
        self.bytes.truncate(kept);
        self.bytes.shrink_to(kept);
    }

    /// What is laid out, and more after it.
    pub(in crate::rows) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(in crate::rows) fn len(&self) -> usize {
        self.len
    }

    /// Lays out `bytes[from..to]`.
    #[inline]
    pub(in crate::rows) fn append(&mut self, bytes: &[u8], from: usize, to: usize) {
        const STEP: usize = 16;
        let count = to - from;
        if let (0..=STEP, Some(step)) = (count, bytes.get(from..).and_then(<[u8]>::first_chunk::<STEP>)) {
            *self.ahead(STEP).first_chunk_mut().expect("so many were asked for") = *step;
        } else {
            self.ahead(count).copy_from_slice(&bytes[from..to]);
        }
        self.len += count;
    }

    /// Lays out plain text and escapes from `at` on, and gives where something else stands, a lone surrogate among it,
    /// or the bytes soon end. Text that is not ASCII is something else while all before it `is_ascii`; from then on it
    /// is laid out unchecked, and whoever asks for it looks whether it is UTF-8.
    #[inline]
    pub(in crate::rows) fn append_blocks(&mut self, bytes: &[u8], at: usize, is_ascii: bool) -> usize {
        let at = match at_once::append(self, bytes, at, is_ascii) {
            Blocks::End(at) => return at,
            Blocks::Rest(at) => at,
        };
        one_by_one::append(self, bytes, at, is_ascii)
    }

    #[inline]
    pub(in crate::rows) fn push(&mut self, character: char) {
        self.len += character.encode_utf8(self.ahead(LONGEST_UTF8)).len();
    }

    /// The next `count` bytes.
    #[inline]
    pub(super) fn ahead(&mut self, count: usize) -> &mut [u8] {
        let end = self.len + count;
        if end > self.bytes.len() {
            self.bytes.resize(end.max(2 * self.bytes.len()), 0);
        }
        &mut self.bytes[self.len..end]
    }
}
