//! Which actions of a job are listed, and in which order.

use howdah_words::model::status::ActionStatus;
use howdah_words::model::time::Timestamp;

/// By nominal time, then by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActionOrder {
    OldestFirst,
    NewestFirst,
}

/// What a listed action must match; bounds are inclusive, an empty list matches every status.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ActionFilter {
    pub statuses: Vec<ActionStatus>,
    pub first_number: Option<u32>,
    pub last_number: Option<u32>,
    pub nominal_from: Option<Timestamp>,
    pub nominal_until: Option<Timestamp>,
    pub created_from: Option<Timestamp>,
    pub created_until: Option<Timestamp>,
    /// The only nominal times; empty for all.
    pub nominal_in: Vec<Timestamp>,
    pub nominal_not_in: Vec<Timestamp>,
}

impl ActionFilter {
    /// The statuses, when they are the only condition: then the counts give the number of matches.
    pub(super) fn only_statuses(&self) -> Option<&[ActionStatus]> {
        let only = Self { statuses: self.statuses.clone(), ..Self::default() };
        (only == *self).then_some(&self.statuses)
    }
}
