//! The state of a path of a definition at a tick. Must not depend on who answers.

use std::io;

use crate::found::{Verdict, verdict};

/// The state of a path at this tick.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// It exists.
    Present,
    /// It does not exist.
    Missing,
    /// The system refuses to say; the text is its reason.
    Unreadable(String),
    /// A server has it, which is asked later in this tick: nothing may be decided.
    Deferred,
    /// The machine cannot say at present, so nothing may be decided; the text is its reason.
    Unknown(String),
    /// No mount covers the URI; the text is its `scheme://authority`.
    Unmapped(String),
}

impl State {
    /// The reason of [`Self::Deferred`], for a caller that decides about the unknown alone.
    pub const NOT_ASKED: &str = "its server was not asked yet";

    /// What an error of a query about a path means.
    pub(super) fn of_error(error: &io::Error) -> Self {
        match verdict(error) {
            Verdict::Absent => Self::Missing,
            Verdict::Refused => Self::Unreadable(error.to_string()),
            Verdict::Unknown => Self::Unknown(error.to_string()),
        }
    }
}
