//! Why a bundle job is in its current state, and what a coordinator of it does.

use std::fmt;

use crate::query::explain::why::who::{at, text};
use crate::query::explain::why::{By, EndedBy, When, Why};
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::status::ActionStatus;

/// Why a bundle job is in its current state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BundleWhy {
    PauseTimeReached(When),
    AllPaused,
    Suspended {
        at: When,
        by: Option<By>,
    },
    AllSuspended,
    /// It runs, and all is well so far.
    Runs,
    RunsWithFailures,
    Over {
        status: JobStatus,
        at: Option<When>,
        by: Option<EndedBy>,
    },
    /// Not all of its coordinators could be submitted.
    Refused {
        status: JobStatus,
        at: Option<When>,
    },
    KickOffAhead(When),
    /// The next tick submits its coordinators; late when ticks seem not to run.
    KickOffNext {
        is_late: bool,
    },
    /// What the action of a coordinator does that needs care most.
    OfAction {
        number: u32,
        status: ActionStatus,
        why: Box<Why>,
    },
}

impl fmt::Display for BundleWhy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PauseTimeReached(pause) => write!(f, "its pause time {pause} has come"),
            Self::AllPaused => f.write_str("all its coordinators are paused"),
            Self::Suspended { at, by } => write!(f, "it was suspended at {at}{}", text(by.as_ref())),
            Self::AllSuspended => f.write_str("all its coordinators that are not over are suspended"),
            Self::Runs => f.write_str("it is on its way; below is what its coordinators do"),
            Self::RunsWithFailures => f.write_str("coordinators of it went wrong; it goes on with the others"),
            Self::Over { status, at: when, by } => write!(f, "it is over: {status}{}{}", at(*when), text(by.as_ref())),
            Self::Refused { status, at: when } => {
                write!(f, "it is over: {status}{}: not all of its coordinators could be submitted", at(*when))
            }
            Self::KickOffAhead(kick_off) => {
                write!(f, "its coordinators are submitted at its kick-off time {kick_off}")
            }
            Self::KickOffNext { is_late } => {
                let cron = if *is_late { "; is `howdah tick` in your crontab?" } else { "" };
                write!(f, "the next tick submits its coordinators{cron}")
            }
            Self::OfAction { number, status, why } => write!(f, "@{number} {status}: {why}"),
        }
    }
}
