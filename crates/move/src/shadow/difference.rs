//! What a comparison of a shadow finds.

use serde::Serialize;

use howdah_words::model::time::Timestamp;

/// What differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Field {
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
    pub const fn in_words(self) -> &'static str {
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
pub struct Side {
    pub status: Option<String>,
    /// When it came to that.
    pub at: Option<Timestamp>,
    /// What it waits for, or what else is known.
    pub note: Option<String>,
}

/// A difference of an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionDifference {
    pub field: Field,
    pub oozie: Side,
    pub here: Side,
}
