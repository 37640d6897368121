//! Computes which actions one materialization run of a job creates.
//!
//! Pure arithmetic on the job's numbers and its schedule. Must not depend on datasets, the database or the clock.

use crate::coordinator::readiness::{Strategy, is_skipped};
use howdah_calendar::{Frequency, Schedule, add};
use howdah_words::model::row::CoordinatorJob;
use howdah_words::model::status::Execution;
use howdah_words::model::time::{MINUTE, Timestamp};

/// The settings of materialization, in seconds and actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// How far one run extends beyond the next nominal time (`materialization.window`).
    #[expect(clippy::struct_field_names, reason = "the setting is materialization.window")]
    pub window_seconds: i64,
    /// How long before its next nominal time a job is picked (`lookup.interval`).
    pub lookup_seconds: i64,
    /// How many past actions one run creates for `LAST_ONLY` and `NONE` (`action.batch.size`); `None`: no limit.
    pub catch_up_limit: Option<u32>,
}

impl Default for Window {
    fn default() -> Self {
        Self { window_seconds: 3600, lookup_seconds: 300, catch_up_limit: Some(10_000) }
    }
}

/// A job with what decides about its next actions.
#[derive(Clone, Copy, Debug)]
pub struct Materialization<'a> {
    pub job: &'a CoordinatorJob,
    pub schedule: &'a Schedule,
    /// WAITING actions now.
    pub waiting: u64,
}

/// What a run creates, and the job's numbers after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Number and nominal time of each new action.
    pub created: Vec<(u32, Timestamp)>,
    /// The first nominal time not created; `None` when the schedule has no further one.
    pub next: Option<Timestamp>,
    pub last_action_number: u32,
    pub done: bool,
}

/// A run that passes actions over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatchUp {
    /// Number and nominal time of the first and the last action that is passed over.
    pub first: (u32, Timestamp),
    pub last: (u32, Timestamp),
    /// What follows them.
    pub rest: Run,
}

/// The fewest actions that are counted and not created one by one: fewer cost less than a range of them.
const FEWEST_PASSED: u32 = 100;

impl Materialization<'_> {
    /// The largest number of WAITING actions.
    fn throttle(&self) -> u32 {
        u32::try_from(self.job.throttle).unwrap_or_default()
    }

    /// Returns whether the periodic lookup picks the job.
    pub fn is_selected(&self, now: Timestamp, window: &Window) -> bool {
        let horizon = now + window.lookup_seconds;
        let (start, end) = (self.schedule.start, self.schedule.end);
        let next_allows = self
            .job
            .next_materialized_at
            .is_none_or(|next| next < horizon && end > next && self.job.pause_at.is_none_or(|pause| pause > next));
        start <= horizon && self.job.status.is_free() && next_allows && u64::from(self.throttle()) > self.waiting
    }

    /// Computes one run; `None` when a precondition is not met.
    pub fn run(&self, now: Timestamp, window: &Window) -> Option<Run> {
        let (from, until) = self.span(now, window)?;
        Some(self.create(from, until, self.quota(until, now, window)))
    }

    /// Returns where the window of a run begins and ends; `None` when a precondition is not met.
    fn span(&self, now: Timestamp, window: &Window) -> Option<(Timestamp, Timestamp)> {
        let from = self.job.next_materialized_at.unwrap_or(self.schedule.start);
        let until = self.window_end(from, now, window);
        let ahead = from > now + window.lookup_seconds;
        let paused = self.job.pause_at.is_some_and(|pause| from >= pause);
        if !self.job.status.is_free()
            || self.job.done_materialization
            || from >= self.schedule.end
            || ahead
            || paused
            || from >= until
        {
            return None;
        }
        Some((from, until))
    }

    /// Computes a run that catches up under `LAST_ONLY` or `NONE`, without the actions that the strategy passes over
    /// as soon as they exist: they are counted and not created one by one. `None` when there are few of them, or when
    /// no such run happens; then [`Self::run`] says what does.
    ///
    /// The batch size of Oozie does not divide it: the runs that it would take follow one another at once.
    pub fn catch_up(&self, strategy: &Strategy<'_>, now: Timestamp, window: &Window) -> Option<CatchUp> {
        let (from, until) = self.span(now, window)?;
        if !self.catches_up_at_once(from, now, window) {
            return None;
        }
        let is_passed = |number: u32, nominal: Timestamp| {
            nominal < until
                && self.job.pause_at.is_none_or(|pause| nominal < pause)
                && is_skipped(strategy, number, nominal, now)
        };
        let number = self.job.last_action_number.checked_add(1)?;
        let first = (number, self.first_not_before(from)?);
        if !is_passed(first.0, first.1) {
            return None;
        }
        let last = self.schedule.last_passing(first, is_passed);
        if last.0 - first.0 + 1 < FEWEST_PASSED {
            return None;
        }
        let next = self.schedule.following(last.0, last.1);
        let job = &CoordinatorJob { last_action_number: last.0, next_materialized_at: next, ..self.job.clone() };
        let rest = match next {
            Some(next) => Materialization { job, ..*self }.create(next, until, None),
            None => Run { created: Vec::new(), next: None, last_action_number: last.0, done: true },
        };
        Some(CatchUp { first, last, rest })
    }

    /// Whether a run that begins at `from` creates all that is past, whatever the throttle.
    fn catches_up_at_once(&self, from: Timestamp, now: Timestamp, window: &Window) -> bool {
        matches!(self.job.execution, Execution::LastOnly | Execution::None) && from + window.window_seconds <= now
    }

    /// Returns the end of the window, exclusive.
    fn window_end(&self, from: Timestamp, now: Timestamp, window: &Window) -> Timestamp {
        let mut until = from + window.window_seconds;
        if until <= now {
            until = match (self.job.execution, &self.schedule.frequency) {
                // What is due exactly now belongs to the past that one run catches up with.
                (Execution::LastOnly | Execution::None, _) => now + 1,
                (_, Frequency::Cron(_)) => self.schedule.end,
                (_, Frequency::Fixed { .. }) => self.catch_up_end(from, until, now),
            };
        }
        until.min(self.schedule.end)
    }

    /// Returns the end of a catch-up window of a fixed frequency: `throttle` periods, but not beyond now.
    fn catch_up_end(&self, from: Timestamp, until: Timestamp, now: Timestamp) -> Timestamp {
        let Frequency::Fixed { count, unit, .. } = self.schedule.frequency else { return until };
        let after = |periods: u32| {
            add(&self.schedule.zone, from, unit, i64::from(periods).saturating_mul(count)).unwrap_or(self.schedule.end)
        };
        // The times after(1), after(2), ... grow, so the first one not before now is found by bisection.
        let (mut low, mut high) = (1, self.throttle().saturating_add(1));
        while low < high {
            let middle = low + (high - low) / 2;
            if after(middle) >= now { high = middle } else { low = middle + 1 }
        }
        if low > self.throttle() { after(self.throttle()) } else { after(low - 1).max(until) }
    }

    /// Returns how many actions may be created at most; `None` without a limit.
    fn quota(&self, until: Timestamp, now: Timestamp, window: &Window) -> Option<u64> {
        if matches!(self.job.execution, Execution::LastOnly | Execution::None) && until <= now + 1 {
            return window.catch_up_limit.map(u64::from);
        }
        Some(u64::from(self.throttle()).saturating_sub(self.waiting))
    }

    fn create(&self, from: Timestamp, until: Timestamp, quota: Option<u64>) -> Run {
        let mut created = Vec::new();
        let mut number = self.job.last_action_number;
        let mut next = self.first_not_before(from);
        while let Some(nominal) = next {
            let full = quota.is_some_and(|quota| created.len() as u64 >= quota);
            if nominal >= until || full || self.job.pause_at.is_some_and(|pause| nominal >= pause) {
                break;
            }
            number += 1;
            created.push((number, nominal));
            next = self.schedule.following(number, nominal);
        }
        let done = next.is_none_or(|next| next >= self.schedule.end);
        Run { created, next, last_action_number: number, done }
    }

    /// Returns the nominal time of the next action: computed from the start for a fixed frequency, the first firing at
    /// or after `from` for cron.
    fn first_not_before(&self, from: Timestamp) -> Option<Timestamp> {
        match &self.schedule.frequency {
            Frequency::Fixed { .. } => self.schedule.following(self.job.last_action_number, from),
            Frequency::Cron(_) => self.schedule.following(0, from - MINUTE),
        }
    }
}

#[cfg(test)]
mod catch_up_tests;
#[cfg(test)]
mod every_zone;

#[cfg(test)]
mod tests {
    use super::*;
    use howdah_calendar::{CronZone, EndOf, ProcessingZone, Unit, Zone};
    use howdah_testing::rows::coordinator_job;
    use howdah_words::model::job_status::JobStatus;

    fn instant(text: &str) -> Timestamp {
        ProcessingZone::UTC.parse_datetime(text).unwrap()
    }

    /// A job on 2009-01-01 from midnight to midnight.
    fn schedule(frequency: Frequency) -> Schedule {
        Schedule {
            frequency,
            start: instant("2009-01-01T00:00Z"),
            end: instant("2009-01-02T00:00Z"),
            zone: Zone::utc(),
            processing: ProcessingZone::UTC,
            cron_zone: CronZone::Processing,
        }
    }

    fn every(minutes: i64) -> Schedule {
        schedule(Frequency::Fixed { count: minutes, unit: Unit::Minute, end_of: EndOf::None })
    }

    fn job() -> CoordinatorJob {
        coordinator_job(JobStatus::RUNNING)
    }

    /// `expect`: how many actions, the next nominal time, whether all are created; `None` when no run happens.
    fn check(about: (&CoordinatorJob, &Schedule, u64), now: &str, expect: Option<(usize, &str, bool)>) {
        let (job, schedule, waiting) = about;
        let run = Materialization { job, schedule, waiting }.run(instant(now), &Window::default());
        let got = run.map(|run| (run.created.len(), run.next.map(|next| ProcessingZone::UTC.format(next)), run.done));
        assert_eq!(got, expect.map(|(count, next, done)| (count, Some(next.to_owned()), done)), "{about:?} at {now}");
    }

    #[test]
    fn creates_one_window_ahead() {
        let schedule = every(10);
        check((&job(), &schedule, 0), "2008-12-31T23:54Z", None);
        check((&job(), &schedule, 0), "2008-12-31T23:55Z", Some((6, "2009-01-01T01:00Z", false)));
        let next_materialized_at = Some(instant("2009-01-01T23:30Z"));
        let next = CoordinatorJob { next_materialized_at, last_action_number: 141, ..job() };
        check((&next, &schedule, 0), "2009-01-01T23:30Z", Some((3, "2009-01-02T00:00Z", true)));
    }

    #[test]
    fn catches_up_within_the_throttle() {
        let schedule = every(10);
        check((&job(), &schedule, 0), "2009-01-01T20:00Z", Some((12, "2009-01-01T02:00Z", false)));
        check((&job(), &schedule, 10), "2009-01-01T20:00Z", Some((2, "2009-01-01T00:20Z", false)));
        check((&job(), &schedule, 13), "2009-01-01T20:00Z", Some((0, "2009-01-01T00:00Z", false)));
        let last_only = CoordinatorJob { execution: Execution::LastOnly, throttle: 1, ..job() };
        check((&last_only, &schedule, 0), "2009-01-01T03:00Z", Some((19, "2009-01-01T03:10Z", false)));
    }

    #[test]
    fn cron_catches_up_as_far_as_the_throttle_goes() {
        let hourly = schedule(Frequency::Cron(howdah_calendar::Cron::parse("30 * * * *").unwrap()));
        check((&job(), &hourly, 0), "2009-01-01T20:00Z", Some((12, "2009-01-01T12:30Z", false)));
        let wide = CoordinatorJob { throttle: 100, ..job() };
        check((&wide, &hourly, 0), "2009-01-01T20:00Z", Some((24, "2009-01-02T00:30Z", true)));
    }

    #[test]
    fn stops_at_the_pause_time_and_in_other_statuses() {
        let schedule = every(10);
        let paused = |pause| CoordinatorJob { pause_at: Some(instant(pause)), ..job() };
        check((&paused("2009-01-01T00:20Z"), &schedule, 0), "2009-01-01T00:00Z", Some((2, "2009-01-01T00:20Z", false)));
        check((&paused("2009-01-01T00:00Z"), &schedule, 0), "2009-01-01T00:00Z", None);
        for status in JobStatus::ALL {
            let job = &coordinator_job(*status);
            let materialization = Materialization { job, schedule: &schedule, waiting: 0 };
            let runs = materialization.run(instant("2009-01-01T00:00Z"), &Window::default());
            let allowed = matches!(status.as_str(), "PREP" | "RUNNING" | "RUNNINGWITHERROR");
            assert_eq!(runs.is_some(), allowed, "{status}");
        }
        let done = CoordinatorJob { done_materialization: true, ..job() };
        check((&done, &schedule, 0), "2009-01-01T00:00Z", None);
    }

    #[test]
    fn the_lookup_picks_what_is_due_soon() {
        let schedule = every(10);
        let picked = |job: &CoordinatorJob, waiting, now| {
            Materialization { job, schedule: &schedule, waiting }.is_selected(instant(now), &Window::default())
        };
        assert!(!picked(&job(), 0, "2008-12-31T23:54Z"));
        assert!(picked(&job(), 0, "2008-12-31T23:55Z"));
        assert!(!picked(&job(), 12, "2009-01-01T00:00Z"));
        let next = |next| CoordinatorJob { next_materialized_at: Some(instant(next)), ..job() };
        assert!(!picked(&next("2009-01-01T00:10Z"), 0, "2009-01-01T00:05Z"));
        assert!(picked(&next("2009-01-01T00:10Z"), 0, "2009-01-01T00:06Z"));
        assert!(!picked(&next("2009-01-02T00:00Z"), 0, "2009-01-02T00:06Z"));
    }
}
