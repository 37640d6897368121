//! The nominal times of a coordinator's actions.
//!
//! Decides when action *n* is due (coordinator specification 4.4, 6.1.3): a fixed frequency counts from the start, so
//! errors do not accumulate; cron follows the processing time zone. Must not depend on throttling, the clock, or which
//! actions exist already.

mod earlier;
mod text;

use super::add::StartPoint;
use super::boundary::move_to_end;
use super::cron::Cron;
use super::datetime::ProcessingZone;
use super::frequency::Frequency;
use super::zone::Zone;
use howdah_words::model::time::{DAY, HOUR, MINUTE, Timestamp};

/// The zone that a cron frequency follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CronZone {
    /// Only the processing time zone.
    #[default]
    Processing,
    /// As in a catch-up of Oozie: a time a day or more after the one before it keeps its local time in the job's zone,
    /// in the season of the start (`howdah.coord.cron.follow.job.timezone`).
    Job,
}

/// More seconds than a firing time of cron ever moves to keep its local time.
const FARTHEST_SHIFT: i64 = DAY;

/// Frequency, bounds and zones of a coordinator job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    pub frequency: Frequency,
    /// No action is due before it.
    pub start: Timestamp,
    /// No action is due then or later.
    pub end: Timestamp,
    /// The zone of the job, whose calendar a fixed frequency follows.
    pub zone: Zone,
    pub processing: ProcessingZone,
    pub cron_zone: CronZone,
}

impl Schedule {
    /// Returns the clock that the frequency follows, in words (decision C25).
    pub fn clock(&self) -> String {
        let (zone, processing) = (self.zone.id(), self.processing.java_id());
        match (&self.frequency, self.cron_zone) {
            (Frequency::Cron(_), CronZone::Job) => format!("{processing}, moved with the summer time of {zone}"),
            (Frequency::Cron(_), CronZone::Processing) if zone != processing => {
                format!("{processing}, which cron follows, not {zone}")
            }
            _ => zone.to_owned(),
        }
    }

    /// Returns the nominal time of action `number` + 1 when action `number` (from 1) is due at `nominal`, before the
    /// end or not; `None` when there is none.
    ///
    /// A fixed frequency uses only the number, cron only the nominal time.
    pub fn following(&self, number: u32, nominal: Timestamp) -> Option<Timestamp> {
        self.following_from(self.start_point(), number, nominal)
    }

    /// As [`Self::following`], with [`Self::start_point`] when it is asked many times.
    fn following_from(&self, start_point: Option<StartPoint>, number: u32, nominal: Timestamp) -> Option<Timestamp> {
        match &self.frequency {
            Frequency::Fixed { count, .. } => start_point?.plus(&self.zone, count.checked_mul(i64::from(number))?),
            Frequency::Cron(cron) => {
                let fired = cron.next(self.unshifted(nominal), self.processing)?;
                Some(fired + self.shift(fired))
            }
        }
    }

    /// Returns where a fixed frequency counts from; cron has none.
    fn start_point(&self) -> Option<StartPoint> {
        let Frequency::Fixed { unit, end_of, .. } = &self.frequency else { return None };
        Some(StartPoint::new(&self.zone, move_to_end(&self.zone, self.start, *end_of)?, *unit))
    }

    /// Returns the nominal times from action 1 on, all before the end.
    pub fn times(&self) -> impl Iterator<Item = Timestamp> {
        self.times_after(self.nothing_passed()).map(|(_, nominal)| nominal)
    }

    /// Returns the number of actions, which is the number of the last one.
    pub fn count(&self) -> u32 {
        match &self.frequency {
            Frequency::Fixed { .. } => self.due_before(self.end),
            Frequency::Cron(cron) => {
                let passed = self.passed_days(cron, |_, _| true);
                self.times_after(passed).last().map_or(passed.0, |(number, _)| number)
            }
        }
    }

    /// Returns the nominal time of the action with a number, from 1; `None` when there is no such action.
    pub fn nominal(&self, number: u32) -> Option<Timestamp> {
        let (found, nominal) = self.actions_from(number, self.start).next()?;
        (found == number).then_some(nominal)
    }

    /// Returns the number and nominal time of the actions from number `first` on that are due at `from` or later.
    ///
    /// A fixed frequency computes the first of them directly; cron skips its earlier firings day by day.
    pub fn actions_from(&self, first: u32, from: Timestamp) -> impl Iterator<Item = (u32, Timestamp)> {
        let passed = match &self.frequency {
            Frequency::Fixed { .. } => (self.due_before(from).max(first.saturating_sub(1)), self.start),
            Frequency::Cron(cron) => {
                self.passed_days(cron, |number, fired| number < first || fired + FARTHEST_SHIFT < from)
            }
        };
        self.times_after(passed).skip_while(move |(number, nominal)| *number < first || *nominal < from)
    }

    /// Returns the position before the first action: its number, and its nominal time, which only cron uses.
    fn nothing_passed(&self) -> (u32, Timestamp) {
        // Cron searches after a time, and the start itself counts.
        (0, self.start - MINUTE)
    }

    /// Returns the position of the last action after `passed` for which `passes` holds, and `passed` when it holds for
    /// none. A position is the number and the nominal time of an action. When `passes` does not hold for an action, it
    /// must not hold for a later one.
    ///
    /// A fixed frequency is searched by bisection, cron day by day.
    pub fn last_passing(&self, passed: (u32, Timestamp), passes: impl Fn(u32, Timestamp) -> bool) -> (u32, Timestamp) {
        let Frequency::Cron(cron) = &self.frequency else { return self.last_of_fixed(passed, passes) };
        let days = self.days_from(passed, cron, |number, fired| passes(number, fired + self.shift(fired)));
        self.times_after(days).take_while(|(number, nominal)| passes(*number, *nominal)).last().unwrap_or(days)
    }

    fn last_of_fixed(&self, passed: (u32, Timestamp), passes: impl Fn(u32, Timestamp) -> bool) -> (u32, Timestamp) {
        let start_point = self.start_point();
        let nominal = |number: u32| self.following_from(start_point, number - 1, self.start);
        let (mut low, mut high) = (passed.0, u32::MAX);
        while low < high {
            let middle = high - (high - low) / 2;
            let holds = nominal(middle).is_some_and(|at| at < self.end && passes(middle, at));
            if holds { low = middle } else { high = middle - 1 }
        }
        if low == passed.0 { passed } else { (low, nominal(low).unwrap_or(passed.1)) }
    }

    /// Returns the number and nominal time of the last firing of cron on the last of the days that may be skipped.
    /// `may_pass` decides for a day, by the number and the time of its last firing before it moves to keep a local
    /// time.
    fn passed_days(&self, cron: &Cron, may_pass: impl Fn(u32, Timestamp) -> bool) -> (u32, Timestamp) {
        let (number, fired) = self.days_from(self.nothing_passed(), cron, may_pass);
        if number == 0 { self.nothing_passed() } else { (number, fired) }
    }

    /// As [`Self::passed_days`], from a position on.
    fn days_from(
        &self,
        passed: (u32, Timestamp),
        cron: &Cron,
        may_pass: impl Fn(u32, Timestamp) -> bool,
    ) -> (u32, Timestamp) {
        let (mut number, mut fired) = (passed.0, self.unshifted(passed.1));
        while let Some(first) = cron.next(fired, self.processing) {
            let (firings, last) = cron.rest_of_day(first, self.processing);
            let Some(reached) = number.checked_add(firings).filter(|_| last < self.end) else { break };
            if !may_pass(reached, last) {
                break;
            }
            (number, fired) = (reached, last);
        }
        if number == passed.0 { passed } else { (number, fired + self.shift(fired)) }
    }

    /// Returns the number and nominal time of the actions after one that has passed, all before the end.
    fn times_after(&self, mut passed: (u32, Timestamp)) -> impl Iterator<Item = (u32, Timestamp)> {
        let start_point = self.start_point();
        std::iter::from_fn(move || {
            passed = self.next_from(start_point, passed)?;
            Some(passed)
        })
    }

    /// Returns the number and nominal time of the action after another one; `None` when that is not before the end.
    pub fn next_after(&self, passed: (u32, Timestamp)) -> Option<(u32, Timestamp)> {
        self.next_from(self.start_point(), passed)
    }

    fn next_from(
        &self,
        start_point: Option<StartPoint>,
        (number, nominal): (u32, Timestamp),
    ) -> Option<(u32, Timestamp)> {
        let next = self.following_from(start_point, number, nominal)?;
        (self.unshifted(next) < self.end).then_some((number.checked_add(1)?, next))
    }

    /// Returns the number of nominal times of a fixed frequency before `time`, whether or not they are before the end.
    pub fn due_before(&self, time: Timestamp) -> u32 {
        // Nominal times increase with their number, so bisection finds the first one that is not before `time`.
        let start_point = self.start_point();
        let is_before =
            |number: u32| self.following_from(start_point, number, self.start).is_some_and(|nominal| nominal < time);
        let (mut low, mut high) = (0, u32::MAX);
        while low < high {
            let middle = low + (high - low) / 2;
            if is_before(middle) { low = middle + 1 } else { high = middle }
        }
        low
    }

    /// Returns the seconds by which a firing time moves to keep its local time in the job's zone.
    fn shift(&self, fired: Timestamp) -> i64 {
        let Frequency::Cron(cron) = &self.frequency else { return 0 };
        if self.cron_zone == CronZone::Processing {
            return 0;
        }
        // The search for the first action starts one minute before the start.
        let since_start = fired - (self.start - MINUTE);
        if since_start < DAY || cron.next(fired - DAY, self.processing) != Some(fired) {
            return 0;
        }
        match (self.zone.daylight_saving_seconds(self.start), self.zone.daylight_saving_seconds(fired)) {
            (at_start, 0) => at_start,
            (0, at_fired) => -at_fired,
            _ => 0,
        }
    }

    /// Returns the firing time whose shifted time is `nominal`; `nominal` itself when it is not a shifted time.
    fn unshifted(&self, nominal: Timestamp) -> Timestamp {
        let Frequency::Cron(cron) = &self.frequency else { return nominal };
        if self.cron_zone == CronZone::Processing {
            return nominal;
        }
        // A time that moved back may have left summer time, so its saving is also looked up a little later.
        let [at_start, at_nominal, later] =
            [self.start, nominal, nominal + 2 * HOUR].map(|at| self.zone.daylight_saving_seconds(at));
        let fires = |at: Timestamp| cron.next(at - MINUTE, self.processing) == Some(at);
        let shifts = [0, at_start, -at_nominal, -later];
        let fired = shifts.into_iter().find(|shift| fires(nominal - *shift) && self.shift(nominal - *shift) == *shift);
        nominal - fired.unwrap_or(0)
    }
}

#[cfg(test)]
mod tests;
