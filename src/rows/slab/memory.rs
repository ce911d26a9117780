//! Zeroed memory, much of it from the system itself in huge pages where that is to be had.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ptr::NonNull;

/// What every allocator aligns to without ado, and what Arrow's widest type needs.
const ALIGNMENT: usize = 16;

/// Memory that nobody else has, all zeros at first.
#[derive(Debug)]
pub(super) struct Memory {
    start: NonNull<u8>,
    len: usize,
    is_mapped: bool,
}

// SAFETY: it is only an address and a length; who may read and write there is for `Piece` to say.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

impl Memory {
    /// In huge pages where there are so many bytes.
    pub(super) fn ask(len: usize) -> Self {
        match mapped::map(len) {
            Some(start) => Self { start, len, is_mapped: true },
            None => Self::ask_in_small_pages(len),
        }
    }

    /// From the allocator, which has many zeros from the system and leaves them untouched.
    pub(super) fn ask_in_small_pages(len: usize) -> Self {
        let len = len.max(ALIGNMENT);
        let layout = layout(len);
        // SAFETY: the layout is not empty.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) });
        Self { start: start.unwrap_or_else(|| handle_alloc_error(layout)), len, is_mapped: false }
    }

    pub(super) fn start(&self) -> NonNull<u8> {
        self.start
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if self.is_mapped {
            mapped::unmap(self.start, self.len);
        } else {
            // SAFETY: it came from the allocator with this very layout.
            unsafe { dealloc(self.start.as_ptr(), layout(self.len)) }
        }
    }
}

fn layout(len: usize) -> Layout {
    Layout::from_size_align(len, ALIGNMENT).expect("a table is far smaller than the address space")
}

#[cfg(target_os = "linux")]
mod mapped {
    use std::ptr::{NonNull, null_mut};

    const HUGE_PAGE: usize = 2 << 20;

    /// Zeros in huge pages, if there are so many that they fill one. The advice comes before the first write: a page that was
    /// small then stays small.
    pub(super) fn map(len: usize) -> Option<NonNull<u8>> {
        if len < HUGE_PAGE {
            return None;
        }
        // SAFETY: a new mapping where the system finds room, which no other memory is part of.
        let start = unsafe {
            let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
            libc::mmap(null_mut(), len, access, kind, -1, 0)
        };
        if start == libc::MAP_FAILED {
            return None;
        }
        // SAFETY: the mapping is ours, and the advice changes nothing in it. Where it is refused, pages are small.
        unsafe { libc::madvise(start, len, libc::MADV_HUGEPAGE) };
        NonNull::new(start.cast())
    }

    pub(super) fn unmap(start: NonNull<u8>, len: usize) {
        // SAFETY: this is the mapping that `map` made, and nobody has a part of it any more.
        unsafe { libc::munmap(start.as_ptr().cast(), len) };
    }
}

#[cfg(not(target_os = "linux"))]
mod mapped {
    use std::ptr::NonNull;

    /// Elsewhere the allocator has it all.
    pub(super) fn map(_: usize) -> Option<NonNull<u8>> {
        None
    }

    pub(super) fn unmap(_: NonNull<u8>, _: usize) {}
}
