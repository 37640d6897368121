//! Whether the runner makes steps: a runner that is stopped or hangs keeps its lock, and nothing else shows it.
//!
//! Its times are those of the clock that cannot be set and stands while the machine sleeps. Must not read a clock.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// After how long without a step something is wrong: an idle runner makes several in a second.
const LONGEST_STEP: u64 = 60;
/// How often a step is written down.
const WRITE_EVERY: u64 = 10;

/// The steps of a runner, as its lock tells them to other processes; in seconds since the start of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Progress {
    /// Since when runners try, one after the other, to make a step.
    since: u64,
    /// The last step that was written down.
    step: Option<u64>,
}

impl Progress {
    /// Returns the progress of a runner that starts `now`. One that follows a runner that died before its first step
    /// continues its attempt.
    pub(super) fn start(now: Duration, before: Option<Self>) -> Self {
        let now = now.as_secs();
        let since = before.filter(|before| before.step.is_none()).map_or(now, |before| before.since.min(now));
        Self { since, step: None }
    }

    /// Notes a step; returns whether others should be told.
    pub(super) fn stepped(&mut self, now: Duration) -> bool {
        let now = now.as_secs();
        let is_due = self.step.is_none_or(|last| now.saturating_sub(last) >= WRITE_EVERY);
        if is_due {
            self.step = Some(now);
        }
        is_due
    }

    /// Returns whether no step has been made since the start.
    pub(super) fn is_first_step_open(self) -> bool {
        self.step.is_none()
    }

    /// Returns for how many seconds no step has been made, when that is too long.
    pub(super) fn stalled(self, now: Duration) -> Option<u64> {
        let last = self.step.unwrap_or(self.since);
        Some(now.as_secs().saturating_sub(last)).filter(|seconds| *seconds > LONGEST_STEP)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn a_step_is_told_every_ten_seconds() {
        let mut progress = Progress::start(at(100), None);
        for (second, is_told) in [(100, true), (101, false), (109, false), (110, true), (111, false), (500, true)] {
            assert_eq!(progress.stepped(at(second)), is_told, "{second}");
        }
    }

    #[test]
    fn too_long_without_a_step() {
        let mut progress = Progress::start(at(100), None);
        assert_eq!((progress.stalled(at(160)), progress.stalled(at(161))), (None, Some(61)));
        progress.stepped(at(150));
        assert_eq!((progress.stalled(at(210)), progress.stalled(at(270))), (None, Some(120)));
        // The machine was started again meanwhile.
        assert_eq!(progress.stalled(at(5)), None);
    }

    #[test]
    fn runners_that_die_before_their_first_step_try_together() {
        let first = Progress::start(at(100), None);
        let second = Progress::start(at(140), Some(first));
        assert_eq!((second.stalled(at(160)), second.stalled(at(170))), (None, Some(70)));
        let mut third = Progress::start(at(180), Some(second));
        third.stepped(at(181));
        assert_eq!(Progress::start(at(900), Some(third)).stalled(at(901)), None);
    }
}
