//! Text of nested columns, held as Arrow's `Utf8` lays it out: where each text ends among the bytes of all.
//!
//! A column in an object has a place in each row of the table, and where it is null an offset takes a quarter of a view.

use std::sync::Arc;

use arrow_array::{ArrayRef, StringArray};

use super::blocks::Blocks;
use super::gapped::Gapped;
use super::raw::{self, Raw};
use super::room::Room;
use crate::rows::slab::Slab;
use crate::rows::text::Text;

#[derive(Default)]
pub(in crate::rows) struct Strings {
    /// A place without a value ends where the one before it does.
    ends: Gapped<i32>,
    blocks: Blocks,
    raw: Raw,
}

impl Strings {
    pub(super) fn with_nulls(count: usize) -> Self {
        Self { ends: Gapped::with_nulls(count), ..Self::default() }
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Appends a string.
    #[inline]
    pub(super) fn push(&mut self, text: Text<'_>, slab: &mut Slab) {
        self.blocks.append(text, slab);
        let end = i32::try_from(text.len()).ok().and_then(|len| self.ends.last().checked_add(len));
        self.ends
            .push(end.expect("a segment of the body, which is bounded, and one row more are less than 2 GiB of text"));
    }

    /// Appends the JSON text of a value that is not a string.
    pub(super) fn push_raw(&mut self, text: &[u8], slab: &mut Slab) {
        self.raw.note(self.ends.values().len());
        self.push(raw::text_of(text).into(), slab);
    }

    pub(super) fn push_nulls(&mut self, count: usize) {
        self.ends.repeat_nulls(count);
    }

    pub(super) fn make_room(&mut self, room: &mut Room) {
        self.ends.make_room(room);
    }

    /// Says that nothing but nulls comes from now on. The next segment is read into the memory where the texts were.
    pub(super) fn finish(&mut self, slab: &mut Slab) {
        self.blocks = self.blocks.gathered(slab);
    }

    /// Forgets all values from `len` on.
    pub(super) fn truncate(&mut self, len: usize) {
        let end = self.ends.last();
        self.ends.truncate(len);
        self.blocks.drop_last((end - self.ends.last()) as usize);
        self.raw.truncate(self.ends.values().len());
    }

    pub(super) fn is_null(&self, at: usize) -> bool {
        self.ends.is_null(at)
    }

    pub(super) fn is_raw(&self, at: usize) -> bool {
        self.ends.index(at).is_some_and(|value| self.raw.has(value))
    }

    pub(super) fn get(&self, at: usize) -> &[u8] {
        let start = at.checked_sub(1).map_or(0, |before| self.ends.get_repeated(before));
        self.blocks.get(start as usize, (self.ends.get_repeated(at) - start) as usize)
    }

    pub(super) fn into_array(self, slab: &mut Slab) -> ArrayRef {
        let bytes = self.blocks.into_piece(slab).freeze();
        let (offsets, nulls) = self.ends.into_offsets(slab);
        // SAFETY: texts come by `push` alone, and a `Text` is UTF-8. As many bytes of each are appended as its end is behind
        // the one before it, and dropped with it, so each offset is the end of one text, or of the last before it where there is
        // none, and the last offset is the end of them all.
        Arc::new(unsafe { StringArray::new_unchecked(offsets, bytes, nulls) })
    }
}
