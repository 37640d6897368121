//! The end of a node's work, and why an action could not be started or failed.

use howdah_words::model::Properties;
use howdah_words::model::status::NodeStatus;

/// Longest message that is kept, in characters (`WorkflowActionBean.setErrorInfo`).
pub const LONGEST_MESSAGE: usize = 500;

/// Longest code that is kept, in characters: it may come from untrusted output.
pub const LONGEST_CODE: usize = 100;

/// How far a failure reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// The node ends as ERROR and takes its error transition.
    Error,
    /// The node and the job end as FAILED.
    Failed,
    /// It could not be started, or one of its steps failed, for a temporary reason: it is tried again automatically.
    Transient,
    /// It could not be started, and an operator has to act: the job is suspended.
    NonTransient,
}

/// Why an action could not be started or failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// How far it reaches.
    pub kind: FailureKind,
    /// The error code of the action, as `wf:errorCode()` returns it.
    pub code: String,
    /// The message, as `wf:errorMessage()` returns it.
    pub message: String,
    /// The external status of the node, where it is not the usual one of such a failure.
    pub external_status: Option<&'static str>,
    /// More than Oozie's message says, such as the real exit status.
    pub detail: Option<String>,
}

/// The end of a node's work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeResult {
    /// It succeeded.
    Ok {
        /// The captured output, read as Java properties; `None` without `capture-output`.
        data: Option<Properties>,
    },
    /// It failed.
    Failed(Failure),
}

impl Failure {
    /// Returns a failure that takes the error transition.
    pub fn error(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            kind: FailureKind::Error,
            code: shortened(code.into(), LONGEST_CODE),
            message: shortened(message.into(), LONGEST_MESSAGE),
            external_status: None,
            detail: None,
        }
    }

    /// Returns a failure that ends the job.
    pub fn failed(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { kind: FailureKind::Failed, ..Self::error(code, message) }
    }

    /// Returns a failure whose code says how far it reaches (`JavaActionExecutor`'s table).
    pub(super) fn of_code(code: &str, message: &str) -> Self {
        match code {
            "JA001" | "JA006" | "JA009" => Self::transient(code, message),
            "JA002" | "JA003" | "JA004" | "JA005" => Self::non_transient(code, message),
            "JA017" => Self::failed(code, message),
            _ => Self::error(code, message),
        }
    }

    /// Returns a start that failed for a temporary reason.
    pub fn transient(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { kind: FailureKind::Transient, ..Self::error(code, message) }
    }

    /// Returns a start that failed and is tried again only after an operator has acted.
    pub fn non_transient(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { kind: FailureKind::NonTransient, ..Self::error(code, message) }
    }

    /// Checks whether the work was never started.
    pub fn is_about_start(&self) -> bool {
        matches!(self.kind, FailureKind::Transient | FailureKind::NonTransient)
    }

    pub(super) fn with_detail(self, detail: String) -> Self {
        Self { detail: Some(detail), ..self }
    }

    /// Returns the failure of work that ended on request, as `request` says. It takes the error transition; its code
    /// does not decide about the job or another start.
    pub(crate) fn on_request(self, request: &str) -> Self {
        let detail = match &self.detail {
            Some(detail) => format!("{detail}; {request}"),
            None => request.to_owned(),
        };
        let external_status = Some(NodeStatus::Killed.as_str());
        Self { kind: FailureKind::Error, external_status, ..self }.with_detail(detail)
    }
}

pub(crate) fn shortened(text: String, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => text[..end].to_owned(),
        None => text,
    }
}
