//! An instance of an input, who produces it, and the chain of jobs behind it: what explanations are made of.

use crate::model::status::{ActionStatus, CoordinatorStatus};
use crate::model::time::Timestamp;
use crate::query::json;
use serde::Serialize;

/// An instance of an input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InstanceView {
    /// `None` for a search.
    #[serde(serialize_with = "json::time_or_null")]
    pub(crate) nominal_time: Option<Timestamp>,
    /// What must exist, with its done-flag; for a search, the function and the template.
    pub(crate) uri: String,
    /// Where that is on this machine; `None` when no mount covers it.
    pub(crate) path: Option<String>,
    pub(crate) state: InstanceState,
    /// Why it cannot be read or found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) detail: Option<String>,
    /// Which other action writes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) producer: Option<ProducerView>,
    /// The URI without its done-flag.
    #[serde(skip)]
    pub(crate) folder: String,
}

/// The action that writes a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ProducerView {
    pub(crate) coord_job_id: String,
    pub(crate) coord_job_name: String,
    #[serde(serialize_with = "json::word")]
    pub(crate) job_status: CoordinatorStatus,
    /// The name of the output event.
    pub(crate) output: String,
    /// `None` when no action of the job writes this instance.
    pub(crate) action_id: Option<String>,
    #[serde(serialize_with = "json::time_or_null")]
    pub(crate) nominal_time: Option<Timestamp>,
    /// `None` when the action does not exist yet.
    #[serde(serialize_with = "json::word_or_null")]
    pub(crate) status: Option<ActionStatus>,
    /// The same in one sentence.
    pub(crate) text: String,
    /// What that action waits for, and the one that writes it, and so on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) chain: Vec<ChainLink>,
    /// The nominal time of an action that is not due yet.
    #[serde(skip)]
    pub(crate) due_at: Option<Timestamp>,
}

/// One more action in a chain of producers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChainLink {
    /// What the action before waits for.
    pub(crate) waits_for: String,
    /// The action that writes it; `None` when none is known.
    pub(crate) action_id: Option<String>,
    /// `None` when the action is not known or does not exist yet.
    #[serde(serialize_with = "json::word_or_null")]
    pub(crate) status: Option<ActionStatus>,
    /// The same in one sentence.
    pub(crate) text: String,
}

/// What is known of an instance now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum InstanceState {
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
    pub(crate) const fn as_str(self) -> &'static str {
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
