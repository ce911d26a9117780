//! Memory that was let go of, kept for the next table.
//!
//! Writing to memory that was written before is ten times as fast as to memory which the system has to find and clear first,
//! and more where that system is a guest which gives what is free back to its host. The system is told that it may take the
//! pages back when it runs short; until then they count as the process's.

use std::sync::{Mutex, TryLockError};

use super::mapping::Mapping;

/// So much is kept at most: a few results of usual size.
const MOST: usize = 256 << 20;

/// What is kept beyond this goes as soon as something is asked for that it does not fit: a process that streams a large result
/// would hold ever more.
const LEAST: usize = 8 << 20;

/// Somebody else is here for less time than it takes to look so often.
const LOOKS: usize = 100;

static KEPT: Mutex<Kept> = Mutex::new(Kept { list: Vec::new(), bytes: 0 });

/// The one let go of last stands last.
struct Kept {
    list: Vec<Mapping>,
    bytes: usize,
}

/// At least `len` bytes and at most `most`. What is in them is anything.
pub(super) fn take(len: usize, most: usize) -> Option<Mapping> {
    // What goes does so out here, where nobody waits for it.
    with(|kept| kept.take(len, most).ok_or_else(|| kept.go(len, LEAST)))?.ok()
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
        self.go(usize::MAX, MOST)
    }

    /// Gives what was kept for longest: so many bytes, or fewer where no more is left than should be.
    #[must_use]
    fn go(&mut self, bytes: usize, left: usize) -> Vec<Mapping> {
        let (mut going, mut gone) = (0, 0);
        while gone < bytes && self.bytes > left {
            gone += self.list[going].len();
            self.bytes -= self.list[going].len();
            going += 1;
        }
        self.list.drain(..going).collect()
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
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
    fn no_more_is_kept_than_there_is_room_for_and_the_oldest_goes_first() {
        let mut kept = Kept { list: Vec::new(), bytes: 0 };
        let gone = [MOST / 4, MOST / 8 * 3, MOST / 2].map(|len| kept.keep(Mapping::new(len).unwrap()).len());
        assert_eq!((gone, lengths(&kept)), ([0, 0, 1], vec![MOST / 8 * 3, MOST / 2]));
    }
}
