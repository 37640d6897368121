//! Writes the reasons of changes as sentences for the log.
//!
//! Must not decide anything: it only describes why an action was skipped or timed out, or who gave which command.

use crate::format::{in_words, time};
use howdah_oozie::coordinator::readiness::{SkipReason, Wait};
use howdah_words::model::origin::Origin;
use howdah_words::model::row::Event;
use howdah_words::model::status::Execution;
use howdah_words::model::time::{MINUTE, Timestamp};

/// Returns the reason of an event; for a command of a user: which one, by whom and with which values.
pub fn of_event(event: &Event) -> Option<String> {
    let Some(actor) = &event.actor else { return event.reason.clone() };
    let given = format!("`{}` by {actor}", event.origin);
    Some(match &event.reason {
        None => given,
        // Their reason is not a value that the user gave.
        Some(changed) if matches!(event.origin, Origin::SlaEnable | Origin::SlaDisable) => {
            format!("{given}; {changed}")
        }
        Some(values) => format!("{given}: {values}"),
    })
}

/// Returns why the execution strategy skipped an action.
pub fn skipped(execution: Execution, why: SkipReason, now: Timestamp) -> String {
    match why {
        SkipReason::Overtaken { by } => {
            format!("execution {execution}: it was overtaken, the next nominal time {} has passed", time(by))
        }
        SkipReason::TooLate { nominal, tolerance_minutes } => format!(
            "execution {execution}: it could not start within {tolerance_minutes} min of its nominal time {}, {} ago",
            time(nominal),
            in_words(now - nominal)
        ),
    }
}

/// Returns why the execution strategy passed over all actions of a range, the last of which is due at `last`.
pub fn passed_over(execution: Execution, why: SkipReason, last: Timestamp) -> String {
    match why {
        SkipReason::Overtaken { by } => format!(
            "execution {execution}: each was overtaken, the next nominal time has passed, for the last one {}",
            time(by)
        ),
        SkipReason::TooLate { tolerance_minutes, .. } => format!(
            "execution {execution}: none could start within {tolerance_minutes} min of its nominal time, which is {} \
             for the last one",
            time(last)
        ),
    }
}

/// Returns why an action timed out, and what it waited for.
pub fn timed_out(wait: Wait, waited_for: &str, now: Timestamp) -> String {
    let since = wait.nominal.max(wait.created);
    if wait.timeout_minutes == 0 {
        return format!("timed out waiting for {waited_for}: with timeout 0 its inputs are checked once");
    }
    format!(
        "timed out waiting for {waited_for}: it waited {} since {}, its timeout is {}",
        in_words(now - since),
        time(since),
        in_words(wait.timeout_minutes.saturating_mul(MINUTE))
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use howdah_words::model::time::{DAY, HOUR};

    const NOON: Timestamp = Timestamp::from_seconds(1_767_268_800);

    #[test]
    fn a_command_is_printed_with_its_user_and_its_values() {
        let check = |(origin, actor): (Origin, Option<&str>), reason: Option<&str>, expect: Option<&str>| {
            let event = Event::new(NOON, "SUSPENDED", origin);
            let event = Event { actor: actor.map(str::to_owned), reason: reason.map(str::to_owned), ..event };
            assert_eq!(of_event(&event).as_deref(), expect, "{origin} {actor:?} {reason:?}");
        };
        check((Origin::Suspend, Some("ann: bob")), None, Some("`suspend` by ann: bob"));
        let pause = "pausetime=2026-01-01T12:00Z";
        check((Origin::Change, Some("ann")), Some(pause), Some("`change` by ann: pausetime=2026-01-01T12:00Z"));
        check((Origin::SlaDisable, Some("ann")), Some("actions 1-2"), Some("`sla disable` by ann; actions 1-2"));
        let above = Some("its sub-workflow W was suspended");
        check((Origin::Suspend, None), above, above);
        check((Origin::Pause, None), None, None);
    }

    #[test]
    fn says_what_overtook_an_action() {
        let overtaken = SkipReason::Overtaken { by: NOON + HOUR };
        assert_eq!(
            skipped(Execution::LastOnly, overtaken, NOON + DAY),
            "execution LAST_ONLY: it was overtaken, the next nominal time 2026-01-01T13:00Z has passed"
        );
        let late = SkipReason::TooLate { nominal: NOON, tolerance_minutes: 1 };
        assert_eq!(
            skipped(Execution::None, late, NOON + 2 * HOUR),
            "execution NONE: it could not start within 1 min of its nominal time 2026-01-01T12:00Z, 2 h ago"
        );
    }

    #[test]
    fn says_what_an_action_waited_for_and_how_long() {
        let wait = |timeout_minutes| Wait { nominal: NOON, created: NOON - HOUR, timeout_minutes };
        assert_eq!(
            timed_out(wait(120), "/in/_SUCCESS", NOON + 2 * HOUR + 30),
            "timed out waiting for /in/_SUCCESS: it waited 2 h since 2026-01-01T12:00Z, its timeout is 2 h"
        );
        assert!(timed_out(wait(0), "/in", NOON).ends_with("with timeout 0 its inputs are checked once"));
    }
}
