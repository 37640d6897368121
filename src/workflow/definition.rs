//! A workflow definition as a graph: nodes in document order, each with its targets.
//!
//! Contains what `parse` found and nothing about any run of it. Expressions in action bodies, predicates and messages
//! stay unevaluated. Follows the workflow specification, section 3.

use std::collections::HashMap;
use std::sync::Arc;

use super::user_retry::RetryAttributes;
use crate::error::{Location, SourceText, Span};
use crate::xml::{Element, Text};

/// The type of every kill node.
pub(crate) const KILL: &str = ":KILL:";

/// The reserved name of the start node.
pub(crate) const START: &str = ":start:";

/// A workflow application.
#[derive(Clone, Debug)]
pub(crate) struct Workflow {
    /// The `name` attribute, which may contain expressions over the job's properties.
    pub(crate) name: Text,
    /// The `global` section.
    pub(crate) global: Option<Element>,
    /// The `credentials` section.
    pub(crate) credentials: Option<Element>,
    source: Arc<SourceText>,
    nodes: Vec<Node>,
    positions: HashMap<String, usize>,
}

/// A node of the graph.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) name: String,
    /// The place of the element.
    pub(crate) span: Span,
    pub(crate) kind: NodeKind,
}

/// What a node does.
#[derive(Clone, Debug)]
pub(crate) enum NodeKind {
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
pub(crate) struct Target {
    pub(crate) name: String,
    /// The place of the name.
    pub(crate) span: Span,
}

/// One `case` of a decision.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) to: Target,
    pub(crate) predicate: Text,
}

/// An action node.
#[derive(Clone, Debug)]
pub(crate) struct Action {
    pub(crate) kind: ActionKind,
    /// The element of the action's type, unevaluated.
    pub(crate) body: Element,
    /// The names of credentials, as written.
    pub(crate) cred: Option<String>,
    pub(crate) ok: Target,
    pub(crate) error: Target,
    /// The retry attributes, evaluated over the job's properties.
    pub(crate) retry: RetryAttributes,
}

/// The type of an action, named by the element that holds its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ActionKind {
    DistCp,
    Email,
    Fs,
    Git,
    Hive,
    Hive2,
    Java,
    MapReduce,
    Pig,
    Shell,
    Spark,
    Sqoop,
    Ssh,
    SubWorkflow,
}

impl ActionKind {
    /// Every type that can run.
    pub(crate) const ALL: &[Self] = &[
        Self::DistCp,
        Self::Email,
        Self::Fs,
        Self::Git,
        Self::Hive,
        Self::Hive2,
        Self::Java,
        Self::MapReduce,
        Self::Pig,
        Self::Shell,
        Self::Spark,
        Self::Sqoop,
        Self::Ssh,
        Self::SubWorkflow,
    ];

    /// Returns the name of the element.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::DistCp => "distcp",
            Self::Email => "email",
            Self::Fs => "fs",
            Self::Git => "git",
            Self::Hive => "hive",
            Self::Hive2 => "hive2",
            Self::Java => "java",
            Self::MapReduce => "map-reduce",
            Self::Pig => "pig",
            Self::Shell => "shell",
            Self::Spark => "spark",
            Self::Sqoop => "sqoop",
            Self::Ssh => "ssh",
            Self::SubWorkflow => "sub-workflow",
        }
    }

    /// Returns the type of an element name; `None` when there is no such action.
    pub(crate) fn from_element_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.as_str() == name)
    }

    /// Returns whether Oozie starts the type through its launcher: with credentials and launcher settings.
    pub(crate) const fn is_launched(self) -> bool {
        !matches!(self, Self::Fs | Self::SubWorkflow | Self::Ssh | Self::Email)
    }

    /// Returns whether the type takes `job-xml` and `configuration`.
    pub(crate) const fn is_configurable(self) -> bool {
        !matches!(self, Self::Ssh | Self::Email)
    }
}

impl NodeKind {
    /// Returns the type that is shown for the node: `:START:`, `switch`, or the action's type.
    pub(crate) fn type_name(&self) -> &'static str {
        match self {
            Self::Start { .. } => ":START:",
            Self::End => ":END:",
            Self::Kill { .. } => KILL,
            Self::Decision { .. } => "switch",
            Self::Fork { .. } => ":FORK:",
            Self::Join { .. } => ":JOIN:",
            Self::Action(action) => action.kind.as_str(),
        }
    }

    /// Returns whether the node finishes at once: all except decisions and actions.
    pub(crate) const fn is_control(&self) -> bool {
        !matches!(self, Self::Decision { .. } | Self::Action(_))
    }
}

impl Node {
    /// Returns the targets of the node's transitions, in the order in which they are followed.
    pub(crate) fn targets(&self) -> Vec<&Target> {
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
    pub(crate) fn empty(source: &Arc<SourceText>, name: Text) -> Self {
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
    pub(crate) fn push(&mut self, node: Node) {
        self.positions.entry(node.name.clone()).or_insert(self.nodes.len());
        self.nodes.push(node);
    }

    /// Returns the nodes in document order; the start node is called [`START`].
    pub(crate) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Returns the node of a name.
    pub(crate) fn node(&self, name: &str) -> Option<&Node> {
        self.position(name).map(|position| &self.nodes[position])
    }

    /// Returns the index in [`Self::nodes`] of the node of a name.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.positions.get(name).copied()
    }

    /// Returns the text of the definition.
    pub(crate) fn source(&self) -> &Arc<SourceText> {
        &self.source
    }

    /// Returns a place in the definition's text.
    pub(crate) fn location(&self, span: Span) -> Location {
        Location::new(&self.source, span)
    }
}
