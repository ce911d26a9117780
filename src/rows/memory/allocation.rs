//! Memory of one owner: a lot of it from what is kept or from the system itself, little of it from the allocator.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ptr::NonNull;

use super::free_list;
use super::mapping::{self, Mapping};

/// What every allocator aligns to without ado, and what Arrow's widest type needs.
const ALIGNMENT: usize = 16;

/// Memory that nobody else has.
#[derive(Debug)]
pub(super) enum Allocation {
    Allocated {
        start: NonNull<u8>,
        len: usize,
    },
    /// `None` only while it is dropped.
    Mapped {
        mapping: Option<Mapping>,
        is_used: bool,
    },
    /// Zeros of which the system has hardly a page to hand out.
    Untouched(Mapping),
}

// SAFETY: its address is given out as a raw pointer alone, and any thread may let go of the memory.
unsafe impl Send for Allocation {}
// SAFETY: as above.
unsafe impl Sync for Allocation {}

impl Allocation {
    /// At least so many bytes.
    pub(super) fn new(len: usize) -> Self {
        if len < mapping::MMAP_THRESHOLD {
            return Self::from_allocator(len);
        }
        if let Some(kept) = free_list::take_or_make_way(len) {
            return Self::Mapped { mapping: Some(kept), is_used: true };
        }
        match Mapping::populated(len) {
            Some(new) => Self::Mapped { mapping: Some(new), is_used: false },
            None => Self::from_allocator(len),
        }
    }

    /// At least so many zeros, most of which nobody will write to. An allocator would clear what it had used before.
    pub(super) fn untouched(len: usize) -> Self {
        let mapping = if len < mapping::MMAP_THRESHOLD { None } else { Mapping::untouched(len) };
        mapping.map_or_else(|| Self::from_allocator(len), Self::Untouched)
    }

    fn from_allocator(len: usize) -> Self {
        let len = len.max(ALIGNMENT);
        let layout = layout(len);
        // SAFETY: the layout is not empty.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) });
        Self::Allocated { start: start.unwrap_or_else(|| handle_alloc_error(layout)), len }
    }

    pub(super) fn start(&self) -> NonNull<u8> {
        match self {
            Self::Allocated { start, .. } => *start,
            Self::Mapped { mapping, .. } => mapping.as_ref().map_or(NonNull::dangling(), Mapping::start),
            Self::Untouched(mapping) => mapping.start(),
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Allocated { len, .. } => *len,
            Self::Mapped { mapping, .. } => mapping.as_ref().map_or(0, Mapping::len),
            Self::Untouched(mapping) => mapping.len(),
        }
    }

    /// Whether something else was in it before; all bytes are zeros otherwise.
    pub(super) fn is_used(&self) -> bool {
        matches!(self, Self::Mapped { is_used: true, .. })
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        match self {
            // SAFETY: it came from the allocator with this very layout.
            Self::Allocated { start, len } => unsafe { dealloc(start.as_ptr(), layout(*len)) },
            Self::Mapped { mapping, .. } => mapping.take().into_iter().for_each(free_list::keep),
            // The next who asks wants pages, and here are hardly any.
            Self::Untouched(_) => {}
        }
    }
}

fn layout(len: usize) -> Layout {
    Layout::from_size_align(len, ALIGNMENT).expect("a table is far smaller than the address space")
}
