//! The attempts of a node: when, how they ended, what they used, and where their files are.
//!
//! Under names of ours: what Oozie shows of retries (attempt, start, end) is a part of it. Reads no output; a running
//! attempt is only asked for its process.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::query::context::Query;
use crate::query::error_text::error_text;
use crate::query::filter::LogSelection;
use crate::query::json;
use howdah_executor as executor;
use howdah_host::attempt;
use howdah_words::error::Result;
use howdah_words::model::cpu_time::CpuTime;
use howdah_words::model::row::{Attempt, AttemptKey, AttemptState, WorkflowJob, WorkflowNode};
use howdah_words::model::secret_text;
use howdah_words::model::status::NodeStatus;
use howdah_words::model::time::Timestamp;

/// An attempt and the files of its output.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AttemptView {
    /// The id of its node.
    pub id: String,
    /// The coordinator action that it belongs to; only in the log of one, or of its job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action_id: Option<String>,
    #[serde(rename = "type")]
    pub kind: String,
    /// The run of the workflow job.
    pub run: u32,
    /// From 1 within the run.
    pub attempt: u32,
    #[serde(serialize_with = "json::attempt_state")]
    pub state: AttemptState,
    #[serde(serialize_with = "json::second")]
    pub start_time: Timestamp,
    #[serde(serialize_with = "json::second_or_null")]
    pub end_time: Option<Timestamp>,
    /// Seconds from its start to its end, or to now.
    pub seconds: i64,
    pub exit_code: Option<i32>,
    pub signal: Option<i32>,
    pub error: Option<String>,
    /// Seconds of CPU time in the code of its processes.
    pub user_seconds: Option<f64>,
    /// Seconds of CPU time in the kernel.
    pub system_seconds: Option<f64>,
    /// Bytes of memory that the largest of its processes occupied at most.
    pub max_memory: Option<i64>,
    /// The number of a process that works on it now; only where one node is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub process: Option<i32>,
    /// The environment of its command, secret values hidden; only where one node is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<BTreeMap<String, String>>,
    /// Where all its files are.
    pub folder: PathBuf,
    pub stdout: PathBuf,
    pub stderr: PathBuf,
    #[serde(skip)]
    key: AttemptKey,
}

impl AttemptView {
    /// An attempt that failed, for tests of the output.
    #[cfg(any(test, feature = "testing"))]
    pub fn sample(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            action_id: None,
            kind: "shell".to_owned(),
            run: 1,
            attempt: 2,
            state: AttemptState::Ended,
            start_time: crate::query::testing::at("2026-11-20T09:30Z"),
            end_time: Some(crate::query::testing::at("2026-11-20T09:31Z")),
            seconds: 75,
            exit_code: Some(3),
            signal: None,
            error: Some("JA018: exit code [3]".to_owned()),
            user_seconds: Some(1.25),
            system_seconds: Some(0.004),
            max_memory: Some(9_437_184),
            process: None,
            environment: None,
            folder: PathBuf::from("/var/howdah.runs/W/add-up/1-2"),
            stdout: PathBuf::new(),
            stderr: PathBuf::new(),
            key: AttemptKey::default(),
        }
    }

    /// Whether its process is over.
    pub fn is_over(&self) -> bool {
        self.state != AttemptState::Started
    }

    /// Its place among all attempts: later ones have larger keys.
    pub fn key(&self) -> AttemptKey {
        self.key
    }

    /// Whether it was at work within the times that are wanted of a log.
    pub fn is_within(&self, selection: &LogSelection) -> bool {
        selection.overlaps(self.start_time, self.end_time)
    }
}

/// How a command ended, as the system told it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CommandEnd {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
}

impl CommandEnd {
    /// In words that follow a message; `None` for a good end, and where the message says the same already.
    pub fn behind(self, message: Option<&str>) -> Option<String> {
        match (self.exit_code, self.signal) {
            (Some(0), _) | (None, None) => None,
            (Some(code), _) => {
                let says_so = |message: &str| message.contains(&format!("xit code [{code}]"));
                (!message.is_some_and(says_so)).then(|| format!("the command ended with exit status {code}"))
            }
            (None, Some(signal)) => Some(format!("signal {signal} ended the command")),
        }
    }
}

impl Query<'_> {
    /// How the command of a node that did not end well ended in its last attempt.
    pub(crate) fn command_end(&self, job: &WorkflowJob, node: &WorkflowNode) -> Result<CommandEnd> {
        if !matches!(node.status, NodeStatus::Error | NodeStatus::Failed | NodeStatus::Killed) {
            return Ok(CommandEnd::default());
        }
        let attempts = self.snapshot.attempts_of_node(job.job, &node.name)?;
        let last = attempts.iter().rfind(|attempt| attempt.run == node.run);
        Ok(last.map_or_else(CommandEnd::default, |last| CommandEnd { exit_code: last.exit_code, signal: last.signal }))
    }

    /// The error of a node with how its command really ended: `1: Main Class [..], exit code [1] (the command ended
    /// with ..)`.
    pub fn node_error(&self, job: &WorkflowJob, node: &WorkflowNode) -> Result<Option<String>> {
        let how = self.command_end(job, node)?.behind(node.error_message.as_deref());
        let error = error_text(node.error_code.as_deref(), node.error_message.as_deref());
        Ok(match (error, how) {
            (Some(error), Some(how)) => Some(format!("{error} ({how})")),
            (error, how) => error.or(how),
        })
    }

    /// Every attempt of a node, oldest first; each with its environment, running ones with their process.
    pub fn attempts_of_node(&self, job: &WorkflowJob, node: &WorkflowNode) -> Result<Vec<AttemptView>> {
        let rows = self.snapshot.attempts_of_node(job.job, &node.name)?;
        let with_process = |(row, view): (&Attempt, AttemptView)| {
            let process = (row.state == AttemptState::Started).then(|| process(Path::new(&row.directory))).flatten();
            // A folder that cannot be read is no reason to show nothing.
            let environment = executor::environment_of(&view.folder).ok().flatten().map(secret_text::without_secrets);
            AttemptView { process, environment, ..view }
        };
        Ok(rows.iter().zip(attempt_views(job, node, &rows, self.now)).map(with_process).collect())
    }
}

/// All attempts of a node, oldest first, as a list shows them at `now`; the error of the node belongs to the last of
/// its run.
pub(crate) fn attempt_views(
    job: &WorkflowJob,
    node: &WorkflowNode,
    attempts: &[Attempt],
    now: Timestamp,
) -> Vec<AttemptView> {
    let last = attempts.iter().rfind(|attempt| attempt.run == node.run).map(|attempt| attempt.attempt);
    let view = |attempt: &Attempt| attempt_view(job, node, attempt, (last == Some(attempt.attempt), now));
    attempts.iter().map(view).collect()
}

fn attempt_view(
    job: &WorkflowJob,
    node: &WorkflowNode,
    attempt: &Attempt,
    (is_last, now): (bool, Timestamp),
) -> AttemptView {
    let folder = PathBuf::from(&attempt.directory);
    let [stdout, stderr] = attempt::output_files(&folder);
    let of_node = || error_text(node.error_code.as_deref(), node.error_message.as_deref());
    let began_at = attempt.started_at.unwrap_or(attempt.created_at);
    AttemptView {
        id: format!("{}@{}", job.id, node.name),
        action_id: None,
        kind: node.kind.to_string(),
        run: attempt.run,
        attempt: attempt.number,
        state: attempt.state,
        start_time: began_at,
        end_time: attempt.ended_at,
        // A clock that went back has no attempt run for less than no time.
        seconds: (attempt.ended_at.unwrap_or(now) - began_at).max(0),
        exit_code: attempt.exit_code,
        signal: attempt.signal,
        error: attempt.detail.clone().or_else(|| is_last.then(of_node).flatten()),
        user_seconds: attempt.user_seconds.map(CpuTime::seconds),
        system_seconds: attempt.system_seconds.map(CpuTime::seconds),
        max_memory: attempt.max_memory,
        process: None,
        environment: None,
        folder,
        stdout,
        stderr,
        key: attempt.attempt,
    }
}

/// The process that works on an attempt; a folder that cannot be read is no reason to show nothing.
fn process(folder: &Path) -> Option<i32> {
    match attempt::state(folder) {
        Ok(attempt::AttemptState::Running(process)) => Some(process.pid),
        _ => None,
    }
}
