//! What the rules of waiting and passing over are told of stored jobs and actions (specification 6.1.3.2, 6.1.6, 6.3).
//!
//! Decides nothing: the rules are `coordinator::readiness`.

use crate::coordinator::readiness::{Strategy, Wait};
use crate::engine::compiled::Application;
use crate::engine::settings::Settings;
use crate::model::row::{CoordinatorAction, CoordinatorJob};
use crate::store::WaitingAction;

impl CoordinatorAction {
    /// How long the action waits for its inputs.
    pub(crate) fn wait(&self) -> Wait {
        Wait { nominal: self.nominal_at, created: self.created_at, timeout_minutes: self.timeout_minutes.into() }
    }
}

impl WaitingAction<'_> {
    /// How long the action waits for its inputs.
    pub(crate) fn wait(&self) -> Wait {
        Wait { nominal: self.nominal_at, created: self.created_at, timeout_minutes: self.timeout_minutes.into() }
    }
}

impl<'a> Strategy<'a> {
    /// How a job's execution passes its actions over.
    pub(crate) fn of(job: &CoordinatorJob, application: &'a Application, settings: &Settings) -> Self {
        Self {
            execution: job.execution,
            schedule: &application.coordinator.schedule,
            none_tolerance_minutes: settings.none_tolerance_minutes,
        }
    }
}
