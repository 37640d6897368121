//! What the definition of a workflow says about its nodes and no run of it changes: retries and credentials.

use std::collections::HashMap;

use crate::query::context::Query;
use howdah_engine::settings::Settings;
use howdah_engine::stored_graph::graph;
use howdah_oozie::workflow::definition::{Node, NodeKind};
use howdah_oozie::workflow::user_retry::{RetryAttributes, RetryPlan};
use howdah_words::error::Result;
use howdah_words::model::id::JobId;

/// What the definition says about a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeSettings {
    /// How often it is tried again after an error that allows it.
    pub retry_max: u32,
    /// The minutes between two tries.
    pub retry_interval: u32,
    /// The names of its credentials.
    pub cred: Option<String>,
}

impl NodeSettings {
    /// Reads the settings of a node. A number that is none ends the node when it starts; until then it has no retries.
    fn of(node: &Node, settings: &Settings) -> Self {
        let (retry, cred) = match &node.kind {
            NodeKind::Action(action) => (action.retry.clone(), action.cred.clone()),
            _ => (RetryAttributes { max: Some("0".to_owned()), ..RetryAttributes::default() }, None),
        };
        let plan = RetryPlan::new(&retry, &settings.retry).ok();
        let (retry_max, retry_interval) = plan.map_or((0, 0), |plan| plan.numbers());
        Self { retry_max, retry_interval, cred }
    }
}

impl Query<'_> {
    /// Returns what the definition says about each node. A definition that cannot be read any more hides nothing else.
    ///
    /// # Errors
    /// E0604 when there is no such job.
    pub fn node_settings(&self, id: &JobId) -> Result<HashMap<String, NodeSettings>> {
        let job = self.workflow_job(id)?;
        let Ok(graph) = graph(self.snapshot, &job) else { return Ok(HashMap::new()) };
        let of = |node: &Node| (node.name.clone(), NodeSettings::of(node, self.settings));
        Ok(graph.nodes().iter().map(of).collect())
    }
}
