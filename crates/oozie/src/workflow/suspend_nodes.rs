//! Nodes at which the job is to be suspended: the job property `oozie.suspend.on.nodes`.
//!
//! Decides only which nodes have to wait; the engine creates their records, delays their start and suspends the job.

use std::collections::BTreeSet;

use super::definition::START;
use howdah_words::model::Properties;

/// The job property.
const PROPERTY: &str = "oozie.suspend.on.nodes";

/// The nodes to suspend at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SuspendNodes {
    /// Every node but the start node.
    Every,
    /// These; a name without a node has no effect.
    Named(BTreeSet<String>),
}

impl SuspendNodes {
    /// Reads the nodes that a job's properties name: a list separated by commas, or `*`.
    pub fn from_properties(conf: &Properties) -> Self {
        let text = conf.get(PROPERTY).map_or("", |text| text.trim());
        if text == "*" {
            return Self::Every;
        }
        Self::Named(text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect())
    }

    /// Returns whether the start of one of these nodes, which are about to be entered together, makes them all wait.
    pub fn hold<'n>(&self, nodes: impl IntoIterator<Item = &'n str>) -> bool {
        nodes.into_iter().any(|node| match self {
            Self::Every => node != START,
            Self::Named(names) => node != START && names.contains(node),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_the_listed_nodes_and_never_the_start() {
        for (text, nodes, expect) in [
            ("", &["a"] as &[&str], false),
            (" a , b", &["b"], true),
            ("a,b", &["c", "a"], true),
            ("a,b", &["c"], false),
            (" * ", &["end"], true),
            ("*", &[START], false),
            (":start:", &[START], false),
            ("*,a", &["b"], false),
        ] {
            let conf = Properties::from([(PROPERTY.to_owned(), text.to_owned())]);
            let held = SuspendNodes::from_properties(&conf).hold(nodes.iter().copied());
            assert_eq!(held, expect, "{text} {nodes:?}");
        }
        assert!(!SuspendNodes::from_properties(&Properties::new()).hold(["a"]));
    }
}
