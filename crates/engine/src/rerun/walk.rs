//! The stored state of a workflow job in its graph that is neither in its nodes nor in its row.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use howdah_oozie::workflow::instance::Instance;
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::row::WorkflowJob;

/// The part of a run that is neither in a node nor in the job's row.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Walk {
    pub instance: Instance,
    /// The last node of this run that ended as ERROR.
    pub last_error_node: Option<String>,
    /// The nodes that this run skips: they keep the state of the run before.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub kept: BTreeSet<String>,
    /// How many starts of a node failed before its work began, in this run.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) failed_starts: BTreeMap<String, u32>,
    /// How many attempts of a node were taken back before they started, because the job was suspended.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub recalled: BTreeMap<String, u32>,
    /// For sub-workflow nodes that run again: the id of the child that is rerun instead of a new one.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub children: BTreeMap<String, String>,
}

impl Walk {
    /// Returns the state of a stored job.
    ///
    /// # Errors
    /// E0710 for a text that howdah did not write.
    pub fn of(row: &WorkflowJob) -> Result<Self> {
        let Some(text) = &row.instance else { return Ok(Self::default()) };
        serde_json::from_str(text).map_err(|error| Error::new(ErrorCode::E0710, error))
    }

    /// Returns the text that is stored.
    pub fn text(&self) -> String {
        serde_json::to_string(self).expect("a walk becomes JSON")
    }
}
