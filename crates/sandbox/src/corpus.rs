//! Over a thousand published definitions (`../shared/corpus`). They are other people's text and not part of this project,
//! so they belong to the full tier; the variable `HOWDAH_CORPUS` names another folder, and `HOWDAH_CORPUS=none` says that
//! there is none.

use std::fs;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use howdah_tier as tier;

/// The folder, in the full tier; elsewhere `None`, with the reason printed.
pub fn corpus() -> Option<PathBuf> {
    if !tier::full("it reads a thousand published definitions, which are not part of the project") {
        return None;
    }
    tier::published("HOWDAH_CORPUS", "corpus")
}

/// The path and the verdict of the schemas of every definition.
pub fn verdicts(folder: &Path) -> Vec<(String, String)> {
    let table = fs::read_to_string(folder.join("VERDICTS.tsv")).expect("the verdicts lie beside the definitions");
    let fields = |line: &str| {
        let mut fields = line.split('\t');
        Some((fields.next()?.to_owned(), fields.next()?.to_owned()))
    };
    let verdicts: Vec<_> = table.lines().skip(1).filter_map(fields).collect();
    assert!(verdicts.len() > 1000, "only {} verdicts", verdicts.len());
    verdicts
}

/// Does some work for each item, on all processors; returns the results in the order of the items.
pub fn on_all_processors<I: Sync, R: Send>(items: &[I], work: impl Fn(&I) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let some = || {
        let mut done = Vec::new();
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(place) else { return done };
            done.push((place, work(item)));
        }
    };
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let mut done: Vec<(usize, R)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(some)).collect();
        let results = workers.into_iter().map(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic)));
        results.flatten().collect()
    });
    done.sort_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, result)| result).collect()
}
