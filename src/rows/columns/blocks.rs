//! The bytes of texts, one behind the other in blocks that grow: no text is in two of them.

use crate::rows::slab::{Piece, Slab};
use crate::rows::text::Text;
use crate::rows::view::LOADED;

const FIRST: usize = 128;
const LARGEST: usize = 256 << 10;

/// Blocks double up to this size. From then on each is as large as this part of all before it: what the last one has left
/// over is lost.
const LARGEST_DOUBLED: usize = 4 << 10;
const PARTS: usize = 8;

#[derive(Default)]
pub(super) struct Blocks {
    full: Vec<Piece>,
    /// How many bytes there are up to the end of each full one.
    ends: Vec<usize>,
    /// The one being filled.
    last: Piece,
    /// How many bytes there is room for in all of them.
    taken: usize,
}

impl Blocks {
    #[inline]
    pub(super) fn append(&mut self, text: Text<'_>, slab: &mut Slab) {
        match text.loaded() {
            Some(loaded) if text.len() <= LOADED && self.last.unused() >= LOADED => {
                self.last.extend_from_loaded::<LOADED>(loaded, text.len());
            }
            _ => self.append_bytes(text.bytes(), slab),
        }
    }

    #[inline(never)]
    fn append_bytes(&mut self, text: &[u8], slab: &mut Slab) {
        if self.last.unused() < text.len() {
            self.begin(text.len(), slab);
        }
        self.last.extend_from_slice(text);
    }

    #[cold]
    fn begin(&mut self, needed: usize, slab: &mut Slab) {
        let size = self.taken.clamp(FIRST, LARGEST_DOUBLED).max(self.taken / PARTS).min(LARGEST).max(needed);
        let full = std::mem::replace(&mut self.last, slab.block(needed, size));
        self.taken += self.last.capacity();
        if !full.is_empty() {
            self.ends.push(self.start_of(self.full.len()) + full.len());
            self.full.push(full);
        }
    }

    /// How many bytes stand before a block.
    fn start_of(&self, block: usize) -> usize {
        block.checked_sub(1).map_or(0, |before| self.ends[before])
    }

    /// Which block the last text is in, and where that ends there.
    #[inline]
    pub(super) fn end(&self) -> (usize, usize) {
        (self.full.len(), self.last.len())
    }

    #[inline]
    pub(super) fn block(&self, at: usize) -> &[u8] {
        self.full.get(at).unwrap_or(&self.last)
    }

    /// The text of `len` bytes that begins behind `start` bytes of all texts.
    pub(super) fn get(&self, start: usize, len: usize) -> &[u8] {
        let at = self.ends.partition_point(|&end| end <= start);
        let start = start - self.start_of(at);
        &self.block(at)[start..start + len]
    }

    /// Forgets the last `bytes`, which are whole texts.
    pub(super) fn drop_last(&mut self, mut bytes: usize) {
        while bytes > self.last.len() {
            bytes -= self.last.len();
            self.taken -= self.last.capacity();
            self.ends.pop();
            self.last = self.full.pop().expect("no more is dropped than there is");
        }
        self.last.truncate(self.last.len() - bytes);
    }

    /// Gives back the room that nothing is in.
    pub(super) fn give_back_unused(&mut self, slab: &mut Slab) {
        slab.take_back(&mut self.last);
    }

    /// The same bytes in one block, which is as large as they are.
    pub(super) fn gathered(&self, slab: &mut Slab) -> Self {
        let blocks = || self.full.iter().chain([&self.last]);
        let taken = blocks().map(|block| block.len()).sum();
        let mut last = Piece::default();
        if taken > 0 {
            last = slab.room(taken);
            blocks().for_each(|block| last.extend_from_slice(block));
        }
        Self { last, taken, ..Self::default() }
    }

    /// All bytes one behind the other.
    pub(super) fn into_piece(self, slab: &mut Slab) -> Piece {
        if self.full.is_empty() { self.last } else { self.gathered(slab).last }
    }

    pub(super) fn into_pieces(mut self) -> Vec<Piece> {
        if !self.last.is_empty() {
            self.full.push(self.last);
        }
        self.full
    }
}
