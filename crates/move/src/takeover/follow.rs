//! Records what became of the actions that Oozie had started when their job was taken over.

use std::collections::BTreeSet;

use crate::oozie_export::{JobState, numbers, ranges};
use howdah_engine::transition::cause::Cause;
use howdah_engine::transition::coordinator::{move_action_through, settle_job};
use howdah_oozie::coordinator::action_state::ActionEvent;
use howdah_store::{ActionFilter, ActionOrder, Page, Snapshot, Transaction};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::id::JobId;
use howdah_words::model::row::{ActionKey, CoordinatorAction, Takeover};
use howdah_words::model::status::ActionStatus;

/// A job that is here, and what a later state of Oozie says of it.
pub struct Followed {
    /// `None` when it was purged.
    pub job: Option<JobId>,
    pub takeover: Takeover,
    pub moves: Vec<Move>,
    /// The actions that still run in Oozie, as far as is known here.
    pub left: Vec<u32>,
    pub problems: Vec<Error>,
}

/// The new status of an action that Oozie has started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    pub number: u32,
    pub from: ActionStatus,
    pub to: ActionStatus,
    external_id: Option<String>,
}

/// Compares a job that was taken over with a later state.
///
/// # Errors
/// A failure of the database.
pub(super) fn compare(snapshot: &Snapshot, takeover: &Takeover, later: Option<&JobState>) -> Result<Followed> {
    let job = takeover.job.map(|key| snapshot.coordinator_job_at(key)).transpose()?.flatten();
    let mut followed = Followed {
        job: job.as_ref().map(|job| job.id.clone()),
        takeover: takeover.clone(),
        moves: Vec::new(),
        left: Vec::new(),
        problems: Vec::new(),
    };
    let Some(job) = job else { return Ok(followed) };
    let left = left_to_oozie(takeover);
    let mut both = Vec::new();
    for action in carried(snapshot, takeover)? {
        let is_left = left.contains(&action.number);
        if is_left && !action.status.is_terminal() {
            followed.left.push(action.number);
        }
        let Some(to) = later.and_then(|later| started(later, action.number)) else { continue };
        if !is_left && action.has_run() {
            both.push(action.number);
        } else if !events(action.status, to).is_empty() {
            let open = later.and_then(|later| later.open.iter().find(|open| open.number == action.number));
            let external_id = open.and_then(|open| open.external_id.clone()).or_else(|| action.external_id.clone());
            followed.moves.push(Move { number: action.number, from: action.status, to, external_id });
        }
    }
    let last = later.and_then(|later| later.last_action).unwrap_or_default();
    both.extend((takeover.last_number + 1..=last).take_while(|number| *number <= job.last_action_number));
    if !both.is_empty() {
        followed.problems.push(Error::with(ErrorCode::H0234, &[&takeover.oozie_id, &actions(&both)]));
    } else if last > takeover.last_number {
        let why = format!("it has created actions {}-{last} too", takeover.last_number + 1);
        followed.problems.push(Error::with(ErrorCode::H0232, &[&takeover.oozie_id, &why]));
    }
    Ok(followed)
}

fn actions(list: &[u32]) -> String {
    let noun = if list.len() == 1 { "action" } else { "actions" };
    format!("{noun} {}", ranges(list))
}

/// Returns the numbers of the actions that Oozie has started.
pub(super) fn left_to_oozie(takeover: &Takeover) -> BTreeSet<u32> {
    numbers(&takeover.left_to_oozie).unwrap_or_default().into_iter().collect()
}

/// Returns the actions that came with a job.
fn carried(snapshot: &Snapshot, takeover: &Takeover) -> Result<Vec<CoordinatorAction>> {
    let Some(key) = takeover.job else { return Ok(Vec::new()) };
    let filter = ActionFilter { last_number: Some(takeover.last_number), ..ActionFilter::default() };
    let all = Page { offset: 0, len: u32::MAX };
    Ok(snapshot.action_page(key, &filter, ActionOrder::OldestFirst, all)?.actions)
}

/// Returns the status of an action that Oozie has decided about: it started, timed out or was skipped there. `None` for
/// one that only waited there.
fn started(later: &JobState, number: u32) -> Option<ActionStatus> {
    if later.killed_before_start.contains(&number) {
        return None;
    }
    let status = ActionStatus::from_word(later.status_of(number)?)?;
    match status {
        ActionStatus::Submitted => Some(ActionStatus::Running),
        // While the job is stopped, Oozie still lets actions time out and skips them; here they wait on.
        ActionStatus::Waiting | ActionStatus::Ready | ActionStatus::TimedOut | ActionStatus::Skipped => None,
        _ => Some(status),
    }
}

/// Returns what happens to an action that has one status and gets another; nothing when it keeps its own.
fn events(from: ActionStatus, to: ActionStatus) -> Vec<ActionEvent> {
    use ActionEvent as E;
    use ActionStatus as A;
    let mut events = match from {
        A::Waiting => vec![E::InputsReady, E::SlotFree, E::WorkflowStarted],
        A::Ready => vec![E::SlotFree, E::WorkflowStarted],
        A::Submitted => vec![E::WorkflowStarted],
        A::Running | A::Suspended => Vec::new(),
        A::TimedOut | A::Succeeded | A::Killed | A::Failed | A::Skipped | A::Ignored => return Vec::new(),
    };
    match to {
        A::Running if from == A::Suspended => events.push(E::WorkflowResumed),
        A::Suspended if from != A::Suspended => events.push(E::WorkflowSuspended),
        A::Succeeded => events.push(E::WorkflowSucceeded),
        A::Killed => events.push(E::WorkflowKilled),
        A::Failed => events.push(E::WorkflowFailed),
        A::Ignored => events.extend([E::WorkflowKilled, E::Ignore]),
        A::Running | A::Suspended | A::Waiting | A::Ready | A::Submitted | A::TimedOut | A::Skipped => {}
    }
    events
}

/// Stores what a later state says of a job that is here.
///
/// # Errors
/// A failure of the database.
pub(super) fn follow(
    transaction: &Transaction<'_>,
    (oozie_id, later): (&str, Option<&JobState>),
    cause: Cause<'_>,
) -> Result<()> {
    let Some(takeover) = transaction.takeover_of_id(oozie_id)?.filter(|takeover| takeover.back_at.is_none()) else {
        return Ok(());
    };
    let followed = compare(transaction, &takeover, later)?;
    let Some(key) = takeover.job else { return Ok(()) };
    let mut left = left_to_oozie(&takeover);
    for step in &followed.moves {
        let Some(mut action) = transaction.coordinator_action(ActionKey { job: key, number: step.number })? else {
            continue;
        };
        action.external_id.clone_from(&step.external_id);
        (action.first_missing, action.missing_from) = (None, None);
        let events: Vec<_> = events(action.status, step.to).into_iter().map(|event| (event, cause)).collect();
        move_action_through(transaction, &mut action, &events)?;
        left.insert(step.number);
    }
    let left: Vec<u32> = left.into_iter().collect();
    transaction.update_takeover(&Takeover { left_to_oozie: ranges(&left), ..takeover })?;
    settle_job(transaction, key, cause)
}

#[cfg(test)]
mod tests {
    use super::*;
    use howdah_oozie::coordinator::action_state::transition;

    #[test]
    fn an_open_action_reaches_every_status_that_oozie_reports() {
        use ActionStatus as A;
        for from in [A::Waiting, A::Ready, A::Submitted, A::Running, A::Suspended] {
            for to in [A::Running, A::Suspended, A::Succeeded, A::Killed, A::Failed, A::Ignored] {
                let mut status = from;
                for event in events(from, to) {
                    status = transition(status, event).unwrap_or_else(|| panic!("{from} {to}: {status} {event:?}"));
                }
                assert_eq!(status, to, "from {from}");
            }
        }
        assert_eq!(events(A::Succeeded, A::Running), []);
    }
}
