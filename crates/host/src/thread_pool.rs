//! Runs work on all processors, and waiting work on threads. Must not depend on what the work is.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

use super::session::handed_down;

/// How many items can be worked on at a time, as the system said first; 1 when it cannot say. The runner asks at each
/// step, and the answer is in several files.
pub fn count() -> usize {
    static COUNT: OnceLock<usize> = OnceLock::new();
    *COUNT.get_or_init(|| thread::available_parallelism().map_or(1, NonZero::get))
}

/// How many items that wait for the disk are worked on at a time, so that they wait together.
const WAITERS: usize = 8;

/// Runs `work` on every item, on all processors, and returns the results in the order of the items.
pub fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    collect(items, count(), work)
}

/// As [`map`], for work that mostly waits for the disk.
pub fn map_waiting<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    collect(items, WAITERS, work)
}

/// As [`map`], for work that mostly waits for a server: `at_once` items at a time.
pub(crate) fn map_at_once<T: Sync, R: Send>(items: &[T], at_once: usize, work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    collect(items, at_once, work)
}

/// Runs `work` on every item, on all processors, and passes each result to `consume` on this thread, in the order of
/// the items, as soon as it is ready; stops when `consume` breaks. At most a hundred results for each processor wait
/// for `consume`.
pub fn in_order<T: Sync, R: Send, B>(
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
    consume: impl FnMut(R) -> ControlFlow<B>,
) -> ControlFlow<B> {
    share(items, count(), work, consume)
}

/// Runs two functions at the same time, the first on another thread.
pub fn both<A: Send, B>(one: impl FnOnce() -> A + Send, other: impl FnOnce() -> B) -> (A, B) {
    let waiting = Mutex::new(Some(one));
    let run = || {
        let one = waiting.lock().unwrap_or_else(PoisonError::into_inner).take();
        one.map(|one| one())
    };
    thread::scope(|scope| {
        let begun = thread::Builder::new().spawn_scoped(scope, handed_down(run));
        let other = other();
        let one = begun.ok().and_then(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        // When no thread can be started, this thread does both.
        (one.or_else(run).expect("one of the two threads runs it"), other)
    })
}

/// How many batches are read before they are worked on.
const BATCHES_AHEAD: usize = 4;

/// Reads batches of items on another thread, runs `work` on the items on all processors, and passes each result to
/// `consume` on this thread, in the order of the items; stops when `consume` breaks, or when `read` returns no batch.
pub fn read_and_map<T: Send + Sync, R: Send, B>(
    read: impl FnMut() -> Option<Vec<T>> + Send,
    work: impl Fn(&T) -> R + Sync,
    mut consume: impl FnMut(R) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let read = Mutex::new(read);
    let next = || (read.lock().unwrap_or_else(PoisonError::into_inner))();
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::sync_channel(BATCHES_AHEAD);
        let next = &next;
        let read = move || {
            // Nothing is received any more when `consume` breaks.
            while next().is_some_and(|batch| sender.send(batch).is_ok()) {}
        };
        let begun = thread::Builder::new().spawn_scoped(scope, handed_down(read));
        // When no thread can be started, this thread reads too.
        while let Some(batch) = if begun.is_ok() { receiver.recv().ok() } else { next() } {
            share(&batch, count(), &work, &mut consume)?;
        }
        ControlFlow::Continue(())
    })
}

fn collect<T: Sync, R: Send>(items: &[T], workers: usize, work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let mut results = Vec::with_capacity(items.len());
    let _ = share::<_, _, ()>(items, workers, work, |result| {
        results.push(result);
        ControlFlow::Continue(())
    });
    results
}

fn share<T: Sync, R: Send, B>(
    items: &[T],
    workers: usize,
    work: impl Fn(&T) -> R + Sync,
    mut consume: impl FnMut(R) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let workers = workers.min(items.len());
    if workers < 2 {
        return items.iter().map(work).try_for_each(consume);
    }
    let queue = Queue::new(items.len(), workers);
    let work = |item: usize| queue.finish(item, catch_unwind(AssertUnwindSafe(|| work(&items[item]))));
    thread::scope(|scope| {
        for _ in 1..workers {
            // When no thread can be started, this thread does all the work.
            let items = handed_down(|| while queue.take().map(&work).is_some() {});
            let _ = thread::Builder::new().spawn_scoped(scope, items);
        }
        // However this ends, the other threads take no more items.
        let _closed = Closing(&queue);
        loop {
            match queue.next() {
                Next::Consume(result) => consume(result.unwrap_or_else(|panic| resume_unwind(panic)))?,
                Next::Work(item) => work(item),
                Next::End => return ControlFlow::Continue(()),
            }
        }
    })
}

/// The most results that may wait for `consume`, for each worker.
const AHEAD: usize = 100;

/// Items that several workers take in order, and their results, which one of them passes on in order.
struct Queue<R> {
    length: usize,
    /// How many items may be taken whose results were not passed on yet.
    ahead: usize,
    state: Mutex<QueueState<R>>,
    changed: Condvar,
}

struct QueueState<R> {
    taken: usize,
    seen: usize,
    /// How many workers wait for a change: without any, none needs to be woken, which costs a call of the system.
    waiting: usize,
    /// By the number of the item.
    finished: BTreeMap<usize, thread::Result<R>>,
}

/// What the worker that passes on the results does next.
enum Next<R> {
    Consume(thread::Result<R>),
    Work(usize),
    End,
}

impl<R> Queue<R> {
    fn new(length: usize, workers: usize) -> Self {
        let state = Mutex::new(QueueState { taken: 0, seen: 0, waiting: 0, finished: BTreeMap::new() });
        Self { length, ahead: AHEAD * workers, state, changed: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, QueueState<R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next item; `None` when there are none left. Waits while too many results have not been passed on.
    fn take(&self) -> Option<usize> {
        let mut state = self.state();
        while state.taken < self.length {
            if let Some(item) = self.take_now(&mut state) {
                return Some(item);
            }
            state = self.wait(state);
        }
        None
    }

    fn wait<'a>(&self, mut state: MutexGuard<'a, QueueState<R>>) -> MutexGuard<'a, QueueState<R>> {
        state.waiting += 1;
        let mut state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        state.waiting -= 1;
        state
    }

    /// Wakes the workers that wait, if any.
    fn wake(&self, state: &QueueState<R>) {
        if state.waiting > 0 {
            self.changed.notify_all();
        }
    }

    fn take_now(&self, state: &mut QueueState<R>) -> Option<usize> {
        let may_take = state.taken < self.length && state.taken - state.seen < self.ahead;
        may_take.then(|| {
            state.taken += 1;
            state.taken - 1
        })
    }

    fn finish(&self, item: usize, result: thread::Result<R>) {
        let mut state = self.state();
        state.finished.insert(item, result);
        self.wake(&state);
    }

    /// The next result if it is ready, otherwise an item to work on. Waits while there is neither.
    fn next(&self) -> Next<R> {
        let mut state = self.state();
        loop {
            let seen = state.seen;
            if seen == self.length {
                return Next::End;
            }
            if let Some(result) = state.finished.remove(&seen) {
                state.seen += 1;
                self.wake(&state);
                return Next::Consume(result);
            }
            if let Some(item) = self.take_now(&mut state) {
                return Next::Work(item);
            }
            state = self.wait(state);
        }
    }
}

/// Stops all workers from taking another item when it is dropped.
struct Closing<'a, R>(&'a Queue<R>);

impl<R> Drop for Closing<'_, R> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.taken = self.0.length;
        self.0.wake(&state);
    }
}

/// Runs functions that mostly wait, each on its own thread; the results arrive as they become ready.
#[derive(Debug)]
pub struct ThreadPool<R> {
    sender: Sender<R>,
    receiver: Receiver<R>,
}

impl<R: Send + 'static> ThreadPool<R> {
    /// A pool without work.
    pub fn new() -> Self {
        let (sender, receiver) = mpsc::channel();
        Self { sender, receiver }
    }

    /// Starts a function; `otherwise` is its result when it panics, or when no thread can be started.
    pub fn begin(&self, work: impl FnOnce() -> R + Send + 'static, otherwise: R)
    where
        R: Clone,
    {
        let (sender, spare) = (self.sender.clone(), otherwise.clone());
        let work = move || {
            let result = catch_unwind(AssertUnwindSafe(work)).unwrap_or(otherwise);
            // The receiver is gone when the program ends.
            let _ = sender.send(result);
        };
        let begun = thread::Builder::new().spawn(handed_down(work));
        if begun.is_err() {
            let _ = self.sender.send(spare);
        }
    }

    /// The results that are ready; waits for the first of them, but at most `limit`.
    pub fn finished(&self, limit: Duration) -> Vec<R> {
        let first = self.receiver.recv_timeout(limit).ok();
        first.into_iter().chain(self.receiver.try_iter()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        for length in [0, 1, 2, 3, 1000] {
            let items: Vec<usize> = (0..length).collect();
            let expect: Vec<usize> = items.iter().map(|item| item * 2).collect();
            assert_eq!(map(&items, |item| item * 2), expect, "{length} items");
        }
    }

    #[test]
    fn results_are_seen_in_order_until_there_is_enough() {
        let items: Vec<usize> = (0..5000).collect();
        let mut seen = Vec::new();
        let flow = in_order(
            &items,
            |item| item * 2,
            |result| {
                seen.push(result);
                if seen.len() == 1234 { ControlFlow::Break(result) } else { ControlFlow::Continue(()) }
            },
        );
        assert_eq!(flow, ControlFlow::Break(2466));
        assert_eq!(seen, (0..1234).map(|item| item * 2).collect::<Vec<_>>());
    }

    #[test]
    fn no_worker_runs_far_ahead_of_what_is_seen() {
        let items: Vec<usize> = (0..5000).collect();
        let worked = std::sync::atomic::AtomicUsize::new(0);
        let mut seen = 0;
        let work = |_: &usize| worked.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        let _ = share::<_, _, ()>(&items, 4, work, |_| {
            seen += 1;
            assert!(worked.load(std::sync::atomic::Ordering::SeqCst) <= seen + 4 * AHEAD, "{seen} are seen");
            ControlFlow::Continue(())
        });
        assert_eq!(seen, items.len());
    }

    #[test]
    fn what_another_thread_reads_is_worked_on_in_order() {
        let run = |batches: usize, most: usize| {
            let mut read = (0..batches).map(|batch| (0..100).map(|item| batch * 100 + item).collect::<Vec<_>>());
            let mut seen = Vec::new();
            let flow = read_and_map(
                || read.next(),
                |item| item * 2,
                |result| {
                    seen.push(result);
                    if seen.len() == most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                },
            );
            assert_eq!(flow.is_break(), most <= batches * 100, "{batches} {most}");
            assert_eq!(seen, (0..most.min(batches * 100)).map(|item| item * 2).collect::<Vec<_>>());
        };
        for (batches, most) in [(0, 1), (1, 1000), (30, 5000), (30, 1), (30, 1234), (30, 3000)] {
            run(batches, most);
        }
        assert_eq!(both(|| 1, || 2), (1, 2));
    }

    #[test]
    fn a_pool_returns_every_result_and_survives_a_panic() {
        let pool = ThreadPool::new();
        assert!(pool.finished(Duration::from_millis(1)).is_empty());
        for number in 0..20 {
            pool.begin(move || if number == 7 { panic!("item 7") } else { number }, 100);
        }
        let mut results = Vec::new();
        while results.len() < 20 {
            results.extend(pool.finished(Duration::from_secs(10)));
        }
        results.sort_unstable();
        let expect: Vec<i32> = (0..20).filter(|number| *number != 7).chain([100]).collect();
        assert_eq!(results, expect);
    }

    #[test]
    #[should_panic(expected = "item 7")]
    fn a_panic_reaches_the_caller() {
        map(&(0..20).collect::<Vec<_>>(), |item| assert!(*item != 7, "item 7"));
    }
}
