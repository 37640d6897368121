//! What a comparison of a shadow finds.

use serde::Serialize;

use crate::model::time::Timestamp;

/// What differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Field {
    Created,
    NominalTime,
    Ready,
    Started,
    TimedOut,
    Skipped,
    StartOrder,
}

impl Field {
    /// Returns it for people.
    pub(crate) const fn in_words(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::NominalTime => "nominal time",
            Self::Ready => "ready",
            Self::Started => "started",
            Self::TimedOut => "timed out",
            Self::Skipped => "skipped",
            Self::StartOrder => "order of start",
        }
    }
}

/// How one of the two has an action.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Side {
    pub(crate) status: Option<String>,
    /// When it came to that.
    pub(crate) at: Option<Timestamp>,
    /// What it waits for, or what else is known.
    pub(crate) note: Option<String>,
}

/// A difference of an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ActionDifference {
    pub(crate) field: Field,
    pub(crate) oozie: Side,
    pub(crate) here: Side,
}
