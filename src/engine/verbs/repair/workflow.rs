//! A workflow job of a rerun of many: it runs again under its id, as `rerun` does it.

use crate::configuration::ParsedProperties;
use crate::engine::Engine;
use crate::engine::apply::outcome::Outcome;
use crate::engine::verbs::repair::draft::{Manner, finish};
use crate::engine::verbs::rerun;
use crate::error::Result;
use crate::host::fault::fault_point;
use crate::model::effect::Effect;
use crate::model::id::JobId;
use crate::model::row::{RepairStep, WorkflowJob};
use crate::model::time::Timestamp;
use crate::workflow::rerun::FAIL_NODES;

/// A workflow job that runs again.
#[derive(Clone, Debug)]
pub(super) struct WorkflowAgain {
    id: JobId,
    /// How often it was rerun before.
    run: u32,
    properties: ParsedProperties,
}

impl WorkflowAgain {
    /// Finds out what a rerun of a job would do; nothing when it was rerun since its step was chosen.
    ///
    /// # Errors
    /// As [`rerun::rerun_workflow`].
    pub(super) fn find(
        engine: &mut Engine,
        (job, manner): (&WorkflowJob, &Manner),
        steps: &[RepairStep],
        now: Timestamp,
    ) -> Result<(Option<Self>, Outcome)> {
        if steps.iter().any(|step| step.run != job.run) {
            let mut outcome = Outcome::of(&job.id);
            outcome.note(format!("{} was rerun meanwhile, and stays as it is", job.id));
            return Ok((None, outcome));
        }
        let mut properties = manner.properties.clone();
        if manner.failed {
            properties.define(FAIL_NODES.to_owned(), "true".to_owned());
        }
        let again = Self { id: job.id.clone(), run: job.run, properties };
        let outcome = rerun::rerun_locked(engine, again.what(), (Effect::DryRun, now), |_| Ok(()))?;
        Ok((Some(again), outcome))
    }

    /// Returns whether another check found the same.
    pub(super) fn is_still(&self, found: &Self) -> bool {
        self.id == found.id && self.run == found.run
    }

    /// Runs the job again and marks its step, in one transaction.
    ///
    /// # Errors
    /// As [`rerun::rerun_workflow`].
    pub(super) fn rerun(&self, engine: &mut Engine, (plan, steps): (&str, &[u32]), now: Timestamp) -> Result<Outcome> {
        rerun::rerun_locked(engine, self.what(), (Effect::Stored, now), |transaction| {
            fault_point("inside-rerun-commit");
            finish(transaction, plan, steps)
        })
    }

    fn what(&self) -> (&JobId, &ParsedProperties) {
        (&self.id, &self.properties)
    }
}
