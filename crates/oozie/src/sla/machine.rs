//! The state machine of a registration: which of its events happened, each once, and its status (coordinator
//! specification 12).
//!
//! A registration is checked when something happened to its subject, and when a promised time is over; both lead to the
//! same decision, so nothing depends on how often it is checked. Being on the second counts as met.

use howdah_words::model::row::SlaRegistration;
use howdah_words::model::status::{ActionStatus, SlaEvent, SlaStatus};
use howdah_words::model::time::Timestamp;

// Bits of `processed`: the promises that are decided; the numbers are Oozie's.
const START: u8 = 1;
const DURATION: u8 = 2;
const END: u8 = 4;
/// Everything is decided and final; any larger value means the same.
const OVER: u8 = 8;

/// What is known about the subject of a registration at a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observation {
    /// It waits or runs; its work started at the given time, if it did.
    Underway { started: Option<Timestamp> },
    /// It is over.
    Ended {
        end: SlaEnd,
        /// When its work started and ended; a coordinator action may end without any.
        started: Option<Timestamp>,
        worked_until: Option<Timestamp>,
        /// When it ended, as far as this is known without work.
        at: Timestamp,
    },
}

/// How the subject of a registration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlaEnd {
    /// It succeeded, or was skipped: only a late end is a miss.
    Fine,
    /// It failed, was killed or timed out: a miss at any time.
    Lost,
}

impl SlaEnd {
    /// Returns how a coordinator action in this status ended; `None` while it has not.
    pub const fn of_action(status: ActionStatus) -> Option<Self> {
        use ActionStatus as S;
        match status {
            S::Waiting | S::Ready | S::Submitted | S::Running | S::Suspended => None,
            S::Succeeded | S::Skipped | S::Ignored => Some(Self::Fine),
            S::TimedOut | S::Killed | S::Failed => Some(Self::Lost),
        }
    }
}

/// The machine: what the checks of a registration do to its row.
pub trait SlaMachine {
    /// Whether nothing can happen to it any more.
    fn is_over(&self) -> bool;

    /// Gives up what is not decided yet.
    fn close(&mut self);

    /// Forgets what was decided, because its subject runs again.
    fn begin_again(&mut self);

    /// Applies what is known at `now`; returns the events that this decides, in the order start, duration, end.
    fn observe(&mut self, observation: Observation, now: Timestamp) -> Vec<SlaEvent>;

    /// Returns the time at which the periodic check finds something to decide although nothing happened meanwhile;
    /// `None`: never.
    ///
    /// It waits `latency_seconds` after each promised time, so that a delayed event is not counted as missing.
    fn next_check(&self, latency_seconds: i64) -> Option<Timestamp>;

    /// Returns how long the work took, in seconds; `None` before its end, or when there was none.
    fn actual_duration(&self) -> Option<i64>;
}

impl SlaMachine for SlaRegistration {
    fn is_over(&self) -> bool {
        self.processed >= OVER
    }

    fn close(&mut self) {
        self.processed = OVER;
        self.due_at = None;
    }

    fn begin_again(&mut self) {
        self.processed = 0;
        self.status = SlaStatus::NotStarted;
        (self.actual_start_at, self.actual_end_at) = (None, None);
    }

    fn observe(&mut self, observation: Observation, now: Timestamp) -> Vec<SlaEvent> {
        if self.is_over() {
            return Vec::new();
        }
        match observation {
            Observation::Underway { started } => underway(self, started, now),
            Observation::Ended { end, started, worked_until, at } => {
                self.actual_start_at = started;
                self.actual_end_at = Some(worked_until.unwrap_or(at));
                let late = worked_until.is_some_and(|end| end > self.expected_end_at);
                ended(self, end == SlaEnd::Lost || late)
            }
        }
    }

    fn next_check(&self, latency_seconds: i64) -> Option<Timestamp> {
        if self.is_over() {
            return None;
        }
        let behind = |at: Timestamp| at + latency_seconds + 1;
        let start = self.expected_start_at.map_or(Timestamp::EPOCH, behind);
        let duration = match (self.expected_seconds, self.actual_start_at) {
            (None, _) => Some(Timestamp::EPOCH),
            (Some(_), None) => None,
            (Some(longest), Some(started)) => Some(behind(started + longest)),
        };
        [(START, Some(start)), (DURATION, duration), (END, Some(behind(self.expected_end_at)))]
            .into_iter()
            .filter(|(bit, _)| self.processed & bit == 0)
            .filter_map(|(_, at)| at)
            .min()
    }

    fn actual_duration(&self) -> Option<i64> {
        self.actual_start_at.zip(self.actual_end_at).map(|(start, end)| end - start)
    }
}

fn underway(registration: &mut SlaRegistration, started: Option<Timestamp>, now: Timestamp) -> Vec<SlaEvent> {
    if started.is_some() {
        registration.actual_start_at = started;
        registration.status = SlaStatus::InProcess;
    }
    let start = Found::of(registration.expected_start_at, |expected| match started {
        Some(started) => Some(start_event(expected, started)),
        None => (expected < now).then_some(SlaEvent::StartMiss),
    });
    // A duration can only be missed before the end; whether it was met is known only at the end.
    let duration = Found::of(registration.expected_seconds, |longest| {
        started.filter(|started| now - *started > longest).map(|_| SlaEvent::DurationMiss)
    });
    let end = Found::of(Some(registration.expected_end_at), |expected| (expected < now).then_some(SlaEvent::EndMiss));
    let events = decide(registration, start, duration, end);
    if events.contains(&SlaEvent::EndMiss) {
        registration.status = SlaStatus::Miss;
    }
    events
}

fn ended(registration: &mut SlaRegistration, missed: bool) -> Vec<SlaEvent> {
    let (started, took) = (registration.actual_start_at, registration.actual_duration());
    // What never started neither started in time nor late.
    let start =
        Found::of(registration.expected_start_at, |expected| started.map(|started| start_event(expected, started)));
    let duration = Found::of(registration.expected_seconds, |longest| {
        took.map(|took| if took > longest { SlaEvent::DurationMiss } else { SlaEvent::DurationMet })
    });
    let end = Found::Decided(if missed { SlaEvent::EndMiss } else { SlaEvent::EndMet });
    let events = decide(registration, start, duration, end);
    registration.status = if missed { SlaStatus::Miss } else { SlaStatus::Met };
    registration.processed = OVER;
    events
}

/// Applies the result for each promise that is not decided yet; returns the events.
fn decide(registration: &mut SlaRegistration, start: Found, duration: Found, end: Found) -> Vec<SlaEvent> {
    let mut events = Vec::new();
    let found = [(START, start), (DURATION, duration), (END, end)];
    for (bit, found) in found.into_iter().filter(|(_, found)| *found != Found::Open) {
        if let (false, Found::Decided(event)) = (registration.processed & bit != 0, found) {
            events.push(event);
        }
        registration.processed |= bit;
    }
    events
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
    use howdah_testing::rows::sla_registration;

    const LATENCY: i64 = 90;
    const BASE: i64 = 1_000_000;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_seconds(BASE + seconds)
    }

    /// Start at 100, end at 200, at most 50 seconds.
    fn registration() -> SlaRegistration {
        SlaRegistration {
            expected_start_at: Some(at(100)),
            expected_end_at: at(200),
            expected_seconds: Some(50),
            ..sla_registration()
        }
    }

    fn running(started: i64) -> Observation {
        Observation::Underway { started: Some(at(started)) }
    }

    fn ended(end: SlaEnd, started: i64, until: i64) -> Observation {
        Observation::Ended { end, started: Some(at(started)), worked_until: Some(at(until)), at: at(until) }
    }

    const WAITING: Observation = Observation::Underway { started: None };

    /// What each observation decides, and the status after it.
    fn check(observations: &[(i64, Observation)], expect: &[&str]) {
        let mut row = registration();
        let shown: Vec<String> = observations
            .iter()
            .map(|(now, observation)| {
                let events = row.observe(*observation, at(*now));
                let mut words: Vec<&str> = events.into_iter().map(SlaEvent::as_str).collect();
                words.push(row.status.as_str());
                words.join(" ")
            })
            .collect();
        assert_eq!(shown, expect, "{observations:?}");
    }

    #[test]
    fn everything_on_time() {
        check(
            &[(50, WAITING), (101, running(100)), (150, running(100)), (200, ended(SlaEnd::Fine, 100, 150))],
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
                (400, ended(SlaEnd::Fine, 110, 390)),
                (401, ended(SlaEnd::Fine, 110, 390)),
            ],
            &["START_MISS NOT_STARTED", "NOT_STARTED", "DURATION_MISS END_MISS MISS", "IN_PROCESS", "MISS", "MISS"],
        );
    }

    #[test]
    fn what_ended_between_two_checks() {
        check(&[(900, ended(SlaEnd::Fine, 90, 140))], &["START_MET DURATION_MET END_MET MET"]);
        check(&[(900, ended(SlaEnd::Fine, 101, 201))], &["START_MISS DURATION_MISS END_MISS MISS"]);
        check(&[(900, ended(SlaEnd::Lost, 90, 100))], &["START_MET DURATION_MET END_MISS MISS"]);
    }

    #[test]
    fn what_ended_without_work_has_only_an_end() {
        let ended = |end| Observation::Ended { end, started: None, worked_until: None, at: at(500) };
        check(&[(500, ended(SlaEnd::Lost))], &["END_MISS MISS"]);
        check(&[(500, ended(SlaEnd::Fine))], &["END_MET MET"]);
        check(&[(300, WAITING), (500, ended(SlaEnd::Fine))], &["START_MISS END_MISS MISS", "MET"]);
    }

    #[test]
    fn the_periodic_check_waits_for_delayed_events() {
        let mut row = registration();
        let due = |row: &SlaRegistration| row.next_check(LATENCY).map(|due| due - at(0));
        assert_eq!(due(&row), Some(191));
        row.observe(running(99), at(100));
        assert_eq!(due(&row), Some(240));
        row.observe(running(99), at(160));
        assert_eq!(due(&row), Some(291));
        row.observe(running(99), at(291));
        assert_eq!(due(&row), None);
        row.observe(ended(SlaEnd::Fine, 99, 300), at(300));
        assert!(row.is_over() && due(&row).is_none());
        let nothing = SlaRegistration { expected_start_at: None, expected_seconds: None, ..registration() };
        assert_eq!(nothing.next_check(LATENCY), Some(Timestamp::EPOCH));
    }

    #[test]
    fn any_bit_beyond_the_promises_means_that_all_is_over() {
        for processed in 0..=u8::MAX {
            assert_eq!(SlaRegistration { processed, ..registration() }.is_over(), processed > 7);
        }
    }
}
