//! Text from one layout into another. What has offsets shares its bytes with what is made of it; the rest comes from slabs.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::builder::make_view;
use arrow_array::{Array, ArrayRef, LargeStringArray, StringArray, StringViewArray};
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use arrow_data::{ByteView, MAX_INLINE_VIEW_LEN};

use super::slab::Slab;

/// A text no longer than this stands in its view.
const INLINE: usize = MAX_INLINE_VIEW_LEN as usize;

/// One no longer than this is copied in one go.
const LOADED: usize = 32;

/// `Utf8` as `Utf8View`: long texts stay where they are.
pub(super) fn views(texts: &StringArray, slab: &mut Slab) -> ArrayRef {
    let (offsets, bytes) = (texts.value_offsets(), texts.values());
    let mut views = slab.zeros(texts.len() * size_of::<u128>());
    let (places, _) = views.as_chunks_mut();
    // An empty text is a view of zeros, and so is a null.
    for (place, ends) in places.iter_mut().zip(offsets.windows(2)).filter(|(_, ends)| ends[0] < ends[1]) {
        *place = view(bytes, ends[0] as usize..ends[1] as usize).to_ne_bytes();
    }
    let views = ScalarBuffer::from(views.freeze());
    // SAFETY: each view is of a text in the one buffer, which was UTF-8 before.
    Arc::new(unsafe { StringViewArray::new_unchecked(views, vec![bytes.clone()], texts.nulls().cloned()) })
}

/// The view of a text in the first block. A short one is loaded with what stands behind it, for a copy of a length not known
/// beforehand is a call.
fn view(bytes: &[u8], text: Range<usize>) -> u128 {
    let length = text.len();
    match bytes.get(text.start..).and_then(<[u8]>::first_chunk) {
        Some(loaded) if length <= INLINE => {
            let loaded = u128::from_le_bytes(*loaded) & ((1 << (8 * length)) - 1);
            loaded << 32 | length as u128
        }
        _ => make_view(&bytes[text.clone()], 0, text.start as u32),
    }
}

/// `Utf8` as `LargeUtf8`.
pub(super) fn large(texts: &StringArray, slab: &mut Slab) -> ArrayRef {
    let mut offsets = slab.whatever((texts.len() + 1) * size_of::<i64>());
    let (places, _) = offsets.as_chunks_mut();
    for (place, offset) in places.iter_mut().zip(texts.value_offsets()) {
        *place = i64::from(*offset).to_ne_bytes();
    }
    let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets.freeze()));
    // SAFETY: the texts are where they were, and were UTF-8 there.
    Arc::new(unsafe { LargeStringArray::new_unchecked(offsets, texts.values().clone(), texts.nulls().cloned()) })
}

/// The views, of which those of nulls are of empty texts.
fn given(texts: &StringViewArray) -> impl Iterator<Item = u128> {
    let is_null = |at| texts.nulls().is_some_and(|nulls| nulls.is_null(at));
    texts.views().iter().enumerate().map(move |(at, &view)| if is_null(at) { 0 } else { view })
}

fn length(view: u128) -> usize {
    ByteView::from(view).length as usize
}

/// Copies a text to where there is room for it and [`LOADED`] bytes. A short one is copied with what stands behind it.
fn copy(view: u128, blocks: &[Buffer], place: &mut [u8]) {
    let length = length(view);
    if length <= INLINE {
        return place[..size_of::<u128>()].copy_from_slice(&(view >> u32::BITS).to_le_bytes());
    }
    let view = ByteView::from(view);
    let text = &blocks[view.buffer_index as usize][view.offset as usize..];
    match text.first_chunk::<LOADED>() {
        Some(loaded) if length <= LOADED => place[..LOADED].copy_from_slice(loaded),
        _ => place[..length].copy_from_slice(&text[..length]),
    }
}

/// `Utf8View` as `LargeUtf8`.
pub(super) fn large_of_views(texts: &StringViewArray, slab: &mut Slab) -> ArrayRef {
    let mut offsets = slab.whatever((texts.len() + 1) * size_of::<i64>());
    let (places, _) = offsets.as_chunks_mut();
    let mut end = 0;
    places[0] = 0_i64.to_ne_bytes();
    for (place, view) in places[1..].iter_mut().zip(given(texts)) {
        end += length(view);
        *place = (end as i64).to_ne_bytes();
    }
    let mut bytes = slab.whatever(end + LOADED);
    let mut at = 0;
    for view in given(texts) {
        copy(view, texts.data_buffers(), &mut bytes[at..]);
        at += length(view);
    }
    bytes.truncate(end);
    let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets.freeze()));
    // SAFETY: each offset is the end of a text, which was UTF-8 before.
    Arc::new(unsafe { LargeStringArray::new_unchecked(offsets, bytes.freeze(), texts.nulls().cloned()) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn text_is_the_same_in_every_layout(
            texts in prop::collection::vec(prop::option::of("[a-zé東]{0,20}"), 0..40),
            start in 0usize..5,
        ) {
            let start = start.min(texts.len());
            let slab = &mut Slab::default();
            let strings = StringArray::from(texts.clone()).slice(start, texts.len() - start);
            let expected = StringViewArray::from_iter(&texts[start..]);
            let relaid = views(&strings, slab);
            prop_assert!(relaid.to_data().validate_full().is_ok());
            prop_assert_eq!(relaid.as_ref(), &expected as &dyn Array);
            let expected = LargeStringArray::from_iter(&texts[start..]);
            let relaid = large(&strings, slab);
            prop_assert!(relaid.to_data().validate_full().is_ok());
            prop_assert_eq!(relaid.as_ref(), &expected as &dyn Array);
            let views = StringViewArray::from_iter(&texts).slice(start, texts.len() - start);
            let relaid = large_of_views(&views, slab);
            prop_assert!(relaid.to_data().validate_full().is_ok());
            prop_assert_eq!(relaid.as_ref(), &expected as &dyn Array);
        }
    }

    #[test]
    fn what_stands_in_the_place_of_a_null_is_not_looked_at() {
        let views = vec![make_view(b"one", 0, 0), ByteView::new(40, b"none").with_buffer_index(9).as_u128()];
        let nulls = arrow_buffer::NullBuffer::from(vec![true, false]);
        // SAFETY: a view of a null is never followed.
        let texts = unsafe { StringViewArray::new_unchecked(ScalarBuffer::from(views), vec![], Some(nulls)) };
        let large = large_of_views(&texts, &mut Slab::default());
        let expected: ArrayRef = Arc::new(LargeStringArray::from(vec![Some("one"), None]));
        assert_eq!(&large, &expected);
    }
}
