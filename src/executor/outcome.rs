//! What the end of an attempt means for its node: OK, ERROR or FAILED, with Oozie's codes and messages.
//!
//! What the end of a command means is kept with it (`ending`). Follows decision W29. Decides no retry and no
//! transition.

use std::path::Path;

use super::work::Work;
use crate::error::Error;
use crate::host::attempt::{self, AttemptState};
use crate::host::command::WorkOutcome;
use crate::host::processes::Signal;
use crate::model::Properties;
use crate::model::status::{NodeStatus, WorkflowStatus};

/// Longest message that is kept, in characters (`WorkflowActionBean.setErrorInfo`).
const LONGEST_MESSAGE: usize = 500;
/// Longest code that is kept, in characters: it may be what a stranger has written.
const LONGEST_CODE: usize = 100;

/// How far a failure reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FailureKind {
    /// The node ends as ERROR and takes its error transition.
    Error,
    /// The node and the job end as FAILED.
    Failed,
    /// It could not be started, or a step of it not be done, for a reason that may pass: it is tried again by itself.
    Transient,
    /// It could not be started, and an operator has to see to it: the job is suspended.
    NonTransient,
}

/// Why an action could not be started or did not end well.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    /// How far it reaches.
    pub(crate) kind: FailureKind,
    /// The error code of the action, as `wf:errorCode()` gives it.
    pub(crate) code: String,
    /// The message, as `wf:errorMessage()` gives it.
    pub(crate) message: String,
    /// The external status of the node, where it is not FAILED.
    pub(crate) external_status: Option<&'static str>,
    /// What an operator wants to know beyond Oozie's words, such as the real exit status.
    pub(crate) detail: Option<String>,
}

/// The end of a node's work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NodeResult {
    /// It went well.
    Ok {
        /// The captured output, read as Java properties; `None` without `capture-output`.
        data: Option<Properties>,
    },
    /// It did not.
    Failed(Failure),
}

impl Failure {
    /// A failure that takes the error transition.
    pub(crate) fn error(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            kind: FailureKind::Error,
            code: shortened(code.into(), LONGEST_CODE),
            message: shortened(message.into(), LONGEST_MESSAGE),
            external_status: None,
            detail: None,
        }
    }

    /// A failure that ends the job.
    pub(crate) fn failed(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { kind: FailureKind::Failed, ..Self::error(code, message) }
    }

    /// A failure whose code says how far it reaches (`JavaActionExecutor`'s table).
    pub(super) fn of_code(code: &str, message: &str) -> Self {
        match code {
            "JA001" | "JA006" | "JA009" => Self::transient(code, message),
            "JA002" | "JA003" | "JA004" | "JA005" => Self::non_transient(code, message),
            "JA017" => Self::failed(code, message),
            _ => Self::error(code, message),
        }
    }

    /// A start that failed for a reason that may pass.
    pub(crate) fn transient(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { kind: FailureKind::Transient, ..Self::error(code, message) }
    }

    /// A start that failed until an operator has looked.
    pub(crate) fn non_transient(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { kind: FailureKind::NonTransient, ..Self::error(code, message) }
    }

    /// Whether the work was never begun.
    pub(crate) fn is_about_start(&self) -> bool {
        matches!(self.kind, FailureKind::Transient | FailureKind::NonTransient)
    }

    pub(super) fn with_detail(self, detail: String) -> Self {
        Self { detail: Some(detail), ..self }
    }

    /// The failure of work that ended because somebody asked for it, as `request` says: it takes the error transition,
    /// whatever its code says of the job or of another start.
    fn on_request(self, request: &str) -> Self {
        let detail = match &self.detail {
            Some(detail) => format!("{detail}; {request}"),
            None => request.to_owned(),
        };
        let external_status = Some(NodeStatus::Killed.as_str());
        Self { kind: FailureKind::Error, external_status, ..self }.with_detail(detail)
    }
}

/// The result of the attempt in `folder`; `None` while it is unclaimed or running. `request` says who asked for its end
/// and when, if anybody did.
///
/// # Errors
/// H0110 or H0113 when the machine cannot say.
pub(crate) fn result(folder: &Path, request: Option<&str>) -> Result<Option<NodeResult>, Error> {
    result_of(folder, &attempt::state(folder)?, request)
}

/// As [`result`], for an attempt whose state is known.
pub(crate) fn result_of(
    folder: &Path,
    state: &AttemptState,
    request: Option<&str>,
) -> Result<Option<NodeResult>, Error> {
    let result = match state {
        AttemptState::Unclaimed | AttemptState::Running(_) | AttemptState::OutOfSight(_) | AttemptState::Recalled => {
            return Ok(None);
        }
        AttemptState::Lost { reason } => lost(reason),
        // Nobody began it, or nobody wrote an outcome: as a command that the first signal has ended.
        AttemptState::Withdrawn => meaning(folder, &WorkOutcome::Signaled(Signal::Terminate.number()))?,
        AttemptState::Ended(exit) => meaning(folder, &exit.outcome)?,
    };
    let went_well = matches!(state, AttemptState::Ended(exit) if exit.outcome == WorkOutcome::Exited(0));
    Ok(Some(match (result, request) {
        (NodeResult::Failed(failure), Some(request)) if !went_well => NodeResult::Failed(failure.on_request(request)),
        (result, _) => result,
    }))
}

/// What an outcome of the work ordered in `folder` means.
fn meaning(folder: &Path, outcome: &WorkOutcome) -> Result<NodeResult, Error> {
    match attempt::read_work::<Work>(folder)? {
        Ok(work) => Ok(work.task.result(outcome, folder)?),
        // Whoever owns the folder may take the order away at any moment, and that must stop nobody else's jobs.
        Err(error) => Ok(lost(error.message())),
    }
}

fn lost(reason: &str) -> NodeResult {
    NodeResult::Failed(Failure::failed("JA017", format!("The attempt is lost: {reason}")))
}

/// The result of a child workflow job with its error, if it is over (decision W29).
pub(crate) fn child_result(status: WorkflowStatus, code: Option<&str>, message: Option<&str>) -> Option<NodeResult> {
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

fn shortened(text: String, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => text[..end].to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_message_is_cut() {
        let failure = Failure::error("1".repeat(600), "ä".repeat(600));
        assert_eq!(failure.message.chars().count(), LONGEST_MESSAGE);
        assert_eq!(failure.code.len(), LONGEST_CODE);
    }

    #[test]
    fn a_child_hands_its_error_up() {
        assert_eq!(child_result(WorkflowStatus::Suspended, None, None), None);
        assert_eq!(child_result(WorkflowStatus::Succeeded, None, None), Some(NodeResult::Ok { data: None }));
        let Some(NodeResult::Failed(failure)) = child_result(WorkflowStatus::Killed, Some("E0729"), Some("m")) else {
            panic!("a killed child fails its parent's node")
        };
        assert_eq!((failure.kind, failure.code.as_str(), failure.message.as_str()), (FailureKind::Error, "E0729", "m"));
    }
}
