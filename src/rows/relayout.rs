//! Text from one layout into another. What has offsets shares its bytes with what is made of it; the rest comes from slabs.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::builder::make_view;
use arrow_array::{Array, ArrayRef, LargeStringArray, StringArray, StringViewArray};
use arrow_buffer::{OffsetBuffer, ScalarBuffer};

use super::slab::Slab;
use super::view::{self, INLINE, LOADED};

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

/// The view of a text in the first block.
fn view(bytes: &[u8], text: Range<usize>) -> u128 {
    match bytes.get(text.start..).and_then(<[u8]>::first_chunk) {
        Some(loaded) if text.len() <= INLINE => view::inline(loaded, text.len()),
        _ => make_view(&bytes[text.clone()], 0, text.start as u32),
    }
}

/// `Utf8` as `LargeUtf8`.
pub(super) fn large(texts: &StringArray, slab: &mut Slab) -> ArrayRef {
    // SAFETY: there is an offset more than there are texts, and all are written below.
    let mut offsets = unsafe { slab.whatever((texts.len() + 1) * size_of::<i64>()) };
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

/// `Utf8View` as `LargeUtf8`.
pub(super) fn large_of_views(texts: &StringViewArray, slab: &mut Slab) -> ArrayRef {
    // SAFETY: there is an offset more than there are texts, and all are written below.
    let mut offsets = unsafe { slab.whatever((texts.len() + 1) * size_of::<i64>()) };
    let (places, _) = offsets.as_chunks_mut();
    let mut end = 0;
    places[0] = 0_i64.to_ne_bytes();
    for (place, view) in places[1..].iter_mut().zip(given(texts)) {
        end += view::length(view);
        *place = (end as i64).to_ne_bytes();
    }
    let mut bytes = slab.room(end + LOADED);
    for view in given(texts) {
        view::copy(view, |at| &texts.data_buffers()[at], &mut bytes);
    }
    let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets.freeze()));
    // SAFETY: each offset is the end of a text, which was UTF-8 before.
    Arc::new(unsafe { LargeStringArray::new_unchecked(offsets, bytes.freeze(), texts.nulls().cloned()) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_data::ByteView;
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
