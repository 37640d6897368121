//! When something changed and who changed it: parts of many answers.

use std::fmt;

use crate::query::explain::wording::when;
use howdah_words::model::row::Event;
use howdah_words::model::time::Timestamp;

/// An instant as it is read at `now`: `2026-03-01T05:00Z (in 3 h)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct When {
    pub at: Timestamp,
    pub now: Timestamp,
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&when(self.at, self.now))
    }
}

/// Who gave which verb.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct By {
    pub user: String,
    pub verb: String,
}

impl By {
    /// Returns who caused an event with a verb; `None` when a step caused it.
    pub fn of(event: &Event) -> Option<Self> {
        event.actor.as_ref().map(|user| Self { user: user.clone(), verb: event.origin.to_string() })
    }
}

impl fmt::Display for By {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, " by {} with `howdah {}`", self.user, self.verb)
    }
}

/// Who caused an event or, where no verb did, its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ByOrBecause {
    By(By),
    Because(String),
    /// The failure policy, with the setting and what it says: `howdah.failure.suspend.after: 3 failures in a row`.
    Policy(String),
}

impl ByOrBecause {
    /// Returns what is known of the cause of an event.
    pub fn of(event: &Event) -> Option<Self> {
        By::of(event).map(Self::By).or_else(|| event.reason.clone().map(Self::Because))
    }
}

impl fmt::Display for ByOrBecause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::By(by) => by.fmt(f),
            Self::Because(reason) => write!(f, " ({reason})"),
            Self::Policy(reason) => match reason.split_once(": ") {
                Some((setting, what)) => write!(f, " by the failure policy: {what} ({setting})"),
                None => write!(f, " by the failure policy ({reason})"),
            },
        }
    }
}

/// What ended a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EndedBy {
    Verb(By),
    /// The reason that a step noted.
    Step(String),
    /// The parts of the job ended, such as `actions`.
    Parts(&'static str),
}

impl fmt::Display for EndedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Verb(by) => by.fmt(f),
            Self::Step(reason) => write!(f, ": {reason}"),
            Self::Parts(parts) => write!(f, ", as its {parts} ended"),
        }
    }
}

/// Since when a job has its status, and who gave it that status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Since {
    pub when: When,
    pub by: Option<ByOrBecause>,
}

impl fmt::Display for Since {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, " since {}{}", self.when, text(self.by.as_ref()))
    }
}

/// All jobs are paused, since when and by whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SitePaused(pub Since);

impl fmt::Display for SitePaused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "all jobs are paused{}: nothing new starts", self.0)
    }
}

/// The pause time of a job, and who set it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PauseTime {
    pub when: When,
    pub(crate) set_by: Option<By>,
}

impl fmt::Display for PauseTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.set_by {
            Some(by) => write!(f, "{}, set{by}", self.when),
            None => self.when.fmt(f),
        }
    }
}

/// A part that may be absent; nothing for none.
pub(super) fn text(part: Option<&impl fmt::Display>) -> String {
    part.map(ToString::to_string).unwrap_or_default()
}

/// An instant behind `at`; nothing for none.
pub(super) fn at(when: Option<When>) -> String {
    when.map(|when| format!(" at {when}")).unwrap_or_default()
}
