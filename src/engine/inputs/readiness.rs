//! Converts stored jobs and actions for the rules of waiting and skipping (specification 6.1.3.2, 6.1.6, 6.3).
//!
//! Must not decide anything: `coordinator::readiness` has the rules.

use crate::coordinator::readiness::{Strategy, Wait};
use crate::engine::compiled::Application;
use crate::engine::settings::Settings;
use crate::model::row::{CoordinatorAction, CoordinatorJob};
use crate::store::WaitingAction;

impl CoordinatorAction {
    /// Returns how long the action waits for its inputs.
    pub(crate) fn wait(&self) -> Wait {
        Wait { nominal: self.nominal_at, created: self.created_at, timeout_minutes: self.timeout_minutes.into() }
    }
}

impl WaitingAction<'_> {
    /// Returns how long the action waits for its inputs.
    pub(crate) fn wait(&self) -> Wait {
        Wait { nominal: self.nominal_at, created: self.created_at, timeout_minutes: self.timeout_minutes.into() }
    }
}

impl<'a> Strategy<'a> {
    /// Returns how a job's execution skips its actions.
    pub(crate) fn of(job: &CoordinatorJob, application: &'a Application, settings: &Settings) -> Self {
        Self {
            execution: job.execution,
            schedule: &application.coordinator.schedule,
            none_tolerance_minutes: settings.none_tolerance_minutes,
        }
    }
}
