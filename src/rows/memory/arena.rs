//! An arena: slabs, of which only the last has room, and the pieces that are cut from them.

use super::Piece;

const MIN_SLAB: usize = 4 << 10;

/// As much as one huge page. All slabs of a table end up alike: what one leaves is taken up by the next.
const MAX_SLAB: usize = 2 << 20;

/// A piece larger than this part of a slab would leave too much of it unused, and gets memory of its own.
const PARTS: usize = 4;

/// The length of every piece is a multiple of this. Where a slab is made of pages, pieces begin at cache lines, too.
const ALIGNMENT: usize = 64;

/// What is left of the slabs that were begun: one whose pages are at hand, and one whose pages come with the first
/// write.
#[derive(Debug, Default)]
pub(in crate::rows) struct Arena {
    at_hand: Remainder,
    untouched: Remainder,
}

#[derive(Debug, Default)]
struct Remainder {
    piece: Piece,
    /// How much was ever taken.
    taken: usize,
}

impl Remainder {
    /// An empty piece with room for `len` bytes at least, of memory that is asked for so.
    fn room(&mut self, len: usize, ask: fn(usize) -> Piece) -> Piece {
        let len = len.next_multiple_of(ALIGNMENT);
        if len > self.piece.capacity() {
            let next = self.taken.next_power_of_two().clamp(MIN_SLAB, MAX_SLAB);
            if len > next / PARTS {
                self.taken += len;
                return ask(len);
            }
            self.piece = ask(next);
        }
        self.taken += len;
        self.piece.cut(len)
    }
}

impl Arena {
    /// An empty piece with room for `len` bytes at least.
    fn room(&mut self, len: usize) -> Piece {
        self.at_hand.room(len, Piece::with_capacity)
    }

    /// A piece of `len` bytes, whatever they are.
    ///
    /// # Safety
    /// Each is written before it is read: see [`Piece::set_len_uninit`].
    pub(in crate::rows) unsafe fn uninit(&mut self, len: usize) -> Piece {
        let mut piece = self.room(len);
        // SAFETY: as promised here.
        unsafe { piece.set_len_uninit(len) };
        piece
    }

    /// A piece of `len` zeros.
    pub(in crate::rows) fn zeros(&mut self, len: usize) -> Piece {
        let mut piece = self.room(len);
        piece.set_len_zeroed(len);
        piece
    }

    /// A piece of `len` zeros that is written to few of its pages: the others cost nothing.
    pub(in crate::rows) fn barely_written(&mut self, len: usize) -> Piece {
        let mut piece = self.untouched.room(len, Piece::ask_untouched);
        piece.set_len_zeroed(len);
        piece
    }

    /// A piece of `len` zeros, of which at most `pages` pages are written to.
    pub(in crate::rows) fn zeros_for(&mut self, pages: usize, len: usize) -> Piece {
        if Piece::has_few(pages, len) { self.barely_written(len) } else { self.zeros(len) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn a_piece_is_what_memory_of_its_own_would_be(lengths in prop::collection::vec(prop_oneof![0usize..300, 0usize..3 << 20], 0..40)) {
            let mut arena = Arena::default();
            let pieces: Vec<_> = lengths.iter().zip(1u8..).map(|(&len, mark)| {
                let (mut zeros, mut room) = (arena.zeros_for(usize::from(mark), len), arena.room(len));
                assert_eq!((zeros.len(), room.len()), (len, 0));
                assert!(zeros.iter().all(|&byte| byte == 0));
                assert!(zeros.as_ptr().addr().is_multiple_of(16) && room.capacity() >= len);
                zeros.fill(mark);
                let text = vec![!mark; len];
                room.extend_from_slice(&text[..len / 2]);
                room.extend_from_slice(&text[len / 2..]);
                (zeros, room.freeze())
            }).collect();
            drop(arena);
            for ((&len, mark), (zeros, room)) in lengths.iter().zip(1u8..).zip(pieces) {
                let zeros = zeros.freeze();
                prop_assert_eq!(room.as_slice(), &vec![!mark; len]);
                prop_assert_eq!(zeros.as_slice(), &vec![mark; len]);
            }
        }
    }

    #[test]
    fn a_piece_without_room_is_aligned_like_any_other() {
        assert!(Arena::default().zeros(0).as_ptr().addr().is_multiple_of(16));
    }

    #[test]
    #[should_panic(expected = "room for 64 bytes")]
    fn a_piece_does_not_grow_beyond_its_room() {
        Arena::default().room(64).extend_from_slice(&[0; 65]);
    }
}
