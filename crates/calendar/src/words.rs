//! Describes a frequency in words.
//!
//! Decides only wording. The clock that a frequency follows surprises its readers most, so the words include it
//! (coordinator specification 4.4). Must not depend on a start, a zone or the clock.

use super::add::Unit;
use super::boundary::EndOf;
use super::frequency::Frequency;

const MINUTES_PER_HOUR: i64 = 60;
const MINUTES_PER_DAY: i64 = 24 * MINUTES_PER_HOUR;

impl Frequency {
    /// Describes when it is due: `every day at the local time of the start`, or the words of cron.
    pub fn words(&self) -> String {
        match self {
            Self::Cron(cron) => cron.words(),
            Self::Fixed { count, unit: Unit::Minute, end_of } => minutes(*count) + tail_of_elapsed(*count, *end_of),
            Self::Fixed { count, unit: Unit::Hour, end_of } => {
                let elapsed = count.saturating_mul(MINUTES_PER_HOUR);
                minutes(elapsed) + tail_of_elapsed(elapsed, *end_of)
            }
            Self::Fixed { count, unit, end_of } => every(*count, noun(*unit)) + tail(*unit, *end_of),
        }
    }
}

fn minutes(count: i64) -> String {
    if count % MINUTES_PER_HOUR == 0 { every(count / MINUTES_PER_HOUR, "hour") } else { every(count, "minute") }
}

fn every(count: i64, noun: &str) -> String {
    if count == 1 { format!("every {noun}") } else { format!("every {count} {noun}s") }
}

const fn noun(unit: Unit) -> &'static str {
    match unit {
        Unit::Minute => "minute",
        Unit::Hour => "hour",
        Unit::Day => "day",
        Unit::Week => "week",
        Unit::Month => "month",
        Unit::Year => "year",
    }
}

/// Returns the words after a length of elapsed time.
const fn tail_of_elapsed(minutes: i64, end_of: EndOf) -> &'static str {
    match end_of {
        EndOf::None if minutes >= MINUTES_PER_DAY => " of elapsed time (coord:days keeps the local time instead)",
        EndOf::None => "",
        EndOf::Day => ", from the end of the start's day",
        EndOf::Week => ", from the end of the start's week",
        EndOf::Month => ", from the end of the start's month",
    }
}

/// Returns the words after a number of local days, weeks, months or years.
const fn tail(unit: Unit, end_of: EndOf) -> &'static str {
    match (end_of, unit) {
        (EndOf::None, Unit::Month) => " on the start's day (or the month's last) at its local time",
        (EndOf::None, _) => " at the local time of the start",
        (EndOf::Day, _) => " at local midnight, from the end of the start's day",
        (EndOf::Week, _) => " at local midnight of Sunday, from the end of the start's week",
        (EndOf::Month, _) => " at local midnight of the 1st, from the end of the start's month",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(frequency: (i64, Unit, EndOf), expect: &str) {
        let (count, unit, end_of) = frequency;
        assert_eq!(Frequency::Fixed { count, unit, end_of }.words(), expect, "{frequency:?}");
    }

    #[test]
    fn elapsed_time() {
        check((1, Unit::Minute, EndOf::None), "every minute");
        check((20, Unit::Minute, EndOf::None), "every 20 minutes");
        check((60, Unit::Minute, EndOf::None), "every hour");
        check((90, Unit::Minute, EndOf::None), "every 90 minutes");
        check((6, Unit::Hour, EndOf::None), "every 6 hours");
        let elapsed = "of elapsed time (coord:days keeps the local time instead)";
        check((1440, Unit::Minute, EndOf::None), &format!("every 24 hours {elapsed}"));
        check((1500, Unit::Minute, EndOf::None), &format!("every 25 hours {elapsed}"));
    }

    #[test]
    fn local_days_weeks_and_months() {
        check((1, Unit::Day, EndOf::None), "every day at the local time of the start");
        check((3, Unit::Day, EndOf::None), "every 3 days at the local time of the start");
        check((1, Unit::Year, EndOf::None), "every year at the local time of the start");
        let month = "on the start's day (or the month's last) at its local time";
        check((1, Unit::Month, EndOf::None), &format!("every month {month}"));
        check((3, Unit::Month, EndOf::None), &format!("every 3 months {month}"));
    }

    #[test]
    fn ends_of_periods() {
        check((1, Unit::Day, EndOf::Day), "every day at local midnight, from the end of the start's day");
        let week = "at local midnight of Sunday, from the end of the start's week";
        check((2, Unit::Week, EndOf::Week), &format!("every 2 weeks {week}"));
        let month = "at local midnight of the 1st, from the end of the start's month";
        check((1, Unit::Month, EndOf::Month), &format!("every month {month}"));
        check((20, Unit::Minute, EndOf::Day), "every 20 minutes, from the end of the start's day");
    }

    #[test]
    fn cron_has_its_own_words() {
        let cron = Frequency::parse("0 10 * * *", Unit::Minute, EndOf::None).expect("a cron frequency");
        assert_eq!(cron.words(), "every day at 10:00");
    }
}
