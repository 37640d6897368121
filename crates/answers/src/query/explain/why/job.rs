//! Why a coordinator job is in its current state, and why it creates no action.

use std::fmt;

use crate::query::explain::why::who::{at, text};
use crate::query::explain::why::{EndedBy, PauseTime, Since, When, Why};
use howdah_engine::format::time;
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::time::Timestamp;

/// Why a coordinator job is in its current state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobWhy {
    NotBegun(Box<Why>),
    /// All its actions are over, but a verb opened it again.
    OpenedAgain,
    /// It runs, and all is well so far.
    Runs,
    /// It runs, but some actions did not succeed; whether others are open.
    RunsWithFailures {
        others_open: bool,
    },
    Over {
        status: JobStatus,
        at: Option<When>,
        by: Option<EndedBy>,
    },
}

impl fmt::Display for JobWhy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotBegun(why) => write!(f, "it has not begun: {why}"),
            Self::OpenedAgain => {
                f.write_str("all its actions are over, but it was opened again and stays so until one of them changes")
            }
            Self::Runs => f.write_str("it is on its way; below is what its next actions do"),
            Self::RunsWithFailures { others_open: true } => {
                f.write_str("actions of it did not succeed; it goes on with the others")
            }
            Self::RunsWithFailures { others_open: false } => {
                f.write_str("actions of it did not succeed; it goes on with the next ones")
            }
            Self::Over { status, at: when, by } => write!(f, "it is over: {status}{}{}", at(*when), text(by.as_ref())),
        }
    }
}

/// Why a coordinator job creates no action, or not yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CreationWhy {
    /// The status of the job holds it.
    Job(HoldFacts),
    /// The nominal time is not before the pause time.
    PauseTimeIs(PauseTime),
    /// The pause time has come; the next tick pauses the job.
    PauseTimeWas(When),
    /// The nominal time of the action, or of the next action, lies ahead.
    Due {
        is_next: bool,
        at: When,
    },
    Throttle {
        waiting: u32,
        throttle: i32,
    },
    /// The next tick creates actions; late when ticks seem not to run.
    NextTick {
        from: Timestamp,
        is_late: bool,
    },
}

impl fmt::Display for CreationWhy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Job(hold) => hold.fmt(f),
            Self::PauseTimeIs(pause) => {
                write!(f, "the job's pause time is {pause}: no action from then on is created")
            }
            Self::PauseTimeWas(when) => write!(f, "the job's pause time was {when}: the next tick pauses it"),
            Self::Due { is_next: true, at } => write!(f, "the next action is due at {at}"),
            Self::Due { is_next: false, at } => write!(f, "it is due at {at}"),
            Self::Throttle { waiting: 0, throttle } => {
                write!(f, "the job's throttle is {throttle}: no action may wait, so none is created")
            }
            Self::Throttle { waiting: 1, throttle } => {
                write!(f, "no further action is created while 1 action waits (throttle {throttle})")
            }
            Self::Throttle { waiting, throttle } => {
                write!(f, "no further action is created while {waiting} actions wait (throttle {throttle})")
            }
            Self::NextTick { from, is_late } => {
                let cron = if *is_late { "; is `howdah tick` in your crontab?" } else { "" };
                write!(f, "the next tick creates actions from {} on{cron}", time(*from))
            }
        }
    }
}

/// A status of a coordinator job that holds the job or its actions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoldFacts {
    pub status: JobStatus,
    pub since: Option<Since>,
    /// Of a paused job.
    pub pause: Option<PauseTime>,
    pub is_over: bool,
    pub(crate) therefore: Therefore,
}

impl fmt::Display for HoldFacts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { status, since, pause, is_over, therefore } = self;
        let pause = pause.as_ref().map(|pause| format!("; its pause time is {pause}")).unwrap_or_default();
        let any_more = if *is_over { " any more" } else { "" };
        write!(f, "the job is {status}{}{pause}: {therefore}{any_more}", text(since.as_ref()))
    }
}

/// What does not happen because of the status of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Therefore {
    NothingIsCreated,
    InputsAreNotChecked,
    NothingStarts,
    /// Nothing at all before it is resumed.
    EverythingWaits,
    NotBegunBeforeResumed,
    NotBegunBeforeUnpaused,
    /// A pause stops no action that exists.
    OnlyCreationStops,
    ActionsWaitForResume,
}

impl fmt::Display for Therefore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NothingIsCreated => "no action is created",
            Self::InputsAreNotChecked => "its inputs are not checked",
            Self::NothingStarts => "it starts nothing",
            Self::EverythingWaits => "no action is created or started and no input looked for before it is resumed",
            Self::NotBegunBeforeResumed => "it does not begin before it is resumed",
            Self::NotBegunBeforeUnpaused => "it does not begin before its pause time is changed",
            Self::OnlyCreationStops => "no action is created; those that exist go on",
            Self::ActionsWaitForResume => "its actions go on when it is resumed",
        })
    }
}
