//! Describes clock changes.

use serde::Serialize;

use howdah_calendar::{ClockChange, ProcessingZone, offset_text};
use howdah_words::model::time::MINUTE;

/// A clock change, for people and programs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ClockChangeView {
    /// `gap` or `fold`.
    pub kind: &'static str,
    /// The instant, in UTC.
    pub at: String,
    /// The first local time that is skipped or shown twice.
    pub from: String,
    /// The first local time after those.
    pub to: String,
    /// Minutes east of UTC from then on.
    pub offset_minutes: i32,
    /// The same as `+hh:mm`.
    pub offset: String,
    /// What happens, as text.
    pub in_words: String,
}

/// Describes a clock change with words and numbers.
pub fn clock_change(change: ClockChange) -> ClockChangeView {
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

/// Returns the whole minutes of an offset in seconds, rounded toward zero as `coord:tzOffset` does.
pub fn minutes(seconds: i32) -> i32 {
    seconds / i32::try_from(MINUTE).expect("a minute is short")
}
