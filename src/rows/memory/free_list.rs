//! Memory that was let go of, kept for the next table.
//!
//! Writing to memory that was written before is ten times as fast as to memory which the system has to find and clear
//! first, and more where that system is a guest which gives what is free back to its host.
//!
//! The smallest kept mapping that is large enough is split (best fit), and what is kept side by side is joined. Sizes
//! differ from table to table, most of all with threads: if mappings were handed out only as a whole, some memory would
//! always have to be fresh.

use std::sync::{Mutex, TryLockError};

use super::mapping::Mapping;

/// The most bytes that are kept: a few results of usual size, or one whose rows are mostly empty.
const MAX_KEPT: usize = 512 << 20;

/// Of what is kept beyond this the system is told that it may take the pages back when it runs short. Not of less:
/// telling it takes longer than using the pages again, and splits huge ones.
const OFFERED_ABOVE: usize = 64 << 20;

/// Where nothing that is kept fits what is asked for, as much of it goes back to the system, the oldest first, until
/// this much is left: a process that streams a large result would hold ever more.
const MIN_KEPT: usize = 8 << 20;

/// What is kept from one batch of a stream to the next. With a third of it a stream takes a third more time; with more
/// it takes as long, and more memory.
const MAX_KEPT_BETWEEN_BATCHES: usize = 24 << 20;

/// How often the lock is tried: whoever holds it needs less time than that.
const LOCK_ATTEMPTS: usize = 100;

static FREE_LIST: Mutex<FreeList> = Mutex::new(FreeList { list: Vec::new(), bytes: 0 });

/// What lies side by side is one. The oldest comes first; one that was joined with another counts as new.
struct FreeList {
    list: Vec<Mapping>,
    bytes: usize,
}

/// At least `len` bytes. What is in them is anything. Where there are none, others go back to the system instead.
pub(super) fn take_or_make_way(len: usize) -> Option<Mapping> {
    // What has to go is unmapped out here, where the lock is free again.
    with(|free| free.take(len).ok_or_else(|| free.make_way(len)))?.ok()
}

/// At least `len` bytes, for a caller that can do without: what is kept stays as it is where there are none.
pub(super) fn take(len: usize) -> Option<Mapping> {
    with(|free| free.take(len))?
}

/// Lets go of all but what a batch of a stream takes: parts that fit nothing would collect from batch to batch.
pub(in crate::rows) fn trim_to_a_batch() {
    drop(with(|free| free.release_oldest(free.bytes.saturating_sub(MAX_KEPT_BETWEEN_BATCHES))));
}

/// Keeps it for later, or gives it back to the system.
pub(super) fn keep(mapping: Mapping) {
    if mapping.len() > MAX_KEPT {
        return;
    }
    if with(|free| free.bytes + mapping.len() > OFFERED_ABOVE).unwrap_or(true) {
        mapping.offer();
    }
    let mut mapping = Some(mapping);
    drop(with(|free| mapping.take().map(|mapping| free.keep(mapping))));
}

/// Does something with the list, or nothing where it stays locked: in the child of a fork the thread that has it locked
/// may not exist, and nothing that waits for it would go on.
fn with<R>(work: impl FnOnce(&mut FreeList) -> R) -> Option<R> {
    for _ in 0..LOCK_ATTEMPTS {
        match FREE_LIST.try_lock() {
            Ok(mut free) => return Some(work(&mut free)),
            Err(TryLockError::Poisoned(free)) => return Some(work(&mut free.into_inner())),
            Err(TryLockError::WouldBlock) => std::hint::spin_loop(),
        }
    }
    None
}

impl FreeList {
    /// The beginning of what fits best.
    fn take(&mut self, len: usize) -> Option<Mapping> {
        let fitting = self.list.iter().enumerate().filter(|(_, mapping)| mapping.len() >= len);
        let (at, _) = fitting.min_by_key(|(_, mapping)| mapping.len())?;
        let taken = match self.list[at].split_off(len) {
            Some(rest) => std::mem::replace(&mut self.list[at], rest),
            None => self.list.remove(at),
        };
        self.bytes -= taken.len();
        Some(taken)
    }

    /// Gives what has to go for it.
    #[must_use]
    fn keep(&mut self, mut mapping: Mapping) -> Vec<Mapping> {
        self.bytes += mapping.len();
        while let Some(at) = self.list.iter().position(|other| other.is_beside(&mapping)) {
            mapping = mapping.join(self.list.remove(at));
        }
        self.list.push(mapping);
        self.release_oldest(self.bytes.saturating_sub(MAX_KEPT))
    }

    /// Gives about as much as so many bytes together, or less where about [`MIN_KEPT`] is to be left.
    #[must_use]
    fn make_way(&mut self, len: usize) -> Vec<Mapping> {
        self.release_oldest(len.min(self.bytes.saturating_sub(MIN_KEPT)))
    }

    /// Gives up about `bytes` bytes, of what was kept for longest.
    fn release_oldest(&mut self, mut bytes: usize) -> Vec<Mapping> {
        let mut going = Vec::new();
        while let Some(next) = self.list.first_mut().filter(|_| bytes > 0) {
            let rest = next.split_off(bytes);
            let gone = match rest {
                Some(rest) => std::mem::replace(next, rest),
                None => self.list.remove(0),
            };
            bytes = bytes.saturating_sub(gone.len());
            self.bytes -= gone.len();
            going.push(gone);
        }
        going
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::super::mapping::MMAP_THRESHOLD;
    use super::*;

    /// Mappings that lie side by side, the first at the lowest address.
    fn row<const N: usize>(lengths: [usize; N]) -> [Mapping; N] {
        let mut rest = Mapping::new(lengths.iter().sum());
        lengths.map(|len| {
            let mut first = rest.take().expect("there is as much as all of them");
            rest = first.split_off(len);
            assert_eq!(first.len(), len);
            first
        })
    }

    /// Those of a list that has what was let go of in this order.
    fn lengths(free: &FreeList) -> Vec<usize> {
        assert_eq!(free.bytes, free.list.iter().map(Mapping::len).sum::<usize>());
        free.list.iter().map(Mapping::len).collect()
    }

    fn empty() -> FreeList {
        FreeList { list: Vec::new(), bytes: 0 }
    }

    #[test]
    fn what_fits_best_is_taken_and_its_end_is_left() {
        let [large, _gap, small, _other, middle] = row([4 << 20, MMAP_THRESHOLD, 1 << 20, MMAP_THRESHOLD, 2 << 20]);
        let mut free = empty();
        for mapping in [large, small, middle] {
            assert!(free.keep(mapping).is_empty());
        }
        assert_eq!(free.take(900 << 10).unwrap().len(), 960 << 10);
        assert_eq!(lengths(&free), [4 << 20, 64 << 10, 2 << 20]);
        assert_eq!(free.take(2 << 20).unwrap().len(), 2 << 20);
        assert!(free.take(5 << 20).is_none());
        assert_eq!(lengths(&free), [4 << 20, 64 << 10]);
    }

    #[test]
    fn what_was_cut_is_one_again_in_whatever_order_it_comes_back() {
        for [first, second, third] in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [2, 1, 0]] {
            let mut parts = row([MMAP_THRESHOLD, 2 * MMAP_THRESHOLD, 4 * MMAP_THRESHOLD]).map(Some);
            let start = parts[0].as_ref().unwrap().start();
            let mut free = empty();
            for at in [first, second, third] {
                assert!(free.keep(parts[at].take().unwrap()).is_empty());
            }
            assert_eq!((lengths(&free), free.list[0].start()), (vec![7 * MMAP_THRESHOLD], start));
        }
    }

    #[test]
    fn what_is_joined_can_be_written_to_from_end_to_end() {
        let (one, other) = (Mapping::new(MMAP_THRESHOLD).unwrap(), Mapping::new(MMAP_THRESHOLD).unwrap());
        let mut free = empty();
        let are_joined = one.is_beside(&other);
        assert!(free.keep(one).is_empty() && free.keep(other).is_empty());
        assert_eq!(lengths(&free).len(), if are_joined { 1 } else { 2 });
        let all = free.list.remove(0);
        let mut bytes = vec![0_u8; all.len()];
        // SAFETY: nobody else has any of these bytes.
        unsafe {
            all.start().write_bytes(7, all.len());
            all.start().copy_to_nonoverlapping(std::ptr::NonNull::from(bytes.as_mut_slice()).cast(), all.len());
        }
        assert!(bytes.iter().all(|&byte| byte == 7));
    }

    #[test]
    fn what_was_asked_for_before_fits_when_it_is_asked_for_again() {
        for len in [MMAP_THRESHOLD + 1, 330_000, 1_000_001, 5_000_001] {
            let mut free = empty();
            assert!(free.keep(Mapping::new(len).unwrap()).is_empty());
            assert!(free.take(len).is_some() && free.list.is_empty());
        }
    }

    #[test]
    fn no_more_is_kept_than_there_is_room_for_and_the_oldest_goes_first() {
        let [first, _gap, second, _other, third] =
            row([MAX_KEPT / 4, MMAP_THRESHOLD, MAX_KEPT / 2, MMAP_THRESHOLD, MAX_KEPT / 2]);
        let mut free = empty();
        let gone = [first, second, third].map(|mapping| free.keep(mapping).iter().map(Mapping::len).sum::<usize>());
        assert_eq!((gone, lengths(&free)), ([0, 0, MAX_KEPT / 4], vec![MAX_KEPT / 2, MAX_KEPT / 2]));
    }

    #[test]
    fn what_is_not_found_makes_as_much_go_but_something_is_left() {
        let [first, _gap, second] = row([MIN_KEPT, MMAP_THRESHOLD, 2 * MIN_KEPT]);
        let mut free = empty();
        assert!(free.keep(first).is_empty() && free.keep(second).is_empty());
        assert_eq!(free.make_way(MIN_KEPT / 2).len(), 1);
        assert_eq!(lengths(&free), [MIN_KEPT / 2, 2 * MIN_KEPT]);
        assert_eq!(free.make_way(MIN_KEPT).len(), 2);
        assert_eq!(lengths(&free), [MIN_KEPT / 2 * 3]);
        assert_eq!(free.make_way(usize::MAX).len(), 1);
        assert_eq!((free.make_way(1).len(), lengths(&free)), (0, vec![MIN_KEPT]));
    }
}
