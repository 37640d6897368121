//! Searches for the instances of `latest` and `future` when the action is about to start (specification 6.6.6, 6.6.7;
//! decision C5).
//!
//! Queries [`Presence`] and must not depend on the origin of its answers. A search over absent instances stops at a
//! limit and reports this: the limit never changes the result in another way.

use crate::dataset::Dataset;
use crate::dataset::instance::reversed;
use howdah_calendar::ProcessingZone;
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::time::Timestamp;

/// Reports whether a dependency (a URI with its done-flag) exists.
pub trait Presence {
    /// Returns whether the dependency exists now.
    fn is_present(&mut self, dependency: &str) -> bool;
}

/// A search that the text of an instance requires at the start of the action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    /// The existing instances number `first` to `last` counted backwards from now: 0 is the latest.
    Latest { first: i64, last: i64 },
    /// The existing instances number `first` to `last` counted forwards from the nominal time, among at most `limit`
    /// instances after the current one.
    Future { first: i64, last: i64, limit: i64 },
}

/// Where searches start and how far they go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// Where `future` starts.
    pub nominal: Timestamp,
    /// Where `latest` starts.
    pub latest_from: Timestamp,
    /// The most instances that one search queries.
    pub most_tried: u64,
}

/// The result of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchResult {
    /// The wanted instances that exist, oldest first.
    pub found: Vec<Timestamp>,
    /// Whether all wanted instances were found.
    pub is_complete: bool,
    /// The first instances that were queried, in that order.
    pub tried: Vec<Tried>,
    /// How many were queried.
    pub tried_in_all: u64,
    /// The instance at which the search stopped because of its limit; those beyond it were not queried.
    pub gave_up_at: Option<Timestamp>,
}

/// An instance that a search queried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tried {
    pub nominal: Timestamp,
    pub is_present: bool,
}

/// The most queried instances that a search remembers.
const MOST_REMEMBERED: usize = 48;

impl Search {
    /// Refuses impossible numbers.
    ///
    /// # Errors
    /// E1004, and E1010 for a range: `latest` searches backwards and `future` forwards, over at least one instance,
    /// from the first number to the last (decision C51).
    pub fn check(self) -> Result<()> {
        let (why, help) = match self {
            Self::Latest { first, last } | Self::Future { first, last, .. } if first > last => return Err(reversed()),
            Self::Latest { last, .. } if last > 0 => (
                format!("parameter [latest:n] = [{last}] must be less than or equal to zero"),
                "latest counts back from the newest instance that exists: 0 is that one, -1 the one before it",
            ),
            Self::Future { first, .. } if first < 0 => (
                format!("parameter [future:n] = [{first}] must be greater than or equals zero"),
                "future counts from the nominal time on: 0 is the first instance that exists from there",
            ),
            Self::Future { limit, .. } if limit <= 0 => (
                format!("parameter [future:instance] = [{limit}] must be greater than zero"),
                "the second number says how many instances are looked at, at most",
            ),
            Self::Latest { .. } | Self::Future { .. } => return Ok(()),
        };
        Err(Error::new(ErrorCode::E1004, why).help(help))
    }

    /// Returns the call as it would be written in a definition.
    pub fn text(self) -> String {
        match self {
            Self::Latest { first, last } if first == last => format!("${{coord:latest({first})}}"),
            Self::Latest { first, last } => format!("${{coord:latestRange({first}, {last})}}"),
            Self::Future { first, last, limit } if first == last => format!("${{coord:future({first}, {limit})}}"),
            Self::Future { first, last, limit } => format!("${{coord:futureRange({first}, {last}, {limit})}}"),
        }
    }

    /// Searches for the instances.
    pub fn resolve(
        self,
        dataset: &Dataset,
        reach: Reach,
        processing: ProcessingZone,
        presence: &mut dyn Presence,
    ) -> SearchResult {
        // An instance without a URI does not exist.
        let mut exists = |at: Timestamp| {
            let uri = dataset.uri(at, processing);
            uri.is_ok_and(|uri| presence.is_present(&dataset.done_flag.dependency(&uri)))
        };
        let at = |index| dataset.sequence.at(index);
        match self {
            Self::Latest { first, last } => {
                let newest = dataset.sequence.last_index_at(reach.latest_from).unwrap_or(-1);
                let backwards = (0..=newest).rev().filter_map(at);
                let mut sought = walk(backwards, (-last, -first), reach.most_tried, &mut exists);
                sought.found.reverse();
                sought
            }
            Self::Future { first, last, limit } => {
                let Some(current) = dataset.sequence.last_index_at(reach.nominal) else {
                    return SearchResult::default();
                };
                let forwards = (current..=current.saturating_add(limit)).filter_map(at);
                walk(forwards, (first, last), reach.most_tried, &mut exists)
            }
        }
    }
}

/// Queries instances in their order; `wanted` counts the existing ones from zero.
fn walk(
    instances: impl Iterator<Item = Timestamp>,
    wanted: (i64, i64),
    most_tried: u64,
    exists: &mut dyn FnMut(Timestamp) -> bool,
) -> SearchResult {
    let mut sought = SearchResult::default();
    let mut seen = 0;
    for nominal in instances {
        if sought.tried_in_all == most_tried {
            sought.gave_up_at = Some(nominal);
            break;
        }
        let is_present = exists(nominal);
        sought.tried_in_all += 1;
        if sought.tried.len() < MOST_REMEMBERED {
            sought.tried.push(Tried { nominal, is_present });
        }
        if !is_present {
            continue;
        }
        if seen >= wanted.0 {
            sought.found.push(nominal);
        }
        sought.is_complete = seen == wanted.1;
        if sought.is_complete {
            break;
        }
        seen += 1;
    }
    sought
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::testing::{dataset, instant, list};
    use howdah_calendar::{EndOf, Unit};

    /// The days of a month that have an instance.
    struct Days(&'static [u32]);

    impl Presence for Days {
        fn is_present(&mut self, dependency: &str) -> bool {
            self.0.iter().any(|day| dependency.ends_with(&format!("-{day:02}T00:00")))
        }
    }

    fn check(search: Search, at: &str, days: &'static [u32], expect: Result<&str, &str>) {
        let daily = dataset("2009-01-01T00:00Z", Unit::Day.times(1), EndOf::None, "UTC");
        let got = search.resolve(&daily, reach(at, 100_000), ProcessingZone::UTC, &mut Days(days));
        let found = list(&got.found);
        let got = if got.is_complete { Ok(found) } else { Err(found) };
        assert_eq!(got, expect.map(str::to_owned).map_err(str::to_owned), "{}", search.text());
    }

    fn reach(at: &str, most_tried: u64) -> Reach {
        Reach { nominal: instant(at), latest_from: instant(at), most_tried }
    }

    /// Day 1 of a month is present; searches backwards from `at`. `expect`: whether it is found, how many instances
    /// were queried, and where the search stopped.
    fn check_bound(at: &str, most_tried: u64, expect: (bool, u64, Option<&str>)) {
        let daily = dataset("2009-01-01T00:00Z", Unit::Day.times(1), EndOf::None, "UTC");
        let latest = Search::Latest { first: 0, last: 0 };
        let got = latest.resolve(&daily, reach(at, most_tried), ProcessingZone::UTC, &mut Days(&[1]));
        assert_eq!((got.is_complete, got.tried_in_all, got.gave_up_at), (expect.0, expect.1, expect.2.map(instant)));
        assert!(got.tried.len() <= MOST_REMEMBERED && got.tried.len() as u64 <= got.tried_in_all);
        let present: Vec<bool> = got.tried.iter().map(|tried| tried.is_present).collect();
        assert_eq!(present.iter().filter(|present| **present).count(), usize::from(expect.0), "{got:?}");
    }

    #[test]
    fn a_search_reports_what_it_tried_and_where_it_stopped() {
        check_bound("2009-01-10T05:00Z", 10, (true, 10, None));
        check_bound("2009-01-10T05:00Z", 9, (false, 9, Some("2009-01-01T00:00Z")));
        check_bound("2009-01-10T05:00Z", 1, (false, 1, Some("2009-01-09T00:00Z")));
        check_bound("2008-12-31T05:00Z", 1, (false, 0, None));
        check_bound("2009-01-31T05:00Z", 31, (true, 31, None));
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
    fn future_queries_no_more_than_its_limit() {
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
    fn refuses_impossible_numbers() {
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
