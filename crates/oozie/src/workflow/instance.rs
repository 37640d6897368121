//! The state of a run of a workflow: open execution paths, forks that wait for their branches, nodes that were entered.
//!
//! Plain data that the engine stores as JSON; only `step` changes it.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use howdah_words::model::status::WorkflowStatus;

/// The path of everything outside of forks.
pub(crate) const ROOT_PATH: &str = "/";

/// The state of one run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instance {
    /// PREP, RUNNING or the final status; a suspended job's instance stays RUNNING.
    #[serde(serialize_with = "write_status", deserialize_with = "read_status")]
    pub(super) status: WorkflowStatus,
    /// The current node of each open path. The branch of a fork to node `a` has the fork's path followed by `a/`.
    pub(super) paths: BTreeMap<String, String>,
    /// For the path of each open fork: how many branches have not reached the join.
    pub(super) branches: BTreeMap<String, usize>,
    /// Nodes that may not be entered again.
    pub(super) visited: BTreeSet<String>,
    /// The target of each finished node; `*` for a fork.
    pub(super) transitions: BTreeMap<String, String>,
}

impl Instance {
    /// Creates the state of a run that has not started.
    pub fn new() -> Self {
        Self {
            status: WorkflowStatus::Prep,
            paths: BTreeMap::new(),
            branches: BTreeMap::new(),
            visited: BTreeSet::new(),
            transitions: BTreeMap::new(),
        }
    }

    /// Creates the state of a run that has not started and skips the nodes `kept`: their targets are copied from
    /// `self`.
    pub fn again(&self, kept: &BTreeSet<String>) -> Self {
        let known = self.transitions.iter().filter(|(node, _)| kept.contains(*node));
        Self { transitions: known.map(|(node, to)| (node.clone(), to.clone())).collect(), ..Self::new() }
    }

    /// Returns the current node of a path; `None` when the path is not open.
    pub(crate) fn node_at(&self, path: &str) -> Option<&str> {
        self.paths.get(path).map(String::as_str)
    }

    /// Returns the open path whose current node has this name.
    pub fn path_of(&self, node: &str) -> Option<&str> {
        self.paths.iter().find(|(_, at)| *at == node).map(|(path, _)| path.as_str())
    }

    /// Returns the target of a finished node; `*` for a fork.
    pub fn transition_of(&self, node: &str) -> Option<&str> {
        self.transitions.get(node).map(String::as_str)
    }
}

impl Default for Instance {
    fn default() -> Self {
        Self::new()
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn write_status<S: Serializer>(status: &WorkflowStatus, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(status.as_str())
}

fn read_status<'de, D: Deserializer<'de>>(deserializer: D) -> Result<WorkflowStatus, D::Error> {
    let word = String::deserialize(deserializer)?;
    WorkflowStatus::from_word(&word).ok_or_else(|| serde::de::Error::custom(format!("unknown status [{word}]")))
}
