//! Checks whether every fork has its join: the second walk over the graph.
//!
//! Follows Oozie step by step, because the order of the walk decides which fault comes first; it continues from a node
//! only once, however many paths reach it. It needs a graph without loops and dangling transitions, which `validate`
//! ensures before. One deviation: a fork that names one join or kill node twice is refused with E0744, where Oozie
//! accepts it and the job hangs. Follows the workflow specification, section 3.1.5.

use std::collections::HashSet;

use super::definition::{Node, NodeKind, START, Target, Workflow};
use howdah_words::error::{Error, ErrorCode, Result};

/// Walks over the graph; `reached` says, by index, which nodes can be reached from the start node.
///
/// # Errors
/// The first of E0730, E0742, E0743, E0744, E0733, E0757, E0758, E0737 that the walk meets.
pub(super) fn check(workflow: &Workflow, reached: &[bool]) -> Result<()> {
    let count = |wanted: fn(&NodeKind) -> bool| {
        workflow.nodes().iter().zip(reached).filter(|(node, reached)| **reached && wanted(&node.kind)).count()
    };
    let forks = count(|kind| matches!(kind, NodeKind::Fork { .. }));
    let joins = count(|kind| matches!(kind, NodeKind::Join { .. }));
    if forks != joins {
        let counts = format!("forks that can be reached: {forks}, joins: {joins}");
        let error = Error::with(ErrorCode::E0730, &[]).help(counts);
        let first = workflow.nodes().iter().zip(reached).find(|(node, reached)| **reached && is_paired(&node.kind));
        return Err(first.map_or(error.clone(), |(node, _)| error.at(workflow.location(node.span))));
    }
    let Some(start) = workflow.position(START) else { return Ok(()) };
    let mut walk = Walk::new(workflow);
    walk.run(Visit { node: start, from: start, context: Context { fork: None, decision: None, route: Route::Ok } })?;
    walk.repeated_ending.map_or(Ok(()), Err)
}

const fn is_paired(kind: &NodeKind) -> bool {
    matches!(kind, NodeKind::Fork { .. } | NodeKind::Join { .. })
}

/// Whether a node was reached over ok transitions only.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Route {
    Ok,
    Error,
}

/// How a node was reached over ok transitions for the first time.
#[derive(Clone, Copy)]
enum FirstReached {
    Never,
    /// After this first decision, if there was one on the path.
    Behind(Option<usize>),
}

/// What is known of the path to a node.
#[derive(Clone, Copy)]
struct Context {
    /// The innermost fork that is open.
    fork: Option<usize>,
    /// The first decision on the path.
    decision: Option<usize>,
    route: Route,
}

#[derive(Clone, Copy)]
struct Visit {
    node: usize,
    from: usize,
    context: Context,
}

/// The remaining steps, last first.
enum Step {
    Visit(Visit),
    /// All paths of a fork were walked: check its joins and continue after them.
    CloseFork {
        fork: usize,
        outer: Context,
    },
}

struct Walk<'a> {
    workflow: &'a Workflow,
    steps: Vec<Step>,
    /// Nodes whose transitions were followed.
    walked: Vec<bool>,
    reached_by_ok: Vec<FirstReached>,
    /// The fork to which a join belongs.
    claims: Vec<Option<usize>>,
    /// The joins of a fork.
    joins: Vec<Vec<usize>>,
    /// A fork with one join or kill node twice: the fault to report when there is no other.
    repeated_ending: Option<Error>,
}

impl<'a> Walk<'a> {
    fn new(workflow: &'a Workflow) -> Self {
        let nodes = workflow.nodes().len();
        Self {
            workflow,
            steps: Vec::new(),
            walked: vec![false; nodes],
            reached_by_ok: vec![FirstReached::Never; nodes],
            claims: vec![None; nodes],
            joins: vec![Vec::new(); nodes],
            repeated_ending: None,
        }
    }

    fn run(&mut self, start: Visit) -> Result<()> {
        self.steps.push(Step::Visit(start));
        while let Some(step) = self.steps.pop() {
            match step {
                Step::Visit(visit) => self.visit(visit)?,
                Step::CloseFork { fork, outer } => self.close_fork(fork, outer)?,
            }
        }
        Ok(())
    }

    fn visit(&mut self, visit: Visit) -> Result<()> {
        let Visit { node: position, from, context } = visit;
        let workflow = self.workflow;
        let node = &workflow.nodes()[position];
        let ending = matches!(node.kind, NodeKind::Join { .. } | NodeKind::End);
        if context.route == Route::Ok && !ending && !matches!(node.kind, NodeKind::Kill { .. }) {
            self.reach_by_ok(position, context.decision)?;
        }
        if self.walked[position] {
            return Ok(());
        }
        self.walked[position] = !ending;
        match &node.kind {
            NodeKind::Start { .. } => self.push_targets(position, context),
            NodeKind::End if context.fork.is_some() => {
                let before = &workflow.nodes()[from];
                let place = before.targets().into_iter().find(|target| target.name == node.name);
                let span = place.map_or(before.span, |target| target.span);
                let error = Error::with(ErrorCode::E0737, &[&before.name, &node.name]);
                return Err(error.at(workflow.location(span)));
            }
            NodeKind::End | NodeKind::Kill { .. } => {}
            NodeKind::Join { .. } => self.claim(position, context.fork)?,
            NodeKind::Decision { .. } => {
                let decision = context.decision.or(Some(position));
                self.push_targets(position, Context { decision, ..context });
            }
            NodeKind::Action(action) => {
                self.push_target(position, &action.error, Context { route: Route::Error, ..context });
                self.push_target(position, &action.ok, context);
            }
            NodeKind::Fork { paths } => {
                self.check_paths(node, paths)?;
                self.steps.push(Step::CloseFork { fork: position, outer: context });
                self.push_targets(position, Context { fork: Some(position), ..context });
            }
        }
        Ok(())
    }

    /// Two paths of ok transitions may meet in a node only when the same decision separated them.
    fn reach_by_ok(&mut self, position: usize, decision: Option<usize>) -> Result<()> {
        match self.reached_by_ok[position] {
            FirstReached::Behind(first) if first.is_none() || first != decision => {
                Err(self.fault(ErrorCode::E0743, position, &[]))
            }
            FirstReached::Behind(_) => Ok(()),
            FirstReached::Never => {
                self.reached_by_ok[position] = FirstReached::Behind(decision);
                Ok(())
            }
        }
    }

    fn check_paths(&mut self, fork: &Node, paths: &[Target]) -> Result<()> {
        let mut seen = HashSet::new();
        for path in paths.iter().filter(|path| !seen.insert(path.name.as_str())) {
            let error = Error::with(ErrorCode::E0744, &[&fork.name, &path.name]).at(self.workflow.location(path.span));
            let target = self.workflow.node(&path.name).map(|node| &node.kind);
            if !matches!(target, Some(NodeKind::Join { .. } | NodeKind::Kill { .. })) {
                return Err(error);
            }
            let help = "the join would wait without end for the second path; remove one of them";
            self.repeated_ending.get_or_insert(error.help(help));
        }
        Ok(())
    }

    fn claim(&mut self, join: usize, fork: Option<usize>) -> Result<()> {
        let Some(fork) = fork else { return Err(self.fault(ErrorCode::E0742, join, &[])) };
        match self.claims[join] {
            None => {
                self.claims[join] = Some(fork);
                self.joins[fork].push(join);
                Ok(())
            }
            Some(owner) if owner == fork => Ok(()),
            Some(owner) => Err(self.fault(ErrorCode::E0758, join, &[owner, fork])),
        }
    }

    fn close_fork(&mut self, fork: usize, outer: Context) -> Result<()> {
        match self.joins[fork].as_slice() {
            [] => Err(self.fault(ErrorCode::E0733, fork, &[])),
            [join] => {
                self.push_targets(*join, outer);
                Ok(())
            }
            joins => Err(self.fault(ErrorCode::E0757, fork, joins)),
        }
    }

    fn push_targets(&mut self, position: usize, context: Context) {
        for target in self.workflow.nodes()[position].targets().into_iter().rev() {
            self.push_target(position, target, context);
        }
    }

    fn push_target(&mut self, from: usize, target: &Target, context: Context) {
        if let Some(node) = self.workflow.position(&target.name) {
            self.steps.push(Step::Visit(Visit { node, from, context }));
        }
    }

    /// Builds a fault of one node, with the names of the other nodes involved.
    fn fault(&self, code: ErrorCode, position: usize, others: &[usize]) -> Error {
        let name = |position: &usize| self.workflow.nodes()[*position].name.as_str();
        let others: Vec<&str> = others.iter().map(name).collect();
        let error = Error::with(code, &[&name(&position), &format!("[{}]", others.join(","))]);
        error.at(self.workflow.location(self.workflow.nodes()[position].span))
    }
}

#[cfg(test)]
mod all_paths;
#[cfg(test)]
mod tests;
