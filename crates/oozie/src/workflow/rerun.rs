//! Which nodes a rerun of a workflow job skips, and when it is refused (workflow specification 10; decisions W13, W14).
//!
//! Must not depend on the database: the caller says how the nodes of the previous run ended. A skipped node keeps its
//! results; when the walk reaches it, its signal is sent again.

use std::collections::BTreeSet;

use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::Properties;
use howdah_words::model::status::NodeStatus;

/// The property with the names of the nodes to skip.
pub(crate) const SKIP_NODES: &str = "oozie.wf.rerun.skip.nodes";
/// The property that skips every node that ended OK.
pub const FAIL_NODES: &str = "oozie.wf.rerun.failnodes";

/// The part of a workflow job that runs again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RerunScope {
    /// All except these nodes, which ended before; everything when the list is empty.
    AllBut(BTreeSet<String>),
    /// Every node that did not end OK.
    FailedNodes,
}

impl RerunScope {
    /// Removes the two properties of a rerun from its configuration, so that they apply to this rerun only.
    ///
    /// # Errors
    /// E0404 when both are set.
    pub fn take_from(properties: &mut Properties) -> Result<Self> {
        let skipped = properties.remove(SKIP_NODES).unwrap_or_default();
        let skipped: BTreeSet<String> =
            skipped.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect();
        let failed = properties.remove(FAIL_NODES).is_some_and(|value| value.trim().eq_ignore_ascii_case("true"));
        match (failed, skipped.is_empty()) {
            (true, true) => Ok(Self::FailedNodes),
            (true, false) => Err(Error::new(ErrorCode::E0404, format!("{SKIP_NODES} OR {FAIL_NODES}"))
                .help(format!("name the nodes to skip with {SKIP_NODES}, or set {FAIL_NODES} to true"))),
            (false, _) => Ok(Self::AllBut(skipped)),
        }
    }

    /// Returns the nodes to skip, of those that the previous run reached.
    ///
    /// # Errors
    /// E0806 for a node that did not end as OK or ERROR, E0807 for those that were not reached.
    pub fn skipped<'a>(&self, reached: impl IntoIterator<Item = (&'a str, NodeStatus)>) -> Result<BTreeSet<String>> {
        let reached: Vec<(&str, NodeStatus)> = reached.into_iter().collect();
        let named = match self {
            Self::FailedNodes => {
                let succeeded = reached.iter().filter(|(_, status)| *status == NodeStatus::Ok);
                return Ok(succeeded.map(|(name, _)| (*name).to_owned()).collect());
            }
            Self::AllBut(named) => named,
        };
        let mut unknown = Vec::new();
        for name in named {
            match reached.iter().find(|(reached, _)| reached == name) {
                None => unknown.push(name.as_str()),
                Some((_, NodeStatus::Ok | NodeStatus::Error)) => {}
                Some((_, status)) => {
                    return Err(Error::new(ErrorCode::E0806, name)
                        .help(format!("it ended as {status}: leave it out of {SKIP_NODES}, so that it runs again")));
                }
            }
        }
        if unknown.is_empty() {
            return Ok(named.clone());
        }
        let names: Vec<&str> = reached.iter().map(|(name, _)| *name).collect();
        let help = format!("the nodes of the previous run are {}", names.join(", "));
        Err(Error::new(ErrorCode::E0807, unknown.join(",")).help(help))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The previous run: `a` is OK, `b` ended in an error, `c` was killed. `expect`: the nodes to skip, or the code.
    fn check(skip: Option<&str>, failed: Option<&str>, expect: &str) {
        let given = [(SKIP_NODES, skip), (FAIL_NODES, failed), ("other", Some("stays"))];
        let mut properties: Properties =
            given.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned()))).collect();
        let reached = [("a", NodeStatus::Ok), ("b", NodeStatus::Error), ("c", NodeStatus::Killed)];
        let passed = RerunScope::take_from(&mut properties).and_then(|scope| scope.skipped(reached));
        let got = match passed {
            Ok(names) => names.into_iter().collect::<Vec<_>>().join(" "),
            Err(error) => error.to_string(),
        };
        assert_eq!(got, expect, "{skip:?} {failed:?}");
        assert_eq!(properties.len(), 1, "both properties count once");
    }

    #[test]
    fn the_two_properties() {
        check(None, None, "");
        check(Some(""), Some("false"), "");
        check(None, Some("true"), "a");
        check(Some(" "), Some(" TRUE "), "a");
        check(Some("b , a,"), None, "a b");
        check(Some("a"), Some("false"), "a");
    }

    #[test]
    fn what_is_refused() {
        let both =
            "E0404: Only one of the properties are allowed [oozie.wf.rerun.skip.nodes OR oozie.wf.rerun.failnodes]";
        check(Some("a"), Some("true"), both);
        check(Some("a,c"), None, "E0806: Action did not complete in previous run, action [c]");
        check(Some("x,a,w"), None, "E0807: Some skip actions were not executed [w,x]");
    }
}
