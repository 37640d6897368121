//! An instance of an input, who produces it, and the chain of jobs behind it: what explanations are made of.

use crate::query::json;
use howdah_engine::format::in_words;
use howdah_words::model::id::JobId;
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::status::ActionStatus;
use serde::Serialize;
use std::fmt;

use howdah_words::model::time::Timestamp;

/// An instance of an input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct InstanceView {
    /// `None` for a search.
    #[serde(serialize_with = "json::time_or_null")]
    pub nominal_time: Option<Timestamp>,
    /// What must exist, with its done-flag; for a search, the function and the template.
    pub uri: String,
    /// Where that is on this machine; `None` when no mount covers it.
    pub path: Option<String>,
    pub state: InstanceState,
    /// Why it cannot be read or found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Which other action writes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub producer: Option<ProducerView>,
    /// The URI without its done-flag.
    #[serde(skip)]
    pub folder: String,
}

/// The action that writes a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProducerView {
    pub coord_job_id: String,
    pub coord_job_name: String,
    #[serde(serialize_with = "json::word")]
    pub job_status: JobStatus,
    /// The name of the output event.
    pub output: String,
    /// `None` when no action of the job writes this instance.
    pub action_id: Option<String>,
    #[serde(serialize_with = "json::time_or_null")]
    pub nominal_time: Option<Timestamp>,
    /// `None` when the action does not exist yet.
    #[serde(serialize_with = "json::word_or_null")]
    pub status: Option<ActionStatus>,
    /// The same, written in one sentence.
    #[serde(serialize_with = "json::word")]
    pub text: ProducerText,
    /// What that action waits for, and the one that writes it, and so on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub chain: Vec<ChainLink>,
    /// The nominal time of an action that is not due yet.
    #[serde(skip)]
    pub due_at: Option<Timestamp>,
}

/// One more action in a chain of producers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChainLink {
    /// What the action before waits for.
    pub waits_for: String,
    /// The action that writes it; `None` when none is known.
    pub action_id: Option<String>,
    /// `None` when the action is not known or does not exist yet.
    #[serde(serialize_with = "json::word_or_null")]
    pub status: Option<ActionStatus>,
    /// The same, written in one sentence.
    #[serde(serialize_with = "json::word")]
    pub text: ProducerText,
}

/// What is said of an action in a chain of producers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProducerText {
    /// Of a further action in a chain: what the action before waits for.
    pub waits_for: Option<String>,
    /// Who writes the instance; `None` when no known job does.
    pub writer: Option<Writer>,
    /// Whether the chain comes back to an action that is in it.
    pub closes_cycle: bool,
}

impl fmt::Display for ProducerText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.waits_for, &self.writer) {
            (Some(uri), Some(writer)) => write!(f, "it waits for {uri}; {writer}")?,
            (Some(uri), None) => write!(f, "it waits for {uri}, which no known job writes")?,
            (None, Some(writer)) => writer.fmt(f)?,
            (None, None) => {}
        }
        if self.closes_cycle {
            f.write_str("; this closes a cycle: none of these actions can start before the others")?;
        }
        Ok(())
    }
}

/// The job that writes an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Writer {
    pub job: JobId,
    pub name: String,
    /// The number of its action, where that is known.
    pub number: Option<u32>,
    pub state: WriterState,
}

/// What the writer of a missing instance does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriterState {
    /// The job writes the dataset, but no action of it writes the instance.
    NoAction(JobStatus),
    /// The action is in this status.
    Action(ActionStatus),
    /// The job ended before it created the action.
    JobOver(JobStatus),
    /// The action is due in so many seconds.
    Due(i64),
    NotCreated(JobStatus),
}

impl fmt::Display for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { job, name, number, state } = self;
        if let WriterState::NoAction(status) = state {
            let but = "writes this dataset, but no action of it writes this instance";
            return write!(f, "{name} ({job}, {status}) {but}");
        }
        match number {
            Some(number) => write!(f, "{job}@{number} ({name})")?,
            None => write!(f, "{job} ({name})")?,
        }
        match state {
            WriterState::NoAction(_) => Ok(()),
            WriterState::Action(ActionStatus::Succeeded) => f.write_str(" SUCCEEDED and yet did not leave it there"),
            WriterState::Action(status) => write!(f, " writes it and is {status}"),
            WriterState::JobOver(status) => write!(f, " would write it, but the job is {status}"),
            WriterState::Due(seconds) => write!(f, " writes it and is due in {}", in_words(*seconds)),
            WriterState::NotCreated(status) => write!(f, " writes it and is not created yet; the job is {status}"),
        }
    }
}

/// What is known of an instance now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum InstanceState {
    Present,
    Missing,
    /// Missing, and its own nominal time lies ahead.
    NotYetDue,
    /// The system refuses to say.
    Unreadable,
    /// The machine cannot tell at present; nothing is decided.
    Unknown,
    /// No mount covers its store.
    Unmapped,
    /// A search has not found enough instances.
    Unresolved,
}

impl InstanceState {
    /// The word that is printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Present => "present",
            Self::Missing => "missing",
            Self::NotYetDue => "not yet due",
            Self::Unreadable => "unreadable",
            Self::Unknown => "unknown",
            Self::Unmapped => "unmapped",
            Self::Unresolved => "unresolved",
        }
    }
}
