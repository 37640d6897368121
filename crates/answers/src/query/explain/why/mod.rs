//! Why something is in its current state: the answers of `explain` as values.
//!
//! Each has one wording, its `Display`, for people and for JSON. Must not depend on how a reason is found.

mod action;
mod bundle;
mod job;
mod node;
mod who;
mod workflow;

pub(crate) use action::InputsWanted;
pub use action::{ActionWhy, Awaited};
pub(crate) use bundle::BundleWhy;
pub use job::JobWhy;
pub(crate) use job::{CreationWhy, HoldFacts, Therefore};
pub use node::NodeWhy;
pub use who::When;
pub(crate) use who::{By, ByOrBecause, EndedBy, PauseTime, Since, SitePaused};
pub use workflow::WorkflowWhy;

use std::fmt;

/// The answer to "why?".
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Why {
    /// The reason has not been looked for yet.
    #[default]
    NotLookedFor,
    /// What is stored cannot be used, so no reason can be found; what the error says.
    Unreadable(String),
    Action(ActionWhy),
    Creation(CreationWhy),
    Job(JobWhy),
    Workflow(WorkflowWhy),
    Node(NodeWhy),
    Bundle(BundleWhy),
    SitePaused(SitePaused),
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotLookedFor => Ok(()),
            Self::Unreadable(error) => f.write_str(error),
            Self::Action(why) => why.fmt(f),
            Self::Creation(why) => why.fmt(f),
            Self::Job(why) => why.fmt(f),
            Self::Workflow(why) => why.fmt(f),
            Self::Node(why) => why.fmt(f),
            Self::Bundle(why) => why.fmt(f),
            Self::SitePaused(why) => why.fmt(f),
        }
    }
}

macro_rules! from_why {
    ($($variant:ident($why:ident),)*) => {
        $(impl From<$why> for Why {
            fn from(why: $why) -> Self {
                Self::$variant(why)
            }
        })*
    };
}

from_why! {
    Action(ActionWhy),
    Creation(CreationWhy),
    Job(JobWhy),
    Workflow(WorkflowWhy),
    Node(NodeWhy),
    Bundle(BundleWhy),
    SitePaused(SitePaused),
}

/// A text behind a colon; nothing for no text.
fn after_colon(text: Option<&String>) -> String {
    text.map(|text| format!(": {text}")).unwrap_or_default()
}
