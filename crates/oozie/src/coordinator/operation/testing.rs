//! Rows for the tests of this folder, and a decision as one line of text.

use super::{ChosenGroups, Decision, Declined};
use crate::coordinator::action_state;
use howdah_testing::rows::{coordinator_action, coordinator_job};
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::row::{ActionGroup, CoordinatorAction, CoordinatorJob};
use howdah_words::model::status::ActionStatus;
use howdah_words::model::time::{HOUR, Timestamp};

/// The time of the commands.
pub(super) const NOW: Timestamp = Timestamp::from_seconds(100 * HOUR);
/// The start of the job: its actions are due at every full hour from here on.
pub(super) const START: Timestamp = Timestamp::from_seconds(90 * HOUR);

/// A job that would continue until ten hours after now, of which nothing is created.
pub(super) fn job(status: JobStatus) -> CoordinatorJob {
    CoordinatorJob { start_at: START, end_at: NOW + 10 * HOUR, ..coordinator_job(status) }
}

/// Actions with these statuses, numbered from 1.
pub(super) fn actions(statuses: &[ActionStatus]) -> Vec<CoordinatorAction> {
    let due = |number: u32| START + i64::from(number - 1) * HOUR;
    let row = |(number, status): (u32, &ActionStatus)| CoordinatorAction {
        created_at: START,
        ..coordinator_action(number, *status, due(number))
    };
    (1..).zip(statuses).map(row).collect()
}

/// The same, as an operator names them: those that run have a workflow job.
pub(super) fn chosen(statuses: &[ActionStatus]) -> ChosenGroups {
    use ActionStatus as S;
    let runs = |action: &CoordinatorAction| matches!(action.status, S::Submitted | S::Running | S::Suspended);
    let (started, others): (Vec<_>, Vec<_>) = actions(statuses).into_iter().partition(runs);
    ChosenGroups { groups: others.iter().map(CoordinatorAction::group).collect(), started }
}

/// `expect`: the job's status and the changes to the actions, or the code and whether it is a refusal.
#[track_caller]
pub(super) fn check(decision: Decision, expect: &str) {
    let shown = match decision {
        Err(Declined::NotDone(error)) => format!("{} not done", error.code()),
        Err(Declined::Refused(error)) => format!("{} refused", error.code()),
        Ok(changes) => {
            let mut moved: Vec<(u32, ActionStatus)> =
                changes.moved.iter().map(|(action, _)| (action.number, action.status)).collect();
            for (group, event) in &changes.groups {
                let to = action_state::transition(group.status, *event).expect("a group that moves");
                moved.extend(group.numbers().map(|number| (number, to)));
            }
            moved.sort_by_key(|(number, _)| *number);
            let moved = moved.iter().map(|(number, status)| format!("{number} {status}"));
            let listed = |word: &str, numbers: Vec<String>| {
                if numbers.is_empty() { String::new() } else { format!("{word} {}", numbers.join(" ")) }
            };
            let deleted = changes.deleted.iter().map(|action| action.number.to_string());
            let unchanged = changes.unchanged.iter().flat_map(ActionGroup::numbers);
            let parts = [
                changes.job.status.to_string(),
                moved.collect::<Vec<_>>().join(", "),
                listed("deleted", deleted.collect()),
                listed("passed over", unchanged.map(|number| number.to_string()).collect()),
            ];
            parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" | ")
        }
    };
    assert_eq!(shown, expect);
}
