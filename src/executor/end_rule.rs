//! How the end of a command is to be read: decided with the command and kept with it.

use serde::{Deserialize, Serialize};

/// How the end of a command is read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Ending {
    /// The code and the message of a failure.
    pub(super) failure: FailureRule,
    /// Where the action's data come from; `None` when it has none.
    pub(super) capture: Option<Capture>,
}

/// The code and the message of a command that did not end with 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FailureRule {
    /// The code is 1 whatever the exit status was, as the main class `main` exits so.
    AlwaysOne { main: String },
    /// The command ran on another machine; the file `log` of the attempt's folder holds what the client says of itself.
    RemoteCommand { log: String },
    /// JA018 with what git says.
    Clone,
    /// As a JVM that ran the class `main` tells it: an exception, or the exit status.
    Java { main: String },
    /// The code is JA018; `{status}` in the words stands for the exit status.
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
        /// Whether its content becomes the action's data; the limit holds all the same.
        kept: bool,
    },
}
