//! What all calls of a client may spend on repeats together.
//!
//! When a service is down, each of a thousand tasks repeating five times makes it five thousand requests. The quota
//! lets the first failures be repeated and then only as many as successes have paid for, so a storm ends by itself.

use std::sync::atomic::{AtomicU32, Ordering};

#[derive(Debug)]
pub(in crate::client) struct Quota(AtomicU32);

const FULL: u32 = 500;
const COST_OF_A_REPEAT: u32 = 5;
const GAIN_OF_A_SUCCESS: u32 = 1;

impl Quota {
    pub(in crate::client) fn full() -> Self {
        Self(AtomicU32::new(FULL))
    }

    /// Takes the cost of one repeat; `false` means that there is none to be.
    pub(in crate::client) fn take(&self) -> bool {
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(COST_OF_A_REPEAT)).is_ok()
    }

    /// Gives back for a request that succeeded: all a repeat had cost, or a little.
    pub(in crate::client) fn refill(&self, was_repeated: bool) {
        let gain = if was_repeated { COST_OF_A_REPEAT } else { GAIN_OF_A_SUCCESS };
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| Some((left + gain).min(FULL)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thousand_failing_tasks_repeat_a_hundred_times_in_all() {
        let quota = Quota::full();
        assert_eq!((0..5000).filter(|_| quota.take()).count(), 100);
        quota.refill(true);
        assert!(quota.take());
        (0..4).for_each(|_| quota.refill(false));
        assert!(!quota.take());
        quota.refill(false);
        assert!(quota.take());
    }

    #[test]
    fn successes_never_fill_it_beyond_full() {
        let quota = Quota::full();
        (0..1000).for_each(|_| quota.refill(true));
        assert_eq!((0..5000).filter(|_| quota.take()).count(), 100);
    }
}
