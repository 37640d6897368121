//! The rerun of many actions that is being done, and its actions.

use crate::model::row::key::CoordinatorKey;
use crate::model::time::Timestamp;

/// The rerun of many actions that is being done, or was interrupted.
#[expect(clippy::struct_excessive_bools, reason = "each is a column of the table")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Repair {
    /// A random word, which no other plan has.
    pub(crate) plan: String,
    pub(crate) created_at: Timestamp,
    pub(crate) actor: String,
    /// The actions are created again from the job's present definition.
    pub(crate) refresh: bool,
    /// Their workflow jobs run again, without the nodes that ended OK.
    pub(crate) failed: bool,
    /// Their outputs are kept.
    pub(crate) nocleanup: bool,
    /// The latest nominal time comes first.
    pub(crate) newest_first: bool,
    /// Properties for their workflow jobs, as a JSON object.
    pub(crate) properties: String,
    /// Whether the outputs are deleted already.
    pub(crate) cleaned: bool,
}

/// An action of that rerun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RepairStep {
    /// Its number in the plan, from 1.
    pub(crate) step: u32,
    pub(crate) coordinator_job: CoordinatorKey,
    /// `None` for a nominal time before the start of the job.
    pub(crate) action_number: Option<u32>,
    pub(crate) nominal_at: Timestamp,
    /// How often the action was rerun before, or the nominal time before the start has run before.
    pub(crate) run: u32,
    /// How many outputs of it the plan deletes.
    pub(crate) outputs: u32,
    /// Whether they are deleted already.
    pub(crate) cleaned: bool,
    pub(crate) done: bool,
}
