//! What the kill node says at which a workflow job ended.

use serde::Serialize;

use crate::query::context::Query;
use howdah_words::error::Result;
use howdah_words::model::node_type::NodeType;
use howdah_words::model::row::{AttemptKey, WorkflowJob, WorkflowNode};

/// The message of a kill node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KillMessage {
    /// The node, `WF@name`.
    pub id: String,
    pub message: String,
    /// The coordinator action whose workflow job it ended.
    #[serde(rename = "actionId", skip_serializing_if = "Option::is_none")]
    pub action_id: Option<String>,
    /// The last attempt of that workflow job, whose output it follows.
    #[serde(skip)]
    pub after: Option<AttemptKey>,
}

impl KillMessage {
    /// What a node says, if it is a kill node.
    pub fn of(job: &WorkflowJob, node: &WorkflowNode) -> Option<Self> {
        let message =
            node.error_message.as_ref().filter(|message| node.kind == NodeType::Kill && !message.is_empty())?;
        Some(Self { id: format!("{}@{}", job.id, node.name), message: message.clone(), action_id: None, after: None })
    }
}

impl Query<'_> {
    /// What the kill node says at which the present run of a job ended.
    pub fn kill_message(&self, job: &WorkflowJob) -> Result<Option<KillMessage>> {
        let nodes = self.snapshot.workflow_nodes(job.job)?;
        Ok(nodes.iter().filter(|node| node.run == job.run).find_map(|node| KillMessage::of(job, node)))
    }
}
