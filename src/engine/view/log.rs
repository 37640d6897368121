//! `log`: where the output of attempts is.
//!
//! The filter of a log chooses attempts by time here; lines are chosen where they are printed.

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::engine::view::Look;
use crate::engine::view::filter::{LogFilter, LogSelection};
use crate::engine::view::workflow::error_text;
use crate::engine::words::time;
use crate::error::Result;
use crate::host::attempt::output_files;
use crate::model::id::JobId;
use crate::model::time::Timestamp;
use crate::store::{ActionKey, Attempt, AttemptKey, AttemptState, WorkflowJob, WorkflowNode};

/// How deep sub-workflows are followed; beyond the deepest that can be started by default.
const DEEPEST: u32 = 64;

/// An attempt and the files of its output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AttemptView {
    /// The id of its node.
    pub(crate) id: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    /// The run of the workflow job.
    pub(crate) run: u32,
    /// From 1 within the run.
    pub(crate) attempt: u32,
    pub(crate) state: String,
    pub(crate) start_time: String,
    pub(crate) end_time: Option<String>,
    pub(crate) exit_code: Option<i32>,
    pub(crate) signal: Option<i32>,
    pub(crate) error: Option<String>,
    pub(crate) stdout: PathBuf,
    pub(crate) stderr: PathBuf,
    #[serde(skip)]
    key: AttemptKey,
    #[serde(skip)]
    began_at: Timestamp,
    #[serde(skip)]
    ended_at: Option<Timestamp>,
}

impl AttemptView {
    /// An attempt that failed, for tests of the output.
    #[cfg(test)]
    pub(crate) fn sample(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            kind: "shell".to_owned(),
            run: 1,
            attempt: 2,
            state: AttemptState::Ended.as_str().to_owned(),
            start_time: "2026-11-20T09:30Z".to_owned(),
            end_time: None,
            exit_code: Some(3),
            signal: None,
            error: Some("JA018: exit code [3]".to_owned()),
            stdout: PathBuf::new(),
            stderr: PathBuf::new(),
            key: AttemptKey::default(),
            began_at: Timestamp::EPOCH,
            ended_at: None,
        }
    }

    /// Whether its process is over.
    pub(crate) fn is_over(&self) -> bool {
        self.state != AttemptState::Started.as_str()
    }
}

/// The output of a job, an action or a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct LogView {
    pub(crate) id: String,
    pub(crate) status: String,
    /// Whether nothing more can follow.
    pub(crate) over: bool,
    pub(crate) attempts: Vec<AttemptView>,
    /// Which lines of the output are wanted.
    #[serde(skip)]
    pub(crate) selection: LogSelection,
}

impl Look<'_> {
    /// The output of every workflow job that an action started, oldest first.
    ///
    /// # Errors
    /// E0604, E0605 when there is no such job or action.
    pub(crate) fn log_of_action(&self, id: &JobId, number: u32, filter: &LogFilter) -> Result<LogView> {
        let job = self.coordinator_job(id)?;
        let action = self.coordinator_action(&job, number)?;
        let mut attempts = Vec::new();
        for workflow in self.snapshot.workflow_jobs_of_action(ActionKey { job: job.job, number })? {
            self.attempts(&workflow, None, 0, &mut attempts)?;
        }
        let selection = filter.selection(action.created_at, self.now);
        let status = (action.status.as_str(), action.status.is_terminal());
        Ok(log(format!("{id}@{number}"), status, attempts, selection))
    }

    /// The output of a workflow job and its sub-workflows, or of one node.
    ///
    /// # Errors
    /// E0604, E0605 when there is no such job or node.
    pub(crate) fn log_of_workflow(&self, id: &JobId, node: Option<&str>, filter: &LogFilter) -> Result<LogView> {
        let job = self.workflow_job(id)?;
        let node = node.map(|name| self.workflow_node(&job, name)).transpose()?;
        let selection = filter.selection(job.created_at, self.now);
        let mut attempts = Vec::new();
        self.attempts(&job, node.as_ref(), 0, &mut attempts)?;
        Ok(match node {
            Some(node) => {
                let over = node.status.is_terminal() || job.status.is_terminal();
                log(format!("{id}@{}", node.name), (node.status.as_str(), over), attempts, selection)
            }
            None => log(id.to_string(), (job.status.as_str(), job.status.is_terminal()), attempts, selection),
        })
    }

    fn attempts(
        &self,
        job: &WorkflowJob,
        only: Option<&WorkflowNode>,
        depth: u32,
        attempts: &mut Vec<AttemptView>,
    ) -> Result<()> {
        let nodes = match only {
            Some(node) => vec![node.clone()],
            None => self.snapshot.workflow_nodes_of_all_runs(job.job)?,
        };
        for node in &nodes {
            let of_node = self.snapshot.attempts_of_node(job.job, &node.name)?;
            attempts.extend(of_node.iter().map(|attempt| attempt_view(job, node, attempt)));
            if depth < DEEPEST && node.kind == "sub-workflow" {
                for child in self.snapshot.workflow_jobs_of_node(job.job, &node.name)? {
                    self.attempts(&child, None, depth + 1, attempts)?;
                }
            }
        }
        Ok(())
    }
}

/// Attempts in the order in which they were begun, across nodes and jobs.
fn log(id: String, (status, over): (&str, bool), mut attempts: Vec<AttemptView>, selection: LogSelection) -> LogView {
    attempts.sort_by_key(|attempt| attempt.key);
    let over = over && attempts.iter().all(AttemptView::is_over);
    attempts.retain(|attempt| selection.overlaps(attempt.began_at, attempt.ended_at));
    LogView { id, status: status.to_owned(), over, attempts, selection }
}

fn attempt_view(job: &WorkflowJob, node: &WorkflowNode, attempt: &Attempt) -> AttemptView {
    let [stdout, stderr] = output_files(Path::new(&attempt.directory));
    let is_last = attempt.run == node.run && attempt.number == node.user_retry_count + 1;
    let of_node = || error_text(node.error_code.as_deref(), node.error_message.as_deref());
    AttemptView {
        id: format!("{}@{}", job.id, node.name),
        kind: node.kind.clone(),
        run: attempt.run,
        attempt: attempt.number,
        state: attempt.state.as_str().to_owned(),
        start_time: time(attempt.started_at.unwrap_or(attempt.created_at)),
        end_time: attempt.ended_at.map(time),
        exit_code: attempt.exit_code,
        signal: attempt.signal,
        error: attempt.detail.clone().or_else(|| is_last.then(of_node).flatten()),
        stdout,
        stderr,
        key: attempt.attempt,
        began_at: attempt.started_at.unwrap_or(attempt.created_at),
        ended_at: attempt.ended_at,
    }
}
