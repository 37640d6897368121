//! What a plan goes by besides the import: what is known of Oozie's side, and what the jobs get here.

use super::oozie_job::States;
use howdah_words::error::{Error, ErrorCode, Result};

/// What is known of the side of Oozie, and what the jobs get here.
#[derive(Clone, Copy)]
pub struct Choices<'a> {
    pub side: Side<'a>,
    pub timeouts: Timeouts,
}

/// What is known of Oozie besides the states of the import.
#[derive(Clone, Copy)]
pub enum Side<'a> {
    /// Nothing yet: nothing is taken over before a job is stopped.
    Open,
    /// The states from after the jobs were stopped.
    Later(&'a States),
    /// Nothing, and the jobs are to be taken over: those that nobody is known to have stopped are refused.
    Unknown,
    /// The Oozie is gone, so it creates and starts nothing.
    Gone,
}

impl<'a> Side<'a> {
    pub(super) fn states(self) -> Option<&'a States> {
        match self {
            Self::Later(states) => Some(states),
            Self::Open | Self::Unknown | Self::Gone => None,
        }
    }

    /// Returns whether a job that is not refused is known to be stopped.
    pub(super) fn is_stopped(self) -> bool {
        matches!(self, Self::Later(_) | Self::Gone)
    }

    /// Refuses a job that is about to be taken over although nothing shows that it is stopped.
    ///
    /// # Errors
    /// H0232.
    pub(super) fn check_stopped(self, id: &str) -> Result<()> {
        if !matches!(self, Self::Unknown) {
            return Ok(());
        }
        let error = Error::with(ErrorCode::H0232, &[&id, &"no later state shows that it is"]);
        Err(error.help(
            "stop it with the command that the plan names, then give --follow LATER; or give --oozie URL, which does \
             both; or --unstopped, when that Oozie is gone for good",
        ))
    }
}

/// Where the timeout of the actions comes from that a job creates here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timeouts {
    /// The one that the job has in Oozie.
    Keep,
    /// The definition and the site file here, as for a job that is submitted.
    Site,
}
