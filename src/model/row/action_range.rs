//! Consecutive actions of a coordinator job that are stored as one row.

use std::ops::RangeInclusive;

use crate::model::row::key::CoordinatorKey;
use crate::model::row::{ActionKey, CoordinatorAction};
use crate::model::status::ActionStatus;
use crate::model::time::Timestamp;

/// Consecutive actions that never started and differ in nothing but number and nominal time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ActionRange {
    pub(crate) job: CoordinatorKey,
    /// Of the first action.
    pub(crate) number: u32,
    pub(crate) last_number: u32,
    /// Of the first action.
    pub(crate) nominal_at: Timestamp,
    pub(crate) last_nominal_at: Timestamp,
    pub(crate) created_at: Timestamp,
    pub(crate) modified_at: Timestamp,
    pub(crate) status: ActionStatus,
    pub(crate) definition_version: u32,
    pub(crate) timeout_minutes: i32,
    /// The schedule that gives the nominal times between, as `calendar` writes it.
    pub(crate) schedule: String,
}

/// Consecutive actions that have the same status and change together: rows, or parts of ranges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ActionGroup {
    pub(crate) job: CoordinatorKey,
    /// Of the first action.
    pub(crate) number: u32,
    pub(crate) last_number: u32,
    pub(crate) status: ActionStatus,
}

impl ActionGroup {
    /// The numbers of its actions.
    pub(crate) const fn numbers(&self) -> RangeInclusive<u32> {
        self.number..=self.last_number
    }

    /// How many actions it has.
    pub(crate) const fn len(&self) -> u32 {
        self.last_number - self.number + 1
    }
}

impl CoordinatorAction {
    /// The action as a group of one.
    pub(crate) const fn group(&self) -> ActionGroup {
        ActionGroup { job: self.job, number: self.number, last_number: self.number, status: self.status }
    }
}

impl ActionRange {
    /// Its actions as a group.
    pub(crate) const fn group(&self) -> ActionGroup {
        ActionGroup { job: self.job, number: self.number, last_number: self.last_number, status: self.status }
    }

    /// One of its actions as a row of its own.
    pub(crate) fn action(&self, number: u32, nominal_at: Timestamp) -> CoordinatorAction {
        CoordinatorAction {
            created_at: self.created_at,
            modified_at: self.modified_at,
            definition_version: self.definition_version,
            timeout_minutes: self.timeout_minutes,
            ..CoordinatorAction::unstarted(ActionKey { job: self.job, number }, self.status, nominal_at)
        }
    }
}
