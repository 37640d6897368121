//! What a workflow job would do: its nodes with their transitions, and its configuration.
//!
//! Nothing is evaluated: which transition a decision or an action takes, only a run can tell.

use serde::Serialize;

use crate::engine::settings::Settings;
use crate::engine::workflow::create::{self, PreparedWorkflow};
use crate::error::Error;
use crate::model::Properties;
use crate::workflow::definition::{Node, NodeKind, Target};
use crate::xml;

/// A workflow job as it would be stored; under Oozie's names for other programs.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct DryWorkflow {
    #[serde(rename = "appName")]
    pub(crate) name: String,
    #[serde(rename = "appPath")]
    pub(crate) path: String,
    #[serde(rename = "conf")]
    pub(crate) configuration: Properties,
    /// In document order, the start node first.
    pub(crate) nodes: Vec<DryNode>,
}

/// A node of the graph.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct DryNode {
    pub(crate) name: String,
    /// Oozie's word for what it is: `:START:`, `switch`, or the type of the action.
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
    /// In the order in which they are looked at.
    pub(crate) transitions: Vec<DryTransition>,
}

/// Where a node leads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct DryTransition {
    /// When: `to`, `ok`, `error`, `default`, `path`, or the predicate of a case as written.
    pub(crate) on: String,
    pub(crate) to: String,
}

/// What a prepared workflow would do.
///
/// # Errors
/// What [`create::check`] refuses.
pub(crate) fn workflow(prepared: &PreparedWorkflow, settings: &Settings) -> Result<DryWorkflow, Vec<Error>> {
    let document = xml::read(&prepared.source)?;
    let (graph, problems) = create::check(&document, &prepared.configuration, settings);
    let graph = graph.ok_or(problems)?;
    Ok(DryWorkflow {
        name: prepared.name.clone(),
        path: prepared.app_path.clone(),
        configuration: prepared.configuration.clone(),
        nodes: graph.nodes().iter().map(node).collect(),
    })
}

fn node(node: &Node) -> DryNode {
    let words: Vec<String> = match &node.kind {
        NodeKind::End | NodeKind::Kill { .. } => Vec::new(),
        NodeKind::Start { .. } | NodeKind::Join { .. } => vec!["to".to_owned()],
        NodeKind::Decision { cases, .. } => {
            cases.iter().map(|case| case.predicate.value.trim().to_owned()).chain(["default".to_owned()]).collect()
        }
        NodeKind::Fork { paths } => vec!["path".to_owned(); paths.len()],
        NodeKind::Action(_) => vec!["ok".to_owned(), "error".to_owned()],
    };
    let transition = |(on, to): (String, &Target)| DryTransition { on, to: to.name.clone() };
    DryNode {
        name: node.name.clone(),
        kind: node.kind.type_name(),
        transitions: words.into_iter().zip(node.targets()).map(transition).collect(),
    }
}
