//! One step of a run: a node finished; which nodes are next.
//!
//! A pure function of the graph and the [`Instance`]; it returns commands and executes none. As in Oozie, a node is
//! entered once per run, a join completes with its last branch, and a branch that reaches an end or a kill node ends
//! the job for all branches. The engine decides whether a node has to wait because the job is suspended.

use std::collections::HashSet;

use super::definition::{Action, Case, Node, NodeKind, START, Target, Workflow};
use super::instance::{Instance, ROOT_PATH};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::status::WorkflowStatus;

/// How a node finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal<'a> {
    /// A control node or an action is done.
    Ok,
    /// An action ended with an error.
    Error,
    /// A decision chose this target.
    Decision(&'a str),
}

/// What the engine has to do, in this order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Create the record of the node and run it: a control node is done at once and signals [`Signal::Ok`] on `path`, a
    /// decision is evaluated, an action needs an attempt. To be dropped when the job ends before the command's turn.
    Enter { node: String, path: String },
    /// Kill these decisions and actions of other branches; one that has no record yet is skipped.
    Kill { nodes: Vec<String> },
    /// The job ends with this status; with an error when the graph could not be followed.
    End { status: WorkflowStatus, error: Option<Error> },
}

/// Starts a run at the start node.
///
/// # Errors
/// E0801 when the instance was started before.
pub fn start(workflow: &Workflow, instance: &mut Instance) -> Result<Vec<Command>> {
    if instance.status != WorkflowStatus::Prep {
        return Err(Error::new(ErrorCode::E0801, instance.status));
    }
    instance.status = WorkflowStatus::Running;
    Ok(Step { workflow, instance, commands: Vec::new() }.run(|step| step.enter(START, ROOT_PATH)))
}

/// Continues after the current node of `path`.
///
/// A fault of the graph at run time (E0709, E0720, E0721, E0722, E0708) is not an error here: it ends the job as
/// FAILED, and the last command says so.
///
/// # Errors
/// E0716 when the run is not in progress, or `path` has no current node: a bug of the engine.
pub fn signal(workflow: &Workflow, instance: &mut Instance, path: &str, signal: Signal<'_>) -> Result<Vec<Command>> {
    if instance.status != WorkflowStatus::Running {
        return Err(Error::new(ErrorCode::E0716, instance.status));
    }
    let Some(name) = instance.node_at(path).map(str::to_owned) else {
        return Err(Error::new(ErrorCode::E0716, format!("no node at {path}")));
    };
    let step = Step { workflow, instance, commands: Vec::new() };
    Ok(step.run(|step| step.leave(&name, path, signal)))
}

struct Step<'a> {
    workflow: &'a Workflow,
    instance: &'a mut Instance,
    commands: Vec<Command>,
}

impl Step<'_> {
    /// Executes one move; a fault in it fails the job.
    fn run(mut self, make_move: impl FnOnce(&mut Self) -> Result<()>) -> Vec<Command> {
        if let Err(error) = make_move(&mut self) {
            self.end(WorkflowStatus::Failed, Some(error));
        }
        self.commands
    }

    fn enter(&mut self, name: &str, path: &str) -> Result<()> {
        let Some(node) = self.workflow.node(name) else {
            return Err(Error::with(ErrorCode::E0708, &[&path, &name]));
        };
        let only_once = match &node.kind {
            NodeKind::Join { .. } if !self.arrive(node, path)? => return Ok(()),
            NodeKind::Join { .. } | NodeKind::Decision { .. } | NodeKind::Action(_) => true,
            NodeKind::Start { .. } | NodeKind::End | NodeKind::Kill { .. } | NodeKind::Fork { .. } => false,
        };
        if only_once && !self.instance.visited.insert(name.to_owned()) {
            return Err(Error::new(ErrorCode::E0709, name));
        }
        self.instance.paths.insert(path.to_owned(), name.to_owned());
        self.commands.push(Command::Enter { node: name.to_owned(), path: path.to_owned() });
        Ok(())
    }

    /// Counts a branch that reached its join; returns true for the last one.
    fn arrive(&mut self, join: &Node, path: &str) -> Result<bool> {
        let fork_path = parent_path(path).unwrap_or_default();
        let Some(left) = self.instance.branches.get_mut(fork_path) else {
            return Err(Error::new(ErrorCode::E0720, &join.name));
        };
        *left = left.saturating_sub(1);
        if *left > 0 {
            return Ok(false);
        }
        self.instance.branches.remove(fork_path);
        Ok(true)
    }

    fn leave(&mut self, name: &str, path: &str, signal: Signal<'_>) -> Result<()> {
        let Some(node) = self.workflow.node(name) else {
            return Err(Error::with(ErrorCode::E0708, &[&path, &name]));
        };
        self.instance.paths.remove(path);
        match &node.kind {
            NodeKind::Start { to } => self.go(node, to, path),
            NodeKind::End => {
                self.end(WorkflowStatus::Succeeded, None);
                Ok(())
            }
            NodeKind::Kill { .. } => {
                self.end(WorkflowStatus::Killed, None);
                Ok(())
            }
            NodeKind::Decision { cases, default } => {
                let target = chosen(node, cases, default, signal)?;
                self.go(node, target, path)
            }
            NodeKind::Action(action) => {
                let target = ended(node, action, signal)?;
                self.go(node, target, path)
            }
            NodeKind::Fork { paths } => self.split(node, paths, path),
            NodeKind::Join { to } => self.go(node, to, parent_path(path).unwrap_or(ROOT_PATH)),
        }
    }

    fn go(&mut self, node: &Node, to: &Target, path: &str) -> Result<()> {
        self.instance.transitions.insert(node.name.clone(), to.name.clone());
        self.enter(&to.name, path)
    }

    /// Opens a path for each different target; without the check of forks two of them may be the same.
    fn split(&mut self, fork: &Node, targets: &[Target], path: &str) -> Result<()> {
        self.instance.transitions.insert(fork.name.clone(), "*".to_owned());
        let mut names: Vec<&str> = Vec::new();
        for target in targets {
            if !names.contains(&target.name.as_str()) {
                names.push(&target.name);
            }
        }
        self.instance.branches.insert(path.to_owned(), names.len());
        names.into_iter().try_for_each(|name| self.enter(name, &format!("{path}{name}/")))
    }

    /// Ends the run: all other branches are killed. A node that was entered in this same move has no record yet, so it
    /// is dropped instead of killed.
    fn end(&mut self, status: WorkflowStatus, error: Option<Error>) {
        let entered: HashSet<String> = self.commands.drain(..).filter_map(Command::into_entered).collect();
        let open = std::mem::take(&mut self.instance.paths).into_values();
        let is_work = |name: &String| self.workflow.node(name).is_some_and(|node| !node.kind.is_control());
        let nodes: Vec<String> = open.filter(|name| is_work(name) && !entered.contains(name)).collect();
        self.instance.status = status;
        self.instance.branches.clear();
        if !nodes.is_empty() {
            self.commands.push(Command::Kill { nodes });
        }
        self.commands.push(Command::End { status, error });
    }
}

impl Command {
    fn into_entered(self) -> Option<String> {
        match self {
            Self::Enter { node, .. } => Some(node),
            Self::Kill { .. } | Self::End { .. } => None,
        }
    }
}

/// Returns the target of a decision's signal: one of those it names.
fn chosen<'a>(node: &Node, cases: &'a [Case], default: &'a Target, signal: Signal<'_>) -> Result<&'a Target> {
    let target = match signal {
        Signal::Decision(name) => cases.iter().map(|case| &case.to).chain([default]).find(|to| to.name == name),
        Signal::Ok | Signal::Error => None,
    };
    target.ok_or_else(|| Error::with(ErrorCode::E0721, &[&node.name, &signal_text(signal)]))
}

/// Returns the target of an action's signal.
fn ended<'a>(node: &Node, action: &'a Action, signal: Signal<'_>) -> Result<&'a Target> {
    match signal {
        Signal::Ok => Ok(&action.ok),
        Signal::Error => Ok(&action.error),
        Signal::Decision(_) => Err(Error::with(ErrorCode::E0722, &[&node.name, &signal_text(signal)])),
    }
}

fn signal_text(signal: Signal<'_>) -> &str {
    match signal {
        Signal::Ok => "OK",
        Signal::Error => "ERROR",
        Signal::Decision(target) => target,
    }
}

/// Returns `/a/` of `/a/b/`; `None` for the root.
fn parent_path(path: &str) -> Option<&str> {
    let inner = path.strip_suffix('/')?;
    inner.rfind('/').map(|slash| &inner[..=slash])
}

#[cfg(test)]
mod random_runs;
#[cfg(test)]
mod tests;
