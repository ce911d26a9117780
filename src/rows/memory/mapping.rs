//! Whole pages from the system.

use std::mem::ManuallyDrop;
use std::num::NonZero;
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The largest page that any machine has for its small ones (64 KiB, on some of arm64): all lengths are multiples of
/// it.
const GRANULE: usize = 64 << 10;
const HUGE_PAGE: usize = 2 << 20;

/// Less than this is for the allocator, which has it at hand.
pub(super) const MMAP_THRESHOLD: usize = 128 << 10;

/// Lengths are rounded, so that there are so many from one power of two to the next: what is let go of then fits what
/// is asked for next.
const LENGTHS: usize = 8;

/// To fault in a huge page that takes longer than this is slower than to fault in small ones.
const LONGEST_FOR_HUGE_PAGE: Duration = Duration::from_millis(1);

/// How many mappings do without huge pages after the first that was slow, and twice as many each time that another is.
const FIRST_PAUSE: usize = 32;
/// How many do without them at most.
const LAST_PAUSE: usize = 1 << 10;

/// How many mappings have still to do without huge pages.
static LEFT_OF_PAUSE: AtomicUsize = AtomicUsize::new(0);
/// How many had to when one was slow last.
static PAUSE: AtomicUsize = AtomicUsize::new(0);

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

    /// New memory with all its pages, which are found in one go where the system can do that.
    ///
    /// Huge ones are five times as fast as small ones where the system has them at hand. Where it has to make one, or
    /// is a guest that gave all of them back to its host, they are five times as slow. No setting tells, so they are
    /// timed.
    pub(super) fn populated(len: usize) -> Option<Self> {
        let mapping = Self::new(len)?;
        let huge_pages = (mapping.len / HUGE_PAGE) as u32;
        if huge_pages == 0 || is_in_pause() {
            mapping.advise(libc::MADV_POPULATE_WRITE);
            return Some(mapping);
        }
        // Before the first write, as a page that was small then stays small.
        mapping.advise(libc::MADV_HUGEPAGE);
        let before = thread_time();
        mapping.advise(libc::MADV_POPULATE_WRITE);
        let is_slow = thread_time().saturating_sub(before) > LONGEST_FOR_HUGE_PAGE * huge_pages;
        let pause = if is_slow { (2 * PAUSE.load(Ordering::Relaxed)).clamp(FIRST_PAUSE, LAST_PAUSE) } else { 0 };
        PAUSE.store(pause, Ordering::Relaxed);
        LEFT_OF_PAUSE.store(pause, Ordering::Relaxed);
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

/// Whether huge pages are not asked for now, which counts.
fn is_in_pause() -> bool {
    LEFT_OF_PAUSE.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok()
}

/// How long a mapping for so many bytes is.
fn rounded(len: usize) -> usize {
    len.next_multiple_of((len.next_power_of_two() / 2 / LENGTHS).max(GRANULE))
}

/// How long this thread has worked; what others do meanwhile is not in it.
fn thread_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: it writes there and nowhere else.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
