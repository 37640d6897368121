//! Ids that look like Oozie's: `0000004-261120093000123-oozie-oozi-C`, `...-C@7`, `...-W`, `...-W@node`.
//!
//! The form is Oozie's; the caller provides the parts of a new id.

use std::fmt;

/// The kind of a job; the last letter of its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JobKind {
    Coordinator,
    Workflow,
    Bundle,
}

impl JobKind {
    const fn letter(self) -> char {
        match self {
            Self::Coordinator => 'C',
            Self::Workflow => 'W',
            Self::Bundle => 'B',
        }
    }

    const fn from_letter(letter: u8) -> Option<Self> {
        match letter {
            b'C' => Some(Self::Coordinator),
            b'W' => Some(Self::Workflow),
            b'B' => Some(Self::Bundle),
            _ => None,
        }
    }
}

/// The id of a job.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JobId(String);

impl JobId {
    /// The length of the longest id that is read; Oozie's own limit is 40 characters.
    const LONGEST: usize = 64;

    /// The system in the ids of a database for which the site names none: that of an Oozie that a user `oozie` runs.
    pub const SYSTEM: &'static str = "oozie-oozi";

    /// Builds an id: a running number, the time at which the database was created with the system
    /// (`150622124850154-oozie-oozi`), the kind.
    pub fn build(number: u64, stamp: &str, kind: JobKind) -> Self {
        Self(format!("{number:07}-{stamp}-{}", kind.letter()))
    }

    /// Reads an id; `None` for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'));
        let kind = text.strip_suffix(['C', 'W', 'B']).is_some_and(|rest| rest.ends_with('-'));
        (plain && kind && text.len() <= Self::LONGEST).then(|| Self(text.to_owned()))
    }

    /// Returns whether the text has every part of an id that a database gives: a number, a time, a system, a kind. A
    /// name may look like an id that is shorter.
    pub fn is_complete(&self) -> bool {
        let mut parts = self.0.splitn(3, '-');
        let mut is_number = |least: usize| {
            let digits = |part: &str| part.len() >= least && part.bytes().all(|byte| byte.is_ascii_digit());
            parts.next().is_some_and(digits)
        };
        is_number(7) && is_number(15) && self.0.matches('-').count() >= 3
    }

    /// Returns whether a text may be the beginning of such an id.
    pub fn is_beginning(text: &str) -> bool {
        let (number, rest) = text.split_once('-').unwrap_or((text, ""));
        let plain = rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'));
        (1..=Self::LONGEST).contains(&text.len()) && number.bytes().all(|byte| byte.is_ascii_digit()) && plain
    }

    /// Returns the kind of this job.
    ///
    /// # Panics
    /// Never: both constructors end the text with the letter of a kind.
    pub fn kind(&self) -> JobKind {
        self.0.bytes().last().and_then(JobKind::from_letter).expect("an id ends with the letter of its kind")
    }

    /// Returns the id as printed.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// The object that a command line names: a job, or a part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// `ID`
    Job(JobId),
    /// `ID-C@7`: an action of a coordinator job.
    CoordinatorAction(JobId, u32),
    /// `ID-W@node`: a node of a workflow job.
    Node(JobId, String),
}

impl Target {
    /// Reads a job id with an optional `@` part; `None` for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let Some((job, part)) = text.split_once('@') else {
            return JobId::parse(text).map(Self::Job);
        };
        let job = JobId::parse(job)?;
        match job.kind() {
            JobKind::Coordinator => {
                let number = part.parse().ok().filter(|number| *number > 0)?;
                Some(Self::CoordinatorAction(job, number))
            }
            JobKind::Workflow if !part.is_empty() => Some(Self::Node(job, part.to_owned())),
            JobKind::Workflow | JobKind::Bundle => None,
        }
    }
}

impl Target {
    /// Returns the job itself, or the job of the action or node.
    pub const fn job(&self) -> &JobId {
        match self {
            Self::Job(job) | Self::CoordinatorAction(job, _) | Self::Node(job, _) => job,
        }
    }

    /// Returns whether the job is named by a complete id.
    pub fn is_complete(&self) -> bool {
        self.job().is_complete()
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Job(job) => write!(f, "{job}"),
            Self::CoordinatorAction(job, number) => write!(f, "{job}@{number}"),
            Self::Node(job, node) => write!(f, "{job}@{node}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builds_and_reads_ids() {
        let id = JobId::build(4, "261120093000123-oozie-joe", JobKind::Coordinator);
        assert_eq!(id.as_str(), "0000004-261120093000123-oozie-joe-C");
        assert!(id.as_str().len() <= 40);
        assert_eq!(JobId::parse(id.as_str()), Some(id));
        let of_oozie = JobId::build(5, "150622124850154-oozie-oozi", JobKind::Workflow);
        assert_eq!(of_oozie.as_str(), "0000005-150622124850154-oozie-oozi-W");
        assert_eq!((of_oozie.as_str().len(), of_oozie.is_complete(), of_oozie.kind()), (36, true, JobKind::Workflow));
    }

    #[test]
    fn reads_targets() {
        for (text, expect) in [
            ("0000000-1-oozie-oozi-C", true),
            ("0000000-1-oozie-oozi-C@7", true),
            ("0000000-1-oozie-oozi-C@0", false),
            ("0000000-1-oozie-oozi-C@x", false),
            ("0000000-1-oozie-oozi-W@node-a", true),
            ("0000000-1-oozie-oozi-W@", false),
            ("0000000-1-oozie-oozi-B@x", false),
            ("job", false),
            ("", false),
            ("../../x-C", false),
        ] {
            let target = Target::parse(text);
            assert_eq!(target.is_some(), expect, "{text}");
            if let Some(target) = target {
                assert_eq!(target.to_string(), text);
            }
        }
    }
}
