//! A store of files that gives no answer, and when it is asked again. Must not depend on how it is asked.

use crate::model::time::{MINUTE, Timestamp};

/// The longest time for which a store is not asked.
const LONGEST_PAUSE: i64 = 10 * MINUTE;

/// A server that could not tell when it was last asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreFailure {
    /// `scheme://authority` of the server.
    pub server: String,
    /// When it first gave no answer.
    pub since: Timestamp,
    /// How often it was asked since then.
    pub failures: u32,
    /// When it is asked again.
    pub next_at: Timestamp,
    /// The last reason.
    pub why: String,
}

impl StoreFailure {
    /// What is stored when a server gives no answer at `now`; `before`: what was stored of it.
    pub fn again(before: Option<&Self>, server: &str, why: &str, now: Timestamp) -> Self {
        let failures = before.map_or(0, |before| before.failures).saturating_add(1);
        Self {
            server: server.to_owned(),
            // A clock may have been set back.
            since: before.map_or(now, |before| before.since.min(now)),
            failures,
            next_at: now + pause(failures),
            why: why.to_owned(),
        }
    }

    /// Whether the server is not asked at `now`. A time further away than the longest pause is of a clock that was
    /// wrong, and counts as now.
    pub fn is_left_alone(&self, now: Timestamp) -> bool {
        (1..=LONGEST_PAUSE).contains(&(self.next_at - now))
    }
}

/// The seconds for which a server is not asked after so many failures in a row.
fn pause(failures: u32) -> i64 {
    let doubled = failures.saturating_sub(1).min(LONGEST_PAUSE.ilog2());
    (MINUTE << doubled).min(LONGEST_PAUSE)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_seconds(1_000_000);

    #[test]
    fn the_pause_doubles_up_to_ten_minutes() {
        let mut failure = StoreFailure::again(None, "webhdfs://nn", "first", NOW);
        let mut at = NOW;
        for (failures, minutes) in [(1, 1), (2, 2), (3, 4), (4, 8), (5, 10), (6, 10), (7, 10)] {
            let expect = (failures, NOW, at + minutes * MINUTE);
            assert_eq!((failure.failures, failure.since, failure.next_at), expect);
            for (after, is_left_alone) in [(0, true), (minutes * MINUTE - 1, true), (minutes * MINUTE, false)] {
                assert_eq!(failure.is_left_alone(at + after), is_left_alone, "{failures}: {after}");
            }
            at = failure.next_at;
            failure = StoreFailure::again(Some(&failure), "webhdfs://nn", "again", at);
        }
        assert_eq!(failure.why, "again");
        for failures in [0, 60, 64, u32::MAX] {
            assert_eq!(pause(failures), if failures == 0 { MINUTE } else { LONGEST_PAUSE }, "{failures}");
        }
    }

    #[test]
    fn a_clock_that_was_set_back_locks_no_store_out() {
        let failure = StoreFailure::again(None, "webhdfs://nn", "", NOW);
        for (back, is_left_alone) in [(0, true), (540, true), (541, false), (86_400, false)] {
            assert_eq!(failure.is_left_alone(NOW - back), is_left_alone, "{back}");
        }
        let again = StoreFailure::again(Some(&failure), "webhdfs://nn", "", NOW - 86_400);
        assert_eq!((again.since, again.next_at), (NOW - 86_400, NOW - 86_400 + 2 * MINUTE));
    }
}
