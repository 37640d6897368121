//! How the end of a command is read. Decided and stored with the command.

use serde::{Deserialize, Serialize};

/// How the end of a command is read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Ending {
    /// The code and the message of a failure.
    pub(super) failure: FailureRule,
    /// Where the action's data come from; `None` when it captures none.
    pub(super) capture: Option<Capture>,
}

/// The code and the message of a command that did not end with 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FailureRule {
    /// The code is always 1, because the main class `main` exits with it.
    AlwaysOne { main: String },
    /// The command ran on another machine; the file `log` of the attempt's folder has the client's own messages.
    RemoteCommand { log: String },
    /// JA018 with the message of git.
    Clone,
    /// From a JVM that ran the class `main`: an exception, or the exit status.
    Java { main: String },
    /// The code is JA018; `{status}` in the text becomes the exit status.
    Exception { words: String },
}

/// Captured output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Capture {
    pub(super) from: CaptureSource,
    /// The most bytes; more is JA018. Of remote output the most characters; more fails the job.
    pub(super) limit: usize,
}

/// Where captured output is written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CaptureSource {
    StandardOutput,
    /// Standard output of a command on another machine.
    RemoteOutput,
    /// A file in the attempt's folder that may be missing.
    File {
        name: String,
        /// Whether its content becomes the action's data; the limit applies in both cases.
        kept: bool,
    },
}
