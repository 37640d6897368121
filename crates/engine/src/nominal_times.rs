//! The nominal times of ranges of actions, from the schedules that the ranges keep.

use howdah_calendar::Schedule;
use howdah_store::{NominalTimes, Times};
use howdah_words::model::row::ActionRange;
use howdah_words::model::time::{DAY, Timestamp};

/// Reads the schedule of a range.
#[derive(Debug)]
pub(crate) struct BySchedule;

/// Returns the schedule of a range; it ends after the range, where a change of the clocks does not reach.
fn schedule(range: &ActionRange) -> Option<Schedule> {
    Schedule::from_text(&range.schedule, range.last_nominal_at + 3 * DAY)
}

impl NominalTimes for BySchedule {
    fn times<'r>(&self, range: &'r ActionRange, from: u32) -> Option<Times<'r>> {
        let schedule = schedule(range)?;
        let first = (range.number, range.nominal_at);
        let mut next = Some(match from.checked_sub(1).filter(|before| *before >= range.number) {
            None => first,
            Some(before) => schedule.next_after(schedule.last_passing(first, |number, _| number <= before))?,
        });
        let times = std::iter::from_fn(move || {
            let now = next.filter(|(number, _)| *number <= range.last_number)?;
            next = schedule.next_after(now);
            Some(now)
        });
        Some(Box::new(times))
    }

    fn first_at(&self, range: &ActionRange, time: Timestamp) -> Option<u32> {
        if time <= range.nominal_at {
            return Some(range.number);
        }
        if time > range.last_nominal_at {
            return Some(range.last_number.saturating_add(1));
        }
        let schedule = schedule(range)?;
        Some(schedule.last_passing((range.number, range.nominal_at), |_, nominal| nominal < time).0 + 1)
    }
}
