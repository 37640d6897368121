//! The rules of one zone as a table: the settings of its clocks with their times, and the rule that repeats every year
//! after the last one.
//!
//! Decides the setting of the clocks at an instant, and which instant a local time means. Must not depend on the origin
//! of the table.

use super::setting::{FARTHEST, Setting};
use super::yearly_rule::YearlyRule;

/// All rules of one zone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ZoneTable {
    /// Before the first change.
    pub(super) first: Setting,
    /// The first instant of each setting, in seconds of UTC; ascending.
    pub(super) changes: Vec<(i64, Setting)>,
    /// From the last change on; without it the last setting stays forever.
    pub(super) rule: Option<YearlyRule>,
}

impl ZoneTable {
    /// Returns the setting of the clocks at an instant.
    pub(super) fn setting(&self, at: i64) -> &Setting {
        match (self.changes.partition_point(|(from, _)| *from <= at), &self.rule) {
            (passed, Some(rule)) if passed == self.changes.len() => rule.setting(at),
            (0, _) => &self.first,
            (passed, _) => &self.changes[passed - 1].1,
        }
    }

    /// Returns the offset at which a local time is read: of two the smaller one, which gives the later instant; in a
    /// gap the one before it.
    pub(super) fn offset_of_local(&self, local: i64) -> i32 {
        let (from, to) = (local.saturating_sub(FARTHEST), local.saturating_add(FARTHEST));
        let shows = |offset: &i32| self.setting(local.saturating_sub(i64::from(*offset))).offset == *offset;
        let before = self.setting(from).offset;
        self.offsets_between(from, to).into_iter().chain([before]).filter(shows).min().unwrap_or(before)
    }

    /// Returns the offsets that start in `from..=to`.
    fn offsets_between(&self, from: i64, to: i64) -> Vec<i32> {
        let first = self.changes.partition_point(|(at, _)| *at < from);
        let listed = self.changes[first..].iter().take_while(|(at, _)| *at <= to).map(|(_, setting)| setting.offset);
        let last = self.changes.last().map_or(i64::MIN, |(at, _)| *at);
        let repeated = self.rule.as_ref().filter(|_| to >= last).map_or([None, None], YearlyRule::offsets);
        listed.chain(repeated.into_iter().flatten()).collect()
    }
}
