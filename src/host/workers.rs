//! Work on all processors, and work that waits for others. Decides nothing about the work.

use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;

/// How many pieces of work can be done at a time; 1 when the system cannot say.
pub(crate) fn count() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// How many pieces of work that wait for the disk are done at a time: their waits become one.
const WAITERS: usize = 8;

/// Does `work` on every item, on all processors, and answers the results in the order of the items.
pub(crate) fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    share(items, count(), work)
}

/// As [`map`], for work that mostly waits for the disk.
pub(crate) fn map_waiting<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    share(items, WAITERS, work)
}

fn share<T: Sync, R: Send>(items: &[T], workers: usize, work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let workers = workers.min(items.len());
    if workers < 2 {
        return items.iter().map(work).collect();
    }
    // With four workers each takes every fourth item, so that neighbours, which are alike, are shared out.
    let share = |first: usize| items.iter().skip(first).step_by(workers).map(&work).collect::<Vec<R>>();
    let share = &share;
    let mut shares: Vec<_> = thread::scope(|scope| {
        // Where there is no thread to be had, this one does its share too.
        let begin = |first| (first, thread::Builder::new().spawn_scoped(scope, move || share(first)).ok());
        let others: Vec<_> = (1..workers).map(begin).collect();
        let own = share(0);
        let others = others.into_iter().map(|(first, other)| match other.map(thread::ScopedJoinHandle::join) {
            None => share(first),
            Some(Ok(results)) => results,
            Some(Err(panic)) => std::panic::resume_unwind(panic),
        });
        std::iter::once(own).chain(others).map(Vec::into_iter).collect()
    });
    (0..items.len()).filter_map(|index| shares[index % workers].next()).collect()
}

/// Pieces of work that mostly wait, each on a thread of its own; the results come as they are ready.
#[derive(Debug)]
pub(crate) struct Crew<R> {
    sender: Sender<R>,
    receiver: Receiver<R>,
}

impl<R: Send + 'static> Crew<R> {
    /// A crew without work.
    pub(crate) fn new() -> Self {
        let (sender, receiver) = mpsc::channel();
        Self { sender, receiver }
    }

    /// Begins a piece of work; `otherwise` is its result when it panics, or when there is no thread to be had.
    pub(crate) fn begin(&self, work: impl FnOnce() -> R + Send + 'static, otherwise: R)
    where
        R: Clone,
    {
        let (sender, spare) = (self.sender.clone(), otherwise.clone());
        let begun = thread::Builder::new().spawn(move || {
            let result = catch_unwind(AssertUnwindSafe(work)).unwrap_or(otherwise);
            // Nobody listens any more when the program ends.
            let _ = sender.send(result);
        });
        if begun.is_err() {
            let _ = self.sender.send(spare);
        }
    }

    /// The results that are ready; waits for the first of them, but not longer than `patience`.
    pub(crate) fn finished(&self, patience: Duration) -> Vec<R> {
        let first = self.receiver.recv_timeout(patience).ok();
        first.into_iter().chain(self.receiver.try_iter()).collect()
    }
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
    fn a_crew_hands_back_every_result_and_survives_a_panic() {
        let crew = Crew::new();
        assert!(crew.finished(Duration::from_millis(1)).is_empty());
        for number in 0..20 {
            crew.begin(move || if number == 7 { panic!("item 7") } else { number }, 100);
        }
        let mut results = Vec::new();
        while results.len() < 20 {
            results.extend(crew.finished(Duration::from_secs(10)));
        }
        results.sort_unstable();
        let expect: Vec<i32> = (0..20).filter(|number| *number != 7).chain([100]).collect();
        assert_eq!(results, expect);
    }

    #[test]
    #[should_panic(expected = "item 7")]
    fn a_panic_goes_on() {
        map(&(0..20).collect::<Vec<_>>(), |item| assert!(*item != 7, "item 7"));
    }
}
