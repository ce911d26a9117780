//! Work on a list that several threads share: the one that asks for it and others, which may have read the body.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, mpsc};

use super::workers::Workers;
use crate::lock::lock;

/// What `work` makes of each item, in their order. Each thread works with something of its own, which `init` makes.
/// None of it is borrowed: threads that may borrow end where they were started, and these may have been there before.
pub(in crate::rows) fn map_init<T: Send + 'static, R: Send + 'static, S>(
    items: Vec<T>,
    workers: Option<Workers>,
    init: impl Fn() -> S + Clone + Send + 'static,
    work: impl Fn(T, &mut S) -> R + Clone + Send + 'static,
) -> Vec<R> {
    let list = Arc::new(Mutex::new(items.into_iter().enumerate()));
    let share = move || {
        let mut tool = init();
        let next = || lock(&list).next();
        std::iter::from_fn(next).map(|(at, item)| (at, work(item, &mut tool))).collect::<Vec<_>>()
    };
    let (done, shares) = mpsc::channel();
    let take_share = move || {
        // It cannot fail: the receiver waits for every share.
        let _ = done.send(catch_unwind(AssertUnwindSafe(share)));
    };
    if let Some(workers) = &workers {
        workers.submit_one_per_thread(|| {
            let take_share = take_share.clone();
            Box::new(move |_| take_share())
        });
    }
    take_share();
    // All have ended before a panic goes on. Shares that had not begun would find nothing left, or are not wanted.
    drop(workers);
    let mut made: Vec<_> = shares.iter().flat_map(|share| share.unwrap_or_else(|panic| resume_unwind(panic))).collect();
    made.sort_unstable_by_key(|(at, _)| *at);
    made.into_iter().map(|(_, made)| made).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_made_stands_in_the_order_of_what_it_is_made_of() {
        for threads in [0, 1, 2, 40] {
            let squares =
                map_init((0..100).collect(), Workers::spawn(threads), || 0, |number: u64, _: &mut i32| number * number);
            assert_eq!(squares, (0..100).map(|number| number * number).collect::<Vec<_>>());
        }
        assert!(map_init(Vec::<u8>::new(), Workers::spawn(2), || (), |byte, ()| byte).is_empty());
    }

    #[test]
    fn a_panic_goes_on_once_all_threads_have_ended() {
        let items = Arc::new(());
        let list = vec![Arc::clone(&items); 50];
        let work = |item: Arc<()>, (): &mut ()| assert!(Arc::strong_count(&item) > 40, "this panic belongs to a test");
        let done = catch_unwind(AssertUnwindSafe(|| map_init(list, Workers::spawn(3), || (), work)));
        assert!(done.is_err() && Arc::strong_count(&items) == 1);
    }

    #[test]
    fn each_thread_has_a_tool_of_its_own() {
        let used = map_init(
            vec![(); 50],
            Workers::spawn(3),
            || 0,
            |(), times| {
                *times += 1;
                *times
            },
        );
        assert!(used.contains(&1) && used.iter().all(|&times| (1..=50).contains(&times)));
    }
}
