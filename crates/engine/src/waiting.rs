//! Converts stored jobs and actions for the rules of waiting and skipping (specification 6.1.3.2, 6.1.6, 6.3).
//!
//! Must not decide anything: `coordinator::readiness` has the rules.

use crate::compiled::Application;
use crate::settings::Settings;
use howdah_oozie::coordinator::readiness::{Strategy, Wait};
use howdah_store::WaitingAction;
use howdah_words::model::row::{CoordinatorAction, CoordinatorJob};

/// An action that waits for its inputs, as it is stored.
pub trait Waits {
    /// Returns how long the action waits for its inputs.
    fn wait(&self) -> Wait;
}

impl Waits for CoordinatorAction {
    fn wait(&self) -> Wait {
        Wait { nominal: self.nominal_at, created: self.created_at, timeout_minutes: self.timeout_minutes.into() }
    }
}

impl Waits for WaitingAction<'_> {
    fn wait(&self) -> Wait {
        Wait { nominal: self.nominal_at, created: self.created_at, timeout_minutes: self.timeout_minutes.into() }
    }
}

/// Returns how a job's execution skips its actions.
pub fn strategy<'a>(job: &CoordinatorJob, application: &'a Application, settings: &Settings) -> Strategy<'a> {
    Strategy {
        execution: job.execution,
        schedule: &application.coordinator.schedule,
        none_tolerance_minutes: settings.none_tolerance_minutes,
    }
}
