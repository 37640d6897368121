//! What is lost when the rest of an interrupted rerun is forgotten: outputs that it has deleted already, and that only
//! its actions write again.

use std::collections::{BTreeMap, BTreeSet};

use crate::Engine;
use crate::verbs::repair::draft::Draft;
use crate::verbs::rerun::outputs_now;
use howdah_words::error::Result;
use howdah_words::model::row::{ActionKey, CoordinatorJob, RepairStep};

/// The outputs that an interrupted rerun has deleted.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Loss {
    /// The actions of these outputs, by the name of their job and their number.
    pub actions: Vec<String>,
    pub outputs: u32,
    /// Whether some of them may still be there: the machine, or the job, does not say it.
    pub is_at_most: bool,
    /// The steps of these actions.
    pub(super) steps: BTreeSet<u32>,
}

impl Loss {
    /// Adds what another interrupted rerun has deleted.
    pub fn add(&mut self, other: Self) {
        self.actions.extend(other.actions);
        self.outputs += other.outputs;
        self.is_at_most |= other.is_at_most;
        self.steps.extend(other.steps);
    }

    /// Finds out what an interrupted rerun has deleted for the actions that are left.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn of(engine: &mut Engine, draft: &Draft) -> Result<Self> {
        let mut loss = Self::default();
        for job in draft.steps.iter().filter_map(|step| step.coordinator_job).collect::<BTreeSet<_>>() {
            if let Some(job) = engine.store.read(|snapshot| snapshot.coordinator_job_at(job))? {
                loss.add(Self::of_job(engine, draft, &job)?);
            }
        }
        Ok(loss)
    }

    /// Finds out what it has deleted for the actions of one job; of a new draft nothing.
    ///
    /// # Errors
    /// A failure of the database.
    pub(super) fn of_job(engine: &mut Engine, draft: &Draft, job: &CoordinatorJob) -> Result<Self> {
        let mut loss = Self::default();
        let steps = open_steps(engine, draft, job)?;
        if steps.is_empty() {
            return Ok(loss);
        }
        let left = if draft.repair.cleaned { None } else { Some(outputs_left(engine, job, &steps)) };
        for (number, step) in steps {
            let (deleted, is_known) = match &left {
                None => (if step.cleaned { step.outputs } else { 0 }, true),
                Some(None) => (step.outputs, false),
                Some(Some(left)) => (step.outputs.saturating_sub(left.get(&number).copied().unwrap_or_default()), true),
            };
            if deleted > 0 {
                loss.outputs += deleted;
                loss.is_at_most |= !is_known;
                loss.actions.push(format!("{}@{number}", job.name));
                loss.steps.insert(step.step);
            }
        }
        Ok(loss)
    }
}

/// Returns the steps of actions of a job that have not run since the plan was stored and have outputs that it deletes,
/// with their numbers.
fn open_steps<'a>(engine: &Engine, draft: &'a Draft, job: &CoordinatorJob) -> Result<Vec<(u32, &'a RepairStep)>> {
    let mut open = Vec::new();
    for step in draft.steps.iter().filter(|step| draft.is_stored && step.outputs > 0) {
        let Some(number) = step.action_number.filter(|_| step.coordinator_job == Some(job.job)) else { continue };
        let action = engine.store.read(|snapshot| snapshot.coordinator_action(ActionKey { job: job.job, number }))?;
        if action.is_some_and(|action| action.run == step.run) {
            open.push((number, step));
        }
    }
    Ok(open)
}

/// Returns how many outputs of each action are there; `None` when that is not known.
fn outputs_left(engine: &mut Engine, job: &CoordinatorJob, steps: &[(u32, &RepairStep)]) -> Option<BTreeMap<u32, u32>> {
    let numbers: Vec<u32> = steps.iter().map(|(number, _)| *number).collect();
    outputs_now(engine, job, &numbers).ok()
}
