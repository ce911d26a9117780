//! A piece of a slab: a vector of bytes that cannot grow beyond its room, and becomes an Arrow buffer where it lies.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::Arc;

use arrow_buffer::Buffer;

use super::allocation::Allocation;

/// A small page, as estimates of what is written to take it.
pub(in crate::rows) const PAGE: usize = 4 << 10;

/// Owns `capacity` bytes from `start` on, of which no other piece has any: there is one piece of each memory to begin
/// with, and what is cut from a piece is its own no more. The first `len` bytes were written by it, or are the zeros
/// that memory began with. Only after [`Piece::set_len_uninit`] are they neither.
pub(in crate::rows) struct Piece {
    start: NonNull<u8>,
    len: usize,
    capacity: usize,
    /// None for a piece without room.
    memory: Option<Arc<Allocation>>,
}

// SAFETY: a piece is the only one to read and write its bytes.
unsafe impl Send for Piece {}
// SAFETY: as above, and it writes only when it is borrowed mutably.
unsafe impl Sync for Piece {}

impl Default for Piece {
    fn default() -> Self {
        // Aligned like every other piece.
        Self { start: NonNull::<u128>::dangling().cast(), len: 0, capacity: 0, memory: None }
    }
}

impl fmt::Debug for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Piece").field("len", &self.len).field("capacity", &self.capacity).finish_non_exhaustive()
    }
}

impl Piece {
    /// An empty piece with memory of its own.
    pub(in crate::rows) fn with_capacity(capacity: usize) -> Self {
        Self::of(Allocation::new(capacity))
    }

    /// An empty piece with memory of its own, whose pages come with the first write.
    pub(super) fn ask_untouched(capacity: usize) -> Self {
        Self::of(Allocation::untouched(capacity))
    }

    /// Whether so many pages are few of `len` bytes, so that what is written to no more is better off in
    /// [`Arena::barely_written`](super::Arena::barely_written).
    pub(in crate::rows) fn has_few(pages: usize, len: usize) -> bool {
        2 * pages < len / PAGE
    }

    fn of(memory: Allocation) -> Self {
        Self { start: memory.start(), len: 0, capacity: memory.len(), memory: Some(Arc::new(memory)) }
    }

    /// Cuts off an empty piece with the first `capacity` bytes of this one, which is empty too.
    pub(super) fn cut(&mut self, capacity: usize) -> Self {
        assert!(self.len == 0 && capacity <= self.capacity, "a piece is cut from unused room");
        let start = self.start;
        // SAFETY: at most one after the last of these bytes.
        self.start = unsafe { self.start.add(capacity) };
        self.capacity -= capacity;
        Self { start, len: 0, capacity, memory: self.memory.clone() }
    }

    /// Makes an empty piece one of `len` bytes, whatever they are.
    ///
    /// # Safety
    /// Each is written before it is read. Until then, what is in memory that was offered to the system may turn to
    /// zeros.
    pub(super) unsafe fn set_len_uninit(&mut self, len: usize) {
        assert!(self.len == 0 && len <= self.capacity, "a piece cannot grow beyond its room");
        self.len = len;
    }

    /// Makes a piece that nothing was ever written to one of `len` zeros.
    pub(super) fn set_len_zeroed(&mut self, len: usize) {
        assert!(self.len == 0 && len <= self.capacity, "there are as many zeros as there is room");
        self.len = len;
        if self.memory.as_ref().is_some_and(|memory| memory.is_used()) {
            self.fill(0);
        }
    }

    #[inline]
    pub(in crate::rows) fn capacity(&self) -> usize {
        self.capacity
    }

    /// How many bytes more there is room for.
    #[inline]
    fn unused(&self) -> usize {
        self.capacity - self.len
    }

    /// Appends bytes for which there has to be room.
    #[inline]
    pub(in crate::rows) fn extend_from_slice(&mut self, bytes: &[u8]) {
        assert!(bytes.len() <= self.unused(), "a piece with room for {} bytes takes no more", self.capacity);
        // SAFETY: the bytes after `len` are this piece's own, and there are enough of them.
        unsafe { self.start.add(self.len).copy_from_nonoverlapping(NonNull::from(bytes).cast(), bytes.len()) };
        self.len += bytes.len();
    }

    /// Forgets the bytes from `len` on.
    pub(in crate::rows) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// The bytes as they are, without copying.
    pub(in crate::rows) fn freeze(self) -> Buffer {
        match self.memory {
            // SAFETY: all of them are initialized, as in `deref`. Nobody writes to them any more, for no other piece
            // has them, and the memory they are in lasts as long as the buffer.
            Some(memory) => unsafe { Buffer::from_custom_allocation(self.start, self.len, memory) },
            None => Buffer::default(),
        }
    }
}

impl AsRef<[u8]> for Piece {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl Deref for Piece {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        // SAFETY: the first `len` bytes are this piece's own and are initialized: memory begins as zeros, or has what
        // was written there before. What was offered to the system may turn to zeros until it is written, so whoever
        // asked for such bytes reads none before: see `set_len_uninit`.
        unsafe { NonNull::slice_from_raw_parts(self.start, self.len).as_ref() }
    }
}

impl DerefMut for Piece {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and nobody else borrows the piece.
        unsafe { NonNull::slice_from_raw_parts(self.start, self.len).as_mut() }
    }
}
