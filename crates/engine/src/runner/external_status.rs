//! The external status of a node that ended (decision W40): what `wf:actionExternalStatus`, the web services and
//! Oozie's command line show, and what decisions branch on.
//!
//! What Oozie does inside its server (`fs`, `email`, `ssh`) is `OK` or `ERROR`, and so is what could not be started;
//! what it launches is `SUCCEEDED` or `FAILED/KILLED`. A sub-workflow has the status of its job, and a node whose
//! expression failed has none.

use howdah_executor::failure::{Failure, FailureKind};
use howdah_words::model::node_type::{ActionKind, NodeType};

/// How far a node had come when it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Its work had not begun.
    Start,
    Work,
}

/// Returns the external status of an action that ended well.
pub(crate) fn of_success(kind: NodeType) -> &'static str {
    if is_launched(kind) || kind.is_sub_workflow() { "SUCCEEDED" } else { "OK" }
}

/// Returns the external status of an action that failed; `None` where Oozie sets none.
pub(crate) fn of_failure(kind: NodeType, stage: Stage, failure: &Failure) -> Option<&'static str> {
    if failure.external_status.is_some() {
        return failure.external_status;
    }
    match (failure.kind, stage) {
        (FailureKind::Transient | FailureKind::NonTransient, _) | (FailureKind::Failed, Stage::Start) => None,
        (FailureKind::Failed, Stage::Work) => Some("FAILED"),
        (FailureKind::Error, Stage::Work) if is_launched(kind) && !is_about_start(&failure.code) => {
            Some("FAILED/KILLED")
        }
        (FailureKind::Error, _) => Some("ERROR"),
    }
}

fn is_launched(kind: NodeType) -> bool {
    matches!(kind, NodeType::Action(kind) if ActionKind::is_launched(kind))
}

/// Returns whether Oozie fails with this code before the action has started. There the server checks what the action
/// ships; here the command may be the one that finds the fault.
fn is_about_start(code: &str) -> bool {
    code.starts_with("JA00") || code == "JA010"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn external_statuses_are_those_of_the_running_server() {
        let of = |kind: ActionKind, stage, failure: &Failure| of_failure(NodeType::Action(kind), stage, failure);
        let error = |code: &str| Failure::error(code, "m");
        for (kind, good, bad) in [
            (ActionKind::Fs, "OK", "ERROR"),
            (ActionKind::Email, "OK", "ERROR"),
            (ActionKind::Ssh, "OK", "ERROR"),
            (ActionKind::Shell, "SUCCEEDED", "FAILED/KILLED"),
            (ActionKind::Java, "SUCCEEDED", "FAILED/KILLED"),
            (ActionKind::Pig, "SUCCEEDED", "FAILED/KILLED"),
        ] {
            assert_eq!(of_success(NodeType::Action(kind)), good, "{kind:?}");
            assert_eq!(of(kind, Stage::Work, &error("JA018")), Some(bad), "{kind:?}");
            assert_eq!(of(kind, Stage::Start, &error("JA008")), Some("ERROR"), "{kind:?}");
        }
        assert_eq!(of_success(NodeType::Action(ActionKind::SubWorkflow)), "SUCCEEDED");
        assert_eq!(of(ActionKind::Shell, Stage::Work, &error("JA008")), Some("ERROR"));
        assert_eq!(of(ActionKind::Shell, Stage::Start, &Failure::failed("EL_ERROR", "m")), None);
        assert_eq!(of(ActionKind::Ssh, Stage::Start, &Failure::non_transient("AUTH_FAILED", "m")), None);
        assert_eq!(of(ActionKind::Shell, Stage::Work, &Failure::failed("JA017", "m")), Some("FAILED"));
        let killed = Failure { external_status: Some("KILLED"), ..error("1") };
        assert_eq!(of(ActionKind::SubWorkflow, Stage::Work, &killed), Some("KILLED"));
    }
}
