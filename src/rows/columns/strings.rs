//! Text, held as Arrow's `Utf8` lays it out: where each text ends among the bytes of all.
//!
//! Receivers that hold views get them when they ask: there is less to write where an offset stands for each text, and those that
//! hold offsets share the bytes.

use std::sync::Arc;

use arrow_array::{ArrayRef, StringArray};

use super::ends::Ends;
use super::gapped::Gapped;
use super::raw::{self, Raw};
use super::room::Room;
use crate::rows::json::text::{LOADED, Text};
use crate::rows::slab::{Pages, Slab, Values, append_bytes, append_loaded, freeze};

pub(in crate::rows) struct Strings {
    ends: Ends,
    bytes: Values<u8>,
    raw: Raw,
}

impl Strings {
    pub(super) fn with_nulls(count: usize) -> Self {
        Self { ends: Ends::with_nulls(count), bytes: Values::new_in(Pages), raw: Raw::default() }
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Appends a string.
    #[expect(
        clippy::inline_always,
        reason = "the end of reading a string; left to itself the compiler makes it a call in some programs and not in others: 6 %"
    )]
    #[inline(always)]
    pub(super) fn push(&mut self, text: Text<'_>) {
        match text.loaded() {
            Some(loaded) if text.len() <= LOADED && append_loaded(&mut self.bytes, loaded, text.len()) => {}
            _ => self.append(text.bytes()),
        }
        let end = i32::try_from(self.bytes.len());
        self.ends.push(
            end.expect("a column holds less than 2 GiB of text: a segment of the body is bounded, and so is a row"),
        );
    }

    /// Appends the bytes of a text, with room behind it for all that is loaded with the next.
    #[inline(never)]
    fn append(&mut self, text: &[u8]) {
        self.bytes.reserve(text.len() + LOADED);
        append_bytes(&mut self.bytes, text);
    }

    /// Appends the JSON text of a value that is not a string.
    pub(super) fn push_raw(&mut self, text: &[u8]) {
        self.raw.note(self.ends.values());
        self.push(raw::text_of(text).into());
    }

    pub(super) fn push_nulls(&mut self, count: usize) {
        self.ends.push_nulls(count);
    }

    pub(super) fn make_room(&mut self, room: &mut Room) {
        self.ends.make_room(room);
        room.make(&mut self.bytes, LOADED);
    }

    /// Gives back the room behind the bytes, and lays out where texts end: no other comes.
    pub(super) fn finish(&mut self, slab: &mut Slab) {
        self.bytes.shrink_to_fit();
        // Which values are JSON text is known by their number among those that are no nulls of a gap.
        if self.raw.is_empty() {
            self.ends.lay_out(slab);
        }
    }

    /// Forgets all values from `len` on.
    pub(super) fn truncate(&mut self, len: usize) {
        self.bytes.truncate(self.ends.truncate(len));
        self.raw.truncate(self.ends.values());
    }

    pub(super) fn spread(&mut self, outer: &Gapped<()>) {
        self.ends.spread(outer);
    }

    pub(super) fn is_null(&self, at: usize) -> bool {
        self.ends.is_null(at)
    }

    pub(super) fn is_raw(&self, at: usize) -> bool {
        !self.raw.is_empty() && self.ends.value(at).is_some_and(|value| self.raw.has(value))
    }

    pub(super) fn get(&self, at: usize) -> &[u8] {
        &self.bytes[self.ends.range(at)]
    }

    pub(super) fn into_array(self, slab: &mut Slab) -> ArrayRef {
        let bytes = freeze(self.bytes);
        let (offsets, nulls) = self.ends.into_offsets(slab);
        // SAFETY: texts come by `push` alone, and a `Text` is UTF-8. Where all bytes end when one is appended is its end, they are
        // dropped with it, and none is dropped once ends are laid out. So each offset is the end of one text, or of the last before
        // it where there is none, and the last offset is the end of them all.
        Arc::new(unsafe { StringArray::new_unchecked(offsets, bytes, nulls) })
    }
}
