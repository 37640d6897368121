//! Which actions of a job are listed, and in which order.

use crate::model::status::ActionStatus;
use crate::model::time::Timestamp;

/// By nominal time, then by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ActionOrder {
    OldestFirst,
    NewestFirst,
}

/// What a listed action must match; bounds are inclusive, an empty list matches every status.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ActionFilter {
    pub(crate) statuses: Vec<ActionStatus>,
    pub(crate) first_number: Option<u32>,
    pub(crate) last_number: Option<u32>,
    pub(crate) nominal_from: Option<Timestamp>,
    pub(crate) nominal_until: Option<Timestamp>,
    pub(crate) created_from: Option<Timestamp>,
    pub(crate) created_until: Option<Timestamp>,
    /// The only nominal times; empty for all.
    pub(crate) nominal_in: Vec<Timestamp>,
    pub(crate) nominal_not_in: Vec<Timestamp>,
}

impl ActionFilter {
    /// The statuses, when they are the only condition: then the counts give the number of matches.
    pub(super) fn only_statuses(&self) -> Option<&[ActionStatus]> {
        let only = Self { statuses: self.statuses.clone(), ..Self::default() };
        (only == *self).then_some(&self.statuses)
    }
}
