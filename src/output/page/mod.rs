//! The page for people: HTML that works without a script, with one style sheet and nothing from elsewhere.
//!
//! Every text that is not ours is escaped. Must not decide anything about jobs.

mod calendar;
pub(crate) mod frame;
mod job;
mod jobs;

pub(crate) use calendar::{Month, calendar};
pub(crate) use frame::STYLE;
pub(crate) use job::{Detail, job, text};
pub(crate) use jobs::{Links, bundles, coordinators, workflows};
