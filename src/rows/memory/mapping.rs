//! Whole pages from the system.

use std::mem::ManuallyDrop;
use std::num::NonZero;
use std::ptr::{NonNull, null_mut};

use super::huge_pages::{self, HUGE_PAGE};

/// The largest page that any machine has for its small ones (64 KiB, on some of arm64): all lengths are multiples of
/// it.
const GRANULE: usize = 64 << 10;

/// Less than this is for the allocator, which has it at hand.
pub(super) const MMAP_THRESHOLD: usize = 128 << 10;

/// Lengths are rounded, so that there are so many from one power of two to the next: what is let go of then fits what
/// is asked for next.
const LENGTHS: usize = 8;

/// Pages that are ours alone.
#[derive(Debug)]
pub(super) struct Mapping {
    start: NonNull<u8>,
    len: usize,
}

// SAFETY: its address is given out as a raw pointer alone, and any thread may unmap the pages.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// At least so many zeros.
    pub(super) fn new(len: usize) -> Option<Self> {
        let len = rounded(len);
        // SAFETY: a new mapping where the system finds room, which no other memory is part of.
        let start = unsafe {
            let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
            libc::mmap(null_mut(), len, access, kind, -1, 0)
        };
        if start == libc::MAP_FAILED {
            return None;
        }
        Some(Self { start: NonNull::new(start.cast())?, len })
    }

    /// New memory with all its pages, which are found in one go where the system can do that: [`huge_pages`] where
    /// they are quick to come.
    pub(super) fn populated(len: usize) -> Option<Self> {
        let mapping = Self::new(len)?;
        let populate = || mapping.advise(libc::MADV_POPULATE_WRITE);
        match (mapping.len / HUGE_PAGE) as u32 {
            0 => populate(),
            _ if huge_pages::are_in_pause() => populate(),
            pages => {
                // Before the first write, as a page that was small then stays small.
                mapping.advise(libc::MADV_HUGEPAGE);
                huge_pages::timed(pages, populate);
            }
        }
        Some(mapping)
    }

    /// New memory without a page, even where the system would hand out huge ones at the first write.
    pub(super) fn untouched(len: usize) -> Option<Self> {
        let mapping = Self::new(len)?;
        mapping.advise(libc::MADV_NOHUGEPAGE);
        Some(mapping)
    }

    pub(super) fn start(&self) -> NonNull<u8> {
        self.start
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Makes it at least `len` bytes long, which may move it; what is new is zeros. `None`, with the mapping unchanged,
    /// where the system has no room or sees a joined mapping as several.
    ///
    /// # Safety
    /// Where this gives `Some`, addresses in the mapping are not used any more.
    pub(super) unsafe fn grow(&mut self, len: usize) -> Option<()> {
        let len = rounded(len);
        if len <= self.len {
            return Some(());
        }
        // SAFETY: these pages are this mapping's own, and whoever calls gives up their addresses.
        let start = unsafe { libc::mremap(self.start.as_ptr().cast(), self.len, len, libc::MREMAP_MAYMOVE) };
        if start == libc::MAP_FAILED {
            return None;
        }
        (self.start, self.len) = (NonNull::new(start.cast())?, len);
        Some(())
    }

    /// Cuts off what is after the first `len` bytes, rounded up as those of a new mapping are, if there is any.
    pub(super) fn split_off(&mut self, len: usize) -> Option<Self> {
        let rest = self.len.checked_sub(rounded(len)).filter(|&rest| rest > 0)?;
        self.len -= rest;
        // SAFETY: this is within the mapping, and from here on it is no longer part of it.
        Some(Self { start: unsafe { self.start.add(self.len) }, len: rest })
    }

    /// Whether one begins where the other ends.
    pub(super) fn is_beside(&self, other: &Self) -> bool {
        self.end() == other.start.addr() || other.end() == self.start.addr()
    }

    /// The two as one, whose address is good for the bytes of both.
    pub(super) fn join(self, other: Self) -> Self {
        assert!(self.is_beside(&other), "only what lies side by side is one");
        let parts = [ManuallyDrop::new(self), ManuallyDrop::new(other)];
        // One pointer for two mappings rests on exposed provenance: memory from the system is of no allocation that the
        // compiler knows of, so none ends between the two.
        let [one, other] = parts.each_ref().map(|part| part.start.expose_provenance());
        let start = NonNull::with_exposed_provenance(one.min(other));
        Self { start, len: parts.iter().map(|part| part.len).sum() }
    }

    fn end(&self) -> NonZero<usize> {
        self.start.addr().saturating_add(self.len)
    }

    /// Leaves it to somebody who makes one of it again.
    pub(super) fn into_raw(self) -> NonNull<u8> {
        ManuallyDrop::new(self).start
    }

    /// # Safety
    /// It was one of this length before, and is nobody else's.
    pub(super) unsafe fn from_raw(start: NonNull<u8>, len: usize) -> Self {
        Self { start, len }
    }

    /// Lets the system take the pages back when it runs short (`MADV_FREE`). From then on what is in a page may turn to
    /// zeros at any moment, until it is written to.
    pub(super) fn offer(&self) {
        self.advise(libc::MADV_FREE);
    }

    fn advise(&self, advice: libc::c_int) {
        // SAFETY: these pages are this mapping's own. Of the advice given in this file only `MADV_FREE` changes what is
        // in them, and whoever gives it is told so.
        unsafe { libc::madvise(self.start.as_ptr().cast(), self.len, advice) };
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: these pages are mapped and this mapping's own. What was split off is a mapping of its own, and what
        // was joined lay side by side, so there is no hole among them; any such range may be unmapped. Who has given
        // out addresses in them keeps it, or forgets it, for as long as these are used.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.len) };
    }
}

/// How long a mapping for so many bytes is.
fn rounded(len: usize) -> usize {
    len.next_multiple_of((len.next_power_of_two() / 2 / LENGTHS).max(GRANULE))
}
