//! Whether to ask the system for huge pages.
//!
//! They are five times as fast as small ones where the system has them at hand. Where it has to make one, or is a guest
//! that gave all of them back to its host, they are five times as slow. No setting tells, so they are timed.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

pub(super) const HUGE_PAGE: usize = 2 << 20;

/// To fault in a huge page that takes longer than this is slower than to fault in small ones.
const LONGEST: Duration = Duration::from_millis(1);

/// How many mappings do without them after the first that was slow, and twice as many each time that another is.
const FIRST_PAUSE: usize = 32;
/// How many do without them at most.
const LAST_PAUSE: usize = 1 << 10;

/// How many mappings have still to do without them.
static LEFT_OF_PAUSE: AtomicUsize = AtomicUsize::new(0);
/// How many had to when one was slow last.
static PAUSE: AtomicUsize = AtomicUsize::new(0);

/// Whether the next mapping does without them; one that does counts.
pub(super) fn are_in_pause() -> bool {
    LEFT_OF_PAUSE.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok()
}

/// Faults in so many, and begins a pause if that is slow.
pub(super) fn timed(pages: u32, fault_in: impl FnOnce()) {
    let before = thread_time();
    fault_in();
    let is_slow = thread_time().saturating_sub(before) > LONGEST * pages;
    let pause = if is_slow { (2 * PAUSE.load(Ordering::Relaxed)).clamp(FIRST_PAUSE, LAST_PAUSE) } else { 0 };
    PAUSE.store(pause, Ordering::Relaxed);
    LEFT_OF_PAUSE.store(pause, Ordering::Relaxed);
}

/// How long this thread has worked; what others do meanwhile is not in it.
fn thread_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: it writes there and nowhere else.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
