//! The reruns that are being done, and their actions and workflow jobs.

use crate::model::row::key::{BundleKey, CoordinatorKey, WorkflowKey};
use crate::model::time::Timestamp;

/// A rerun that is being done, or was interrupted.
#[expect(clippy::struct_excessive_bools, reason = "each is a column of the table")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// A random word, which no other plan has.
    pub plan: String,
    pub created_at: Timestamp,
    pub actor: String,
    /// The actions are created again from the job's present definition.
    pub refresh: bool,
    /// Their workflow jobs run again, without the nodes that ended OK.
    pub failed: bool,
    /// Their outputs are kept.
    pub nocleanup: bool,
    /// The latest nominal time comes first.
    pub newest_first: bool,
    /// Properties for their workflow jobs, as a JSON object.
    pub properties: String,
    /// Whether the outputs are deleted already.
    pub cleaned: bool,
    /// No person at a terminal began it, so the next tick continues it.
    pub unattended: bool,
    /// The reason of the failure policy; `None`: the actor gave the command.
    pub reason: Option<String>,
    /// The bundle that is opened again with its coordinators.
    pub bundle_job: Option<BundleKey>,
}

/// Returns how many actions and workflow jobs steps are, such as `4 actions and 1 workflow job`.
pub fn steps_in_words(steps: &[RepairStep]) -> String {
    let workflows = steps.iter().filter(|step| step.workflow_job.is_some()).count();
    let number = |number: usize, noun: &str| format!("{number} {noun}{}", if number == 1 { "" } else { "s" });
    let (actions, jobs) = (number(steps.len() - workflows, "action"), number(workflows, "workflow job"));
    match (steps.len() - workflows, workflows) {
        (_, 0) => actions,
        (0, _) => jobs,
        _ => format!("{actions} and {jobs}"),
    }
}

/// An action or a workflow job of a rerun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepairStep {
    /// The word of its plan.
    pub plan: String,
    /// Its number in the plan, from 1.
    pub step: u32,
    /// The job of the action; `None` for a workflow job.
    pub coordinator_job: Option<CoordinatorKey>,
    /// `None` for a workflow job, and for a nominal time before the start of the coordinator job.
    pub action_number: Option<u32>,
    pub workflow_job: Option<WorkflowKey>,
    /// When a workflow job was created.
    pub nominal_at: Timestamp,
    /// How often the action or the workflow job was rerun before, or the nominal time before the start has run before.
    pub run: u32,
    /// How many outputs of it the plan deletes.
    pub outputs: u32,
    /// Whether they are deleted already.
    pub cleaned: bool,
    pub done: bool,
}
