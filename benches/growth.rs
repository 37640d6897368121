//! How the time for a text grows when the text becomes twice as long: 2 where every byte is looked at once, 4 where
//! every byte is looked at for each other byte. Measures the time of the processor. Prints a line per kind of text with
//! its worst family and the bound; run with `cargo bench --bench growth`, or `-- all` for a line per family.
#![allow(clippy::disallowed_methods, reason = "a benchmark measures time")]

#[path = "../tests/any_text/families/mod.rs"]
mod families;

use std::env;
use std::time::Duration;

use families::Family;
use howdah_internals::any_text::{KINDS, holds};
use rustix::time::{ClockId, clock_gettime};

/// Bytes of the smallest text; the largest is doubled so many times.
const SMALLEST: usize = 1 << 14;
const DOUBLINGS: u32 = 3;

/// A time below this says nothing: the text was refused at once.
const SHORTEST: Duration = Duration::from_micros(100);

/// How often a family that is over the bound is measured.
const TRIES: usize = 4;

/// How long one size is measured, at least.
const BUDGET: Duration = Duration::from_millis(20);

/// The bound of what grows with the text alone, with room for caches and a busy machine.
const BOUND: f64 = 2.6;

fn main() {
    let wanted: Vec<String> = env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let kinds: Vec<&'static str> = KINDS.iter().map(|(kind, _)| *kind).collect();
    println!("{:<64} {:>7} {:>7}", "growth of time when a text doubles (worst of each kind)", "is", "bound");
    let families = families::all(&kinds);
    for kind in kinds {
        let mut worst: Option<(f64, &Family)> = None;
        let mut over = 0;
        let of_kind: Vec<&Family> = families.iter().filter(|family| family.kind == kind).collect();
        for family in &of_kind {
            let Some((growth, largest)) = growth(family) else { continue };
            if wanted.iter().any(|wanted| wanted == "all" || wanted == kind) {
                println!("  {kind} {:.56} {largest:?} {growth:.2}", family.name);
            }
            over += usize::from(growth > BOUND);
            if worst.is_none_or(|(known, _)| growth > known) {
                worst = Some((growth, family));
            }
        }
        if let Some((growth, family)) = worst {
            let what = format!("{kind}, {} families, {over} over: {}", of_kind.len(), family.name.escape_debug());
            println!("{what:<64.64} {growth:>7.2} {BOUND:>7.2}");
        }
    }
}

/// The mean factor per doubling and the time for the largest text; `None` when every text is refused at once.
///
/// What is over the bound is measured again, for a busy machine only ever adds to a time.
fn growth(family: &Family) -> Option<(f64, Duration)> {
    let (mut small, mut large) = (Duration::MAX, Duration::MAX);
    for _ in 0..TRIES {
        small = small.min(fastest(family, SMALLEST));
        large = large.min(fastest(family, SMALLEST << DOUBLINGS));
        let factor = (large.as_secs_f64() / small.as_secs_f64()).powf(1.0 / f64::from(DOUBLINGS));
        if large < SHORTEST {
            return None;
        }
        if factor <= BOUND {
            return Some((factor, large));
        }
    }
    Some(((large.as_secs_f64() / small.as_secs_f64()).powf(1.0 / f64::from(DOUBLINGS)), large))
}

/// The least processor time of several runs.
fn fastest(family: &Family, bytes: usize) -> Duration {
    let text = (family.text)(bytes);
    let mut least = Duration::MAX;
    let mut spent = Duration::ZERO;
    for _ in 0..20 {
        let started = processor_time();
        holds(family.kind, &text);
        let elapsed = processor_time().saturating_sub(started);
        least = least.min(elapsed);
        spent += elapsed;
        if spent > BUDGET {
            break;
        }
    }
    least
}

/// What this thread has had of the processor, whatever else the machine does.
fn processor_time() -> Duration {
    clock_gettime(ClockId::ThreadCPUTime).try_into().expect("a thread's time is positive")
}
