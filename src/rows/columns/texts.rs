//! Text values, held as Arrow's `Utf8View` lays them out: short ones inside the view, long ones in growing blocks. Those of
//! nested columns leave as `Utf8` ([`Strings`]).
//!
//! A column that mixes strings with other kinds holds all of them as text and remembers which were not strings, so that the
//! JSON text of a value around them can still tell `"5"` from `5`.

use std::sync::Arc;

use arrow_array::{ArrayRef, StringViewArray};
use arrow_buffer::{Buffer, ScalarBuffer};
use arrow_data::{ByteView, MAX_INLINE_VIEW_LEN};

use super::Bits;
use super::gapped::Gapped;
use super::room::Room;
use super::strings::Strings;
use crate::rows::slab::{Piece, Slab, Slabs};
use crate::rows::text::Text;

const FIRST_BLOCK: usize = 128;
const LARGEST_BLOCK: usize = 256 << 10;

/// Blocks double up to this size. From then on each is as large as this part of all before it: what the last one has left
/// over is lost.
const LARGEST_DOUBLED: usize = 4 << 10;
const PARTS: usize = 8;
const INLINE: usize = MAX_INLINE_VIEW_LEN as usize;

/// A text no longer than this is copied in one go.
const LOADED: usize = 64;

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
    /// Which values are JSON text and not strings; those behind are not. Absent while all are strings.
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

    /// Appends a string.
    #[inline]
    pub(in crate::rows) fn push(&mut self, text: Text<'_>, slab: &mut Slab) {
        debug_assert!(self.laid_out.is_none(), "nothing but nulls comes once texts are laid out");
        let view = if text.len() <= INLINE { inline_view(text) } else { self.block_view(text, slab) };
        self.views.push(view);
        self.validity.push_one();
    }

    /// Appends the JSON text of a value that is not a string.
    pub(in crate::rows) fn push_raw(&mut self, text: &[u8], slab: &mut Slab) {
        let before = self.len();
        self.push(text.into(), slab);
        let raw = self.raw.get_or_insert_default();
        raw.push_zeros(before - raw.len());
        raw.push_one();
    }

    pub(in crate::rows) fn push_nulls(&mut self, count: usize) {
        match &mut self.laid_out {
            Some(strings) => strings.push_nulls(count),
            None => self.views.skip(count),
        }
        self.validity.push_zeros(count);
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
        self.raw.as_ref().is_some_and(|raw| at < raw.len() && raw.get(at))
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
        if length <= INLINE { read(&bits.to_le_bytes()[4..4 + length]) } else { read(&self.behind(view)[..length]) }
    }

    /// The text of a view that it does not stand in, and what stands behind it.
    #[inline]
    fn behind(&self, view: ByteView) -> &[u8] {
        let block = self.blocks.get(view.buffer_index as usize).unwrap_or(&self.block);
        &block[view.offset as usize..]
    }

    /// Copies the text of a view to where there is room for it and [`LOADED`] bytes.
    #[inline]
    fn copy_view(&self, bits: u128, out: &mut Piece) {
        let view = ByteView::from(bits);
        let length = view.length as usize;
        if length <= INLINE {
            return out.extend_from_loaded(&(bits >> u32::BITS).to_le_bytes(), length);
        }
        let text = self.behind(view);
        match text.first_chunk::<LOADED>() {
            Some(loaded) if length <= LOADED => out.extend_from_loaded(loaded, length),
            _ => out.extend_from_slice(&text[..length]),
        }
    }

    fn lay_out(&mut self, slab: &mut Slab) {
        let length = |view| ByteView::from(view).length as usize;
        let strings = Strings::lay_out(&self.views, length, |view, bytes| self.copy_view(view, bytes), LOADED, slab);
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
    fn block_view(&mut self, text: Text<'_>, slab: &mut Slab) -> u128 {
        match text.loaded() {
            Some(loaded) if text.len() <= LOADED && self.block.unused() >= LOADED => {
                self.block.extend_from_loaded::<LOADED>(loaded, text.len());
            }
            _ => self.copy(text.bytes(), slab),
        }
        let length = u32::try_from(text.len()).expect("a row, and so a text in it, is limited to far less than 4 GiB");
        let prefix = text.loaded().map_or(0, |first| u32::from_le_bytes(*first));
        let offset = (self.block.len() - text.len()) as u32;
        ByteView { length, prefix, buffer_index: self.blocks.len() as u32, offset }.as_u128()
    }

    #[inline(never)]
    fn copy(&mut self, text: &[u8], slab: &mut Slab) {
        if self.block.unused() < text.len() {
            self.next_block(text.len(), slab);
        }
        self.block.extend_from_slice(text);
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

/// The bits of so many bytes.
const FIRST: [u128; INLINE + 1] = {
    let mut first = [0; INLINE + 1];
    let mut count = 1;
    while count <= INLINE {
        first[count] = first[count - 1] << 8 | 0xff;
        count += 1;
    }
    first
};

#[inline]
fn inline_view(text: Text<'_>) -> u128 {
    let length = text.len();
    let bits = match text.loaded() {
        Some(loaded) => u128::from_le_bytes(*loaded) & FIRST[length],
        None => text.bytes().iter().rev().fold(0, |bits, &byte| bits << 8 | u128::from(byte)),
    };
    bits << 32 | length as u128
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn short_texts_stand_in_their_views(text in proptest::collection::vec(any::<u8>(), 0..=INLINE)) {
            let bytes = inline_view(text.as_slice().into()).to_le_bytes();
            prop_assert_eq!(u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize, text.len());
            prop_assert_eq!(&bytes[4..4 + text.len()], &text[..]);
            prop_assert!(bytes[4 + text.len()..].iter().all(|&byte| byte == 0));
        }
    }
}
