//! Text of the columns of the table, held as Arrow's `Utf8View` lays it out: short texts inside the view, long ones in blocks.

use std::sync::Arc;

use arrow_array::{ArrayRef, StringViewArray};
use arrow_buffer::{Buffer, ScalarBuffer};
use arrow_data::ByteView;

use super::blocks::Blocks;
use super::gapped::Gapped;
use super::raw::{self, Raw};
use super::room::Room;
use crate::rows::slab::{Piece, Slab};
use crate::rows::text::Text;
use crate::rows::view::{self, INLINE};

#[derive(Default)]
pub(in crate::rows) struct Views {
    /// The views; one of zeros is an empty text, and so is a null.
    texts: Gapped<u128>,
    blocks: Blocks,
    raw: Raw,
}

impl Views {
    pub(super) fn with_nulls(count: usize) -> Self {
        Self { texts: Gapped::with_nulls(count), ..Self::default() }
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.texts.len()
    }

    /// Appends a string.
    #[inline]
    pub(super) fn push(&mut self, text: Text<'_>, slab: &mut Slab) {
        let view = if text.len() <= INLINE { inline_view(text) } else { self.block_view(text, slab) };
        self.texts.push(view);
    }

    /// Appends the JSON text of a value that is not a string.
    pub(super) fn push_raw(&mut self, text: &[u8], slab: &mut Slab) {
        self.raw.note(self.texts.values().len());
        self.push(raw::text_of(text).into(), slab);
    }

    pub(super) fn push_nulls(&mut self, count: usize) {
        self.texts.push_nulls(count);
    }

    pub(super) fn make_room(&mut self, room: &mut Room) {
        self.texts.make_room(room);
    }

    /// Gives back what none will need: nothing but nulls comes from now on.
    pub(super) fn finish(&mut self, slab: &mut Slab) {
        self.blocks.give_back_unused(slab);
    }

    /// Forgets all values from `len` on; the bytes of long ones stay behind unused.
    pub(super) fn truncate(&mut self, len: usize) {
        self.texts.truncate(len);
        self.raw.truncate(self.texts.values().len());
    }

    pub(super) fn is_null(&self, at: usize) -> bool {
        self.texts.is_null(at)
    }

    pub(super) fn is_raw(&self, at: usize) -> bool {
        self.texts.index(at).is_some_and(|value| self.raw.has(value))
    }

    /// Hands the bytes of a value to `read`; short ones have no place of their own to borrow from.
    pub(super) fn with<R>(&self, at: usize, read: impl FnOnce(&[u8]) -> R) -> R {
        let bits = self.texts.get(at);
        let view = ByteView::from(bits);
        let (start, length) = (view.offset as usize, view.length as usize);
        if length <= INLINE {
            return read(&bits.to_le_bytes()[4..4 + length]);
        }
        read(&self.blocks.block(view.buffer_index as usize)[start..start + length])
    }

    pub(super) fn into_array(self, slab: &mut Slab) -> ArrayRef {
        let buffers: Vec<Buffer> = self.blocks.into_pieces().into_iter().map(Piece::freeze).collect();
        let (views, nulls) = self.texts.into_buffers(slab);
        // SAFETY: texts come by `push` alone, and a `Text` is UTF-8. Each view was made as the bytes of its text were appended,
        // from the block and the place they went to; blocks are neither cut nor reordered. Zeros, which
        // nulls are, are empty texts. There are as many views as bits, or no bits.
        Arc::new(unsafe { StringViewArray::new_unchecked(ScalarBuffer::from(views), buffers, nulls) })
    }

    #[inline]
    fn block_view(&mut self, text: Text<'_>, slab: &mut Slab) -> u128 {
        self.blocks.append(text, slab);
        let (block, end) = self.blocks.end();
        let length = u32::try_from(text.len()).expect("a row, and so a text in it, is limited to far less than 4 GiB");
        let prefix = *text.loaded().expect("a text that does not stand in its view is longer than its prefix");
        let offset = (end - text.len()) as u32;
        ByteView { length, prefix: u32::from_le_bytes(prefix), buffer_index: block as u32, offset }.as_u128()
    }
}

#[inline]
fn inline_view(text: Text<'_>) -> u128 {
    text.loaded().map_or_else(|| view::inline_alone(text.bytes()), |loaded| view::inline(loaded, text.len()))
}
