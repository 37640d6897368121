//! What is lost when the rest of an interrupted rerun is forgotten: outputs that it has deleted already, and that only
//! its actions write again.

use std::collections::{BTreeMap, BTreeSet};

use crate::Engine;
use crate::verbs::repair::draft::Draft;
use crate::verbs::repair::plan::plan;
use howdah_words::error::Result;
use howdah_words::model::row::{CoordinatorKey, RepairStep};
use howdah_words::model::time::Timestamp;

/// The outputs that an interrupted rerun has deleted.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Loss {
    /// The actions of these outputs, by the name of their job and their number.
    pub actions: Vec<String>,
    pub outputs: u32,
    /// Whether some of them may still be there: the machine, or the job, does not say it.
    pub is_at_most: bool,
}

impl Loss {
    /// Adds what another interrupted rerun has deleted.
    pub fn add(&mut self, other: Self) {
        self.actions.extend(other.actions);
        self.outputs += other.outputs;
        self.is_at_most |= other.is_at_most;
    }

    /// Finds out what an interrupted rerun has deleted for the actions that are left.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn of(engine: &mut Engine, draft: &Draft, now: Timestamp) -> Result<Self> {
        let there = if draft.repair.cleaned { Present::default() } else { Present::find(engine, draft, now) };
        let mut loss = Self::default();
        for step in draft.steps.iter().filter(|step| step.outputs > 0) {
            let left = there.outputs_of(draft, step);
            loss.is_at_most |= left.is_none();
            let deleted = step.outputs.saturating_sub(left.unwrap_or_default());
            if deleted == 0 {
                continue;
            }
            loss.outputs += deleted;
            loss.actions.push(name(engine, step)?);
        }
        Ok(loss)
    }
}

/// The outputs of the actions that are there now.
#[derive(Default)]
struct Present {
    outputs: BTreeMap<(Option<CoordinatorKey>, u32), u32>,
    /// The steps of the actions whose outputs are known.
    known: BTreeSet<u32>,
}

impl Present {
    /// Looks for the outputs. What cannot be found out now is not known.
    fn find(engine: &mut Engine, draft: &Draft, now: Timestamp) -> Self {
        let mut present = Self::default();
        let Ok(plan) = plan(engine, draft.clone(), now) else { return present };
        for part in &plan.parts {
            present.known.extend(&part.steps);
            for output in part.outputs.iter().filter(|output| output.deleted_kind().is_some()) {
                *present.outputs.entry((part.job, output.action)).or_default() += 1;
            }
        }
        present
    }

    /// Returns how many outputs of an action are there; `None` when that is not known.
    fn outputs_of(&self, draft: &Draft, step: &RepairStep) -> Option<u32> {
        if draft.repair.cleaned {
            return Some(if step.cleaned { 0 } else { step.outputs });
        }
        let number = step.action_number?;
        let count = || self.outputs.get(&(step.coordinator_job, number)).copied().unwrap_or_default();
        self.known.contains(&step.step).then(count)
    }
}

fn name(engine: &Engine, step: &RepairStep) -> Result<String> {
    let job = step.coordinator_job.map(|job| engine.store.read(|snapshot| snapshot.coordinator_job_at(job)));
    let job = job.transpose()?.flatten();
    let name = job.map(|job| job.name).unwrap_or_default();
    Ok(format!("{name}@{}", step.action_number.unwrap_or_default()))
}
