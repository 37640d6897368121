//! A simulated year: twelve coordinators run through 2026 on a clock of the test, with late data, random commands, days
//! without a tick and a clock that leaps; after every step all rules are checked.
//!
//! Everything is real except the workflow jobs, which are replaced by a script (`howdah_internals::Simulation`). The
//! tiers take their numbers of seeds; `HOWDAH_YEAR_SEEDS` names others: `7`, `100..300`, or `random` for
//! as many random ones.
#![allow(clippy::disallowed_methods, reason = "the test meets the machine itself")]

mod laws;
mod ledger;
mod oracle;
mod plan;
mod reasons;
use howdah_tier::Trials;
mod year;

use std::ops::Range;
use std::panic;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

/// How many years are simulated.
const YEARS: Trials = Trials { quick: 6, full: 12, soak: 200 };

/// The requested seeds.
fn seeds() -> Range<u64> {
    let asked = std::env::var("HOWDAH_YEAR_SEEDS").unwrap_or_default();
    let number = |text: &str| text.trim().parse::<u64>().unwrap_or_else(|_| panic!("HOWDAH_YEAR_SEEDS={asked}"));
    let years = YEARS.number() as u64;
    match asked.as_str() {
        "" => 0..years,
        "random" => {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock after 1970");
            let first = now.as_secs() % 1_000_000_000;
            first..first + years
        }
        range => match range.split_once("..") {
            Some((first, end)) => number(first)..number(end),
            None => number(range)..number(range) + 1,
        },
    }
}

#[test]
fn nothing_is_lost_and_nothing_happens_twice() {
    let seeds = seeds();
    let (next, failed) = (AtomicU64::new(seeds.start), Mutex::new(Vec::new()));
    let actions = AtomicU64::new(0);
    let work = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end {
                break;
            }
            match panic::catch_unwind(|| year::simulate(seed)) {
                Ok(count) => drop(actions.fetch_add(count, Ordering::Relaxed)),
                Err(_) => failed.lock().expect("no thread panics while it holds the lock").push(seed),
            }
        }
    };
    let workers = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(work);
        }
    });
    println!("seeds {seeds:?}: {} actions", actions.load(Ordering::Relaxed));
    let failed = failed.into_inner().expect("no thread panics while it holds the lock");
    assert!(failed.is_empty(), "repeat with HOWDAH_YEAR_SEEDS=<seed>; failed: {failed:?}");
}
