//! Kills the work of one node of a workflow job, while the job continues, as `yarn application -kill` does for one
//! action.
//!
//! Decides which nodes have work that can be ended; for every other node it reports why not and what to do instead. The
//! runner ends the work and decides what follows: retries first, then the error transition.

use crate::apply::invocation::Invocation;
use crate::apply::outcome::{NodeChange, NodeWork, Outcome};
use crate::apply::workflow::{self, Ended};
use crate::format::time;
use crate::lookup::unknown;
use crate::transition::cause::Cause;
use crate::{Engine, stored_graph};
use howdah_oozie::workflow::definition::NodeKind;
use howdah_store::Transaction;
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::effect::Effect;
use howdah_words::model::id::JobId;
use howdah_words::model::origin::Origin;
use howdah_words::model::row::{WorkflowJob, WorkflowNode};
use howdah_words::model::status::{NodeStatus, WorkflowStatus};
use howdah_words::model::time::Timestamp;

/// Requests the end of one node's work; the outcome says why nothing was done when none is running.
///
/// # Errors
/// E0604 when there is no such job, E0605 when its definition has no such node, or a failure of the database.
pub fn kill(engine: &mut Engine, id: &JobId, name: &str, when: (Effect, Timestamp)) -> Result<Outcome> {
    let given = Invocation::new(Origin::Kill, when)?;
    engine.store.transact_for(given.effect, |transaction| {
        let job = transaction.workflow_job(id)?.ok_or_else(|| unknown(id))?;
        let node = transaction.workflow_node(job.job, name)?;
        match &node {
            Some(node) if node.status == NodeStatus::Running => kill_running(transaction, &job, node, given.cause()),
            _ => Ok(why_idle(transaction, &job, name, node.as_ref())?.outcome(id, name)),
        }
    })
}

fn kill_running(
    transaction: &Transaction<'_>,
    job: &WorkflowJob,
    node: &WorkflowNode,
    cause: Cause<'_>,
) -> Result<Outcome> {
    Ok(match workflow::kill_work(transaction, job, node, cause)? {
        Ended::Attempt(attempt) => changed(job, node, NodeWork::Attempt { attempt }),
        Ended::Child(child) => changed(job, node, NodeWork::SubWorkflow { external_id: child.to_string() }),
        Ended::AskedBefore(at) => Idle::requested(at).outcome(&job.id, &node.name),
        Ended::Nothing => idle((&job.id, job.status), (node.status, None)).outcome(&job.id, &node.name),
    })
}

/// Returns why nothing of a node that is not RUNNING can be ended; E0605 when the definition has no such node.
fn why_idle(transaction: &Transaction<'_>, job: &WorkflowJob, name: &str, node: Option<&WorkflowNode>) -> Result<Idle> {
    let graph = stored_graph::graph(transaction, job)?;
    let defined = graph.node(name).ok_or_else(|| stored_graph::no_such_node(job, &graph, name))?;
    Ok(match (&defined.kind, node) {
        (NodeKind::Action(_), Some(node)) => idle((&job.id, job.status), (node.status, node.retry_at)),
        (NodeKind::Action(_), None) => not_reached((&job.id, job.status)),
        _ => Idle::because("a control node has no work that can be ended"),
    })
}

fn changed(job: &WorkflowJob, node: &WorkflowNode, work: NodeWork) -> Outcome {
    let mut outcome = Outcome::of(&job.id);
    let id = format!("{}@{}", job.id, node.name);
    outcome.nodes.push(NodeChange { id, name: node.name.clone(), status: node.status.to_string(), work });
    if job.status == WorkflowStatus::Suspended {
        outcome.note(format!("{0} is SUSPENDED: what follows waits for `howdah resume {0}`", job.id));
    }
    outcome
}

/// Why a node has no work that can be ended, and what can be done.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Idle {
    why: String,
    help: Option<String>,
}

impl Idle {
    fn because(why: impl Into<String>) -> Self {
        Self { why: why.into(), help: None }
    }

    fn help(self, help: String) -> Self {
        Self { help: Some(help), ..self }
    }

    fn requested(at: Timestamp) -> Self {
        let idle = Self::because(format!("its end was requested at {}", time(at)));
        idle.help("a command that ignores the request is soon killed".to_owned())
    }

    fn outcome(self, job: &JobId, node: &str) -> Outcome {
        let error = Error::plain(ErrorCode::E0725, format!("{job}@{node} was not killed: {}", self.why));
        Outcome::not_done(job, if let Some(help) = self.help { error.help(help) } else { error })
    }
}

/// Returns the reason for a node that the job has not reached.
fn not_reached((id, status): (&JobId, WorkflowStatus)) -> Idle {
    if status.is_terminal() {
        return Idle::because(format!("the job ended as {status} without reaching it"));
    }
    Idle::because(format!("the job has not reached it, it is {status}")).help(whole_job(id))
}

/// Returns the reason for a node that was reached and has no running work; `retry_at` is the time of its next try.
fn idle((id, job): (&JobId, WorkflowStatus), (node, retry_at): (NodeStatus, Option<Timestamp>)) -> Idle {
    let is_suspended = job == WorkflowStatus::Suspended;
    let again = |why: &str| {
        let at = retry_at.map(|at| format!(" at {}", time(at))).unwrap_or_default();
        let hold = if is_suspended { String::new() } else { format!(", `howdah suspend {id}` holds it back") };
        Idle::because(format!("nothing of it runs, {why}{at}")).help(format!("{}{hold}", whole_job(id)))
    };
    match node {
        NodeStatus::Ok | NodeStatus::Error | NodeStatus::Killed | NodeStatus::Failed => {
            Idle::because(format!("it has ended as {node}"))
        }
        NodeStatus::Prep => Idle::because(format!("it has not started, its job is {job}")).help(whole_job(id)),
        NodeStatus::UserRetry => again("it failed and is tried again"),
        NodeStatus::StartRetry => again("it could not be started and is tried again"),
        NodeStatus::StartManual => Idle::because("nothing of it runs, it cannot be started")
            .help(format!("{}, `howdah resume {id}` tries again", whole_job(id))),
        NodeStatus::Running | NodeStatus::Done | NodeStatus::EndRetry | NodeStatus::EndManual => {
            let idle = Idle::because("its work has ended already");
            if is_suspended { idle.help(format!("what follows waits for `howdah resume {id}`")) } else { idle }
        }
    }
}

fn whole_job(id: &JobId) -> String {
    format!("`howdah kill {id}` ends the whole job")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(idle: Idle, why: &str, help: &str) {
        let outcome = idle.outcome(&JobId::parse("1-oozie-oozi-W").unwrap(), "a");
        let error = outcome.not_done.expect("nothing is done");
        assert_eq!(error.to_string(), format!("E0725: 1-oozie-oozi-W@a was not killed: {why}"));
        assert_eq!(error.help_text().unwrap_or_default(), help);
    }

    #[test]
    fn what_cannot_be_killed_says_why_and_what_to_do() {
        use {NodeStatus as N, WorkflowStatus as W};
        let id = &JobId::parse("1-oozie-oozi-W").unwrap();
        let kill = "`howdah kill 1-oozie-oozi-W` ends the whole job";
        let at = Some(Timestamp::EPOCH);
        let tried = "is tried again at 1970-01-01T00:00Z";
        for (job, node, why, help) in [
            (W::Running, N::Ok, "it has ended as OK", String::new()),
            (W::Killed, N::Killed, "it has ended as KILLED", String::new()),
            (W::Suspended, N::Prep, "it has not started, its job is SUSPENDED", kill.to_owned()),
            (
                W::Running,
                N::UserRetry,
                &format!("nothing of it runs, it failed and {tried}"),
                format!("{kill}, `howdah suspend 1-oozie-oozi-W` holds it back"),
            ),
            (
                W::Suspended,
                N::StartRetry,
                &format!("nothing of it runs, it could not be started and {tried}"),
                kill.to_owned(),
            ),
            (
                W::Suspended,
                N::StartManual,
                "nothing of it runs, it cannot be started",
                format!("{kill}, `howdah resume 1-oozie-oozi-W` tries again"),
            ),
            (W::Running, N::Done, "its work has ended already", String::new()),
            (
                W::Suspended,
                N::Done,
                "its work has ended already",
                "what follows waits for `howdah resume 1-oozie-oozi-W`".to_owned(),
            ),
        ] {
            check(idle((id, job), (node, at)), why, &help);
        }
        check(not_reached((id, W::Running)), "the job has not reached it, it is RUNNING", kill);
        check(not_reached((id, W::Failed)), "the job ended as FAILED without reaching it", "");
        let requested = "its end was requested at 1970-01-01T00:00Z";
        check(Idle::requested(Timestamp::EPOCH), requested, "a command that ignores the request is soon killed");
    }
}
