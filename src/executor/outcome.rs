//! What the end of an attempt means for its node: OK, ERROR or FAILED, with Oozie's codes and messages.
//!
//! Follows the result mapping of Oozie's launcher, and decision W29. Decides no retry and no transition.

use std::path::Path;

use super::work::Work;
use crate::configuration::parse_properties;
use crate::error::{Error, SourceText};
use crate::host::attempt::{self, AttemptState};
use crate::host::command::Outcome;
use crate::host::files;
use crate::model::Properties;
use crate::model::status::WorkflowStatus;

/// Longest message that is kept, in characters (`WorkflowActionBean.setErrorInfo`).
const LONGEST_MESSAGE: usize = 500;
const SHELL_MAIN: &str = "org.apache.oozie.action.hadoop.ShellMain";

/// How far a failure reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FailureKind {
    /// The node ends as ERROR and takes its error transition.
    Error,
    /// The node and the job end as FAILED.
    Failed,
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
        Self { kind: FailureKind::Error, code: code.into(), message: shortened(message.into()), detail: None }
    }

    /// A failure that ends the job.
    pub(crate) fn failed(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { kind: FailureKind::Failed, ..Self::error(code, message) }
    }

    fn with_detail(self, detail: String) -> Self {
        Self { detail: Some(detail), ..self }
    }
}

/// The result of the attempt in `folder`; `None` while it is unclaimed or running, and when it was withdrawn.
/// H0110 when the folder cannot be read.
pub(crate) fn result(folder: &Path) -> Result<Option<NodeResult>, Error> {
    result_of(folder, &attempt::state(folder)?)
}

/// As [`result`], for an attempt whose state is known.
pub(crate) fn result_of(folder: &Path, state: &AttemptState) -> Result<Option<NodeResult>, Error> {
    let exit = match state {
        AttemptState::Unclaimed | AttemptState::Running(_) | AttemptState::Withdrawn => return Ok(None),
        AttemptState::Lost { reason } => {
            return Ok(Some(NodeResult::Failed(Failure::failed("JA017", format!("The attempt is lost: {reason}")))));
        }
        AttemptState::Ended(exit) => exit,
    };
    let limit = attempt::read_work::<Work>(folder)?.capture_limit();
    let captured = match limit {
        // One byte more than allowed is enough to know that there is too much.
        Some(limit) => {
            files::read_start_of_plain(&attempt::output_files(folder)[0], limit as u64 + 1).unwrap_or_default()
        }
        None => Vec::new(),
    };
    Ok(Some(of_outcome(&exit.outcome, limit.map(|limit| (limit, captured)))))
}

/// The result of a child workflow job with its error, if it is over (decision W29).
pub(crate) fn child_result(status: WorkflowStatus, code: Option<&str>, message: Option<&str>) -> Option<NodeResult> {
    match status {
        WorkflowStatus::Succeeded => Some(NodeResult::Ok { data: None }),
        WorkflowStatus::Killed | WorkflowStatus::Failed => {
            let failure = Failure::error(code.unwrap_or_default(), message.unwrap_or_default());
            Some(NodeResult::Failed(failure.with_detail(format!("the child job is {status}"))))
        }
        WorkflowStatus::Prep | WorkflowStatus::Running | WorkflowStatus::Suspended => None,
    }
}

/// The result of a command or of file operations; `captured` is the limit with the start of the output.
fn of_outcome(outcome: &Outcome, captured: Option<(usize, Vec<u8>)>) -> NodeResult {
    let detail = match outcome {
        Outcome::Exited(0) => return captured_data(captured),
        Outcome::Exited(status) => format!("exit status {status}"),
        Outcome::Signaled(signal) => format!("killed by signal {signal}"),
        Outcome::Failed { code, message } => {
            return NodeResult::Failed(Failure::error(code.as_str(), message.as_str()));
        }
    };
    // The main class of the shell action exits with 1 whatever the command's own status was.
    let failure = Failure::error("1", format!("Main Class [{SHELL_MAIN}], exit code [1]"));
    NodeResult::Failed(failure.with_detail(detail))
}

fn captured_data(captured: Option<(usize, Vec<u8>)>) -> NodeResult {
    let Some((limit, bytes)) = captured else { return NodeResult::Ok { data: None } };
    if bytes.len() > limit {
        let message = format!("output.properties data exceeds its limit [{limit}]");
        return NodeResult::Failed(Failure::error("JA018", message));
    }
    let source = SourceText::new("captured output", String::from_utf8_lossy(&bytes));
    match parse_properties(&source) {
        Ok(parsed) => NodeResult::Ok { data: Some(parsed.values) },
        // Row 26 of the reference's section 10: the node fails, not the job.
        Err(error) => NodeResult::Failed(Failure::error("IllegalArgumentException", error.message())),
    }
}

fn shortened(message: String) -> String {
    match message.char_indices().nth(LONGEST_MESSAGE) {
        Some((end, _)) => message[..end].to_owned(),
        None => message,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(outcome: &Outcome, captured: Option<(usize, &str)>, expect: &str) {
        let captured = captured.map(|(limit, text)| (limit, text.as_bytes().to_vec()));
        let got = match of_outcome(outcome, captured) {
            NodeResult::Ok { data } => format!("OK {data:?}"),
            NodeResult::Failed(failure) => format!("{:?} {} {}", failure.kind, failure.code, failure.message),
        };
        assert!(if expect.ends_with(' ') { got.starts_with(expect) } else { got == expect }, "{got}");
    }

    #[test]
    fn maps_ends_to_codes() {
        let shell = "Error 1 Main Class [org.apache.oozie.action.hadoop.ShellMain], exit code [1]";
        check(&Outcome::Exited(0), None, "OK None");
        check(&Outcome::Exited(0), Some((3, "a=b")), r#"OK Some({"a": "b"})"#);
        check(&Outcome::Exited(0), Some((19, "# c\nk : v=w")), r#"OK Some({"k": "v=w"})"#);
        check(&Outcome::Exited(0), Some((9, "")), "OK Some({})");
        check(&Outcome::Exited(0), Some((19, r"a=\u00")), "Error IllegalArgumentException ");
        check(&Outcome::Exited(0), Some((2, "a=b")), "Error JA018 output.properties data exceeds its limit [2]");
        check(&Outcome::Exited(7), Some((2, "a=b")), shell);
        check(&Outcome::Signaled(9), None, shell);
        let failed = Outcome::Failed { code: "FS006".to_owned(), message: "FS006: gone".to_owned() };
        check(&failed, None, "Error FS006 FS006: gone");
    }

    #[test]
    fn a_long_message_is_cut() {
        assert_eq!(Failure::error("1", "ä".repeat(600)).message.chars().count(), LONGEST_MESSAGE);
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
