//! What an action still waits for, as Oozie stores it (`missingDependencies`, `pushMissingDependencies`).

use crate::oozie_export::logic_dependencies::{self, LogicDependency, MARK};

/// Before each group of instances that Oozie resolves later.
const UNRESOLVED: &str = "!!";

/// The dependencies of an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missing {
    /// Those that were missing at the last check, with their done-flags, and the functions that are not resolved yet.
    Listed { dependencies: Vec<String>, unresolved: Vec<String> },
    /// Those of an action with input logic: all of them.
    Logic(Vec<LogicDependency>),
}

impl Missing {
    /// Reads a stored text.
    ///
    /// # Errors
    /// What is wrong with the text, in words.
    pub fn read(text: &str) -> Result<Self, String> {
        if let Some(rest) = text.strip_prefix(MARK) {
            return logic_dependencies::read(rest).map(Self::Logic);
        }
        let mut groups = text.split(UNRESOLVED);
        let items = |group: &str| -> Vec<String> {
            group.split('#').filter(|item| !item.is_empty()).map(str::to_owned).collect()
        };
        let dependencies = groups.next().map(items).unwrap_or_default();
        Ok(Self::Listed { dependencies, unresolved: groups.flat_map(items).collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_split() {
        let read = |text| match Missing::read(text) {
            Ok(Missing::Listed { dependencies, unresolved }) => (dependencies.join(" "), unresolved.join(" ")),
            other => panic!("{other:?}"),
        };
        let expect = |one: &str, other: &str| (one.to_owned(), other.to_owned());
        assert_eq!(read(""), expect("", ""));
        assert_eq!(read("a#b"), expect("a b", ""));
        assert_eq!(
            read("!!${coord:latest(0)}!!${coord:latest(0)}"),
            expect("", "${coord:latest(0)} ${coord:latest(0)}")
        );
        assert_eq!(read("a!!${x}#${y}!!${z}"), expect("a", "${x} ${y} ${z}"));
    }

    #[test]
    fn input_logic_is_read_from_bytes() {
        let text =
            "::$\0\0\0\u{3}V=1\u{1}\0\0\0\u{1}\0\0\0\u{2}in\0\0\0\u{2}\0\u{1}a\u{1}\0\u{2}\u{c3}\u{a9}\0\0\0\0\0";
        let instances = vec![("a".to_owned(), true), ("\u{e9}".to_owned(), false)];
        let expect = LogicDependency { event: "in".to_owned(), instances };
        assert_eq!(Missing::read(text), Ok(Missing::Logic(vec![expect])));
        let end = text.char_indices().count() - 4;
        for length in 3..end {
            let cut: String = text.chars().take(length).collect();
            assert!(Missing::read(&cut).unwrap_err().contains("cut off"), "{cut:?}");
        }
        assert!(Missing::read("::$\0\0\0\u{3}V=2").unwrap_err().contains("V=2"));
        assert!(Missing::read("::$\u{ffff}").unwrap_err().contains("no byte"));
    }
}
