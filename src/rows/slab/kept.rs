//! Memory that was let go of, kept for the next table.
//!
//! Writing to memory that was written before is ten times as fast as to memory which the system has to find and clear first,
//! and more where that system is a guest which gives what is free back to its host. The system is told that it may take the
//! pages back when it runs short; until then they count as the process's.

use std::sync::{Mutex, TryLockError};

use super::mapping::{Mapping, rounded};

/// So much is kept at most: a few results of usual size.
const MOST: usize = 256 << 20;

/// What is kept beyond this goes for what is asked for and not found among it: a process that streams a large result would
/// hold ever more.
const LEAST: usize = 8 << 20;

/// Somebody else is here for less time than it takes to look so often.
const LOOKS: usize = 100;

static KEPT: Mutex<Kept> = Mutex::new(Kept { list: Vec::new(), bytes: 0 });

/// The one let go of last stands last.
struct Kept {
    list: Vec<Mapping>,
    bytes: usize,
}

/// At least `len` bytes and at most `most`, or as many as a new mapping would have. What is in them is anything.
pub(super) fn take(len: usize, most: usize) -> Option<Mapping> {
    // What goes does so out here, where nobody waits for it.
    with(|kept| kept.take(len, most).ok_or_else(|| kept.make_way(len)))?.ok()
}

/// Keeps it for later, or gives it back to the system.
pub(super) fn keep(mapping: Mapping) {
    if mapping.len() > MOST {
        return;
    }
    mapping.offer();
    let mut mapping = Some(mapping);
    drop(with(|kept| mapping.take().map(|mapping| kept.keep(mapping))));
}

/// Nobody waits here for long: one that forked while another thread was here would wait for ever.
fn with<R>(work: impl FnOnce(&mut Kept) -> R) -> Option<R> {
    for _ in 0..LOOKS {
        match KEPT.try_lock() {
            Ok(mut kept) => return Some(work(&mut kept)),
            Err(TryLockError::Poisoned(kept)) => return Some(work(&mut kept.into_inner())),
            Err(TryLockError::WouldBlock) => std::hint::spin_loop(),
        }
    }
    None
}

impl Kept {
    fn take(&mut self, len: usize, most: usize) -> Option<Mapping> {
        let most = most.max(rounded(len));
        let fitting = self.list.iter().enumerate().filter(|(_, mapping)| (len..=most).contains(&mapping.len()));
        let (at, _) = fitting.min_by_key(|(_, mapping)| mapping.len())?;
        let mapping = self.list.remove(at);
        self.bytes -= mapping.len();
        Some(mapping)
    }

    /// Gives what has to go for it.
    #[must_use]
    fn keep(&mut self, mapping: Mapping) -> Vec<Mapping> {
        self.bytes += mapping.len();
        self.list.push(mapping);
        self.go(|kept, _| kept.bytes > MOST)
    }

    /// Gives what is as much as so many bytes together, or less where no less than [`LEAST`] is to be left.
    #[must_use]
    fn make_way(&mut self, len: usize) -> Vec<Mapping> {
        let least = LEAST.max(self.bytes.saturating_sub(len));
        self.go(|kept, next| kept.bytes > least && kept.bytes - next.len() >= LEAST)
    }

    /// Gives what was kept for longest, as long as it `has_to` go.
    fn go(&mut self, has_to: impl Fn(&Self, &Mapping) -> bool) -> Vec<Mapping> {
        let mut going = 0;
        while let Some(next) = self.list.get(going)
            && has_to(self, next)
        {
            self.bytes -= next.len();
            going += 1;
        }
        self.list.drain(..going).collect()
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::super::mapping;
    use super::*;

    fn lengths(kept: &Kept) -> Vec<usize> {
        assert_eq!(kept.bytes, kept.list.iter().map(Mapping::len).sum::<usize>());
        kept.list.iter().map(Mapping::len).collect()
    }

    #[test]
    fn what_fits_best_is_taken_and_what_does_not_fit_is_left() {
        let mut kept = Kept { list: Vec::new(), bytes: 0 };
        for len in [4 << 20, 1 << 20, 2 << 20] {
            assert!(kept.keep(Mapping::new(len).unwrap()).is_empty());
        }
        assert_eq!(kept.take(900 << 10, 8 << 20).unwrap().len(), 1 << 20);
        assert!(kept.take(900 << 10, 1 << 20).is_none() && kept.take(5 << 20, 8 << 20).is_none());
        assert_eq!(lengths(&kept), [4 << 20, 2 << 20]);
    }

    #[test]
    fn what_was_asked_for_before_fits_when_it_is_asked_for_again() {
        for len in [mapping::SMALLEST + 1, 330_000, 1_000_001, 5_000_001] {
            let mut kept = Kept { list: Vec::new(), bytes: 0 };
            assert!(kept.keep(Mapping::new(len).unwrap()).is_empty());
            assert!(kept.take(len, len).is_some());
        }
    }

    #[test]
    fn no_more_is_kept_than_there_is_room_for_and_the_oldest_goes_first() {
        let mut kept = Kept { list: Vec::new(), bytes: 0 };
        let gone = [MOST / 4, MOST / 8 * 3, MOST / 2].map(|len| kept.keep(Mapping::new(len).unwrap()).len());
        assert_eq!((gone, lengths(&kept)), ([0, 0, 1], vec![MOST / 8 * 3, MOST / 2]));
    }

    #[test]
    fn what_is_not_found_makes_as_much_go_but_something_is_left() {
        let mut kept = Kept { list: Vec::new(), bytes: 0 };
        for len in [LEAST / 4, LEAST / 2, LEAST, LEAST] {
            assert!(kept.keep(Mapping::new(len).unwrap()).is_empty());
        }
        assert_eq!(kept.make_way(LEAST / 2).len(), 2);
        assert_eq!(kept.make_way(usize::MAX).len(), 1);
        assert_eq!((kept.make_way(1).len(), lengths(&kept)), (0, vec![LEAST]));
        let mut kept = Kept { list: Vec::new(), bytes: 0 };
        assert!(kept.keep(Mapping::new(3 * LEAST).unwrap()).is_empty());
        assert_eq!((kept.make_way(1).len(), lengths(&kept)), (0, vec![3 * LEAST]));
    }
}
