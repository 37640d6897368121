//! How an attempt ended, as its folder keeps it. Must not depend on the process that writes or reads it.

use serde::{Deserialize, Serialize};

use crate::command::WorkOutcome;

/// How an attempt ended, as the shim wrote it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Exit {
    /// The token of the attempt.
    pub token: String,
    /// How the work ended.
    pub outcome: WorkOutcome,
    /// When the work began, in seconds of UTC.
    pub started_at: i64,
    /// When it ended, in seconds of UTC.
    pub ended_at: i64,
    /// CPU seconds of the command in its own code, where the system reports them.
    pub user_seconds: Option<f64>,
    /// CPU seconds of the command in the kernel, where the system reports them.
    pub system_seconds: Option<f64>,
    /// The largest memory, in bytes, of one process of the command, where the system reports it.
    pub max_memory: Option<u64>,
    /// How many file operations were finished.
    pub files_done: usize,
}
