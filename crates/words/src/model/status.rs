//! Statuses and policies under Oozie's names; the spelling stored is the spelling printed.

macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$variant_meta:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name {
            $($(#[$variant_meta])* #[doc = concat!("`", $word, "`")] $variant,)*
        }

        impl $name {
            /// Every value, in the order of its life.
            #[allow(dead_code, reason = "not every list of words is gone through outside tests")]
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The word that is stored and printed.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }

            /// The value of a word, exactly as [`Self::as_str`] spells it.
            pub fn from_word(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)* _ => None }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
}
pub(crate) use words;

words! {
    /// Status of a coordinator action (coordinator specification 6.1.3.2).
    ActionStatus {
        Waiting = "WAITING",
        Ready = "READY",
        Submitted = "SUBMITTED",
        Running = "RUNNING",
        Suspended = "SUSPENDED",
        TimedOut = "TIMEDOUT",
        Succeeded = "SUCCEEDED",
        Killed = "KILLED",
        Failed = "FAILED",
        Skipped = "SKIPPED",
        Ignored = "IGNORED",
    }
}

words! {
    /// Status of a workflow job (workflow specification 4).
    WorkflowStatus {
        Prep = "PREP",
        Running = "RUNNING",
        Suspended = "SUSPENDED",
        Succeeded = "SUCCEEDED",
        Killed = "KILLED",
        Failed = "FAILED",
    }
}

words! {
    /// Status of a node of a workflow job.
    NodeStatus {
        Prep = "PREP",
        Running = "RUNNING",
        Ok = "OK",
        Error = "ERROR",
        UserRetry = "USER_RETRY",
        StartRetry = "START_RETRY",
        StartManual = "START_MANUAL",
        Done = "DONE",
        EndRetry = "END_RETRY",
        EndManual = "END_MANUAL",
        Killed = "KILLED",
        Failed = "FAILED",
    }
}

words! {
    /// Execution strategy of a coordinator job (coordinator specification 6.1.6, 6.3).
    Execution {
        Fifo = "FIFO",
        Lifo = "LIFO",
        LastOnly = "LAST_ONLY",
        None = "NONE",
    }
}

words! {
    /// Status of an SLA registration (coordinator specification 12).
    SlaStatus {
        NotStarted = "NOT_STARTED",
        InProcess = "IN_PROCESS",
        Met = "MET",
        Miss = "MISS",
    }
}

words! {
    /// What is recorded about an SLA registration, each kind of it once (coordinator specification 12).
    SlaEvent {
        StartMet = "START_MET",
        StartMiss = "START_MISS",
        DurationMet = "DURATION_MET",
        DurationMiss = "DURATION_MISS",
        EndMet = "END_MET",
        EndMiss = "END_MISS",
    }
}

words! {
    /// What an SLA registration is about.
    SlaSubject {
        CoordinatorAction = "COORDINATOR_ACTION",
        WorkflowJob = "WORKFLOW_JOB",
        WorkflowAction = "WORKFLOW_ACTION",
    }
}

impl ActionStatus {
    /// Whether the action's life is over (a rerun may still revive it).
    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::TimedOut | Self::Succeeded | Self::Killed | Self::Failed | Self::Skipped | Self::Ignored)
    }
}

impl WorkflowStatus {
    /// Whether the job's life is over (a rerun may still revive it).
    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Succeeded | Self::Killed | Self::Failed)
    }
}

impl NodeStatus {
    /// Whether the node is finished in this run.
    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Ok | Self::Error | Self::Killed | Self::Failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_reads_back() {
        for status in ActionStatus::ALL {
            assert_eq!(ActionStatus::from_word(status.as_str()), Some(*status));
        }
        for status in NodeStatus::ALL {
            assert_eq!(NodeStatus::from_word(status.as_str()), Some(*status));
        }
        assert_eq!(ActionStatus::from_word("waiting"), None);
        assert_eq!(format!("{:<6}|", WorkflowStatus::Prep), "PREP  |");
    }
}
