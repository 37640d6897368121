//! A workflow definition as a graph: nodes in document order, each with its targets.
//!
//! Contains what `parse` found and nothing about any run of it. Expressions in action bodies, predicates and messages
//! stay unevaluated. Follows the workflow specification, section 3.

use std::collections::HashMap;
use std::sync::Arc;

use super::user_retry::RetryAttributes;
use howdah_words::error::{Location, SourceText, Span};
use howdah_words::model::node_type::NodeType;
use howdah_xml::{Element, Text};

pub use howdah_words::model::node_type::ActionKind;

/// The reserved name of the start node.
pub const START: &str = ":start:";

/// A workflow application.
#[derive(Clone, Debug)]
pub struct Workflow {
    /// The `name` attribute, which may contain expressions over the job's properties.
    pub name: Text,
    /// The `global` section.
    pub global: Option<Element>,
    /// The `credentials` section.
    pub credentials: Option<Element>,
    source: Arc<SourceText>,
    nodes: Vec<Node>,
    positions: HashMap<String, usize>,
}

/// A node of the graph.
#[derive(Clone, Debug)]
pub struct Node {
    pub name: String,
    /// The place of the element.
    pub span: Span,
    pub kind: NodeKind,
}

/// What a node does.
#[derive(Clone, Debug)]
pub enum NodeKind {
    Start { to: Target },
    End,
    Kill { message: Text },
    Decision { cases: Vec<Case>, default: Target },
    Fork { paths: Vec<Target> },
    Join { to: Target },
    Action(Box<Action>),
}

/// The target of a transition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    pub name: String,
    /// The place of the name.
    pub span: Span,
}

/// One `case` of a decision.
#[derive(Clone, Debug)]
pub struct Case {
    pub to: Target,
    pub predicate: Text,
}

/// An action node.
#[derive(Clone, Debug)]
pub struct Action {
    pub kind: ActionKind,
    /// The element of the action's type, unevaluated.
    pub body: Element,
    /// The names of credentials, as written.
    pub cred: Option<String>,
    pub ok: Target,
    pub error: Target,
    /// The retry attributes, evaluated over the job's properties.
    pub retry: RetryAttributes,
}

impl NodeKind {
    /// Returns the type of the node, without what it leads to.
    pub const fn node_type(&self) -> NodeType {
        match self {
            Self::Start { .. } => NodeType::Start,
            Self::End => NodeType::End,
            Self::Kill { .. } => NodeType::Kill,
            Self::Decision { .. } => NodeType::Decision,
            Self::Fork { .. } => NodeType::Fork,
            Self::Join { .. } => NodeType::Join,
            Self::Action(action) => NodeType::Action(action.kind),
        }
    }

    /// Returns whether the node finishes at once: all except decisions and actions.
    pub const fn is_control(&self) -> bool {
        !matches!(self, Self::Decision { .. } | Self::Action(_))
    }
}

impl Node {
    /// Returns the targets of the node's transitions, in the order in which they are followed.
    pub fn targets(&self) -> Vec<&Target> {
        match &self.kind {
            NodeKind::End | NodeKind::Kill { .. } => Vec::new(),
            NodeKind::Start { to } | NodeKind::Join { to } => vec![to],
            NodeKind::Decision { cases, default } => cases.iter().map(|case| &case.to).chain([default]).collect(),
            NodeKind::Fork { paths } => paths.iter().collect(),
            NodeKind::Action(action) => vec![&action.ok, &action.error],
        }
    }
}

impl Workflow {
    /// Creates a definition without nodes.
    pub fn empty(source: &Arc<SourceText>, name: Text) -> Self {
        Self {
            name,
            global: None,
            credentials: None,
            source: Arc::clone(source),
            nodes: Vec::new(),
            positions: HashMap::new(),
        }
    }

    /// Appends a node; of several nodes with one name, the first is found by it.
    pub fn push(&mut self, node: Node) {
        self.positions.entry(node.name.clone()).or_insert(self.nodes.len());
        self.nodes.push(node);
    }

    /// Returns the nodes in document order; the start node is called [`START`].
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Returns the node of a name.
    pub fn node(&self, name: &str) -> Option<&Node> {
        self.position(name).map(|position| &self.nodes[position])
    }

    /// Returns the index in [`Self::nodes`] of the node of a name.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.positions.get(name).copied()
    }

    /// Returns the text of the definition.
    pub fn source(&self) -> &Arc<SourceText> {
        &self.source
    }

    /// Returns a place in the definition's text.
    pub fn location(&self, span: Span) -> Location {
        Location::new(&self.source, span)
    }
}
