//! Why a coordinator action is in its current state.

use std::fmt;

use crate::query::explain::why::{When, Why};
use crate::query::explain::wording::{are, before, runs};
use crate::query::inputs::{InputView, missing};
use crate::query::instance::InstanceState;
use howdah_engine::format::{in_words, time};
use howdah_words::model::id::JobId;
use howdah_words::model::status::{ActionStatus, Execution};
use howdah_words::model::time::Timestamp;

/// Why a coordinator action is in its current state. Texts in it are messages of errors and reasons of events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ActionWhy {
    InputsCannotBeComputed(String),
    /// Its job was resumed, so they are computed again.
    InputsCannotBeComputedAgain(String),
    NotDueBefore(When),
    /// The next tick passes it over.
    IsPassedOver(Execution),
    /// The machine cannot tell whether its inputs are there.
    Undecided(String),
    BecomesReady(InputsWanted),
    /// Its timeout is over; the next tick ends it.
    TimesOut(Awaited),
    Waits(Awaited),
    /// The end of a wait of its input logic, at which what is there suffices.
    LogicWaitsUntil(When),
    /// The same behind the end of an earlier wait.
    LogicSufficesFrom(When),
    /// Its inputs are there, but something else holds it.
    ReadyBut(Box<Why>),
    /// As many actions run as may.
    NoPlace {
        concurrency: i32,
        running: usize,
    },
    /// READY actions that start first; `at_least` when not all were counted.
    OthersFirst {
        ahead: usize,
        at_least: bool,
        execution: Execution,
    },
    WorkflowUnusable(String),
    /// The machine could not read its workflow.
    WorkflowUnknown(String),
    Starts,
    /// `latest` instances, looked for again after a suspension.
    LatestMissing,
    LatestUnknown(String),
    /// With the input that it waited for last, where that is known.
    TimedOut(Option<String>),
    NoWorkflowStarted(String),
    EndedBeforeStart(ActionStatus),
    NothingRuns(ActionStatus),
    WasPassedOver(String),
    /// The database is a shadow, and this is how the action came to its status.
    InShadow(String),
    /// Its workflow job is not in the database.
    WorkflowMissing,
    /// An Oozie has started it, before its job was taken over: the ids of its workflow job and its job there.
    RunsInOozie(String, String),
    /// With the end of its workflow job, the seconds that it took, and its id.
    Succeeded(Option<(Timestamp, i64, JobId)>),
}

impl fmt::Display for ActionWhy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InputsCannotBeComputed(error) => write!(f, "its inputs cannot be computed: {error}"),
            Self::InputsCannotBeComputedAgain(error) => {
                write!(f, "the job was resumed, and its inputs cannot be computed again: {error}")
            }
            Self::NotDueBefore(when) => write!(f, "it is not due before {when}"),
            Self::IsPassedOver(execution) => {
                write!(f, "the next tick passes it over, because execution is {execution}")
            }
            Self::Undecided(error) => write!(f, "nothing is decided about it, and the next tick looks again: {error}"),
            Self::BecomesReady(wanted) => write!(f, "{wanted}: the next tick makes it READY"),
            Self::TimesOut(awaited) => write!(f, "{awaited}, and its time is up: the next tick makes it TIMEDOUT"),
            Self::Waits(awaited) => awaited.fmt(f),
            Self::LogicWaitsUntil(end) => {
                write!(f, "its input logic waits until {end} for more instances; what is there suffices then")
            }
            Self::LogicSufficesFrom(end) => {
                write!(f, "its input logic waits for more instances; what is there suffices from {end} on")
            }
            Self::ReadyBut(why) => write!(f, "its inputs are there, but {why}"),
            Self::NoPlace { running: 0, .. } => {
                f.write_str("its inputs are there, but the job's concurrency is 0: nothing may start")
            }
            Self::NoPlace { concurrency, running } => write!(
                f,
                "its inputs are there, but the job's concurrency is {concurrency} and {} already",
                runs(*running)
            ),
            Self::OthersFirst { ahead, at_least, execution } => {
                let at_least = if *at_least { "at least " } else { "" };
                write!(f, "{at_least}{}", before(*ahead, *execution))
            }
            Self::WorkflowUnusable(error) => {
                write!(f, "its inputs are there, but its workflow cannot be used: {error}")
            }
            Self::WorkflowUnknown(error) => {
                write!(f, "its inputs are there, but the machine could not say what its workflow is: {error}")
            }
            Self::Starts => f.write_str("its inputs are there and there is a place: the next tick starts it"),
            Self::LatestMissing => f.write_str(
                "the job was resumed, so its `latest` instances are looked for again, and they are not there",
            ),
            Self::LatestUnknown(error) => {
                write!(f, "the job was resumed, so its `latest` instances are looked for again: {error}")
            }
            Self::TimedOut(Some(uri)) => write!(f, "it timed out waiting for {uri}"),
            Self::TimedOut(None) => f.write_str("it waited too long for its inputs"),
            Self::NoWorkflowStarted(reason) => write!(f, "no workflow job was started: {reason}"),
            Self::EndedBeforeStart(status) => write!(f, "it was {status} before a workflow job was started"),
            Self::NothingRuns(status) => write!(f, "it is {status}: nothing will run for it"),
            Self::WasPassedOver(reason) => write!(f, "it was passed over: {reason}"),
            Self::InShadow(reason) => write!(f, "nothing runs for it here: {reason}"),
            Self::WorkflowMissing => f.write_str("its workflow job is not in the database"),
            Self::RunsInOozie(workflow, job) => write!(
                f,
                "Oozie has started it, as workflow job {workflow} of {job}; `howdah takeover SOURCE --follow LATER \
                 --yes` records how it ended there"
            ),
            Self::Succeeded(Some((ended, seconds, workflow))) => {
                write!(f, "it succeeded at {} after {} (workflow job {workflow})", time(*ended), in_words(*seconds))
            }
            Self::Succeeded(None) => f.write_str("it succeeded"),
        }
    }
}

/// What an action wants of its inputs; counts are of instances that are not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputsWanted {
    /// Nothing: it was rerun without a refresh.
    DecidedBefore,
    Nothing,
    Instances(u64),
    /// Nothing more: its input logic is satisfied.
    LogicSatisfied,
    ByLogic(u64),
}

impl fmt::Display for InputsWanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DecidedBefore => {
                f.write_str("its inputs were decided before it was rerun and are not looked for again")
            }
            Self::Nothing => f.write_str("all its inputs are there"),
            Self::Instances(absent) => write!(f, "{} not there yet", are(*absent, "input instance")),
            Self::LogicSatisfied => f.write_str("its input logic is satisfied"),
            Self::ByLogic(absent) => {
                write!(f, "its input logic wants more: {} not there yet", are(*absent, "input instance"))
            }
        }
    }
}

/// The first instance that an action waits for, and how many more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Awaited {
    /// Its URI and what is known of it.
    pub first: Option<(String, InstanceState)>,
    pub more: usize,
}

impl Awaited {
    /// Returns what is not there of some inputs.
    pub fn of(inputs: &[InputView]) -> Self {
        let mut absent = missing(inputs);
        let first = absent.next().map(|first| (first.uri.clone(), first.state));
        Self { first, more: absent.count() }
    }
}

impl fmt::Display for Awaited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((uri, state)) = &self.first else { return f.write_str("it waits for its inputs") };
        let detail = match state {
            InstanceState::Unmapped => ", for which there is no mount",
            InstanceState::Unreadable => ", which cannot be read",
            InstanceState::Unknown => ", of which the machine cannot tell whether it is there",
            InstanceState::NotYetDue => ", whose own time lies ahead",
            InstanceState::Present | InstanceState::Missing | InstanceState::Unresolved => "",
        };
        write!(f, "it waits for {uri}{detail}")?;
        if self.more > 0 { write!(f, ", and {} more", self.more) } else { Ok(()) }
    }
}
