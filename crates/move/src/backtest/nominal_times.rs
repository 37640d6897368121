//! The nominal times of the actions of one schedule, each computed once.

use std::sync::{Mutex, PoisonError};

use howdah_calendar::{Frequency, Schedule};
use howdah_words::model::time::{MINUTE, Timestamp};

/// The most times of a cron schedule that are computed: one each minute for ten years.
const MOST_TIMES: usize = 5_300_000;

/// The nominal times of a schedule, whatever its end is: an operator may have changed it.
pub(crate) struct NominalTimes {
    schedule: Schedule,
    /// Those of a cron schedule, from action 1 on: each is found from the one before it.
    times: Mutex<Vec<Timestamp>>,
}

impl NominalTimes {
    pub(super) fn new(schedule: Schedule) -> Self {
        Self { schedule, times: Mutex::default() }
    }

    /// Returns the nominal time of the action with a number; `None` when there is none, or too many before it.
    pub(crate) fn at(&self, number: u32) -> Option<Timestamp> {
        let before = number.checked_sub(1)?;
        match &self.schedule.frequency {
            Frequency::Fixed { .. } => self.schedule.following(before, self.schedule.start),
            Frequency::Cron(_) => self.of_cron(usize::try_from(before).ok()?),
        }
    }

    fn of_cron(&self, index: usize) -> Option<Timestamp> {
        if index >= MOST_TIMES {
            return None;
        }
        let mut times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        while times.len() <= index {
            let last = times.last().copied().unwrap_or(self.schedule.start - MINUTE);
            let next = self.schedule.following(0, last)?;
            times.push(next);
        }
        times.get(index).copied()
    }
}
