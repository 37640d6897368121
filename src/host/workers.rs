//! Work on all processors. Decides nothing about the work.

use std::num::NonZero;
use std::thread;

/// How many pieces of work can be done at a time; 1 when the system cannot say.
pub(crate) fn count() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// Does `work` on every item, on all processors, and answers the results in the order of the items.
pub(crate) fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let workers = count().min(items.len());
    if workers < 2 {
        return items.iter().map(work).collect();
    }
    // Each takes every so-manieth item, so that neighbours, which are alike, are shared out.
    let share = |first: usize| items.iter().skip(first).step_by(workers).map(&work).collect::<Vec<R>>();
    let share = &share;
    let mut shares: Vec<_> = thread::scope(|scope| {
        let others: Vec<_> = (1..workers).map(|first| scope.spawn(move || share(first))).collect();
        let own = share(0);
        let others = others.into_iter().map(|other| match other.join() {
            Ok(results) => results,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        std::iter::once(own).chain(others).map(Vec::into_iter).collect()
    });
    (0..items.len()).filter_map(|index| shares[index % workers].next()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_stand_in_the_order_of_the_items() {
        for length in [0, 1, 2, 3, 1000] {
            let items: Vec<usize> = (0..length).collect();
            let expect: Vec<usize> = items.iter().map(|item| item * 2).collect();
            assert_eq!(map(&items, |item| item * 2), expect, "{length} items");
        }
    }

    #[test]
    #[should_panic(expected = "item 7")]
    fn a_panic_goes_on() {
        map(&(0..20).collect::<Vec<_>>(), |item| assert!(*item != 7, "item 7"));
    }
}
