//! Why a node of a workflow job is in its current state, also one that the job has not reached.

use std::path::Path;

use crate::query::context::Query;
use crate::query::explain::command::own;
use crate::query::explain::explanation::{Explanation, NodeExplanation};
use crate::query::explain::hold::Hold;
use crate::query::explain::why::NodeWhy;
use crate::query::explain::wording::when;
use crate::query::explain::workflow::workflow;
use howdah_engine::format::{in_words, time};
use howdah_engine::runner::places::{self, Limit, Limits, Taken};
use howdah_engine::stored_graph;
use howdah_executor::{self as executor, Place};
use howdah_host::attempt::{self, AttemptState, output_files};
use howdah_host::{files, writable};
use howdah_oozie::workflow::definition::{Node, Workflow};
use howdah_words::error::{Error, Result};
use howdah_words::model::id::JobId;
use howdah_words::model::node_type::NodeType;
use howdah_words::model::row::{Attempt, Event, WaitingNode, WorkflowJob, WorkflowNode};
use howdah_words::model::status::{NodeStatus, WorkflowStatus};
use howdah_words::model::time::Now;

/// Lines of a failed node's log that are shown, and the bytes in which they are looked for.
const LAST_LINES: usize = 5;
const LOG_END: usize = 2048;

impl Query<'_> {
    /// Explains a node of a workflow job.
    ///
    /// # Errors
    /// E0604, E0605 when there is no such job or its definition has no such node.
    pub fn explain_node(&mut self, id: &JobId, name: &str) -> Result<Explanation> {
        let job = self.workflow_job(id)?;
        let graph = stored_graph::graph(self.snapshot, &job)?;
        let Some(node) = self.snapshot.workflow_node(job.job, name)? else {
            return self.not_reached(&job, &graph, name);
        };
        let explained = self.node(&job, &node)?;
        let mut explanation = Explanation {
            id: format!("{id}@{name}"),
            name: job.name.clone(),
            status: Some(node.status.into()),
            created_time: node.started_at,
            ..Explanation::default()
        };
        explanation.why = self.node_reason(&job, &node, &explained, &mut explanation.held_by)?.into();
        explanation.reasons.extend(self.why_decided(&job, &node)?);
        if let Some(transition) = &node.transition {
            explanation.reasons.push(format!("the job went on to {transition}"));
        }
        if let Some(definition) = graph.node(name) {
            explanation.reasons.extend(targets(definition, &node));
        }
        explanation.reasons.extend(self.sla_reason(job.job, Some(name))?);
        if !node.status.is_terminal() {
            explanation.reasons.extend(self.troubles_of(&job));
        }
        if job.status == WorkflowStatus::Suspended {
            explanation.next.push(own!("resume {id}"));
        }
        let ran = !self.snapshot.attempts_of_node(job.job, name)?.is_empty();
        explanation.next.extend(ran.then(|| own!("log {id}@{name}")));
        if let Some(child) = node.external_id.as_ref().filter(|_| node.kind.is_sub_workflow()) {
            explanation.next.push(own!("explain {child}"));
        }
        explanation.next.push(own!("info {id}@{name}"));
        explanation.workflow = Some(workflow(&job, vec![explained]));
        Ok(explanation)
    }

    /// Returns the predicates of a decision that was made, with the values that they had.
    pub(super) fn why_decided(&self, job: &WorkflowJob, node: &WorkflowNode) -> Result<Option<String>> {
        if node.kind != NodeType::Decision || node.status != NodeStatus::Ok {
            return Ok(None);
        }
        let events = self.snapshot.events_of_workflow(job.job)?;
        let of_node =
            |event: &Event| event.node.as_ref() == Some(&node.name) && event.to_status == node.status.as_str();
        Ok(events.into_iter().rev().find(of_node).and_then(|event| event.reason))
    }

    /// The answer for a node that the job has reached.
    fn node_reason(
        &self,
        job: &WorkflowJob,
        node: &WorkflowNode,
        explained: &NodeExplanation,
        held_by: &mut Option<Hold>,
    ) -> Result<NodeWhy> {
        let error = self.node_error(job, node)?;
        let place = self.place_in_queue(job, node)?;
        let runs = matches!(node.status, NodeStatus::Running | NodeStatus::Done | NodeStatus::EndRetry);
        let paused = self.site_paused().filter(|_| !runs);
        if !node.status.is_terminal() {
            *held_by = Some(match job.status {
                WorkflowStatus::Suspended => Hold::Suspension,
                _ if paused.is_some() => Hold::SitePause,
                _ if !self.runner_at_work => Hold::NextTick,
                _ if place.is_some() => Hold::Places,
                _ => Hold::Work,
            });
        }
        let is_open = !node.status.is_terminal() && job.status != WorkflowStatus::Suspended;
        if let Some(paused) = paused.as_ref().filter(|_| is_open) {
            return Ok(NodeWhy::SitePaused(node.status, paused.why.to_string()));
        }
        Ok(match node.status {
            NodeStatus::Ok if node.kind == NodeType::Kill => NodeWhy::JobEndedHere(error),
            NodeStatus::Ok => NodeWhy::EndedWell(node.ended_at.map(|ended| self.when(ended))),
            NodeStatus::Killed => NodeWhy::Killed(error),
            NodeStatus::Error | NodeStatus::Failed => NodeWhy::Ended { status: node.status, error },
            _ if job.status == WorkflowStatus::Suspended => NodeWhy::JobSuspended(node.status),
            _ if !self.runner_at_work => NodeWhy::NoRunner(node.status),
            NodeStatus::UserRetry | NodeStatus::StartRetry | NodeStatus::StartManual => {
                NodeWhy::Retries(explained.text.clone())
            }
            _ => match place {
                Some((limit, most, before)) => NodeWhy::WaitsForPlace { limit, most, before },
                None => NodeWhy::Works(explained.text.clone()),
            },
        })
    }

    /// Which limit keeps a node waiting, how many commands it allows, and how many nodes get a place before this one;
    /// `None` when it does not wait for a place.
    fn place_in_queue(&self, job: &WorkflowJob, node: &WorkflowNode) -> Result<Option<(Limit, usize, usize)>> {
        if node.status != NodeStatus::Prep || job.status != WorkflowStatus::Running {
            return Ok(None);
        }
        let (limits, taken, waiting) = self.command_places()?;
        let obstacle = places::obstacle(&limits, &taken, &waiting, (node.job, &node.name));
        Ok(obstacle.map(|(limit, before)| {
            let most = limits.most(&limit);
            (limit, most, before)
        }))
    }

    /// The limits on how many commands run at once, the places that are taken, and the nodes that wait for one.
    pub(in crate::query) fn command_places(&self) -> Result<(Limits, Taken, Vec<WaitingNode>)> {
        let limits = Limits::of(self.settings);
        let taken = Taken::count(&limits, &self.snapshot.running_nodes()?);
        let waiting = self.snapshot.waiting_nodes(&Now::on_one_clock(self.now))?;
        Ok((limits, taken, waiting))
    }

    /// A node of the definition that the job has not come to.
    fn not_reached(&self, job: &WorkflowJob, graph: &Workflow, name: &str) -> Result<Explanation> {
        if graph.node(name).is_none() {
            return Err(stored_graph::no_such_node(job, graph, name));
        }
        let nodes = self.snapshot.workflow_nodes(job.job)?;
        let open = nodes.into_iter().filter(|node| !node.status.is_terminal()).map(|node| node.name).collect();
        let mut explanation =
            Explanation { id: format!("{}@{name}", job.id), name: job.name.clone(), ..Explanation::default() };
        explanation.why = if job.status.is_terminal() {
            NodeWhy::NeverReached(job.status).into()
        } else {
            NodeWhy::NotReached { status: job.status, at: open }.into()
        };
        if !job.status.is_terminal() {
            explanation.held_by = Some(Hold::Work);
        }
        explanation.reasons.extend(self.sla_reason(job.job, Some(name))?);
        let into: Vec<&str> = graph
            .nodes()
            .iter()
            .filter(|from| from.targets().iter().any(|target| target.name == name))
            .map(|from| from.name.as_str())
            .collect();
        if !into.is_empty() {
            explanation.reasons.push(format!("it can be reached from {}", into.join(", ")));
        }
        explanation.next.push(own!("explain {}", job.id));
        Ok(explanation)
    }

    /// What a node of a workflow job does, with its logs.
    pub(super) fn node(&self, job: &WorkflowJob, node: &WorkflowNode) -> Result<NodeExplanation> {
        let attempts = self.snapshot.attempts_of_node(job.job, &node.name)?;
        let mut logs = Vec::new();
        if let Some(last) = attempts.last() {
            let files = output_files(Path::new(&last.directory));
            let is_written =
                |file: &&std::path::PathBuf| files::read_start_of_plain(file, 1).is_ok_and(|start| !start.is_empty());
            logs.extend(files.iter().filter(is_written).map(|file| file.display().to_string()));
        }
        let since = node.started_at.map(|at| in_words(self.now - at)).unwrap_or_default();
        let text = match (node.status, node.retry_at, attempts.last()) {
            (NodeStatus::UserRetry, Some(at), _) => {
                format!("failed {} times; tried again at {}", node.user_retry_count, when(at, self.now))
            }
            (NodeStatus::StartRetry, Some(at), _) => {
                format!("cannot be started at the moment; tried again at {}", when(at, self.now))
            }
            (NodeStatus::StartManual, _, _) => {
                format!("cannot be started; mend the cause, then: howdah resume {}", job.id)
            }
            (NodeStatus::Running, _, _) if node.kind.is_sub_workflow() => {
                format!("sub-workflow {}, for {since}", node.external_id.as_deref().unwrap_or("-"))
            }
            (NodeStatus::Running, _, Some(last)) => {
                let folder = Path::new(&last.directory);
                let (elsewhere, asked) = (elsewhere(folder, node), asked(last));
                format!("attempt {}{elsewhere}, for {since}{asked}{}", last.number, held_up(folder))
            }
            (status, _, Some(last)) => match (last.exit_code, last.signal) {
                (Some(code), _) => format!("attempt {} ended with exit status {code}{}", last.number, asked(last)),
                (None, Some(signal)) => {
                    format!("attempt {} was ended by signal {signal}{}", last.number, asked(last))
                }
                (None, None) => format!("attempt {} is {}, the node {status}", last.number, last.state.as_str()),
            },
            (NodeStatus::Prep, _, None) => format!("not started, for {since}"),
            (status, _, None) => format!("the node is {status}"),
        };
        Ok(NodeExplanation {
            id: format!("{}@{}", job.id, node.name),
            kind: node.kind.to_string(),
            status: node.status,
            error_code: node.error_code.clone(),
            error_message: node.error_message.clone(),
            text,
            last_lines: match logs.last() {
                Some(log) if matches!(node.status, NodeStatus::Error | NodeStatus::Failed) => {
                    last_lines(Path::new(log))
                }
                _ => Vec::new(),
            },
            logs,
        })
    }
}

/// Where the work of a node is done when that is not this machine, and how it stands there.
fn elsewhere(folder: &Path, node: &WorkflowNode) -> String {
    match (executor::place_of(folder), &node.external_id) {
        (Ok(Place::Here) | Err(_), _) => String::new(),
        (Ok(Place::Slurm { .. }), None) => ", not yet in the queue of Slurm".to_owned(),
        (Ok(Place::Slurm { .. }), Some(id)) => {
            format!(", as Slurm job {id}, {}", node.external_status.as_deref().unwrap_or_default())
        }
    }
}

/// That an operator asked for the end of an attempt, and when.
fn asked(attempt: &Attempt) -> String {
    attempt.kill_requested_at.map(|at| format!("; `kill` asked for its end at {}", time(at))).unwrap_or_default()
}

/// Returns what delays an attempt that looks as if it ran: its supervisor waits for the machine, or its state cannot
/// be read.
fn held_up(folder: &Path) -> String {
    let shown = folder.display();
    let state = attempt::state(folder);
    if let Ok(AttemptState::OutOfSight(hidden)) = state {
        return format!(
            "; how it stands cannot be told from here: {}; it goes on when its outcome is written, and `kill` gives it \
             up",
            Error::from(hidden).message()
        );
    }
    match state.and_then(|_| attempt::waits_for(folder)) {
        Err(error) => format!("; how it stands cannot be told: {}; the next step tries again", error.message()),
        Ok(_) if files::has_full_disk(folder) => {
            format!(", and its disk is full: make room on the file system of [{shown}], and it goes on by itself")
        }
        Ok(_) if writable::is_read_only(folder) => {
            format!(", and its file system is read-only: make [{shown}] writable again, and it goes on by itself")
        }
        Ok(Some(why)) => {
            let hours = attempt::LONGEST_WAIT.as_secs() / 3600;
            format!(
                ", and its supervisor waits: {why}; it tries again and again, for {hours} h where room is not all it \
                 needs"
            )
        }
        Ok(None) => String::new(),
    }
}

/// Where a node that has not gone on may lead.
fn targets(definition: &Node, node: &WorkflowNode) -> Option<String> {
    let targets: Vec<&str> = definition.targets().iter().map(|target| target.name.as_str()).collect();
    let is_open = node.transition.is_none() && !node.status.is_terminal();
    (is_open && !targets.is_empty()).then(|| format!("it may lead to {}", targets.join(", ")))
}

/// The end of a log, at most a few lines of bounded length; what cannot be read is left out.
fn last_lines(log: &Path) -> Vec<String> {
    let bytes = files::read_end(log, LOG_END).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let first = lines.len().saturating_sub(LAST_LINES);
    lines[first..].iter().map(|line| (*line).to_owned()).collect()
}
