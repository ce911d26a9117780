//! Text values, held as Arrow's `Utf8View` lays them out: short ones inside the view, long ones in growing blocks. Those of
//! nested columns leave as `Utf8` ([`Strings`]).
//!
//! A column that mixes strings with other kinds holds all of them as text and remembers which were not strings, so that the
//! JSON text of a value around them can still tell `"5"` from `5`.

use std::sync::Arc;

use arrow_array::{ArrayRef, StringViewArray};
use arrow_buffer::{Buffer, ScalarBuffer};
use arrow_data::ByteView;

use super::Bits;
use super::gapped::Gapped;
use super::room::Room;
use super::strings::Strings;
use crate::rows::slab::{Piece, Slab, Slabs};

const FIRST_BLOCK: usize = 128;
const LARGEST_BLOCK: usize = 256 << 10;

/// Blocks double up to this size. From then on each is as large as this part of all before it: what the last one has left
/// over is lost.
const LARGEST_DOUBLED: usize = 4 << 10;
const PARTS: usize = 8;
const INLINE: usize = 12;

#[derive(Default)]
pub(in crate::rows) struct Texts {
    /// A view of zeros is an empty text, and so is a place without a value.
    views: Gapped<u128>,
    /// Full blocks.
    blocks: Vec<Piece>,
    /// The block being filled; its index is `blocks.len()`.
    block: Piece,
    /// Bytes of all blocks.
    taken: usize,
    validity: Bits,
    /// Which values are JSON text and not strings; absent while all are strings.
    raw: Option<Box<Bits>>,
    /// All texts of a nested column, once no more come. Views and blocks are empty from then on.
    laid_out: Option<Box<Strings>>,
}

impl Texts {
    pub(in crate::rows) fn with_nulls(count: usize) -> Self {
        let mut texts = Self::default();
        texts.push_nulls(count);
        texts
    }

    #[inline]
    pub(in crate::rows) fn len(&self) -> usize {
        self.laid_out.as_ref().map_or(self.views.len(), |strings| strings.len())
    }

    /// Appends a string, which has to be valid UTF-8.
    #[inline]
    pub(in crate::rows) fn push_string(&mut self, text: &[u8], slab: &mut Slab) {
        self.push_bytes(text, slab);
        if let Some(raw) = &mut self.raw {
            raw.push(false);
        }
    }

    /// Appends the JSON text of a value that is not a string.
    pub(in crate::rows) fn push_raw(&mut self, text: &[u8], slab: &mut Slab) {
        let before = self.len();
        self.push_bytes(text, slab);
        let raw = self.raw.get_or_insert_with(|| {
            let mut raw = Bits::new();
            raw.push_zeros(before);
            Box::new(raw)
        });
        raw.push(true);
    }

    pub(in crate::rows) fn push_nulls(&mut self, count: usize) {
        match &mut self.laid_out {
            Some(strings) => strings.push_nulls(count),
            None => self.views.skip(count),
        }
        self.validity.push_zeros(count);
        if let Some(raw) = &mut self.raw {
            raw.push_zeros(count);
        }
    }

    pub(super) fn make_room(&mut self, room: &mut Room) {
        self.views.make_room(room);
    }

    /// Lays texts at this depth out if they are nested, or else gives back what none will need: nothing but nulls comes from
    /// now on.
    pub(in crate::rows) fn settle(&mut self, slabs: &mut Slabs, depth: usize) {
        if depth > 1 {
            self.lay_out(slabs.at(1));
        } else {
            slabs.at(1).take_back(&mut self.block);
        }
    }

    /// Forgets all values from `len` on; the bytes of long ones stay behind unused.
    pub(in crate::rows) fn truncate(&mut self, len: usize) {
        debug_assert!(self.laid_out.is_none(), "rows are taken back only while others come");
        self.views.truncate(len);
        self.validity.truncate(len);
        if let Some(raw) = &mut self.raw {
            raw.truncate(len);
        }
    }

    pub(in crate::rows) fn is_null(&self, at: usize) -> bool {
        at >= self.len() || !self.validity.get(at)
    }

    pub(in crate::rows) fn is_raw(&self, at: usize) -> bool {
        self.raw.as_ref().is_some_and(|raw| raw.get(at))
    }

    /// Hands the bytes of a value to `read`; short ones have no place of their own to borrow from.
    pub(in crate::rows) fn with<R>(&self, at: usize, read: impl FnOnce(&[u8]) -> R) -> R {
        match &self.laid_out {
            Some(strings) => read(strings.get(at)),
            None => self.with_view(self.views.get(at), read),
        }
    }

    fn with_view<R>(&self, bits: u128, read: impl FnOnce(&[u8]) -> R) -> R {
        let view = ByteView::from(bits);
        let length = view.length as usize;
        if length <= INLINE {
            return read(&bits.to_le_bytes()[4..4 + length]);
        }
        let block = self.blocks.get(view.buffer_index as usize).unwrap_or(&self.block);
        read(&block[view.offset as usize..view.offset as usize + length])
    }

    fn lay_out(&mut self, slab: &mut Slab) {
        let length = |view| ByteView::from(view).length as usize;
        let write = |view, bytes: &mut Piece| self.with_view(view, |text| bytes.extend_from_slice(text));
        let strings = Strings::lay_out(&self.views, length, write, slab);
        (self.views, self.blocks, self.block) = (Gapped::new(), Vec::new(), Piece::default());
        self.laid_out = Some(Box::new(strings));
    }

    /// As `Utf8`: for columns that have few values in many places.
    pub(in crate::rows) fn into_strings(mut self, slab: &mut Slab) -> ArrayRef {
        if self.laid_out.is_none() {
            self.lay_out(slab);
        }
        let nulls = self.validity.into_nulls(slab);
        self.laid_out.map(|strings| strings.into_array(nulls, slab)).expect("they were laid out")
    }

    /// As `Utf8View`.
    pub(in crate::rows) fn into_views(mut self, slab: &mut Slab) -> ArrayRef {
        if !self.block.is_empty() {
            self.blocks.push(self.block);
        }
        let buffers: Vec<Buffer> = self.blocks.into_iter().map(Piece::freeze).collect();
        let views = ScalarBuffer::from(self.views.into_buffer(slab));
        // SAFETY: every view was made by `push_bytes` from bytes that were checked as UTF-8, and points into its block.
        Arc::new(unsafe { StringViewArray::new_unchecked(views, buffers, self.validity.into_nulls(slab)) })
    }

    #[inline]
    fn push_bytes(&mut self, text: &[u8], slab: &mut Slab) {
        debug_assert!(self.laid_out.is_none(), "nothing but nulls comes once texts are laid out");
        let view = if text.len() <= INLINE { inline_view(text) } else { self.block_view(text, slab) };
        self.views.push(view);
        self.validity.push(true);
    }

    fn block_view(&mut self, text: &[u8], slab: &mut Slab) -> u128 {
        if self.block.capacity() - self.block.len() < text.len() {
            self.next_block(text.len(), slab);
        }
        let offset = self.block.len() as u32;
        self.block.extend_from_slice(text);
        let prefix = u32::from_le_bytes([text[0], text[1], text[2], text[3]]);
        let length = u32::try_from(text.len()).expect("a row, and so a text in it, is limited to far less than 4 GiB");
        ByteView { length, prefix, buffer_index: self.blocks.len() as u32, offset }.as_u128()
    }

    #[cold]
    fn next_block(&mut self, needed: usize, slab: &mut Slab) {
        let size =
            self.taken.clamp(FIRST_BLOCK, LARGEST_DOUBLED).max(self.taken / PARTS).min(LARGEST_BLOCK).max(needed);
        let full = std::mem::replace(&mut self.block, slab.block(needed, size));
        self.taken += self.block.capacity();
        if !full.is_empty() {
            self.blocks.push(full);
        }
    }
}

/// Two or three loads that overlap, for a copy of a length not known beforehand is a call.
#[inline]
fn inline_view(text: &[u8]) -> u128 {
    let length = text.len();
    let bits = if let Some((first, last)) = ends::<8>(text) {
        u128::from(u64::from_le_bytes(first)) | u128::from(u64::from_le_bytes(last)) << ((length - 8) * 8)
    } else if let Some((first, last)) = ends::<4>(text) {
        u128::from(u32::from_le_bytes(first)) | u128::from(u32::from_le_bytes(last)) << ((length - 4) * 8)
    } else {
        text.iter().rev().fold(0, |bits, &byte| bits << 8 | u128::from(byte))
    };
    bits << 32 | length as u128
}

/// The first and the last bytes; all the same where there are so many.
#[inline]
fn ends<const N: usize>(text: &[u8]) -> Option<([u8; N], [u8; N])> {
    Some((*text.first_chunk()?, *text.last_chunk()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn short_texts_stand_in_their_views(text in proptest::collection::vec(any::<u8>(), 0..=INLINE)) {
            let bytes = inline_view(&text).to_le_bytes();
            prop_assert_eq!(u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize, text.len());
            prop_assert_eq!(&bytes[4..4 + text.len()], &text[..]);
            prop_assert!(bytes[4 + text.len()..].iter().all(|&byte| byte == 0));
        }
    }
}
