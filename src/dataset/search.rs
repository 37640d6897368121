//! Instances that are searched for when the action is about to start: `latest` and `future`
//! (specification 6.6.6, 6.6.7).
//!
//! Asks for presence through [`Presence`] and must never know where that answer comes from.

use crate::calendar::ProcessingZone;
use crate::dataset::Dataset;
use crate::model::time::Timestamp;

/// Tells whether a dependency (a URI with its done-flag) is there.
pub(crate) trait Presence {
    /// Whether the dependency exists now.
    fn is_present(&mut self, dependency: &str) -> bool;
}

/// A search that an instance text left for the start of the action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Search {
    /// The existing instances number `first` to `last` counted backwards from now: 0 is the latest.
    Latest { first: i64, last: i64 },
    /// The existing instances number `first` to `last` counted forwards from the nominal time, looking at
    /// no more than `limit` instances after the current one.
    Future { first: i64, last: i64, limit: i64 },
}

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SearchResult {
    /// The instances, oldest first.
    Found(Vec<Timestamp>),
    /// Not enough instances exist; the ones that do.
    Unresolved(Vec<Timestamp>),
}

impl Search {
    /// Refuses numbers that no search can have.
    ///
    /// # Errors
    /// Why, in words: `latest` looks back and `future` ahead, over at least one instance, from the first number to
    /// the last.
    pub(crate) fn check(self) -> Result<(), String> {
        match self {
            Self::Latest { last, .. } if last > 0 => {
                Err(format!("parameter [latest:n] = [{last}] must be less than or equal to zero"))
            }
            Self::Future { first, .. } if first < 0 => {
                Err(format!("parameter [future:n] = [{first}] must be greater than or equals zero"))
            }
            Self::Future { limit, .. } if limit <= 0 => {
                Err(format!("parameter [future:instance] = [{limit}] must be greater than zero"))
            }
            Self::Latest { first, last } | Self::Future { first, last, .. } if first > last => {
                Err(format!("the range of {} starts at {first} and ends before, at {last}", self.text()))
            }
            Self::Latest { .. } | Self::Future { .. } => Ok(()),
        }
    }

    /// The call as it would be written in a definition.
    pub(crate) fn text(self) -> String {
        match self {
            Self::Latest { first, last } if first == last => format!("${{coord:latest({first})}}"),
            Self::Latest { first, last } => format!("${{coord:latestRange({first}, {last})}}"),
            Self::Future { first, last, limit } if first == last => format!("${{coord:future({first}, {limit})}}"),
            Self::Future { first, last, limit } => format!("${{coord:futureRange({first}, {last}, {limit})}}"),
        }
    }

    /// Looks for the instances: `now` is where `latest` starts, `nominal` where `future` does.
    pub(crate) fn resolve(
        self,
        dataset: &Dataset,
        (nominal, now): (Timestamp, Timestamp),
        processing: ProcessingZone,
        presence: &mut dyn Presence,
    ) -> SearchResult {
        // What has no URI is nowhere.
        let mut exists = |at: Timestamp| {
            let uri = dataset.uri(at, processing);
            uri.is_ok_and(|uri| presence.is_present(&dataset.done_flag.dependency(&uri)))
        };
        match self {
            Self::Latest { first, last } => latest(dataset, now, (-last, -first), &mut exists),
            Self::Future { first, last, limit } => future(dataset, nominal, (first, last), limit, &mut exists),
        }
    }
}

/// Walks back from the last instance at or before `now`; `wanted` counts existing instances from zero.
fn latest(
    dataset: &Dataset,
    now: Timestamp,
    wanted: (i64, i64),
    exists: &mut dyn FnMut(Timestamp) -> bool,
) -> SearchResult {
    let mut found = Vec::new();
    let mut seen = 0;
    for index in (0..=dataset.sequence.last_index_at(now).unwrap_or(-1)).rev() {
        let Some(at) = dataset.sequence.at(index).filter(|at| exists(*at)) else { continue };
        if seen >= wanted.0 {
            found.push(at);
        }
        if seen == wanted.1 {
            found.reverse();
            return SearchResult::Found(found);
        }
        seen += 1;
    }
    found.reverse();
    SearchResult::Unresolved(found)
}

/// Walks forward from the instance current at `nominal`, over at most `limit` further ones.
fn future(
    dataset: &Dataset,
    nominal: Timestamp,
    wanted: (i64, i64),
    limit: i64,
    exists: &mut dyn FnMut(Timestamp) -> bool,
) -> SearchResult {
    let mut found = Vec::new();
    let mut seen = 0;
    let Some(current) = dataset.sequence.last_index_at(nominal) else { return SearchResult::Unresolved(found) };
    for index in current..=current.saturating_add(limit) {
        let Some(at) = dataset.sequence.at(index).filter(|at| exists(*at)) else { continue };
        if seen >= wanted.0 {
            found.push(at);
        }
        if seen == wanted.1 {
            return SearchResult::Found(found);
        }
        seen += 1;
    }
    SearchResult::Unresolved(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calendar::{EndOf, Unit};
    use crate::dataset::testing::{dataset, instant, list};

    /// The days of a month of which an instance is there.
    struct Days(&'static [u32]);

    impl Presence for Days {
        fn is_present(&mut self, dependency: &str) -> bool {
            self.0.iter().any(|day| dependency.ends_with(&format!("-{day:02}T00:00")))
        }
    }

    fn check(search: Search, at: &str, days: &'static [u32], expect: Result<&str, &str>) {
        let daily = dataset("2009-01-01T00:00Z", (1, Unit::Day), EndOf::None, "UTC");
        let got = search.resolve(&daily, (instant(at), instant(at)), ProcessingZone::UTC, &mut Days(days));
        let got = match got {
            SearchResult::Found(times) => Ok(list(&times)),
            SearchResult::Unresolved(times) => Err(list(&times)),
        };
        assert_eq!(got, expect.map(str::to_owned).map_err(str::to_owned), "{}", search.text());
    }

    #[test]
    fn latest_skips_gaps() {
        let days = &[1, 2, 3, 5, 7, 10];
        let latest = |first, last| Search::Latest { first, last };
        check(latest(0, 0), "2009-01-10T05:00Z", days, Ok("2009-01-10T00:00Z"));
        check(latest(-2, -2), "2009-01-10T05:00Z", days, Ok("2009-01-05T00:00Z"));
        check(latest(0, 0), "2009-01-09T05:00Z", days, Ok("2009-01-07T00:00Z"));
        check(latest(-1, 0), "2009-01-04T00:00Z", days, Ok("2009-01-02T00:00Z 2009-01-03T00:00Z"));
        check(latest(-3, -1), "2009-01-03T00:00Z", days, Err("2009-01-01T00:00Z 2009-01-02T00:00Z"));
        check(latest(0, 0), "2008-12-31T00:00Z", days, Err(""));
    }

    #[test]
    fn future_looks_at_no_more_than_its_limit() {
        let days = &[1, 4, 7, 11, 14, 16];
        let future = |first, last, limit| Search::Future { first, last, limit };
        check(future(0, 0, 10), "2009-02-01T00:00Z", days, Ok("2009-02-01T00:00Z"));
        check(future(2, 2, 10), "2009-02-01T00:00Z", days, Ok("2009-02-07T00:00Z"));
        check(future(2, 2, 6), "2009-02-01T00:00Z", days, Ok("2009-02-07T00:00Z"));
        check(future(2, 2, 5), "2009-02-01T00:00Z", days, Err(""));
        check(future(0, 1, 4), "2009-02-02T00:00Z", days, Err("2009-02-04T00:00Z"));
        check(future(0, 0, 4), "2008-12-31T00:00Z", days, Err(""));
    }

    #[test]
    fn refuses_numbers_that_make_no_search() {
        for (search, allowed) in [
            (Search::Latest { first: -1, last: 0 }, true),
            (Search::Latest { first: 0, last: 1 }, false),
            (Search::Latest { first: 0, last: -1 }, false),
            (Search::Future { first: 0, last: 1, limit: 1 }, true),
            (Search::Future { first: -1, last: 1, limit: 1 }, false),
            (Search::Future { first: 2, last: 1, limit: 1 }, false),
            (Search::Future { first: 0, last: 0, limit: 0 }, false),
        ] {
            assert_eq!(search.check().is_ok(), allowed, "{}", search.text());
        }
    }
}
