//! The meaning of the end of an attempt for its node: OK, ERROR or FAILED, with Oozie's codes and messages.
//!
//! The rule for the end of a command is stored with the command (`ending`). Follows decision W29. Decides no retry and
//! no transition.

use std::path::Path;

use super::work::Work;
use crate::failure::{Failure, NodeResult};
use howdah_host::attempt::{self, AttemptState};
use howdah_host::command::WorkOutcome;
use howdah_host::processes::Signal;
use howdah_words::error::Error;
use howdah_words::model::status::WorkflowStatus;

/// Returns the result of the attempt in `folder`; `None` while it is unclaimed or running. `request` says who requested
/// its end and when, if it was requested.
///
/// # Errors
/// H0110 or H0113 when the machine cannot tell.
pub fn result(folder: &Path, request: Option<&str>) -> Result<Option<NodeResult>, Error> {
    result_of(folder, &attempt::state(folder)?, request)
}

/// As [`result`], for an attempt whose state is known.
pub fn result_of(folder: &Path, state: &AttemptState, request: Option<&str>) -> Result<Option<NodeResult>, Error> {
    let result = match state {
        AttemptState::Unclaimed | AttemptState::Running(_) | AttemptState::OutOfSight(_) | AttemptState::Recalled => {
            return Ok(None);
        }
        AttemptState::Lost { reason } => lost(reason),
        // It never started, or it wrote no outcome: it counts as a command that the first signal ended.
        AttemptState::Withdrawn => meaning(folder, &WorkOutcome::Signaled(Signal::Terminate.number()))?,
        AttemptState::Ended(exit) => meaning(folder, &exit.outcome)?,
    };
    let succeeded = matches!(state, AttemptState::Ended(exit) if exit.outcome == WorkOutcome::Exited(0));
    Ok(Some(match (result, request) {
        (NodeResult::Failed(failure), Some(request)) if !succeeded => NodeResult::Failed(failure.on_request(request)),
        (result, _) => result,
    }))
}

/// Returns what an outcome of the work ordered in `folder` means.
fn meaning(folder: &Path, outcome: &WorkOutcome) -> Result<NodeResult, Error> {
    match attempt::read_work::<Work>(folder)? {
        Ok(work) => Ok(work.task.result(outcome, folder)?),
        // The owner of the folder may delete the order at any moment, and this must not stop the jobs of other users.
        Err(error) => Ok(lost(error.message())),
    }
}

fn lost(reason: &str) -> NodeResult {
    NodeResult::Failed(Failure::failed("JA017", format!("The attempt is lost: {reason}")))
}

/// Returns the result of a child workflow job with its error, if it is over (decision W29).
pub fn child_result(status: WorkflowStatus, code: Option<&str>, message: Option<&str>) -> Option<NodeResult> {
    match status {
        WorkflowStatus::Succeeded => Some(NodeResult::Ok { data: None }),
        WorkflowStatus::Killed | WorkflowStatus::Failed => {
            let ended = format!("the sub-workflow is {status}");
            let failure = Failure::error(code.unwrap_or_default(), message.unwrap_or(&ended));
            let failure = failure.with_detail(format!("the child job is {status}"));
            Some(NodeResult::Failed(Failure { external_status: Some(status.as_str()), ..failure }))
        }
        WorkflowStatus::Prep | WorkflowStatus::Running | WorkflowStatus::Suspended => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::FailureKind;
    use crate::failure::LONGEST_CODE;
    use crate::failure::LONGEST_MESSAGE;

    #[test]
    fn a_long_message_is_cut() {
        let failure = Failure::error("1".repeat(600), "ä".repeat(600));
        assert_eq!(failure.message.chars().count(), LONGEST_MESSAGE);
        assert_eq!(failure.code.len(), LONGEST_CODE);
    }

    #[test]
    fn the_parent_gets_the_error_of_its_child() {
        assert_eq!(child_result(WorkflowStatus::Suspended, None, None), None);
        assert_eq!(child_result(WorkflowStatus::Succeeded, None, None), Some(NodeResult::Ok { data: None }));
        let Some(NodeResult::Failed(failure)) = child_result(WorkflowStatus::Killed, Some("E0729"), Some("m")) else {
            panic!("a killed child fails its parent's node")
        };
        assert_eq!((failure.kind, failure.code.as_str(), failure.message.as_str()), (FailureKind::Error, "E0729", "m"));
    }
}
