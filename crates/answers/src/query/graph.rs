//! The graph of a workflow job, with what the job has reached of it.

use std::collections::HashMap;

use crate::query::context::Query;
use howdah_engine::stored_graph::graph;
use howdah_oozie::workflow::definition::{Node, NodeKind, START};
use howdah_words::error::Result;
use howdah_words::model::id::JobId;
use howdah_words::model::node_type::NodeType;
use howdah_words::model::row::WorkflowNode;
use howdah_words::model::status::NodeStatus;

/// A node of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphNode {
    pub name: String,
    pub kind: NodeType,
    /// `None` when the job has not reached it.
    pub status: Option<NodeStatus>,
    pub edges: Vec<GraphEdge>,
}

/// A transition between two nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphEdge {
    /// The place of the target among the nodes.
    pub to: usize,
    /// Whether an action takes it when it fails.
    pub is_error: bool,
    /// Whether the job took it.
    pub is_taken: bool,
}

impl Query<'_> {
    /// Returns the nodes of a workflow job in document order.
    ///
    /// # Errors
    /// E0604 when there is no such job, E0710 when its definition cannot be read any more.
    pub fn graph(&self, id: &JobId) -> Result<Vec<GraphNode>> {
        let job = self.workflow_job(id)?;
        let definition = graph(self.snapshot, &job)?;
        let rows = self.snapshot.workflow_nodes(job.job)?;
        let reached: HashMap<&str, &WorkflowNode> = rows.iter().map(|row| (row.name.as_str(), row)).collect();
        let view = |node: &Node| {
            let row = reached.get(node.name.as_str()).copied();
            let edges = targets(node).into_iter().filter_map(|(name, is_error)| {
                let to = definition.position(name)?;
                Some(GraphEdge { to, is_error, is_taken: takes(row, name) && reached.contains_key(name) })
            });
            GraphNode {
                name: node.name.clone(),
                kind: node.kind.node_type(),
                status: row.map(|row| row.status),
                edges: edges.collect(),
            }
        };
        Ok(definition.nodes().iter().map(view).collect())
    }
}

/// Returns the names of the nodes that may follow, each once, and whether that is after a failure.
fn targets(node: &Node) -> Vec<(&str, bool)> {
    if let NodeKind::Action(action) = &node.kind {
        return vec![(&action.ok.name, false), (&action.error.name, true)];
    }
    let mut found: Vec<(&str, bool)> = Vec::new();
    for target in node.targets() {
        if !found.iter().any(|(name, _)| *name == target.name) {
            found.push((&target.name, false));
        }
    }
    found
}

/// Returns whether a node that was reached took the transition to a node; a fork takes all of its transitions.
fn takes(row: Option<&WorkflowNode>, to: &str) -> bool {
    let Some(row) = row else { return false };
    match row.transition.as_deref() {
        Some(transition) => transition == to || transition == "*",
        None => row.name == START,
    }
}
