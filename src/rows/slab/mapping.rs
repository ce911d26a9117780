//! Whole pages from the system.

use std::mem::ManuallyDrop;
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const PAGE: usize = 4 << 10;
const HUGE_PAGE: usize = 2 << 20;

/// Less than this is for the allocator, which has it at hand.
pub(super) const SMALLEST: usize = 128 << 10;

/// The lengths there are between two powers of two, so that what is let go of fits what is asked for next.
const LENGTHS: usize = 8;

/// A huge page that takes longer than this is found more slowly than the small ones in its place would be.
const LONGEST_FOR_HUGE_PAGE: Duration = Duration::from_millis(1);

/// Whether finding a huge page took too long once.
///
/// The system has them at hand, and then they are five times as fast as small ones. Or it has to make one, or is a guest that
/// gave all of them back to its host, and then they are five times as slow. No setting tells.
static ARE_HUGE_PAGES_SLOW: AtomicBool = AtomicBool::new(false);

/// Pages that are ours alone.
#[derive(Debug)]
pub(super) struct Mapping {
    start: NonNull<u8>,
    len: usize,
}

// SAFETY: it is only an address and a length; who may read and write there is for `Piece` to say.
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
        let mapping = Self { start: NonNull::new(start.cast())?, len };
        if len >= HUGE_PAGE && !ARE_HUGE_PAGES_SLOW.load(Ordering::Relaxed) {
            // The advice comes before the first write: a page that was small then stays small. Where it is refused, pages are
            // small.
            mapping.advise(libc::MADV_HUGEPAGE);
        }
        Some(mapping)
    }

    pub(super) fn start(&self) -> NonNull<u8> {
        self.start
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Makes it longer if it is not as long as that, wherever it then is. All that is new are zeros. `None` where the system
    /// has no room, and then it is as it was.
    pub(super) fn grow(&mut self, len: usize) -> Option<()> {
        let len = rounded(len);
        if len <= self.len {
            return Some(());
        }
        // SAFETY: this is the mapping as it is, and nobody has a part of it that is not told where it moves.
        let start = unsafe { libc::mremap(self.start.as_ptr().cast(), self.len, len, libc::MREMAP_MAYMOVE) };
        if start == libc::MAP_FAILED {
            return None;
        }
        (self.start, self.len) = (NonNull::new(start.cast())?, len);
        Some(())
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

    /// Has all its pages found in one go. Where that cannot be, they are found one by one.
    pub(super) fn populate(&self) {
        let before = thread_time();
        self.advise(libc::MADV_POPULATE_WRITE);
        let huge_pages = (self.len / HUGE_PAGE) as u32;
        if thread_time().saturating_sub(before) > LONGEST_FOR_HUGE_PAGE * huge_pages && huge_pages > 0 {
            ARE_HUGE_PAGES_SLOW.store(true, Ordering::Relaxed);
        }
    }

    /// Lets the system take the pages back when it runs short.
    pub(super) fn offer(&self) {
        self.advise(libc::MADV_FREE);
    }

    fn advise(&self, advice: libc::c_int) {
        // SAFETY: these bytes are ours. No advice that is given here changes what is in them while somebody needs it.
        unsafe { libc::madvise(self.start.as_ptr().cast(), self.len, advice) };
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: this is the mapping as it was made, and nobody has a part of it any more.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.len) };
    }
}

/// How long a mapping for so many bytes is.
fn rounded(len: usize) -> usize {
    len.next_multiple_of((len.next_power_of_two() / 2 / LENGTHS).max(PAGE))
}

/// How long this thread has worked; what others do meanwhile is not in it.
fn thread_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: it writes there and nowhere else.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
