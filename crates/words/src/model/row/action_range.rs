//! Consecutive actions of a coordinator job that are stored as one row.

use std::ops::RangeInclusive;

use crate::model::row::key::CoordinatorKey;
use crate::model::row::{ActionKey, CoordinatorAction};
use crate::model::status::ActionStatus;
use crate::model::time::Timestamp;

/// Consecutive actions that never started and differ in nothing but number and nominal time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionRange {
    pub job: CoordinatorKey,
    /// Of the first action.
    pub number: u32,
    pub last_number: u32,
    /// Of the first action.
    pub nominal_at: Timestamp,
    pub last_nominal_at: Timestamp,
    pub created_at: Timestamp,
    pub modified_at: Timestamp,
    pub status: ActionStatus,
    pub definition_version: u32,
    pub timeout_minutes: i32,
    /// The schedule that gives the nominal times between, as `calendar` writes it.
    pub schedule: String,
}

/// Consecutive actions that have the same status and change together: rows, or parts of ranges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActionGroup {
    pub job: CoordinatorKey,
    /// Of the first action.
    pub number: u32,
    pub last_number: u32,
    pub status: ActionStatus,
}

impl ActionGroup {
    /// The numbers of its actions.
    pub const fn numbers(&self) -> RangeInclusive<u32> {
        self.number..=self.last_number
    }

    /// How many actions it has.
    pub const fn len(&self) -> u32 {
        self.last_number - self.number + 1
    }
}

impl CoordinatorAction {
    /// The action as a group of one.
    pub const fn group(&self) -> ActionGroup {
        ActionGroup { job: self.job, number: self.number, last_number: self.number, status: self.status }
    }
}

impl ActionRange {
    /// Its actions as a group.
    pub const fn group(&self) -> ActionGroup {
        ActionGroup { job: self.job, number: self.number, last_number: self.last_number, status: self.status }
    }

    /// One of its actions as a row of its own.
    pub fn action(&self, number: u32, nominal_at: Timestamp) -> CoordinatorAction {
        CoordinatorAction {
            created_at: self.created_at,
            modified_at: self.modified_at,
            definition_version: self.definition_version,
            timeout_minutes: self.timeout_minutes,
            ..CoordinatorAction::unstarted(ActionKey { job: self.job, number }, self.status, nominal_at)
        }
    }
}
