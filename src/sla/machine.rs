//! The state machine of a registration: which of its events happened, each once, and its status (coordinator
//! specification 12).
//!
//! A registration is checked when something happened to its subject, and when a promised time is over; both lead to the
//! same decision, so nothing depends on how often it is checked. Being on the second counts as met.

use crate::model::status::{ActionStatus, SlaEvent, SlaStatus};
use crate::model::time::Timestamp;
use crate::sla::registration::Expectation;

/// The promises that are decided; the numbers are Oozie's bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Processed(u8);

impl Processed {
    const START: u8 = 1;
    const DURATION: u8 = 2;
    const END: u8 = 4;
    const OVER: u8 = 8;

    /// Reads stored bits; any value beyond the known bits means that all is over.
    pub(crate) const fn from_bits(bits: u8) -> Self {
        Self(if bits > Self::OVER { Self::OVER } else { bits })
    }

    /// Returns the bits to store.
    pub(crate) const fn bits(self) -> u8 {
        self.0
    }

    /// Returns the state in which everything is decided and final.
    pub(crate) const fn over() -> Self {
        Self(Self::OVER)
    }

    /// Returns whether nothing can happen to the registration any more.
    pub(crate) const fn is_over(self) -> bool {
        self.0 >= Self::OVER
    }

    const fn has(self, bit: u8) -> bool {
        self.0 & bit != 0
    }
}

/// The state of a registration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Progress {
    pub(crate) processed: Processed,
    pub(crate) status: SlaStatus,
    pub(crate) actual_start: Option<Timestamp>,
    pub(crate) actual_end: Option<Timestamp>,
}

/// What is known about the subject of a registration at a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Observation {
    /// It waits or runs; its work started at the given time, if it did.
    Underway { started: Option<Timestamp> },
    /// It is over.
    Ended {
        outcome: Outcome,
        /// When its work started and ended; a coordinator action may end without any.
        started: Option<Timestamp>,
        worked_until: Option<Timestamp>,
        /// When it ended, as far as this is known without work.
        at: Timestamp,
    },
}

/// How something ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It succeeded, or was skipped: only a late end is a miss.
    Fine,
    /// It failed, was killed or timed out: a miss at any time.
    Lost,
}

impl Outcome {
    /// Returns how a coordinator action in this status ended; `None` while it has not.
    pub(crate) const fn of_action(status: ActionStatus) -> Option<Self> {
        use ActionStatus as S;
        match status {
            S::Waiting | S::Ready | S::Submitted | S::Running | S::Suspended => None,
            S::Succeeded | S::Skipped | S::Ignored => Some(Self::Fine),
            S::TimedOut | S::Killed | S::Failed => Some(Self::Lost),
        }
    }
}

impl Default for Progress {
    fn default() -> Self {
        Self { processed: Processed::default(), status: SlaStatus::NotStarted, actual_start: None, actual_end: None }
    }
}

impl Progress {
    /// Applies what is known at `now`; returns the events that this decides, in the order start, duration, end.
    pub(crate) fn observe(
        &mut self,
        expected: &Expectation,
        observation: Observation,
        now: Timestamp,
    ) -> Vec<SlaEvent> {
        if self.processed.is_over() {
            return Vec::new();
        }
        match observation {
            Observation::Underway { started } => self.underway(expected, started, now),
            Observation::Ended { outcome, started, worked_until, at } => {
                self.actual_start = started;
                self.actual_end = Some(worked_until.unwrap_or(at));
                let late = worked_until.is_some_and(|end| end > expected.end);
                self.ended(expected, outcome == Outcome::Lost || late)
            }
        }
    }

    fn underway(&mut self, expected: &Expectation, started: Option<Timestamp>, now: Timestamp) -> Vec<SlaEvent> {
        if started.is_some() {
            self.actual_start = started;
            self.status = SlaStatus::InProcess;
        }
        let start = Found::of(expected.start, |expected| match started {
            Some(started) => Some(start_event(expected, started)),
            None => (expected < now).then_some(SlaEvent::StartMiss),
        });
        // A duration can only be missed before the end; whether it was met is known only at the end.
        let duration = Found::of(expected.duration_seconds, |longest| {
            started.filter(|started| now - *started > longest).map(|_| SlaEvent::DurationMiss)
        });
        let end = Found::of(Some(expected.end), |expected| (expected < now).then_some(SlaEvent::EndMiss));
        let events = self.decide(start, duration, end);
        if events.contains(&SlaEvent::EndMiss) {
            self.status = SlaStatus::Miss;
        }
        events
    }

    fn ended(&mut self, expected: &Expectation, missed: bool) -> Vec<SlaEvent> {
        let (started, took) = (self.actual_start, self.actual_duration());
        // What never started neither started in time nor late.
        let start = Found::of(expected.start, |expected| started.map(|started| start_event(expected, started)));
        let duration = Found::of(expected.duration_seconds, |longest| {
            took.map(|took| if took > longest { SlaEvent::DurationMiss } else { SlaEvent::DurationMet })
        });
        let end = Found::Decided(if missed { SlaEvent::EndMiss } else { SlaEvent::EndMet });
        let events = self.decide(start, duration, end);
        self.status = if missed { SlaStatus::Miss } else { SlaStatus::Met };
        self.processed = Processed::over();
        events
    }

    /// Applies the result for each promise that is not decided yet; returns the events.
    fn decide(&mut self, start: Found, duration: Found, end: Found) -> Vec<SlaEvent> {
        let mut events = Vec::new();
        let found = [(Processed::START, start), (Processed::DURATION, duration), (Processed::END, end)];
        for (bit, found) in found.into_iter().filter(|(_, found)| *found != Found::Open) {
            if let (false, Found::Decided(event)) = (self.processed.has(bit), found) {
                events.push(event);
            }
            self.processed.0 |= bit;
        }
        events
    }

    /// Returns the time at which the periodic check finds something to decide although nothing happened meanwhile;
    /// `None`: never.
    ///
    /// It waits `latency_seconds` after each promised time, so that a delayed event is not counted as missing.
    pub(crate) fn due_at(&self, expected: &Expectation, latency_seconds: i64) -> Option<Timestamp> {
        if self.processed.is_over() {
            return None;
        }
        let behind = |at: Timestamp| at + latency_seconds + 1;
        let start = expected.start.map_or(Timestamp::EPOCH, behind);
        let duration = match (expected.duration_seconds, self.actual_start) {
            (None, _) => Some(Timestamp::EPOCH),
            (Some(_), None) => None,
            (Some(longest), Some(started)) => Some(behind(started + longest)),
        };
        [(Processed::START, Some(start)), (Processed::DURATION, duration), (Processed::END, Some(behind(expected.end)))]
            .into_iter()
            .filter(|(bit, _)| !self.processed.has(*bit))
            .filter_map(|(_, at)| at)
            .min()
    }

    /// Returns how long the work took, in seconds; `None` before its end, or when there was none.
    pub(crate) fn actual_duration(&self) -> Option<i64> {
        self.actual_start.zip(self.actual_end).map(|(start, end)| end - start)
    }
}

/// The result for one promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    /// Nothing was promised.
    NotPromised,
    /// It may still be kept.
    Open,
    Decided(SlaEvent),
}

impl Found {
    /// Returns the result of `decide` for a promise, if there is one.
    fn of<T>(promised: Option<T>, decide: impl FnOnce(T) -> Option<SlaEvent>) -> Self {
        promised.map_or(Self::NotPromised, |promised| decide(promised).map_or(Self::Open, Self::Decided))
    }
}

fn start_event(expected: Timestamp, started: Timestamp) -> SlaEvent {
    if expected < started { SlaEvent::StartMiss } else { SlaEvent::StartMet }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LATENCY: i64 = 90;
    const BASE: i64 = 1_000_000;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_seconds(BASE + seconds)
    }

    /// Start at 100, end at 200, at most 50 seconds.
    fn expectation() -> Expectation {
        Expectation { start: Some(at(100)), end: at(200), duration_seconds: Some(50) }
    }

    fn running(started: i64) -> Observation {
        Observation::Underway { started: Some(at(started)) }
    }

    fn ended(outcome: Outcome, started: i64, end: i64) -> Observation {
        Observation::Ended { outcome, started: Some(at(started)), worked_until: Some(at(end)), at: at(end) }
    }

    const WAITING: Observation = Observation::Underway { started: None };

    /// What each observation decides, and the status after it.
    fn check(observations: &[(i64, Observation)], expect: &[&str]) {
        let mut progress = Progress::default();
        let shown: Vec<String> = observations
            .iter()
            .map(|(now, observation)| {
                let events = progress.observe(&expectation(), *observation, at(*now));
                let mut words: Vec<&str> = events.into_iter().map(SlaEvent::as_str).collect();
                words.push(progress.status.as_str());
                words.join(" ")
            })
            .collect();
        assert_eq!(shown, expect, "{observations:?}");
    }

    #[test]
    fn everything_on_time() {
        check(
            &[(50, WAITING), (101, running(100)), (150, running(100)), (200, ended(Outcome::Fine, 100, 150))],
            &["NOT_STARTED", "START_MET IN_PROCESS", "IN_PROCESS", "DURATION_MET END_MET MET"],
        );
    }

    #[test]
    fn everything_late_and_each_event_once() {
        check(
            &[
                (101, WAITING),
                (102, WAITING),
                (300, running(110)),
                (301, running(110)),
                (400, ended(Outcome::Fine, 110, 390)),
                (401, ended(Outcome::Fine, 110, 390)),
            ],
            &["START_MISS NOT_STARTED", "NOT_STARTED", "DURATION_MISS END_MISS MISS", "IN_PROCESS", "MISS", "MISS"],
        );
    }

    #[test]
    fn what_ended_between_two_checks() {
        check(&[(900, ended(Outcome::Fine, 90, 140))], &["START_MET DURATION_MET END_MET MET"]);
        check(&[(900, ended(Outcome::Fine, 101, 201))], &["START_MISS DURATION_MISS END_MISS MISS"]);
        check(&[(900, ended(Outcome::Lost, 90, 100))], &["START_MET DURATION_MET END_MISS MISS"]);
    }

    #[test]
    fn what_ended_without_work_has_only_an_end() {
        let ended = |outcome| Observation::Ended { outcome, started: None, worked_until: None, at: at(500) };
        check(&[(500, ended(Outcome::Lost))], &["END_MISS MISS"]);
        check(&[(500, ended(Outcome::Fine))], &["END_MET MET"]);
        check(&[(300, WAITING), (500, ended(Outcome::Fine))], &["START_MISS END_MISS MISS", "MET"]);
    }

    #[test]
    fn the_periodic_check_waits_for_delayed_events() {
        let mut progress = Progress::default();
        let due = |progress: &Progress| progress.due_at(&expectation(), LATENCY).map(|due| due - at(0));
        assert_eq!(due(&progress), Some(191));
        progress.observe(&expectation(), running(99), at(100));
        assert_eq!(due(&progress), Some(240));
        progress.observe(&expectation(), running(99), at(160));
        assert_eq!(due(&progress), Some(291));
        progress.observe(&expectation(), running(99), at(291));
        assert_eq!(due(&progress), None);
        progress.observe(&expectation(), ended(Outcome::Fine, 99, 300), at(300));
        assert!(progress.processed.is_over() && due(&progress).is_none());
        let nothing = Expectation { start: None, duration_seconds: None, ..expectation() };
        assert_eq!(Progress::default().due_at(&nothing, LATENCY), Some(Timestamp::EPOCH));
    }

    #[test]
    fn stored_bits_read_back() {
        for bits in 0..=8 {
            assert_eq!(Processed::from_bits(bits).bits(), bits);
        }
        assert!(Processed::from_bits(255).is_over());
    }
}
