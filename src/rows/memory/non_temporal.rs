//! Whole cache lines written past the caches: none is loaded before, and none that is in use makes way.

use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_sfence, _mm_stream_si128};

/// How many bytes are written at once.
const PART: usize = size_of::<__m128i>();

/// Writes the same line to all places.
///
/// # Safety
/// Nobody, this thread included, reads or writes the places before this thread has [fenced](fence) them.
#[inline]
pub(super) unsafe fn write_lines<const LINE: usize>(places: &mut [[u8; LINE]], line: &[u8; LINE]) {
    assert!(places.as_ptr().addr().is_multiple_of(PART), "memory is aligned like its widest values");
    const { assert!(LINE.is_multiple_of(PART)) };
    for place in places {
        let parts = place.as_chunks_mut::<PART>().0.iter_mut().zip(line.as_chunks::<PART>().0);
        for (place, part) in parts {
            // SAFETY: there are as many bytes as are loaded and written, and the places are aligned, for lines are some
            // parts long.
            unsafe { _mm_stream_si128(place.as_mut_ptr().cast(), _mm_loadu_si128(part.as_ptr().cast())) };
        }
    }
}

/// Has what was written be there before whatever comes next.
pub(super) fn fence() {
    // SAFETY: there is no such processor without it.
    unsafe { _mm_sfence() };
}
