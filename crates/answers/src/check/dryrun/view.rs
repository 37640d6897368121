//! The result of a dry run as texts: a job, its actions, their events and instances.
//!
//! Must not depend on the output format or on how the states were found.

use serde::Serialize;

use howdah_host::presence::State;
use howdah_words::model::Properties;

/// An action as it would be created now.
#[derive(Clone, Debug)]
pub struct DryAction {
    pub number: u32,
    /// Its nominal time, in the processing time zone.
    pub nominal: String,
    /// Whether every input exists; `None` when it was not checked.
    pub ready: Option<bool>,
    pub inputs: Vec<DryEvent>,
    pub outputs: Vec<DryEvent>,
    /// The configuration of its workflow job; a value that needs a search without result stays an expression.
    pub configuration: Properties,
    /// The names of the values that the action itself defines; all others come from the job.
    pub own: Vec<String>,
}

/// An event of an action.
#[derive(Clone, Debug)]
pub struct DryEvent {
    pub name: String,
    pub dataset: String,
    /// The dataset's initial instance, moved to the end of its day, week or month where the frequency requires it.
    pub initial: String,
    /// How many instances are left out because they are before the initial one.
    pub before_initial: usize,
    /// The nominal times of the instances that are left out, where the calendar can compute them.
    pub left_out: Vec<String>,
    pub instances: Vec<DryInstance>,
}

/// An instance of an event.
#[derive(Clone, Debug)]
pub struct DryInstance {
    /// `None` for a search without result.
    pub nominal: Option<String>,
    /// The URI, or the search as it would be written in a definition.
    pub uri: String,
    /// The URI's path on this machine.
    pub path: Option<String>,
    /// What must exist: the URI with its done-flag.
    pub dependency: String,
    pub state: InstanceState,
}

/// The state of an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InstanceState {
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
    pub const fn as_str(&self) -> &'static str {
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
pub struct DryJob {
    #[serde(rename = "coordJobName")]
    pub name: String,
    #[serde(rename = "coordJobPath")]
    pub path: String,
    pub user: String,
    pub frequency: String,
    #[serde(rename = "timeUnit")]
    pub time_unit: String,
    #[serde(rename = "timeZone")]
    pub time_zone: String,
    /// The clock that the frequency follows, in words.
    #[serde(skip)]
    pub clock: String,
    #[serde(rename = "startTime")]
    pub start: String,
    #[serde(rename = "endTime")]
    pub end: String,
    #[serde(rename = "pauseTime")]
    pub pause: Option<String>,
    /// Actions that may run at a time; negative: no limit.
    pub concurrency: i32,
    #[serde(rename = "executionPolicy")]
    pub execution: &'static str,
    #[serde(rename = "matThrottling")]
    pub throttle: i32,
    /// Minutes; negative: no limit.
    #[serde(rename = "timeOut")]
    pub timeout_minutes: i32,
    /// The job's configuration, which all its workflow jobs get.
    #[serde(rename = "conf")]
    pub configuration: Properties,
}
