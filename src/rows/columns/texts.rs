//! Text values as Arrow's `Utf8View` lays them out: short ones inside the view, long ones in growing blocks.
//!
//! A column that mixes strings with other kinds holds all of them as text and remembers which were not strings, so that the
//! JSON text of a value around them can still tell `"5"` from `5`.

use std::sync::Arc;

use arrow_array::{ArrayRef, StringViewArray};
use arrow_buffer::{BooleanBufferBuilder, Buffer, NullBufferBuilder, ScalarBuffer};
use arrow_data::ByteView;

const FIRST_BLOCK: usize = 128;
const LARGEST_BLOCK: usize = 1024 * 1024;
const INLINE: usize = 12;

pub(in crate::rows) struct Texts {
    views: Vec<u128>,
    /// Full blocks.
    blocks: Vec<Vec<u8>>,
    /// The block being filled; its index is `blocks.len()`.
    block: Vec<u8>,
    validity: NullBufferBuilder,
    /// Which values are JSON text and not strings; absent while all are strings.
    raw: Option<BooleanBufferBuilder>,
}

impl Texts {
    pub(in crate::rows) fn with_nulls(count: usize) -> Self {
        let mut texts = Self {
            views: Vec::new(),
            blocks: Vec::new(),
            block: Vec::new(),
            validity: NullBufferBuilder::new(0),
            raw: None,
        };
        texts.push_nulls(count);
        texts
    }

    #[inline]
    pub(in crate::rows) fn len(&self) -> usize {
        self.views.len()
    }

    /// Appends a string, which has to be valid UTF-8.
    #[inline]
    pub(in crate::rows) fn push_string(&mut self, text: &[u8]) {
        self.push_bytes(text);
        if let Some(raw) = &mut self.raw {
            raw.append(false);
        }
    }

    /// Appends the JSON text of a value that is not a string.
    pub(in crate::rows) fn push_raw(&mut self, text: &[u8]) {
        let before = self.len();
        self.push_bytes(text);
        let raw = self.raw.get_or_insert_with(|| {
            let mut raw = BooleanBufferBuilder::new(before + 1);
            raw.append_n(before, false);
            raw
        });
        raw.append(true);
    }

    pub(in crate::rows) fn push_nulls(&mut self, count: usize) {
        self.views.resize(self.views.len() + count, 0);
        self.validity.append_n_nulls(count);
        if let Some(raw) = &mut self.raw {
            raw.append_n(count, false);
        }
    }

    /// Forgets all values from `len` on; the bytes of long ones stay behind unused.
    pub(in crate::rows) fn truncate(&mut self, len: usize) {
        self.views.truncate(len);
        self.validity.truncate(len);
        if let Some(raw) = &mut self.raw {
            raw.truncate(len);
        }
    }

    pub(in crate::rows) fn is_null(&self, at: usize) -> bool {
        at >= self.len() || !self.validity.is_valid(at)
    }

    pub(in crate::rows) fn is_raw(&self, at: usize) -> bool {
        self.raw.as_ref().is_some_and(|raw| raw.get_bit(at))
    }

    /// Hands the bytes of a value to `read`; short ones have no place of their own to borrow from.
    pub(in crate::rows) fn with<R>(&self, at: usize, read: impl FnOnce(&[u8]) -> R) -> R {
        let view = ByteView::from(self.views[at]);
        let length = view.length as usize;
        if length <= INLINE {
            return read(&self.views[at].to_le_bytes()[4..4 + length]);
        }
        let block = self.blocks.get(view.buffer_index as usize).unwrap_or(&self.block);
        read(&block[view.offset as usize..view.offset as usize + length])
    }

    pub(in crate::rows) fn into_array(mut self) -> ArrayRef {
        if !self.block.is_empty() {
            self.blocks.push(self.block);
        }
        let buffers: Vec<Buffer> = self.blocks.into_iter().map(Buffer::from_vec).collect();
        let views = ScalarBuffer::from(self.views);
        // SAFETY: every view was made by `push_bytes` from bytes that were checked as UTF-8, and points into its block.
        Arc::new(unsafe { StringViewArray::new_unchecked(views, buffers, self.validity.finish()) })
    }

    #[inline]
    fn push_bytes(&mut self, text: &[u8]) {
        let view = if text.len() <= INLINE { inline_view(text) } else { self.block_view(text) };
        self.views.push(view);
        self.validity.append_non_null();
    }

    fn block_view(&mut self, text: &[u8]) -> u128 {
        if self.block.capacity() - self.block.len() < text.len() {
            self.next_block(text.len());
        }
        let offset = self.block.len() as u32;
        self.block.extend_from_slice(text);
        let prefix = u32::from_le_bytes([text[0], text[1], text[2], text[3]]);
        let length = u32::try_from(text.len()).expect("a row, and so a text in it, is limited to far less than 4 GiB");
        ByteView { length, prefix, buffer_index: self.blocks.len() as u32, offset }.as_u128()
    }

    #[cold]
    fn next_block(&mut self, needed: usize) {
        let size = (self.block.capacity() * 2).clamp(FIRST_BLOCK, LARGEST_BLOCK).max(needed);
        let full = std::mem::replace(&mut self.block, Vec::with_capacity(size));
        if !full.is_empty() {
            self.blocks.push(full);
        }
    }
}

#[inline]
fn inline_view(text: &[u8]) -> u128 {
    let mut bytes = [0; 16];
    bytes[0] = text.len() as u8;
    bytes[4..4 + text.len()].copy_from_slice(text);
    u128::from_le_bytes(bytes)
}
