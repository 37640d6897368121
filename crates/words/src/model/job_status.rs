//! The life cycle that coordinator and bundle jobs share: a phase, what holds the job, and whether a part went wrong.
//!
//! Oozie has one word for each combination; [`JobStatus::as_str`] and [`JobStatus::from_word`] are the only places
//! that know them all. The steps below are the same for both kinds of jobs; `coordinator::job_state` and
//! `bundle::job_state` name the events and say where the two differ.

use std::fmt;

/// What holds a job that has not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum JobHold {
    /// Nothing.
    Free,
    /// A command.
    Suspended,
    /// Its pause time has come.
    Paused,
}

/// Status of a coordinator job (coordinator specification 6.1.2) or of a bundle job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum JobStatus {
    /// Not started: no action of the coordinator was created, no coordinator of the bundle was submitted.
    Prep { hold: JobHold },
    /// Started; `with_error` when a part of it ended badly.
    Running { hold: JobHold, with_error: bool },
    /// Every part has ended; `with_error` when not all ended well, and not all in the same way.
    Done { with_error: bool },
    /// By command, or because every part was killed.
    Killed,
    /// It cannot go on, or every part failed.
    Failed,
    /// By command; a bundle is never IGNORED.
    Ignored,
}

impl JobStatus {
    /// Accepted; nothing is created yet.
    pub const PREP: Self = Self::Prep { hold: JobHold::Free };
    /// Active, without a failed part, held by nothing.
    pub const RUNNING: Self = Self::Running { hold: JobHold::Free, with_error: false };
    /// Every part succeeded.
    pub const SUCCEEDED: Self = Self::Done { with_error: false };

    /// Every value, in the order of a job's life.
    pub const ALL: &[Self] = &[
        Self::PREP,
        Self::Prep { hold: JobHold::Suspended },
        Self::Prep { hold: JobHold::Paused },
        Self::RUNNING,
        Self::Running { hold: JobHold::Free, with_error: true },
        Self::Running { hold: JobHold::Suspended, with_error: false },
        Self::Running { hold: JobHold::Suspended, with_error: true },
        Self::Running { hold: JobHold::Paused, with_error: false },
        Self::Running { hold: JobHold::Paused, with_error: true },
        Self::SUCCEEDED,
        Self::Done { with_error: true },
        Self::Killed,
        Self::Failed,
        Self::Ignored,
    ];

    /// Oozie's word, which is stored and printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Prep { hold: JobHold::Free } => "PREP",
            Self::Prep { hold: JobHold::Suspended } => "PREPSUSPENDED",
            Self::Prep { hold: JobHold::Paused } => "PREPPAUSED",
            Self::Running { hold: JobHold::Free, with_error: false } => "RUNNING",
            Self::Running { hold: JobHold::Free, with_error: true } => "RUNNINGWITHERROR",
            Self::Running { hold: JobHold::Suspended, with_error: false } => "SUSPENDED",
            Self::Running { hold: JobHold::Suspended, with_error: true } => "SUSPENDEDWITHERROR",
            Self::Running { hold: JobHold::Paused, with_error: false } => "PAUSED",
            Self::Running { hold: JobHold::Paused, with_error: true } => "PAUSEDWITHERROR",
            Self::Done { with_error: false } => "SUCCEEDED",
            Self::Done { with_error: true } => "DONEWITHERROR",
            Self::Killed => "KILLED",
            Self::Failed => "FAILED",
            Self::Ignored => "IGNORED",
        }
    }

    /// The value of a word, exactly as [`Self::as_str`] spells it.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|status| status.as_str() == word)
    }

    /// What holds the job; `None` when it has ended.
    pub const fn hold(self) -> Option<JobHold> {
        match self {
            Self::Prep { hold } | Self::Running { hold, .. } => Some(hold),
            Self::Done { .. } | Self::Killed | Self::Failed | Self::Ignored => None,
        }
    }

    /// Whether the job has ended (a command, or a coordinator of the bundle that is opened again, may open it again).
    pub const fn is_terminal(self) -> bool {
        self.hold().is_none()
    }

    /// Whether no part of the job exists yet.
    pub const fn is_before_start(self) -> bool {
        matches!(self, Self::Prep { .. })
    }

    /// Whether the job has neither ended nor is it held.
    pub const fn is_free(self) -> bool {
        matches!(self.hold(), Some(JobHold::Free))
    }

    /// Whether the job is suspended, started or not.
    pub const fn is_suspended(self) -> bool {
        matches!(self.hold(), Some(JobHold::Suspended))
    }

    /// Whether the job is paused, started or not.
    pub const fn is_paused(self) -> bool {
        matches!(self.hold(), Some(JobHold::Paused))
    }

    /// Whether a part of the job ended badly and the job went on.
    pub const fn is_with_error(self) -> bool {
        matches!(self, Self::Running { with_error: true, .. } | Self::Done { with_error: true })
    }

    /// Whether the job ended badly, or a part of it did.
    pub const fn went_wrong(self) -> bool {
        self.is_with_error() || matches!(self, Self::Killed | Self::Failed)
    }
}

/// The steps. `None`: the step means nothing in that status.
impl JobStatus {
    /// The first parts of the job are created.
    pub fn start(self) -> Option<Self> {
        (self == Self::PREP).then_some(Self::RUNNING)
    }

    /// A paused job can be suspended: the command is stronger than the pause time.
    pub fn suspend(self) -> Option<Self> {
        (self.is_free() || self.is_paused()).then(|| self.with_hold(JobHold::Suspended))
    }

    /// A suspended job continues.
    pub fn resume(self) -> Option<Self> {
        self.is_suspended().then(|| self.with_hold(JobHold::Free))
    }

    /// The pause time of the job has come.
    pub fn pause(self) -> Option<Self> {
        self.is_free().then(|| self.with_hold(JobHold::Paused))
    }

    /// The pause time of the job was removed, or is in the future again.
    pub fn unpause(self) -> Option<Self> {
        self.is_paused().then(|| self.with_hold(JobHold::Free))
    }

    /// A person ends the job; one that has ended stays as it is.
    pub fn kill(self) -> Option<Self> {
        (!self.is_terminal()).then_some(Self::Killed)
    }

    /// Parts of the job run again, whatever holds it. A job that never started, or was killed or failed, is not rerun.
    pub const fn rerun(self) -> Option<Self> {
        match self {
            Self::Running { with_error, .. } | Self::Done { with_error } => {
                Some(Self::Running { hold: JobHold::Free, with_error })
            }
            Self::Prep { .. } | Self::Killed | Self::Failed | Self::Ignored => None,
        }
    }

    /// The same status, held in another way; one that has ended stays as it is.
    const fn with_hold(self, hold: JobHold) -> Self {
        match self {
            Self::Prep { .. } => Self::Prep { hold },
            Self::Running { with_error, .. } => Self::Running { hold, with_error },
            Self::Done { .. } | Self::Killed | Self::Failed | Self::Ignored => self,
        }
    }
}

impl fmt::Display for JobStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// How the parts of a job ended: the actions of a coordinator, the coordinators of a bundle.
#[derive(Clone, Copy, Debug)]
pub struct Ends {
    /// All parts that count; each has ended.
    pub total: u64,
    pub succeeded: u64,
    pub killed: u64,
    pub failed: u64,
}

impl Ends {
    /// The status of the job.
    pub const fn status(self) -> JobStatus {
        if self.total == self.succeeded {
            JobStatus::SUCCEEDED
        } else if self.total == self.killed {
            JobStatus::Killed
        } else if self.total == self.failed {
            JobStatus::Failed
        } else {
            JobStatus::Done { with_error: true }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_reads_back_and_no_other() {
        let words: std::collections::BTreeSet<&str> = JobStatus::ALL.iter().map(|status| status.as_str()).collect();
        assert_eq!(words.len(), 14);
        for status in JobStatus::ALL {
            assert_eq!(JobStatus::from_word(status.as_str()), Some(*status));
        }
        for word in ["", "running", "RUNNING ", "PREPRUNNING", "SUCCEEDEDWITHERROR"] {
            assert_eq!(JobStatus::from_word(word), None, "{word}");
        }
        assert_eq!(format!("{:<6}|", JobStatus::PREP), "PREP  |");
    }

    /// `holds`: in which words a predicate is true.
    fn check(name: &str, predicate: fn(JobStatus) -> bool, holds: &str) {
        let is: Vec<&str> =
            JobStatus::ALL.iter().filter(|status| predicate(**status)).map(|status| status.as_str()).collect();
        assert_eq!(is.join(" "), holds, "{name}");
    }

    #[test]
    fn predicates_say_what_the_words_say() {
        check("terminal", JobStatus::is_terminal, "SUCCEEDED DONEWITHERROR KILLED FAILED IGNORED");
        check("before start", JobStatus::is_before_start, "PREP PREPSUSPENDED PREPPAUSED");
        check("free", JobStatus::is_free, "PREP RUNNING RUNNINGWITHERROR");
        check("suspended", JobStatus::is_suspended, "PREPSUSPENDED SUSPENDED SUSPENDEDWITHERROR");
        check("paused", JobStatus::is_paused, "PREPPAUSED PAUSED PAUSEDWITHERROR");
        let with_error = "RUNNINGWITHERROR SUSPENDEDWITHERROR PAUSEDWITHERROR DONEWITHERROR";
        check("with error", JobStatus::is_with_error, with_error);
        check("went wrong", JobStatus::went_wrong, &format!("{with_error} KILLED FAILED"));
    }

    #[test]
    fn a_hold_keeps_the_phase_and_the_error() {
        for status in JobStatus::ALL {
            let free = status.is_free().then_some(*status);
            assert_eq!(status.pause().and_then(JobStatus::unpause), free, "{status}");
            assert_eq!(status.pause().and_then(JobStatus::suspend), free.and_then(JobStatus::suspend), "{status}");
        }
    }
}
