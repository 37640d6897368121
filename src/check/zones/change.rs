//! How a change of the clocks is told.

use serde::Serialize;

use crate::calendar::{ClockChange, ProcessingZone, offset_text};
use crate::model::time::MINUTE;

/// A change of the clocks, for people and programs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ClockChangeView {
    /// `gap` or `fold`.
    pub(crate) kind: &'static str,
    /// The instant, in UTC.
    pub(crate) at: String,
    /// The first local time that is skipped or shown twice.
    pub(crate) from: String,
    /// The first local time after those.
    pub(crate) to: String,
    /// Minutes east of UTC from then on.
    pub(crate) offset_minutes: i32,
    /// The same as `+hh:mm`.
    pub(crate) offset: String,
    /// What happens, in words.
    pub(crate) in_words: String,
}

/// Wording and numbers of a change of the clocks.
pub(crate) fn clock_change(change: ClockChange) -> ClockChangeView {
    let (from, to) = change.local_times();
    let whole_days = to.day_number() > from.day_number() && from.same_time_of_day(to);
    let in_words = match (change.is_gap(), whole_days) {
        (true, true) => format!("{} does not exist", from.date()),
        (false, true) => format!("{} comes twice", from.date()),
        (true, false) => format!("{} to {} does not exist", from.time_of_day(), to.time_of_day()),
        (false, false) => format!("{} to {} comes twice", from.time_of_day(), to.time_of_day()),
    };
    ClockChangeView {
        kind: if change.is_gap() { "gap" } else { "fold" },
        at: ProcessingZone::UTC.format(change.at),
        from: from.to_string(),
        to: to.to_string(),
        offset_minutes: minutes(change.after_seconds),
        offset: offset_text(change.after_seconds),
        in_words,
    }
}

/// Whole minutes of an offset in seconds, cut toward zero as `coord:tzOffset` cuts them.
pub(crate) fn minutes(seconds: i32) -> i32 {
    seconds / i32::try_from(MINUTE).expect("a minute is short")
}
