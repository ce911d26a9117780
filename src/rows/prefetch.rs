//! Memory that is written to or read soon: the processor is asked to have it at hand by then.
//!
//! A row writes to the ends of many columns, more than processors follow by themselves. Each column comes to memory
//! that was not written to for long every few rows, and would wait for it.

use std::arch::x86_64::{_MM_HINT_ET0, _MM_HINT_T0, _mm_prefetch};

/// How far ahead of what is written now: one or two cache lines.
const DISTANCE: usize = 128;

/// Says that what lies after `end` is written to soon. It need not be memory at all.
#[inline]
pub(super) fn prefetch_write<T>(end: *const T) {
    // SAFETY: this is a hint, which reads and writes nothing whatever the address is.
    unsafe { _mm_prefetch::<_MM_HINT_ET0>(end.cast::<i8>().wrapping_add(DISTANCE)) };
}

/// Says that what lies at `place` is read soon. It need not be memory at all.
#[inline]
pub(super) fn prefetch_read<T>(place: *const T) {
    // SAFETY: this is a hint, which reads nothing whatever the address is.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(place.cast()) };
}
