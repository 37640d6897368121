//! Decides whether a WAITING action stays, is skipped, becomes ready or times out.
//!
//! Must not depend on files: the caller says whether the inputs exist.

use howdah_calendar::{Frequency, Schedule, add, move_to_end};
use howdah_words::model::job_status::{JobHold, JobStatus};
use howdah_words::model::status::Execution;
use howdah_words::model::time::{MINUTE, Timestamp};

/// What the execution strategy uses of an action and its job.
#[derive(Clone, Copy, Debug)]
pub struct Strategy<'a> {
    pub execution: Execution,
    pub schedule: &'a Schedule,
    /// Minutes after its nominal time during which an action of strategy `NONE` may still start.
    pub none_tolerance_minutes: i64,
}

/// Returns whether the inputs of WAITING actions are checked while the job is in this status.
pub fn checks_inputs(job: JobStatus) -> bool {
    matches!(job, JobStatus::Running { hold: JobHold::Free | JobHold::Paused, .. })
}

/// Why the strategy skips an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkipReason {
    /// `LAST_ONLY`: the nominal time after its own has passed.
    Overtaken { by: Timestamp },
    /// `NONE`: it could not start within this many minutes of its nominal time.
    TooLate { nominal: Timestamp, tolerance_minutes: i64 },
}

/// Returns why the strategy skips the action at `now` (`LAST_ONLY`, `NONE`); `None` when it does not. The last action
/// of a job is never skipped.
pub fn skip_reason(strategy: &Strategy<'_>, number: u32, nominal: Timestamp, now: Timestamp) -> Option<SkipReason> {
    if matches!(strategy.execution, Execution::Fifo | Execution::Lifo) {
        return None;
    }
    // The last action of a job has no next one, whatever its schedule returns for the time after its end.
    let by = next_nominal(strategy.schedule, number, nominal).filter(|next| *next < strategy.schedule.end)?;
    match strategy.execution {
        Execution::Fifo | Execution::Lifo => None,
        Execution::LastOnly => (now > by).then_some(SkipReason::Overtaken { by }),
        Execution::None => {
            let tolerance_minutes = strategy.none_tolerance_minutes;
            let late = now > nominal + tolerance_minutes.saturating_mul(MINUTE);
            late.then_some(SkipReason::TooLate { nominal, tolerance_minutes })
        }
    }
}

/// Returns whether the strategy skips the action at `now`.
pub fn is_skipped(strategy: &Strategy<'_>, number: u32, nominal: Timestamp, now: Timestamp) -> bool {
    skip_reason(strategy, number, nominal, now).is_some()
}

/// Returns the nominal time after action `number` for `LAST_ONLY`: the end itself still counts.
pub fn next_nominal(schedule: &Schedule, number: u32, nominal: Timestamp) -> Option<Timestamp> {
    let next = match &schedule.frequency {
        Frequency::Fixed { count, unit, end_of } => {
            let moved = add(&schedule.zone, schedule.start, *unit, i64::from(number).saturating_mul(*count))?;
            move_to_end(&schedule.zone, moved, *end_of)
        }
        Frequency::Cron(_) => schedule.following(number, nominal),
    };
    next.filter(|next| *next <= schedule.end)
}

/// How long an action waits for its inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    pub nominal: Timestamp,
    pub created: Timestamp,
    /// Negative: no limit.
    pub timeout_minutes: i64,
}

impl Wait {
    /// Returns whether the wait is over at `now` (specification 6.3).
    ///
    /// A timeout of *n* > 0 minutes ends when *n* whole minutes have passed since the later of nominal and created
    /// time; a timeout of zero ends at the first check at or after the nominal time.
    pub fn is_over(self, now: Timestamp) -> bool {
        self.deadline().is_some_and(|deadline| now >= deadline)
    }

    /// Returns the instant from which the action times out; `None` when it never does.
    pub fn deadline(self) -> Option<Timestamp> {
        let since = self.nominal.max(self.created);
        (self.timeout_minutes >= 0).then(|| since + self.timeout_minutes.saturating_mul(MINUTE))
    }
}

/// The state of the inputs of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inputs {
    /// All exist.
    Present,
    /// Some are missing.
    Missing,
    /// Not known at present.
    Unknown,
}

/// The result of a check of a WAITING action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// Its nominal time is in the future.
    NotDue,
    /// Inputs are missing and there is time left.
    Waits,
    /// The strategy skips it.
    Skipped(SkipReason),
    /// All inputs exist.
    Ready,
    /// Inputs are missing and the wait is over.
    TimedOut,
    /// Whether inputs are missing is not known, so the action stays as it is.
    Unknown,
}

/// What is decided about a WAITING action whatever its inputs are; `None`: they must be looked for.
pub fn check_time(strategy: &Strategy<'_>, number: u32, wait: Wait, now: Timestamp) -> Option<Check> {
    if wait.nominal > now {
        return Some(Check::NotDue);
    }
    skip_reason(strategy, number, wait.nominal, now).map(Check::Skipped)
}

/// What is decided about a WAITING action by its inputs: complete ones win over a timeout.
pub fn check_inputs(inputs: Inputs, wait: Wait, now: Timestamp) -> Check {
    match inputs {
        Inputs::Present => Check::Ready,
        Inputs::Unknown => Check::Unknown,
        Inputs::Missing if wait.is_over(now) => Check::TimedOut,
        Inputs::Missing => Check::Waits,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_whole_minutes_from_the_later_origin() {
        let at = Timestamp::from_seconds;
        for (nominal, created, timeout, now, expect) in [
            (0, 0, 10, 599, false),
            (0, 0, 10, 600, true),
            (0, 120, 10, 600, false),
            (0, 120, 10, 720, true),
            (0, 0, 0, 0, true),
            (0, 0, -1, i64::MAX, false),
        ] {
            let wait = Wait { nominal: at(nominal), created: at(created), timeout_minutes: timeout };
            assert_eq!(wait.is_over(at(now)), expect, "{wait:?} at {now}");
        }
    }
}
