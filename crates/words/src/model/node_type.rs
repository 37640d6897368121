//! The types of the nodes of a workflow, under the names that Oozie shows.

use std::fmt;

/// The type of an action, named by the element that holds its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ActionKind {
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
    /// Every type that can be run.
    pub const ALL: &[Self] = &[
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

    /// The name of the element.
    pub const fn as_str(self) -> &'static str {
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

    /// The type of an element name; `None` when no such action exists.
    pub fn from_element_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.as_str() == name)
    }

    /// Whether the type is one that Oozie starts through its launcher: with credentials and launcher settings.
    pub const fn is_launched(self) -> bool {
        !matches!(self, Self::Fs | Self::SubWorkflow | Self::Ssh | Self::Email)
    }

    /// Whether the type takes `job-xml` and `configuration`.
    pub const fn is_configurable(self) -> bool {
        !matches!(self, Self::Ssh | Self::Email)
    }
}

/// The type of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NodeType {
    Start,
    End,
    Kill,
    Decision,
    Fork,
    Join,
    Action(ActionKind),
}

impl NodeType {
    /// Every type that is no action's.
    const CONTROL: [Self; 6] = [Self::Start, Self::End, Self::Kill, Self::Decision, Self::Fork, Self::Join];

    /// The word that is stored and shown: `:START:`, `switch`, or the name of the action's element.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Start => ":START:",
            Self::End => ":END:",
            Self::Kill => ":KILL:",
            Self::Decision => "switch",
            Self::Fork => ":FORK:",
            Self::Join => ":JOIN:",
            Self::Action(kind) => kind.as_str(),
        }
    }

    /// The type of a word, exactly as [`Self::as_str`] spells it.
    pub fn from_word(word: &str) -> Option<Self> {
        let control = Self::CONTROL.into_iter().find(|node| node.as_str() == word);
        control.or_else(|| ActionKind::from_element_name(word).map(Self::Action))
    }

    /// Whether the node runs a workflow job of its own.
    pub const fn is_sub_workflow(self) -> bool {
        matches!(self, Self::Action(ActionKind::SubWorkflow))
    }
}

impl fmt::Display for NodeType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_leads_back_to_its_type() {
        let actions = ActionKind::ALL.iter().map(|kind| NodeType::Action(*kind));
        for node in NodeType::CONTROL.into_iter().chain(actions) {
            assert_eq!(NodeType::from_word(node.as_str()), Some(node));
            assert_eq!(node.is_sub_workflow(), node.as_str() == "sub-workflow");
        }
        assert_eq!(NodeType::from_word("SHELL"), None);
    }
}
