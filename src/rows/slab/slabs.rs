//! Slabs, and the pieces that are cut from them.

use super::Piece;

const SMALLEST: usize = 4 << 10;

/// As much as one huge page. All slabs of a table end up alike: what one leaves is taken up by the next.
const LARGEST: usize = 2 << 20;

/// A piece larger than this part of a slab would leave too much of it unused, and gets memory of its own.
const PARTS: usize = 4;

/// Less than this is not worth being taken back, and so many pieces are looked at for one that is large enough.
const SMALLEST_BACK: usize = 512;
const LOOKED_AT: usize = 16;

/// The length of every piece is a multiple of this. Where a slab is made of pages, pieces begin at cache lines, too.
const ALIGNMENT: usize = 64;

/// What is left of the slab that was begun.
#[derive(Debug, Default)]
pub(in crate::rows) struct Slab {
    rest: Piece,
    /// How much was ever taken.
    taken: usize,
    /// What texts did not need after all, all of it of the same slab: others would last that hold little else.
    given_back: Vec<Piece>,
}

impl Slab {
    /// An empty piece with room for `len` bytes at least.
    pub(in crate::rows) fn room(&mut self, len: usize) -> Piece {
        let len = len.next_multiple_of(ALIGNMENT);
        if len > self.rest.capacity() {
            let next = self.taken.next_power_of_two().clamp(SMALLEST, LARGEST);
            if len > next / PARTS {
                self.taken += len;
                return Piece::ask(len);
            }
            self.given_back.clear();
            self.rest = Piece::ask(next);
        }
        self.taken += len;
        self.rest.cut(len)
    }

    /// An empty piece for texts: one that was given back, if `least` bytes fit in, or else one of `wanted` bytes.
    pub(in crate::rows) fn block(&mut self, least: usize, wanted: usize) -> Piece {
        let looked_at = self.given_back.len().saturating_sub(LOOKED_AT);
        match self.given_back[looked_at..].iter().rposition(|piece| piece.capacity() >= least) {
            Some(at) => self.given_back.swap_remove(looked_at + at),
            None => self.room(wanted),
        }
    }

    /// Takes back the unused end of a piece, which takes memory whether anything is written there or not.
    pub(in crate::rows) fn take_back(&mut self, piece: &mut Piece) {
        let end = piece.split_off_unused();
        if end.capacity() >= SMALLEST_BACK && end.is_beside(&self.rest) {
            self.given_back.push(end);
        }
    }

    /// A piece of `len` bytes, whatever they are.
    ///
    /// # Safety
    /// Each is written before it is read: see [`Piece::fill_with_whatever`].
    pub(in crate::rows) unsafe fn whatever(&mut self, len: usize) -> Piece {
        let mut piece = self.room(len);
        // SAFETY: as promised here.
        unsafe { piece.fill_with_whatever(len) };
        piece
    }

    /// A piece of `len` zeros.
    pub(in crate::rows) fn zeros(&mut self, len: usize) -> Piece {
        let mut piece = self.room(len);
        piece.fill_with_zeros(len);
        piece
    }
}

/// Where the texts of a table go as they are read. Those inside others are gathered when their segment is full, and what they
/// lay in is then free: but not where columns that last lie in it, too.
#[derive(Debug, Default)]
pub(in crate::rows) struct Slabs {
    columns: Slab,
    nested: Slab,
}

impl Slabs {
    /// For what stands at this depth; at 1 it is a cell of a row.
    #[inline]
    pub(in crate::rows) fn at(&mut self, depth: usize) -> &mut Slab {
        if depth > 1 { &mut self.nested } else { &mut self.columns }
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
            let mut slab = Slab::default();
            let pieces: Vec<_> = lengths.iter().zip(1u8..).map(|(&len, mark)| {
                let (mut zeros, mut room) = (slab.zeros(len), slab.room(len));
                assert_eq!((zeros.len(), room.len()), (len, 0));
                assert!(zeros.iter().all(|&byte| byte == 0));
                assert!(zeros.as_ptr().addr().is_multiple_of(16) && room.capacity() >= len);
                zeros.fill(mark);
                let text = vec![!mark; len];
                room.extend_from_slice(&text[..len / 2]);
                room.extend_from_slice(&text[len / 2..]);
                (zeros, room.freeze())
            }).collect();
            drop(slab);
            for ((&len, mark), (zeros, room)) in lengths.iter().zip(1u8..).zip(pieces) {
                let zeros = zeros.freeze();
                prop_assert_eq!(room.as_slice(), &vec![!mark; len]);
                prop_assert_eq!(zeros.as_slice(), &vec![mark; len]);
            }
        }
    }

    #[test]
    fn a_piece_without_room_is_aligned_like_any_other() {
        assert!(Slab::default().zeros(0).as_ptr().addr().is_multiple_of(16));
    }

    #[test]
    fn what_was_not_needed_is_used_again() {
        let mut slab = Slab::default();
        slab.room(64 << 10);
        let mut first = slab.block(10, 4 << 10);
        first.extend_from_slice(&[1; 100]);
        slab.take_back(&mut first);
        let mut second = slab.block(3 << 10, 4 << 10);
        assert_eq!(second.as_ptr(), first[100..].as_ptr());
        second.extend_from_slice(&[2; 3 << 10]);
        slab.take_back(&mut second);
        let third = slab.block(3 << 10, 4 << 10);
        assert!(third.capacity() >= 4 << 10);
        assert_eq!((&first[..], &second[..]), (&[1; 100][..], &[2; 3 << 10][..]));
    }

    #[test]
    #[should_panic(expected = "room for 64 bytes")]
    fn a_piece_does_not_grow_beyond_its_room() {
        Slab::default().room(64).extend_from_slice(&[0; 65]);
    }

    #[test]
    fn what_was_loaded_along_is_overwritten() {
        let mut piece = Slab::default().room(64);
        piece.extend_from_loaded(b"ab, and what stands behind", 2);
        piece.extend_from_slice(b"cd");
        assert_eq!(&piece[..], b"abcd");
    }

    #[test]
    #[should_panic(expected = "room for 64 bytes")]
    fn nothing_is_loaded_beyond_the_room_of_a_piece() {
        Slab::default().room(64).extend_from_loaded(&[0; 65], 1);
    }

    #[test]
    #[should_panic(expected = "room for 64 bytes")]
    fn no_more_is_taken_than_was_loaded() {
        Slab::default().room(64).extend_from_loaded(&[0; 8], 9);
    }
}
