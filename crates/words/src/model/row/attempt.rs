//! One start of the process of a node.

use crate::model::cpu_time::CpuTime;
use crate::model::row::key::{AttemptKey, WorkflowKey};
use crate::model::status::words;
use crate::model::time::Timestamp;

words! {
    /// The state of an attempt.
    AttemptState {
        /// It is to be started; the process may run, or may not exist yet.
        Started = "STARTED",
        /// The process ended and its outcome is known.
        Ended = "ENDED",
        /// The process vanished without an outcome.
        Lost = "LOST",
        /// It was ended on request.
        Killed = "KILLED",
    }
}

/// One start of a node's process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    pub attempt: AttemptKey,
    /// Random; with it the process proves to which attempt it belongs.
    pub token: String,
    pub job: WorkflowKey,
    pub node: String,
    /// The run of the workflow job.
    pub run: u32,
    /// From 1 within the run.
    pub number: u32,
    pub directory: String,
    pub state: AttemptState,
    pub created_at: Timestamp,
    pub started_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
    pub exit_code: Option<i32>,
    pub signal: Option<i32>,
    pub detail: Option<String>,
    /// CPU time of its processes in their own code; `None` while it runs, and when no process was left to measure
    /// it.
    pub user_seconds: Option<CpuTime>,
    /// CPU time of its processes in the kernel.
    pub system_seconds: Option<CpuTime>,
    /// The largest memory, in bytes, of one of its processes.
    pub max_memory: Option<i64>,
    /// When an operator asked for its end while its job continues.
    pub kill_requested_at: Option<Timestamp>,
}

impl Attempt {
    /// Returns the first attempt of a node in the first run of its job, which is to be started; the store assigns its
    /// key.
    pub fn new((job, node): (WorkflowKey, &str), token: String, directory: String, at: Timestamp) -> Self {
        Self {
            attempt: AttemptKey::default(),
            token,
            job,
            node: node.to_owned(),
            run: 0,
            number: 1,
            directory,
            state: AttemptState::Started,
            created_at: at,
            started_at: None,
            ended_at: None,
            exit_code: None,
            signal: None,
            detail: None,
            user_seconds: None,
            system_seconds: None,
            max_memory: None,
            kill_requested_at: None,
        }
    }
}
