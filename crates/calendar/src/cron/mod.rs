//! Cron frequencies: five fields at minute resolution, with the rules of Quartz as Oozie changes them.
//!
//! Decides when a cron frequency fires (coordinator specification 4.4.3): days 1 to 7 are Sunday to Saturday, ranges
//! may wrap, and two restricted day fields are a union. Must not depend on a zone with summer time: the fields are read
//! in the processing time zone. Deliberately refuses forms that Quartz accepts but misreads, such as a step after a
//! name.

mod field;
mod next;
mod parse;
mod rule;
#[cfg(test)]
mod tests;
mod words;

use rule::DayRule;

pub(crate) use parse::CronError;

/// A parsed cron frequency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cron {
    text: String,
    /// Bit *n* is minute *n*; never empty.
    minutes: u64,
    /// Bit *n* is hour *n*; never empty.
    hours: u64,
    /// Bit *n* is month *n*; never empty.
    months: u64,
    days: DayRule,
    /// The second rule when both day fields are restricted.
    other_days: Option<DayRule>,
}

impl Cron {
    /// Returns the expression as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }
}
