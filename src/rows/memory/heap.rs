//! What the allocator keeps of what it is given back.
//!
//! glibc hands the free end of a heap back to the system where it is larger than `M_TRIM_THRESHOLD`, which is 128 KiB.
//! A thread that decodes takes more than that for a table, and had to find it page by page each time. The threshold
//! rises by itself: when a block is freed that had pages of its own (it was larger than `M_MMAP_THRESHOLD`), to twice
//! the length of that.

use std::hint::black_box;
use std::sync::Once;

/// More than any thread needs of the allocator, for what is large comes from elsewhere.
const BLOCK: usize = 2 << 20;

/// Has the allocator keep ends of heaps for the next table, where it does not yet.
pub(in crate::rows) fn raise_trim_threshold() {
    static DONE: Once = Once::new();
    if cfg!(target_env = "gnu") {
        DONE.call_once(|| drop(black_box(Vec::<u8>::with_capacity(BLOCK))));
    }
}
