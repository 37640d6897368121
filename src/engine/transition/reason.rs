//! Why something changed, in words for its event: what an operator reads in the log.
//!
//! Decides nothing; says which time overtook an action, what it waited for and how long, or who gave which verb. The
//! last is read again where somebody asks whose doing it was.

use crate::coordinator::readiness::{SkipReason, Wait};
use crate::engine::format::{in_words, time};
use crate::model::status::Execution;
use crate::model::time::{MINUTE, Timestamp};
use crate::store::Event;

/// The reason of what an operator's verb changes: the verb and who gave it.
pub(crate) fn given(verb: &str, user: &str) -> String {
    format!("`{verb}` by {user}")
}

/// Who gave the verb that caused an event; `None` when a step caused it, or the change of something else.
pub(crate) fn giver(event: &Event) -> Option<&str> {
    let said = event.reason.as_deref()?.strip_prefix(given(&event.origin, "").as_str())?;
    Some(said.split_once(": ").map_or(said, |(user, _)| user))
}

/// Why the execution strategy passed an action over.
pub(crate) fn passed_over(execution: Execution, why: SkipReason, now: Timestamp) -> String {
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

/// Why an action timed out, and what it waited for.
pub(crate) fn timed_out(wait: Wait, waited_for: &str, now: Timestamp) -> String {
    let since = wait.nominal.max(wait.created);
    if wait.timeout_minutes == 0 {
        return format!("timed out waiting for {waited_for}: with timeout 0 its inputs are looked at once");
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
    use crate::model::time::{DAY, HOUR};

    const NOON: Timestamp = Timestamp::from_seconds(1_767_268_800);

    #[test]
    fn who_gave_a_verb_is_read_again() {
        let check = |origin: &str, reason: Option<&str>, expect: Option<&str>| {
            let event = Event { reason: reason.map(str::to_owned), ..Event::new(NOON, "SUSPENDED", origin) };
            assert_eq!(giver(&event), expect, "{origin} {reason:?}");
        };
        check("suspend", Some(&given("suspend", "ann")), Some("ann"));
        check("change", Some("`change` by ann: pausetime=2026-01-01T12:00Z"), Some("ann"));
        check("suspend", Some("its sub-workflow W was suspended"), None);
        check("pause", None, None);
    }

    #[test]
    fn says_what_overtook_an_action() {
        let overtaken = SkipReason::Overtaken { by: NOON + HOUR };
        assert_eq!(
            passed_over(Execution::LastOnly, overtaken, NOON + DAY),
            "execution LAST_ONLY: it was overtaken, the next nominal time 2026-01-01T13:00Z has passed"
        );
        let late = SkipReason::TooLate { nominal: NOON, tolerance_minutes: 1 };
        assert_eq!(
            passed_over(Execution::None, late, NOON + 2 * HOUR),
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
        assert!(timed_out(wait(0), "/in", NOON).ends_with("with timeout 0 its inputs are looked at once"));
    }
}
