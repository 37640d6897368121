//! The result of a dry run as texts: a job, its actions, their events and instances.
//!
//! Must not depend on the output format or on how the states were found.

use serde::Serialize;

use crate::host::presence::State;
use crate::model::Properties;

/// An action as it would be created now.
#[derive(Clone, Debug)]
pub(crate) struct DryAction {
    pub(crate) number: u32,
    /// Its nominal time, in the processing time zone.
    pub(crate) nominal: String,
    /// Whether every input exists; `None` when it was not checked.
    pub(crate) ready: Option<bool>,
    pub(crate) inputs: Vec<DryEvent>,
    pub(crate) outputs: Vec<DryEvent>,
    /// The configuration of its workflow job; a value that needs a search without result stays an expression.
    pub(crate) configuration: Properties,
    /// The names of the values that the action itself defines; all others come from the job.
    pub(crate) own: Vec<String>,
}

/// An event of an action.
#[derive(Clone, Debug)]
pub(crate) struct DryEvent {
    pub(crate) name: String,
    pub(crate) dataset: String,
    /// The dataset's initial instance, moved to the end of its day, week or month where the frequency requires it.
    pub(crate) initial: String,
    /// How many instances are left out because they are before the initial one.
    pub(crate) before_initial: usize,
    /// The nominal times of the instances that are left out, where the calendar can compute them.
    pub(crate) left_out: Vec<String>,
    pub(crate) instances: Vec<DryInstance>,
}

/// An instance of an event.
#[derive(Clone, Debug)]
pub(crate) struct DryInstance {
    /// `None` for a search without result.
    pub(crate) nominal: Option<String>,
    /// The URI, or the search as it would be written in a definition.
    pub(crate) uri: String,
    /// The URI's path on this machine.
    pub(crate) path: Option<String>,
    /// What must exist: the URI with its done-flag.
    pub(crate) dependency: String,
    pub(crate) state: InstanceState,
}

/// The state of an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum InstanceState {
    Present,
    Missing,
    /// The machine cannot know at present; the text is the reason.
    Unreadable(String),
    /// No mount covers the URI.
    Unmapped,
    /// A search that finds nothing yet, or that was not made.
    Unresolved,
    /// Not checked.
    Unchecked,
}

impl InstanceState {
    /// Returns the name of the state.
    pub(crate) const fn as_str(&self) -> &'static str {
        match self {
            Self::Present => "present",
            Self::Missing => "missing",
            Self::Unreadable(_) => "unreadable",
            Self::Unmapped => "unmapped",
            Self::Unresolved => "unresolved",
            Self::Unchecked => "unchecked",
        }
    }
}

impl From<State> for InstanceState {
    fn from(state: State) -> Self {
        match state {
            State::Present => Self::Present,
            State::Missing => Self::Missing,
            State::Unreadable(why) | State::Unknown(why) => Self::Unreadable(why),
            State::Deferred => Self::Unreadable(State::NOT_ASKED.to_owned()),
            State::Unmapped(_) => Self::Unmapped,
        }
    }
}

/// A job as it would be stored, without id and state, with Oozie's names for other programs.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct DryJob {
    #[serde(rename = "coordJobName")]
    pub(crate) name: String,
    #[serde(rename = "coordJobPath")]
    pub(crate) path: String,
    pub(crate) user: String,
    pub(crate) frequency: String,
    #[serde(rename = "timeUnit")]
    pub(crate) time_unit: String,
    #[serde(rename = "timeZone")]
    pub(crate) time_zone: String,
    #[serde(rename = "startTime")]
    pub(crate) start: String,
    #[serde(rename = "endTime")]
    pub(crate) end: String,
    #[serde(rename = "pauseTime")]
    pub(crate) pause: Option<String>,
    /// Actions that may run at a time; negative: no limit.
    pub(crate) concurrency: i32,
    #[serde(rename = "executionPolicy")]
    pub(crate) execution: &'static str,
    #[serde(rename = "matThrottling")]
    pub(crate) throttle: i32,
    /// Minutes; negative: no limit.
    #[serde(rename = "timeOut")]
    pub(crate) timeout_minutes: i32,
    /// The job's configuration, which all its workflow jobs get.
    #[serde(rename = "conf")]
    pub(crate) configuration: Properties,
}
