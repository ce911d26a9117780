//! Texts laid out as Arrow's `Utf8` has them: one behind the other, and where each ends.
//!
//! Those of nested columns become this as soon as their segment is full: views of them, which would not last anyway, are
//! four times as large, and the next segment is read into the memory where they were.

use std::sync::Arc;

use arrow_array::{ArrayRef, StringArray};

use super::gapped::Gapped;
use crate::rows::slab::{Piece, Slab};
use crate::rows::view::{self, LOADED};

pub(super) struct LaidOut {
    /// A place without a value ends where the one before it does.
    ends: Gapped<i32>,
    bytes: Piece,
}

impl LaidOut {
    /// Lays out the texts of `views`, in which a null is an empty text. Each is valid UTF-8, and `copy` appends it to
    /// what has room for [`LOADED`] bytes more.
    pub(super) fn lay_out(views: &Gapped<u128>, copy: impl Fn(u128, &mut Piece), slab: &mut Slab) -> Self {
        let mut end: usize = 0;
        let ends = views.map(|view| {
            end += view::length(view);
            i32::try_from(end)
                .expect("a segment of the body, which is bounded, and one row more are less than 2 GiB of text")
        });
        let mut bytes = Piece::default();
        if end > 0 {
            bytes = slab.room(end + LOADED);
            views.values().iter().for_each(|&view| copy(view, &mut bytes));
        }
        Self { ends, bytes }
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn push_nulls(&mut self, count: usize) {
        self.ends.repeat_nulls(count);
    }

    pub(super) fn get(&self, at: usize) -> &[u8] {
        let start = at.checked_sub(1).map_or(0, |before| self.ends.get_repeated(before));
        &self.bytes[start as usize..self.ends.get_repeated(at) as usize]
    }

    pub(super) fn is_null(&self, at: usize) -> bool {
        self.ends.is_null(at)
    }

    /// Where the text of a place is among those that were laid out; `None` for a null that none was laid out for.
    pub(super) fn index(&self, at: usize) -> Option<usize> {
        self.ends.index(at)
    }

    pub(super) fn into_array(self, slab: &mut Slab) -> ArrayRef {
        let (offsets, nulls) = self.ends.into_offsets(slab);
        // SAFETY: `Texts` takes no text that is not UTF-8, and writes as much of each as it says there is. Each offset is the end
        // of one, or of the last before it where there is none, and the last offset is the end of them all.
        Arc::new(unsafe { StringArray::new_unchecked(offsets, self.bytes.freeze(), nulls) })
    }
}
