//! A workflow job of a rerun of many: it runs again under its id, as `rerun` does it.

use crate::Engine;
use crate::apply::invocation::Invocation;
use crate::apply::outcome::Outcome;
use crate::verbs::repair::draft::{Manner, Situation, finish};
use crate::verbs::rerun;
use howdah_host::fault::fault_point;
use howdah_oozie::configuration::ParsedProperties;
use howdah_oozie::workflow::rerun::FAIL_NODES;
use howdah_store::Snapshot;
use howdah_words::error::Result;
use howdah_words::model::effect::Effect;
use howdah_words::model::id::JobId;
use howdah_words::model::origin::Origin;
use howdah_words::model::row::{ActionKey, CoordinatorAction, RepairStep, WorkflowJob};

/// Returns the coordinator action of a workflow job when it has another workflow job since, or waits for one.
///
/// # Errors
/// A failure of the database.
pub(super) fn superseding_action(snapshot: &Snapshot, job: &WorkflowJob) -> Result<Option<CoordinatorAction>> {
    let (Some(coordinator), Some(number)) = (job.parent_coordinator, job.parent_action) else { return Ok(None) };
    let action = snapshot.coordinator_action(ActionKey { job: coordinator, number })?;
    Ok(action.filter(|action| action.external_id.as_deref() != Some(job.id.as_str())))
}

/// A workflow job that runs again.
#[derive(Clone, Debug)]
pub(super) struct WorkflowAgain {
    id: JobId,
    /// How often it was rerun before.
    run: u32,
    is_superseded: bool,
    properties: ParsedProperties,
}

impl WorkflowAgain {
    /// Finds out what a rerun of a job would do; nothing when it was rerun since its step was chosen, or when its
    /// coordinator action has another workflow job since an interrupted rerun chose it.
    ///
    /// # Errors
    /// As `rerun_workflow`.
    pub(super) fn find(
        engine: &mut Engine,
        (job, manner): (&WorkflowJob, &Manner),
        steps: &[RepairStep],
        situation: Situation,
    ) -> Result<(Option<Self>, Outcome)> {
        let left = |why: &str| {
            let mut outcome = Outcome::of(&job.id);
            outcome.note(format!("{} {why}, and stays as it is", job.id));
            Ok((None, outcome))
        };
        if steps.iter().any(|step| step.run != job.run) {
            return left("was rerun meanwhile");
        }
        let later = engine.store.read(|snapshot| superseding_action(snapshot, job))?;
        let is_since = |action: &CoordinatorAction| situation.stored_at.is_some_and(|at| action.modified_at >= at);
        if later.as_ref().is_some_and(is_since) {
            return left("belongs to an action that was rerun meanwhile");
        }
        let mut properties = manner.properties.clone();
        if manner.failed {
            properties.define(FAIL_NODES.to_owned(), "true".to_owned());
        }
        let again = Self { id: job.id.clone(), run: job.run, is_superseded: later.is_some(), properties };
        let given = Invocation::new(Origin::Rerun, (Effect::DryRun, situation.now))?;
        let outcome = rerun::rerun_workflow(engine, again.what(), &given, |_| Ok(()))?;
        Ok((Some(again), outcome))
    }

    /// Returns whether another check found the same.
    pub(super) fn is_still(&self, found: &Self) -> bool {
        self.id == found.id && self.run == found.run && self.is_superseded == found.is_superseded
    }

    /// Runs the job again and marks its step, in one transaction.
    ///
    /// # Errors
    /// As `rerun_workflow`.
    pub(super) fn rerun(
        &self,
        engine: &mut Engine,
        (plan, steps): (&str, &[u32]),
        given: &Invocation,
    ) -> Result<Outcome> {
        rerun::rerun_workflow(engine, self.what(), given, |transaction| {
            fault_point("inside-rerun-commit");
            finish(transaction, plan, steps)
        })
    }

    fn what(&self) -> (&JobId, &ParsedProperties) {
        (&self.id, &self.properties)
    }
}
