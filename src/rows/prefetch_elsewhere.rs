//! Processors that cannot be asked from stable Rust to have memory at hand.

/// Nothing to do.
#[inline]
pub(super) fn prefetch_write<T>(_end: *const T) {}

/// Nothing to do.
#[inline]
pub(super) fn prefetch_read<T>(_place: *const T) {}
