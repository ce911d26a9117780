//! Text values, held as Arrow's `Utf8View` lays them out: short ones inside the view, long ones in growing blocks. Those of
//! nested columns leave as `Utf8` ([`Utf8`]).
//!
//! A column that mixes strings with other kinds holds all of them as text and remembers which were not strings, so that the
//! JSON text of a value around them can still tell `"5"` from `5`.

use std::sync::Arc;

use arrow_array::{ArrayRef, StringViewArray};
use arrow_buffer::{Buffer, ScalarBuffer};
use arrow_data::ByteView;

use super::bits::Bits;
use super::gapped::Gapped;
use super::laid_out::LaidOut;
use super::room::Room;
use crate::rows::slab::{Piece, Slab, Slabs};
use crate::rows::text::Text;
use crate::rows::view::{self, INLINE, LOADED};

const FIRST_BLOCK: usize = 128;
const LARGEST_BLOCK: usize = 256 << 10;

/// Blocks double up to this size. From then on each is as large as this part of all before it: what the last one has left
/// over is lost.
const LARGEST_DOUBLED: usize = 4 << 10;
const PARTS: usize = 8;

#[derive(Default)]
pub(in crate::rows) struct Texts {
    /// A view of zeros is an empty text, and so is a null.
    views: Gapped<u128>,
    /// Full blocks.
    blocks: Vec<Piece>,
    /// The block being filled; its index is `blocks.len()`.
    block: Piece,
    /// Bytes of all blocks.
    taken: usize,
    /// Which of the values that are not in gaps are JSON text and not strings; those behind are not. Absent while all are
    /// strings.
    raw: Option<Box<Bits>>,
    /// All texts of a nested column, once no more come. Views and blocks are empty from then on.
    laid_out: Option<Box<LaidOut>>,
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
    }

    /// Appends the JSON text of a value that is not a string.
    pub(in crate::rows) fn push_raw(&mut self, text: &[u8], slab: &mut Slab) {
        let before = self.views.values().len();
        let text = if text.is_ascii() {
            // SAFETY: ASCII is UTF-8. To look for that alone takes far fewer steps, and most JSON text is numbers.
            unsafe { str::from_utf8_unchecked(text) }
        } else {
            simdutf8::basic::from_utf8(text).expect("JSON text is written from what was read, which is UTF-8")
        };
        self.push(text.into(), slab);
        let raw = self.raw.get_or_insert_default();
        raw.push_zeros(before - raw.len());
        raw.push_one();
    }

    pub(in crate::rows) fn push_nulls(&mut self, count: usize) {
        match &mut self.laid_out {
            Some(strings) => strings.push_nulls(count),
            None => self.views.push_nulls(count),
        }
    }

    pub(super) fn make_room(&mut self, room: &mut Room) {
        self.views.make_room(room);
    }

    /// Lays texts at this depth out if they are nested, or else gives back what none will need: nothing but nulls comes from
    /// now on.
    pub(in crate::rows) fn finish(&mut self, slabs: &mut Slabs, depth: usize) {
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
        if let Some(raw) = &mut self.raw {
            raw.truncate(self.views.values().len());
        }
    }

    pub(in crate::rows) fn is_null(&self, at: usize) -> bool {
        self.laid_out.as_ref().map_or_else(|| self.views.is_null(at), |strings| strings.is_null(at))
    }

    pub(in crate::rows) fn is_raw(&self, at: usize) -> bool {
        let Some(raw) = &self.raw else { return false };
        let index = self.laid_out.as_ref().map_or_else(|| self.views.index(at), |strings| strings.index(at));
        index.is_some_and(|value| value < raw.len() && raw.get(value))
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
        let (start, length) = (view.offset as usize, view.length as usize);
        if length <= INLINE {
            return read(&bits.to_le_bytes()[4..4 + length]);
        }
        read(&self.block(view.buffer_index as usize)[start..start + length])
    }

    #[inline]
    fn block(&self, at: usize) -> &[u8] {
        self.blocks.get(at).unwrap_or(&self.block)
    }

    fn lay_out(&mut self, slab: &mut Slab) {
        let copy = |view, bytes: &mut Piece| view::copy(view, |at| self.block(at), bytes);
        let strings = LaidOut::lay_out(&self.views, copy, slab);
        (self.views, self.blocks, self.block) = (Gapped::new(), Vec::new(), Piece::default());
        self.laid_out = Some(Box::new(strings));
    }

    /// As `Utf8`: for columns that have few values in many places.
    pub(in crate::rows) fn into_strings(mut self, slab: &mut Slab) -> ArrayRef {
        if self.laid_out.is_none() {
            self.lay_out(slab);
        }
        self.laid_out.map(|strings| strings.into_array(slab)).expect("they were laid out")
    }

    /// As `Utf8View`.
    pub(in crate::rows) fn into_views(mut self, slab: &mut Slab) -> ArrayRef {
        if !self.block.is_empty() {
            self.blocks.push(self.block);
        }
        let buffers: Vec<Buffer> = self.blocks.into_iter().map(Piece::freeze).collect();
        let (views, nulls) = self.views.into_buffers(slab);
        // SAFETY: texts come by `push` alone, and a `Text` is UTF-8. Each view was made as the bytes of its text were appended,
        // from the block and the place they went to; blocks are neither cut nor reordered. Zeros, which
        // nulls are, are empty texts. There are as many views as bits, or no bits.
        Arc::new(unsafe { StringViewArray::new_unchecked(ScalarBuffer::from(views), buffers, nulls) })
    }

    #[inline]
    fn block_view(&mut self, text: Text<'_>, slab: &mut Slab) -> u128 {
        match text.loaded() {
            Some(loaded) if text.len() <= LOADED && self.block.unused() >= LOADED => {
                self.block.extend_from_loaded::<LOADED>(loaded, text.len());
            }
            _ => self.append(text.bytes(), slab),
        }
        let length = u32::try_from(text.len()).expect("a row, and so a text in it, is limited to far less than 4 GiB");
        let prefix = *text.loaded().expect("a text that does not stand in its view is longer than its prefix");
        let offset = (self.block.len() - text.len()) as u32;
        ByteView { length, prefix: u32::from_le_bytes(prefix), buffer_index: self.blocks.len() as u32, offset }
            .as_u128()
    }

    #[inline(never)]
    fn append(&mut self, text: &[u8], slab: &mut Slab) {
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

#[inline]
fn inline_view(text: Text<'_>) -> u128 {
    text.loaded().map_or_else(|| view::inline_alone(text.bytes()), |loaded| view::inline(loaded, text.len()))
}

#[cfg(test)]
mod tests {
    use arrow_array::cast::AsArray;
    use arrow_array::{Array, ArrayRef};
    use proptest::prelude::*;

    use super::*;
    use crate::rows::cursor::Cursor;
    use crate::rows::escape::Unescaped;

    /// What a column of text is asked to do.
    #[derive(Debug, Clone)]
    enum Step {
        /// A string as it stands in a body, with so many bytes behind it.
        Push(String, usize),
        PushRaw(String),
        PushNulls(usize),
        DropLast(usize),
    }

    fn step() -> impl Strategy<Value = Step> {
        let text = || prop_oneof!["[a-zé]{0,14}", "[a-z]{10,16}", "[a-z]{61,67}", "[a-zé]{0,200}"];
        prop_oneof![
            6 => (text(), prop_oneof![Just(0), 0usize..80]).prop_map(|(text, behind)| Step::Push(text, behind)),
            1 => text().prop_map(Step::PushRaw),
            2 => (0usize..9).prop_map(Step::PushNulls),
            1 => (0usize..9).prop_map(Step::DropLast),
        ]
    }

    fn strings(array: &ArrayRef) -> Vec<Option<String>> {
        let texts = arrow_cast::cast(array, &arrow_schema::DataType::Utf8View).unwrap();
        texts.as_string_view().iter().map(|text| text.map(str::to_owned)).collect()
    }

    proptest! {
        #[test]
        fn texts_are_what_a_plain_vector_would_hold(steps in proptest::collection::vec(step(), 0..40), behind in 0usize..9) {
            let (mut texts, mut plain) = (Texts::default(), Vec::new());
            let (mut slabs, mut unescaped) = (Slabs::default(), Unescaped::default());
            for step in steps {
                match step {
                    Step::Push(text, behind) => {
                        let body = format!("\"{text}\"{}", "x".repeat(behind));
                        let read = Cursor::new(body.as_bytes(), true).text(&mut unescaped).unwrap();
                        texts.push(read, slabs.at(2));
                        plain.push(Some((text, false)));
                    }
                    Step::PushRaw(text) => {
                        texts.push_raw(text.as_bytes(), slabs.at(2));
                        plain.push(Some((text, true)));
                    }
                    Step::PushNulls(count) => {
                        texts.push_nulls(count);
                        plain.resize(plain.len() + count, None);
                    }
                    Step::DropLast(count) => {
                        plain.truncate(plain.len().saturating_sub(count));
                        texts.truncate(plain.len());
                    }
                }
            }
            for is_laid_out in [false, true] {
                if is_laid_out {
                    texts.finish(&mut slabs, 2);
                    texts.push_nulls(behind);
                    plain.resize(plain.len() + behind, None);
                }
                prop_assert_eq!(texts.len(), plain.len());
                for (at, value) in plain.iter().enumerate() {
                    prop_assert_eq!(texts.is_null(at), value.is_none());
                    let (text, is_raw) = value.clone().unwrap_or_default();
                    prop_assert_eq!(texts.is_raw(at), is_raw);
                    texts.with(at, |bytes| assert_eq!(bytes, text.as_bytes()));
                }
            }
            let expected: Vec<_> = plain.into_iter().map(|value| value.map(|(text, _)| text)).collect();
            let array = texts.into_strings(slabs.at(1));
            prop_assert!(array.to_data().validate_full().is_ok());
            prop_assert_eq!(strings(&array), expected.clone());
            let mut texts = Texts::default();
            for text in &expected {
                match text {
                    Some(text) => texts.push(text.as_str().into(), slabs.at(1)),
                    None => texts.push_nulls(1),
                }
            }
            texts.finish(&mut slabs, 1);
            let array = texts.into_views(slabs.at(1));
            prop_assert!(array.to_data().validate_full().is_ok());
            prop_assert_eq!(strings(&array), expected);
        }
    }
}
