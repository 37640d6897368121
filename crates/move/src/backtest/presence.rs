//! What existed when Oozie looked, as far as an action's record shows it.

use std::collections::{HashMap, HashSet};

use howdah_calendar::ProcessingZone;
use howdah_oozie::dataset::{Dataset, Presence, Reach, Search, SearchResult};

/// The dependencies of which Oozie recorded whether they were there; all others count as absent.
#[derive(Default)]
pub(super) struct Recorded(pub(super) HashMap<String, bool>);

impl Presence for Recorded {
    fn is_present(&mut self, dependency: &str) -> bool {
        self.0.get(dependency).copied().unwrap_or_default()
    }
}

/// The instances that a search found, and some that it passed before the first of them: `latest(-1)` shows only the
/// second newest, so one newer instance was there, and which one is not known.
struct Found<'a> {
    dependencies: &'a HashSet<String>,
    asked: u64,
    first_hit: Option<u64>,
    /// The queries, by their position, that are answered with yes although nothing is recorded.
    assumed: std::ops::Range<u64>,
}

impl Presence for Found<'_> {
    fn is_present(&mut self, dependency: &str) -> bool {
        let position = self.asked;
        self.asked += 1;
        let is_hit = self.dependencies.contains(dependency);
        if is_hit && self.first_hit.is_none() {
            self.first_hit = Some(position);
        }
        is_hit || self.assumed.contains(&position)
    }
}

/// Runs a search of which Oozie recorded the result: `dependencies` existed, and as few others as possible.
pub(super) fn search(
    search: Search,
    dataset: &Dataset,
    (reach, processing): (Reach, ProcessingZone),
    dependencies: &HashSet<String>,
) -> SearchResult {
    let run = |assumed: std::ops::Range<u64>| {
        let mut presence = Found { dependencies, asked: 0, first_hit: None, assumed };
        let result = search.resolve(dataset, reach, processing, &mut presence);
        (result, presence.first_hit)
    };
    let (result, first_hit) = run(0..0);
    let passed = match search {
        Search::Latest { last, .. } => last.unsigned_abs(),
        Search::Future { first, .. } => first.unsigned_abs(),
    };
    match first_hit {
        Some(first) if !result.is_complete && passed > 0 => run(first.saturating_sub(passed)..first).0,
        _ => result,
    }
}
