//! Work on a list that several threads share, for a moment: the one that asks for it, and others that end with it.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use super::affinity::send_apart;
use crate::lock::lock;

/// More threads than this would wait for the one that feeds them or for memory, and each holds blocks.
pub(in crate::rows) const MAX_THREADS: usize = 16;

/// What `work` makes of each item, in their order. Each thread works with something of its own, which `tool` makes;
/// `threads` are that many at most. None of it is borrowed: a thread that may borrow cannot be sent to another core.
pub(in crate::rows) fn map<T: Send + 'static, R: Send + 'static, S>(
    items: Vec<T>,
    threads: usize,
    tool: impl Fn() -> S + Clone + Send + 'static,
    work: impl Fn(T, &mut S) -> R + Clone + Send + 'static,
) -> Vec<R> {
    let others = threads.min(MAX_THREADS).min(items.len()).saturating_sub(1);
    let list = Arc::new(Mutex::new(items.into_iter().enumerate()));
    let share = move || {
        let mut tool = tool();
        let next = || lock(&list).next();
        std::iter::from_fn(next).map(|(at, item)| (at, work(item, &mut tool))).collect::<Vec<_>>()
    };
    let start = |_| thread::Builder::new().name("rowhaul-decode".to_owned()).spawn(share.clone()).ok();
    // Where no more threads are to be had, there are fewer to share with.
    let others: Vec<_> = (0..others).map_while(start).inspect(send_apart).collect();
    // All have ended before a panic goes on.
    let mut shares = vec![catch_unwind(AssertUnwindSafe(share))];
    shares.extend(others.into_iter().map(JoinHandle::join));
    let mut done: Vec<_> =
        shares.into_iter().flat_map(|share| share.unwrap_or_else(|panic| resume_unwind(panic))).collect();
    done.sort_unstable_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, made)| made).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_made_stands_in_the_order_of_what_it_is_made_of() {
        for threads in [0, 1, 2, 40] {
            let squares = map((0..100).collect(), threads, || 0, |number: u64, _: &mut i32| number * number);
            assert_eq!(squares, (0..100).map(|number| number * number).collect::<Vec<_>>());
        }
        assert!(map(Vec::<u8>::new(), 3, || (), |byte, ()| byte).is_empty());
    }

    #[test]
    fn a_panic_goes_on_once_all_threads_have_ended() {
        let items = Arc::new(());
        let list = vec![Arc::clone(&items); 50];
        let work = |item: Arc<()>, (): &mut ()| assert!(Arc::strong_count(&item) > 40, "this panic belongs to a test");
        let done = catch_unwind(AssertUnwindSafe(|| map(list, 4, || (), work)));
        assert!(done.is_err() && Arc::strong_count(&items) == 1);
    }

    #[test]
    fn each_thread_has_a_tool_of_its_own() {
        let used = map(
            vec![(); 50],
            4,
            || 0,
            |(), times| {
                *times += 1;
                *times
            },
        );
        assert!(used.contains(&1) && used.iter().all(|&times| (1..=50).contains(&times)));
    }
}
