//! Text with offsets into the layouts that receivers take best. It shares its bytes with what is made of it; the rest
//! comes from an arena.

use std::sync::Arc;

use arrow_array::builder::make_view;
use arrow_array::{Array, ArrayRef, LargeStringArray, StringArray, StringViewArray};
use arrow_buffer::{OffsetBuffer, ScalarBuffer};
use arrow_data::MAX_INLINE_VIEW_LEN;

use crate::rows::memory::{Arena, Lines};

/// A text no longer than this stands in its view.
const INLINE: usize = MAX_INLINE_VIEW_LEN as usize;

/// Where fewer than one in so many are there, it is faster to write only their views.
const FEW: usize = 8;

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

/// `Utf8` as `Utf8View`: long texts stay where they are.
pub(in crate::rows) fn views(texts: &StringArray, arena: &mut Arena) -> ArrayRef {
    let bytes = texts.values();
    let size = texts.len() * size_of::<u128>();
    let valid = texts.len() - texts.null_count();
    let views = if valid < texts.len() / FEW {
        // The view of a null is zeros, and pages that nothing else is on are left as they come.
        let mut views = arena.zeros_for(valid, size);
        let (places, _) = views.as_chunks_mut();
        let valid = texts.nulls().into_iter().flat_map(|nulls| nulls.valid_indices());
        valid.for_each(|at| places[at] = view(bytes, texts.value_offsets()[at], texts.value_offsets()[at + 1]));
        views
    } else {
        // SAFETY: there are as many views as texts, and all are written below.
        let mut views = unsafe { arena.uninit(size) };
        let (places, _) = views.as_chunks_mut();
        let offsets = texts.value_offsets();
        assert_eq!(offsets.len(), places.len() + 1, "each text has two ends");
        for (place, ends) in places.iter_mut().zip(offsets.windows(2)) {
            *place = view(bytes, ends[0], ends[1]);
        }
        views
    };
    let views = ScalarBuffer::from(views.freeze());
    // SAFETY: each two offsets of the texts, those of nulls included, span UTF-8 within the one buffer, for an array of
    // text is made of no others, and a view is made of just that span; zeros are the view of an empty text.
    Arc::new(unsafe { StringViewArray::new_unchecked(views, vec![bytes.clone()], texts.nulls().cloned()) })
}

/// The view of the text from `start` to `end` of the one buffer. Short and long ones take turns in a column, so both
/// are made.
#[inline]
fn view(bytes: &[u8], start: i32, end: i32) -> [u8; size_of::<u128>()] {
    let (start, length) = (start as usize, (end - start) as usize);
    let Some(loaded) = bytes.get(start..).and_then(<[u8]>::first_chunk) else {
        // Too near the end of the buffer for so many bytes to be loaded.
        return make_view(&bytes[start..start + length], 0, start as u32).to_ne_bytes();
    };
    // The length, and after it the text; or four bytes of it, the number of its buffer, which is 0, and where it is
    // there.
    let loaded = u128::from_le_bytes(*loaded);
    let short = (loaded & MASKS[length.min(INLINE)]) << u32::BITS;
    let long = u128::from(loaded as u32) << u32::BITS | (start as u128) << (3 * u32::BITS);
    (if length <= INLINE { short } else { long } | length as u128).to_ne_bytes()
}

/// `Utf8` as `LargeUtf8`.
pub(in crate::rows) fn large(texts: &StringArray, arena: &mut Arena) -> ArrayRef {
    let mut offsets = Lines::begin(texts.len() + 1, arena);
    offsets.convert(texts.value_offsets(), i64::from);
    let offsets = offsets.finish();
    // SAFETY: they begin at 0 or above and ascend, as those that they are made of, and there is one more than there are
    // texts.
    let offsets = unsafe { OffsetBuffer::new_unchecked(ScalarBuffer::from(offsets.freeze())) };
    // SAFETY: the texts are where they were, and were UTF-8 there.
    Arc::new(unsafe { LargeStringArray::new_unchecked(offsets, texts.values().clone(), texts.nulls().cloned()) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn text_is_the_same_in_every_layout(
            texts in prop_oneof![Just((0.7, 50)), Just((0.02, 100)), Just((0.001, 2000))].prop_flat_map(|(valid, most)| {
                prop::collection::vec(prop::option::weighted(valid, "[a-zé東]{0,20}"), 0..most)
            }),
            start in 0usize..5,
        ) {
            let start = start.min(texts.len());
            let arena = &mut Arena::default();
            let strings = StringArray::from(texts.clone()).slice(start, texts.len() - start);
            let expected = StringViewArray::from_iter(&texts[start..]);
            let converted = views(&strings, arena);
            prop_assert!(converted.to_data().validate_full().is_ok());
            prop_assert_eq!(converted.as_ref(), &expected as &dyn Array);
            let expected = LargeStringArray::from_iter(&texts[start..]);
            let converted = large(&strings, arena);
            prop_assert!(converted.to_data().validate_full().is_ok());
            prop_assert_eq!(converted.as_ref(), &expected as &dyn Array);
        }
    }
}
