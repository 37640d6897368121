//! Rows for the tests of this folder, and a decision as one line of text.

use super::{Decision, Declined};
use crate::model::job_status::JobStatus;
use crate::model::row::testing::{coordinator_action, coordinator_job};
use crate::model::row::{CoordinatorAction, CoordinatorJob};
use crate::model::status::ActionStatus;
use crate::model::time::{HOUR, Timestamp};

/// The time of the commands.
pub(crate) const NOW: Timestamp = Timestamp::from_seconds(100 * HOUR);
/// The start of the job: its actions are due at every full hour from here on.
pub(crate) const START: Timestamp = Timestamp::from_seconds(90 * HOUR);

/// A job that would continue until ten hours after now, of which nothing is created.
pub(crate) fn job(status: JobStatus) -> CoordinatorJob {
    CoordinatorJob { start_at: START, end_at: NOW + 10 * HOUR, ..coordinator_job(status) }
}

/// Actions with these statuses, numbered from 1.
pub(crate) fn actions(statuses: &[ActionStatus]) -> Vec<CoordinatorAction> {
    let due = |number: u32| START + i64::from(number - 1) * HOUR;
    let row = |(number, status): (u32, &ActionStatus)| CoordinatorAction {
        created_at: START,
        ..coordinator_action(number, *status, due(number))
    };
    (1..).zip(statuses).map(row).collect()
}

/// `expect`: the job's status and the changes to the actions, or the code and whether it is a refusal.
#[track_caller]
pub(crate) fn check(decision: Decision, expect: &str) {
    let shown = match decision {
        Err(Declined::NotDone(error)) => format!("{} not done", error.code()),
        Err(Declined::Refused(error)) => format!("{} refused", error.code()),
        Ok(changes) => {
            let moved = changes.moved.iter().map(|(action, _)| format!("{} {}", action.number, action.status));
            let listed = |word: &str, actions: &[CoordinatorAction]| {
                let numbers: Vec<String> = actions.iter().map(|action| action.number.to_string()).collect();
                if numbers.is_empty() { String::new() } else { format!("{word} {}", numbers.join(" ")) }
            };
            let parts = [
                changes.job.status.to_string(),
                moved.collect::<Vec<_>>().join(", "),
                listed("deleted", &changes.deleted),
                listed("passed over", &changes.unchanged),
            ];
            parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" | ")
        }
    };
    assert_eq!(shown, expect);
}
