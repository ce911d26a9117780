//! Views of text, as Arrow's `Utf8View` has them: short texts stand in them, of the others where they are.
//!
//! To copy bytes whose number is known only at run time is a call. So of a short text a fixed number of bytes is copied, 16 or
//! 64, with whatever stands behind it. What does not belong to it is masked in a view, and overwritten by the next text in a
//! block (which is Arrow's data buffer).

use arrow_data::{ByteView, MAX_INLINE_VIEW_LEN};

use super::slab::Piece;

/// A text no longer than this stands in its view.
pub(super) const INLINE: usize = MAX_INLINE_VIEW_LEN as usize;

/// A text no longer than this is copied in one go, and where texts are copied to there has to be so much more room.
pub(super) const LOADED: usize = 64;

/// Which bits of what is loaded belong to a text of so many bytes.
const MASKS: [u128; INLINE + 1] = {
    let mut masks = [0; INLINE + 1];
    let mut length = 1;
    while length <= INLINE {
        masks[length] = masks[length - 1] << 8 | 0xff;
        length += 1;
    }
    masks
};

/// The view of a text that stands in it: the first `length` of the bytes that were loaded.
#[inline]
pub(super) fn inline(loaded: &[u8; size_of::<u128>()], length: usize) -> u128 {
    (u128::from_le_bytes(*loaded) & MASKS[length]) << u32::BITS | length as u128
}

/// The view of a text that stands in it, where no more bytes than its own can be loaded. Its first and last bytes are loaded, and
/// overlap: what is copied byte by byte to a place with room behind it cannot be loaded as a whole until all of it is stored.
pub(super) fn inline_alone(text: &[u8]) -> u128 {
    let length = text.len();
    let bytes = if let (Some(first), Some(last)) = (text.first_chunk::<8>(), text.last_chunk::<8>()) {
        let (first, last) = (u64::from_le_bytes(*first), u64::from_le_bytes(*last));
        u128::from(first) | u128::from(last) << (8 * (length - 8))
    } else if let (Some(first), Some(last)) = (text.first_chunk::<4>(), text.last_chunk::<4>()) {
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        u128::from(first) | u128::from(last) << (8 * (length - 4))
    } else {
        text.iter().rev().fold(0, |bytes, &byte| bytes << 8 | u128::from(byte))
    };
    bytes << u32::BITS | length as u128
}

#[inline]
pub(super) fn length(view: u128) -> usize {
    ByteView::from(view).length as usize
}

/// Appends the text of a view to what has room for it and [`LOADED`] bytes; `block` gives the blocks that views point to.
#[inline]
pub(super) fn copy<'b>(view: u128, block: impl FnOnce(usize) -> &'b [u8], out: &mut Piece) {
    let length = length(view);
    if length <= INLINE {
        return out.extend_from_loaded(&(view >> u32::BITS).to_le_bytes(), length);
    }
    let view = ByteView::from(view);
    let text = &block(view.buffer_index as usize)[view.offset as usize..];
    match text.first_chunk::<LOADED>() {
        Some(loaded) if length <= LOADED => out.extend_from_loaded(loaded, length),
        _ => out.extend_from_slice(&text[..length]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_stands_alone_has_the_view_of_one_with_more_behind_it() {
        let text = *b"abcdefghijklmnop";
        for length in 0..=INLINE {
            assert_eq!(inline_alone(&text[..length]), inline(&text, length), "{length}");
        }
    }
}
