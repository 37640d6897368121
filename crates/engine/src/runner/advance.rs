//! Advances a workflow job until it must wait.
//!
//! The graph decides which nodes come next; this module evaluates, starts and ends them in a [`Run`]. It reads the
//! application's files. Must not write anything or start a process.
//!
//! [`Run`]: crate::runner::job::Run

use std::collections::VecDeque;
use std::sync::Arc;

use crate::runner::context::Advance;
use crate::runner::expressions::StartError;
use crate::runner::external_status::{self, Stage};
use crate::stored_properties::properties_text;
use crate::transition::cause::Cause;
use crate::transition::workflow::ControlEnd;
use howdah_executor::Report;
use howdah_executor::failure::{Failure, FailureKind, NodeResult};
use howdah_oozie::workflow::action_state::NodeEvent;
use howdah_oozie::workflow::definition::NodeKind;
use howdah_oozie::workflow::job_state::JobEvent;
use howdah_oozie::workflow::step::{self, Command, Signal};
use howdah_oozie::workflow::suspend_nodes::SuspendNodes;
use howdah_oozie::workflow::transient_retry::TransientRetryPlan;
use howdah_oozie::workflow::user_retry::RetryPlan;
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::node_type::NodeType;
use howdah_words::model::row::WorkflowNode;
use howdah_words::model::status::{NodeStatus, WorkflowStatus};
use howdah_words::model::time::MINUTE;
use howdah_xml as xml;

impl Advance<'_> {
    /// Starts a job in PREP.
    pub(crate) fn start(&mut self) -> Result<()> {
        if !self.run.move_job(JobEvent::Start, self.cause) {
            return Ok(());
        }
        self.run.row.started_at = Some(self.cause.at);
        let commands = step::start(&self.run.graph, &mut self.run.walk.instance)?;
        self.perform(commands)
    }

    /// Copies the statistics and the external id from the report of an attempt to its node.
    pub(crate) fn copy_report(&mut self, node: &str, report: &Report) {
        let kind = match self.run.graph.node(node).map(|node| &node.kind) {
            Some(NodeKind::Action(action)) => action.body.name.as_str(),
            _ => return,
        };
        if let Some(stats) = report.stats(kind) {
            self.run.edit(node, |node| node.stats = Some(stats.clone()));
        }
        if let Some(id) = report.external_id() {
            self.run.edit(node, |node| node.external_id = Some(id.to_owned()));
        }
    }

    /// Applies the result of a node's work; in a suspended job the node only becomes DONE.
    pub(crate) fn complete(&mut self, node: &str, result: NodeResult) -> Result<()> {
        let is_start = matches!(&result, NodeResult::Failed(failure) if failure.is_about_start());
        let running = self.run.row.status == WorkflowStatus::Running;
        if self.run.node(node).is_some_and(|node| node.status == NodeStatus::Running) && !(is_start && running) {
            self.run.move_node(node, NodeEvent::Complete, self.cause)?;
        }
        if running {
            self.apply_result(node, result)?;
        }
        Ok(())
    }

    /// Puts a node back to PREP because its job was suspended before the work of the node started.
    pub(crate) fn recall(&mut self, node: &str) -> Result<()> {
        let reason = "the job was suspended before its work started";
        self.run.move_node(node, NodeEvent::Recall, self.cause.because(reason))?;
        self.run.edit(node, |node| node.external_status = None);
        *self.run.walk.recalled.entry(node.to_owned()).or_default() += 1;
        Ok(())
    }

    /// Starts the nodes again whose retry time has come.
    pub(crate) fn retry(&mut self) -> Result<()> {
        let due = |node: &&WorkflowNode| match node.status {
            NodeStatus::UserRetry | NodeStatus::StartRetry => node.is_retry_due(self.now),
            // It waited until an operator resumed the job.
            NodeStatus::StartManual => true,
            _ => false,
        };
        let names: Vec<String> = self.run.nodes().filter(due).map(|node| node.name.clone()).collect();
        for name in names {
            if self.run.row.status == WorkflowStatus::Running {
                self.run.starting_node.clone_from(&name);
                self.start_action(&name)?;
            }
        }
        Ok(())
    }

    /// Executes the commands of the graph until the job must wait.
    fn perform(&mut self, commands: Vec<Command>) -> Result<()> {
        let mut queue = self.hold(commands);
        while let Some(command) = queue.pop_front() {
            match command {
                Command::Kill { nodes } => self.run.kill_open_nodes(Some(&nodes), self.cause)?,
                Command::End { status, error } => {
                    self.end(status, error)?;
                    return Ok(());
                }
                Command::Enter { node, path } if self.is_skipped(&node) => {
                    let commands = self.repeat_signal(&node, &path)?;
                    queue.extend(self.hold(commands));
                }
                // The job was suspended by an earlier command: the node starts when the job is resumed.
                Command::Enter { node, .. } if self.run.row.status == WorkflowStatus::Suspended => self.reach(&node),
                Command::Enter { node, path } => {
                    self.reach(&node);
                    let commands = self.start_node(&node, &path)?;
                    queue.extend(self.hold(commands));
                    if self.run.row.status.is_terminal() {
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the commands to execute now. When the job must be suspended at one of the nodes to enter, this creates
    /// the records of these nodes, does not start them and suspends the job.
    fn hold(&mut self, commands: Vec<Command>) -> VecDeque<Command> {
        let entered = |command: &Command| match command {
            Command::Enter { node, .. } => Some(node.clone()),
            Command::Kill { .. } | Command::End { .. } => None,
        };
        let nodes: Vec<String> = commands.iter().filter_map(entered).filter(|node| !self.is_skipped(node)).collect();
        let suspend_at = SuspendNodes::from_properties(&self.run.configuration);
        if !suspend_at.hold(nodes.iter().map(String::as_str)) {
            return commands.into();
        }
        for node in &nodes {
            self.reach(node);
        }
        let reason = format!("oozie.suspend.on.nodes: {}", nodes.join(", "));
        self.run.move_job(JobEvent::Suspend, self.cause.because(&reason));
        commands.into_iter().filter(|command| entered(command).is_none_or(|node| !nodes.contains(&node))).collect()
    }

    /// Checks whether the rerun of this job skips the node. An end node of a suspended job waits until the job is
    /// resumed.
    fn is_skipped(&self, name: &str) -> bool {
        let ends = |kind: &NodeKind| matches!(kind, NodeKind::End | NodeKind::Kill { .. });
        let waits = self.run.row.status == WorkflowStatus::Suspended
            && self.run.graph.node(name).is_some_and(|node| ends(&node.kind));
        self.run.walk.kept.contains(name) && !waits
    }

    /// Repeats the signal that a skipped node gave in the earlier run, without running the node.
    fn repeat_signal(&mut self, name: &str, path: &str) -> Result<Vec<Command>> {
        let graph = Arc::clone(&self.run.graph);
        let row = self.run.node(name);
        let chosen = row.and_then(|row| row.external_status.clone()).unwrap_or_default();
        let failed = row.is_some_and(|row| row.status == NodeStatus::Error);
        let signal = match graph.node(name).map(|node| &node.kind) {
            Some(NodeKind::Decision { .. }) => Signal::Decision(&chosen),
            Some(NodeKind::Action(_)) if failed => Signal::Error,
            _ => Signal::Ok,
        };
        step::signal(&graph, &mut self.run.walk.instance, path, signal)
    }

    /// Creates the record of a node that is entered.
    fn reach(&mut self, name: &str) {
        if let Some(kind) = self.run.graph.node(name).map(|node| node.kind.node_type()) {
            self.run.reach(name, kind, self.cause);
        }
    }

    /// Starts the nodes in PREP when the job is RUNNING.
    pub(crate) fn start_held_nodes(&mut self) -> Result<()> {
        let held = |node: &&WorkflowNode| node.status == NodeStatus::Prep;
        let names: Vec<String> = self.run.nodes().filter(held).map(|node| node.name.clone()).collect();
        for name in names {
            let path = self.run.walk.instance.path_of(&name).map(str::to_owned);
            if let (WorkflowStatus::Running, Some(path)) = (self.run.row.status, path) {
                let commands = self.start_node(&name, &path)?;
                self.perform(commands)?;
            }
        }
        Ok(())
    }

    /// Starts a node that was reached; returns the commands that follow when the node ends immediately.
    fn start_node(&mut self, name: &str, path: &str) -> Result<Vec<Command>> {
        let graph = Arc::clone(&self.run.graph);
        let Some(node) = graph.node(name) else { return Ok(Vec::new()) };
        name.clone_into(&mut self.run.starting_node);
        match &node.kind {
            NodeKind::Start { .. } | NodeKind::Fork { .. } | NodeKind::Join { .. } | NodeKind::End => {
                self.control_done(name, path, (ControlEnd::Done, Signal::Ok))
            }
            NodeKind::Kill { message } => {
                let end = self.kill_message(name, message)?;
                self.control_done(name, path, (end, Signal::Ok))
            }
            NodeKind::Decision { cases, default } => {
                let chosen = self.with_resolver(|resolver| {
                    let choice = resolver.decision(cases, default).map_err(Error::from)?;
                    Ok((choice.to.name.clone(), choice.why()))
                });
                match chosen {
                    Ok((target, why)) => {
                        self.run.edit(name, |node| node.external_status = Some(target.clone()));
                        let cause = self.cause.because(&why);
                        self.control_done_because(name, path, (ControlEnd::Done, Signal::Decision(&target)), cause)
                    }
                    Err(error) => {
                        let failure = StartError::of_expression(error).failure()?;
                        self.fail_node(name, &failure).map(|()| Vec::new())
                    }
                }
            }
            NodeKind::Action(_) => self.start_action(name).map(|()| Vec::new()),
        }
    }

    fn control_done(&mut self, name: &str, path: &str, done: (ControlEnd, Signal<'_>)) -> Result<Vec<Command>> {
        self.control_done_because(name, path, done, self.cause)
    }

    fn control_done_because(
        &mut self,
        name: &str,
        path: &str,
        (end, signal): (ControlEnd, Signal<'_>),
        cause: Cause<'_>,
    ) -> Result<Vec<Command>> {
        self.run.finish_control(name, end, cause);
        let commands = step::signal(&self.run.graph, &mut self.run.walk.instance, path, signal)?;
        self.copy_transition(name);
        Ok(commands)
    }

    fn copy_transition(&mut self, name: &str) {
        let transition = self.run.walk.instance.transition_of(name).map(str::to_owned);
        self.run.edit(name, |node| node.transition = transition);
    }

    /// Evaluates the message of a kill node and stores it on the node; returns how the node ends.
    fn kill_message(&mut self, name: &str, message: &xml::Text) -> Result<ControlEnd> {
        let (end, code, text) = match self.with_resolver(|resolver| resolver.kill_message(message)) {
            Ok(text) => (ControlEnd::Done, ErrorCode::E0729, text),
            Err(error) if error.may_pass() => return Err(error),
            Err(error) => (ControlEnd::MessageWithoutValue, ErrorCode::E0756, error.message().to_owned()),
        };
        self.run.edit(name, |node| {
            node.error_code = Some(code.to_string());
            node.error_message = Some(text);
        });
        Ok(end)
    }

    fn end(&mut self, status: WorkflowStatus, error: Option<Error>) -> Result<()> {
        self.run.kill_open_nodes(None, self.cause)?;
        let event = match status {
            WorkflowStatus::Succeeded => JobEvent::ReachEnd,
            WorkflowStatus::Killed => JobEvent::ReachKill,
            WorkflowStatus::Prep | WorkflowStatus::Running | WorkflowStatus::Suspended | WorkflowStatus::Failed => {
                JobEvent::Fail
            }
        };
        if status != WorkflowStatus::Succeeded {
            self.set_job_error(error);
        }
        self.move_job(event)
    }

    /// Moves the job; a status that does not allow the event is a defect (H0001).
    fn move_job(&mut self, event: JobEvent) -> Result<()> {
        if self.run.move_job(event, self.cause) {
            return Ok(());
        }
        let message = format!("{} is {} and cannot {event}", self.run.row.id, self.run.row.status);
        Err(Error::new(ErrorCode::H0001, message))
    }

    /// Stores on the job why it did not succeed: the given error, else the error of the node that failed last, else the
    /// message of the kill node.
    fn set_job_error(&mut self, error: Option<Error>) {
        let of_node = self.run.walk.last_error_node.clone().and_then(|name| {
            let node = self.run.node(&name)?;
            Some((node.error_code.clone()?, node.error_message.clone().unwrap_or_default()))
        });
        let of_kill_node = || {
            let node = self.run.nodes().find(|node| node.run == self.run.row.run && node.kind == NodeType::Kill)?;
            Some((node.error_code.clone()?, node.error_message.clone().unwrap_or_default()))
        };
        let found = error.map(|error| (error.code().to_string(), error.message().to_owned())).or(of_node);
        let found = found.or_else(of_kill_node);
        if let Some((code, message)) = found {
            self.run.row.error_code = Some(code);
            self.run.row.error_message = Some(message);
        }
    }

    fn apply_result(&mut self, name: &str, result: NodeResult) -> Result<()> {
        match result {
            NodeResult::Ok { data } => {
                self.run.edit(name, |node| {
                    node.data = data.as_ref().map(properties_text);
                    node.external_status = Some(external_status::of_success(node.kind).to_owned());
                });
                self.run.move_node(name, NodeEvent::Succeed, self.cause)?;
                self.signal(name, Signal::Ok)
            }
            NodeResult::Failed(failure) => self.node_failed(name, &failure, Stage::Work),
        }
    }

    /// Handles the failure of a node: plans another attempt, takes the error transition, or ends the job.
    pub(crate) fn node_failed(&mut self, name: &str, failure: &Failure, stage: Stage) -> Result<()> {
        self.run.edit(name, |node| {
            node.error_code = Some(failure.code.clone());
            node.error_message = Some(failure.message.clone());
            node.external_status = external_status::of_failure(node.kind, stage, failure).map(str::to_owned);
        });
        if failure.is_about_start() {
            return self.start_failed(name, failure);
        }
        if let Some(minutes) = self.retry_after(name, &failure.code) {
            let seconds = i64::try_from(minutes).unwrap_or(i64::MAX).saturating_mul(MINUTE);
            let reason = format!("{}; the next attempt is in {minutes} min", reason(failure));
            self.run.move_node(name, NodeEvent::UserRetry, self.cause.because(&reason))?;
            let now = self.now;
            self.run.edit(name, |node| {
                node.user_retry_count += 1;
                node.retry_in(seconds, now);
            });
            return Ok(());
        }
        if failure.kind == FailureKind::Failed { self.fail_node(name, failure) } else { self.node_error(name, failure) }
    }

    /// Handles a start that failed: plans another start, or suspends the job until an operator resumes it.
    fn start_failed(&mut self, name: &str, failure: &Failure) -> Result<()> {
        let failed = self.run.walk.failed_starts.entry(name.to_owned()).or_default();
        let before = std::mem::replace(failed, *failed + 1);
        let plan = TransientRetryPlan::of(&self.run.configuration, &self.settings.properties);
        let wait = plan.after(before).filter(|_| failure.kind == FailureKind::Transient);
        if let Some(seconds) = wait {
            let reason = format!("{}; the next try is in {seconds} seconds", reason(failure));
            self.run.move_node(name, NodeEvent::StartTransient, self.cause.because(&reason))?;
            let now = self.now;
            self.run.edit(name, |node| node.retry_in(i64::try_from(seconds).unwrap_or(i64::MAX), now));
            return Ok(());
        }
        let reason = reason(failure);
        self.run.move_node(name, NodeEvent::StartBlocked, self.cause.because(&reason))?;
        let reason = format!("node {name} cannot be started: {reason}");
        self.run.move_job(JobEvent::Suspend, self.cause.because(&reason));
        Ok(())
    }

    fn retry_after(&self, name: &str, code: &str) -> Option<u64> {
        let Some(NodeKind::Action(action)) = self.run.graph.node(name).map(|node| &node.kind) else { return None };
        let retries = self.run.node(name)?.user_retry_count;
        RetryPlan::new(&action.retry, &self.settings.retry).ok()?.after(code, retries)
    }

    fn node_error(&mut self, name: &str, failure: &Failure) -> Result<()> {
        if self.run.node(name).is_some_and(|node| node.status != NodeStatus::Done) {
            self.run.move_node(name, NodeEvent::Complete, self.cause)?;
        }
        let reason = reason(failure);
        self.run.move_node(name, NodeEvent::Err, self.cause.because(&reason))?;
        self.run.walk.last_error_node = Some(name.to_owned());
        self.signal(name, Signal::Error)
    }

    /// Ends the node and the job as FAILED.
    fn fail_node(&mut self, name: &str, failure: &Failure) -> Result<()> {
        self.run.edit(name, |node| {
            node.error_code = Some(failure.code.clone());
            node.error_message = Some(failure.message.clone());
        });
        let reason = reason(failure);
        self.run.move_node(name, NodeEvent::Fail, self.cause.because(&reason))?;
        self.run.row.error_code = Some(failure.code.clone());
        self.run.row.error_message = Some(failure.message.clone());
        self.run.kill_open_nodes(None, self.cause)?;
        self.move_job(JobEvent::Fail)
    }

    fn signal(&mut self, name: &str, signal: Signal<'_>) -> Result<()> {
        let Some(path) = self.run.walk.instance.path_of(name).map(str::to_owned) else {
            return Err(Error::new(ErrorCode::H0001, format!("{}@{name} is on no path", self.run.row.id)));
        };
        let commands = step::signal(&self.run.graph, &mut self.run.walk.instance, &path, signal)?;
        self.copy_transition(name);
        self.perform(commands)
    }
}

fn reason(failure: &Failure) -> String {
    let Failure { code, message, detail, .. } = failure;
    // Some messages begin with their code already.
    let has_code = message.strip_prefix(code.as_str()).is_some_and(|rest| rest.starts_with(':'));
    let text = if has_code { message.clone() } else { format!("{code}: {message}") };
    match detail {
        Some(detail) => format!("{text} ({detail})"),
        None => text,
    }
}
