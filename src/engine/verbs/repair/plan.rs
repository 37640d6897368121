//! What a rerun of many actions would do, job by job, and doing it.

use std::collections::{BTreeMap, BTreeSet};

use crate::engine::Engine;
use crate::engine::apply::coordinator::on_coordinator;
use crate::engine::apply::invocation::Invocation;
use crate::engine::apply::outcome::Outcome;
use crate::engine::verbs::repair::draft::{Draft, Manner, check_finished, finish, order};
use crate::engine::verbs::repair::earlier::Earlier;
use crate::engine::verbs::repair::workflow::WorkflowAgain;
use crate::engine::verbs::rerun::lock::lock;
use crate::engine::verbs::rerun::{self, Output, RerunPlan};
use crate::error::{Class, Error, ErrorCode, Result};
use crate::host::fault::fault_point;
use crate::model::effect::Effect;
use crate::model::id::JobId;
use crate::model::origin::Origin;
use crate::model::row::{ActionKey, CoordinatorJob, CoordinatorKey, RepairStep, WorkflowJob, WorkflowKey};
use crate::model::time::Timestamp;
use crate::store::{Snapshot, Transaction};

/// What a rerun of many actions would do; [`carry_out`] does it.
pub(crate) struct RepairPlan {
    pub(crate) draft: Draft,
    /// The outcomes of the jobs, also of those that cannot be rerun.
    pub(crate) outcomes: Vec<Outcome>,
    /// The names of these jobs, by id.
    pub(crate) names: BTreeMap<String, String>,
    /// The outputs of all actions, each once.
    pub(crate) outputs: Vec<Output>,
    parts: Vec<Part>,
}

/// The actions of one job.
struct Part {
    work: Work,
    /// The steps that its transaction marks.
    steps: Vec<u32>,
    /// The place of its outcome.
    outcome: usize,
    outputs: Vec<Output>,
}

/// What is done for one job.
enum Work {
    /// Its actions are reset.
    Rerun(RerunPlan),
    /// Nominal times before its start run in a job of their own.
    Earlier(Earlier),
    /// A workflow job runs again.
    Workflow(WorkflowAgain),
}

/// What the steps of one transaction are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Group {
    /// Actions of a coordinator job.
    Actions(CoordinatorKey),
    /// Nominal times before the start of a coordinator job.
    Earlier(CoordinatorKey),
    Workflow(WorkflowKey),
}

/// The job of a group.
enum Subject {
    Actions(CoordinatorJob),
    Earlier(CoordinatorJob),
    Workflow(WorkflowJob),
}

impl RepairPlan {
    /// Returns how many actions run.
    pub(crate) fn actions(&self) -> usize {
        self.parts.iter().filter(|part| !part.is_workflow()).map(|part| part.steps.len()).sum()
    }

    /// Returns how many workflow jobs that were chosen themselves run again.
    pub(crate) fn workflow_jobs(&self) -> usize {
        self.parts.iter().filter(|part| part.is_workflow()).count()
    }

    /// Returns whether another check found the same.
    fn is_still(&self, found: &Self) -> bool {
        let same = |(before, now): (&Part, &Part)| match (&before.work, &now.work) {
            (Work::Rerun(before), Work::Rerun(now)) => before.is_still(now),
            (Work::Earlier(before), Work::Earlier(now)) => before.is_still(now),
            (Work::Workflow(before), Work::Workflow(now)) => before.is_still(now),
            _ => false,
        };
        self.parts.len() == found.parts.len() && self.parts.iter().zip(&found.parts).all(same)
    }
}

/// Finds out what a rerun of the actions of a draft would do, and changes nothing.
///
/// # Errors
/// H0180 when the draft is new and another rerun was interrupted, or a failure of the database. A refusal of one job is
/// in its outcome.
pub(crate) fn plan(engine: &mut Engine, draft: Draft, now: Timestamp) -> Result<RepairPlan> {
    if !draft.is_stored {
        check_finished(engine)?;
    }
    let manner = draft.manner()?;
    let outcomes = draft.refused.clone();
    let mut plan = RepairPlan { draft, outcomes, names: BTreeMap::new(), outputs: Vec::new(), parts: Vec::new() };
    let mut known = BTreeSet::new();
    for group in groups(&plan.draft.steps) {
        let Some(subject) = engine.store.read(|snapshot| Subject::read(snapshot, group))? else { continue };
        let of_group = |step: &&RepairStep| Group::of(step) == Some(group);
        let steps: Vec<RepairStep> = plan.draft.steps.iter().filter(of_group).cloned().collect();
        plan.names.insert(subject.id().to_string(), subject.name().to_owned());
        match subject.find(engine, &manner, &steps, now) {
            Ok((work, outcome)) => {
                if let Some((work, steps, mut outputs)) = work {
                    outputs.retain(|output| known.insert(output.uri.clone()));
                    plan.outputs.extend(outputs.iter().cloned());
                    plan.parts.push(Part { work, steps, outcome: plan.outcomes.len(), outputs });
                }
                plan.outcomes.push(outcome);
            }
            Err(error) if is_refusal(&error) => {
                plan.outcomes.push(Outcome { refused: Some(error), ..Outcome::of(subject.id()) });
            }
            Err(error) => return Err(error),
        }
    }
    Ok(plan)
}

/// Checks whether an error is about one job and will be the same at the next try.
fn is_refusal(error: &Error) -> bool {
    error.code().class() == Class::Refused && !error.may_pass()
}

/// Returns the groups of steps in the order of their first step.
fn groups(steps: &[RepairStep]) -> Vec<Group> {
    let mut known = BTreeSet::new();
    steps.iter().filter_map(Group::of).filter(|group| known.insert(*group)).collect()
}

impl Group {
    /// Returns the group of a step; each step has one.
    fn of(step: &RepairStep) -> Option<Self> {
        match (step.coordinator_job, step.action_number) {
            (Some(job), Some(_)) => Some(Self::Actions(job)),
            (Some(job), None) => Some(Self::Earlier(job)),
            (None, _) => step.workflow_job.map(Self::Workflow),
        }
    }
}

impl Subject {
    /// Returns the job of a group; `None` when it was deleted.
    fn read(snapshot: &Snapshot, group: Group) -> Result<Option<Self>> {
        Ok(match group {
            Group::Actions(job) => snapshot.coordinator_job_at(job)?.map(Self::Actions),
            Group::Earlier(job) => snapshot.coordinator_job_at(job)?.map(Self::Earlier),
            Group::Workflow(job) => snapshot.workflow_job_at(job)?.map(Self::Workflow),
        })
    }

    fn id(&self) -> &JobId {
        match self {
            Self::Actions(job) | Self::Earlier(job) => &job.id,
            Self::Workflow(job) => &job.id,
        }
    }

    fn name(&self) -> &str {
        match self {
            Self::Actions(job) | Self::Earlier(job) => &job.name,
            Self::Workflow(job) => &job.name,
        }
    }

    /// Finds out what a rerun of the steps of the group would do.
    fn find(&self, engine: &mut Engine, manner: &Manner, steps: &[RepairStep], now: Timestamp) -> Result<FoundWork> {
        let all = || steps.iter().map(|step| step.step).collect();
        match self {
            Self::Actions(job) => inside(engine, (job, manner), steps, now),
            Self::Earlier(job) => {
                let (earlier, outcome) = Earlier::find(engine, (job, manner), steps)?;
                Ok((Some((Work::Earlier(earlier), all(), Vec::new())), outcome))
            }
            Self::Workflow(job) => {
                let (again, outcome) = WorkflowAgain::find(engine, (job, manner), steps, now)?;
                Ok((again.map(|again| (Work::Workflow(again), all(), Vec::new())), outcome))
            }
        }
    }
}

impl Part {
    fn is_workflow(&self) -> bool {
        matches!(self.work, Work::Workflow(_))
    }
}

/// What is done for a job and its outcome; without work when none of its actions is left.
type FoundWork = (Option<(Work, Vec<u32>, Vec<Output>)>, Outcome);

/// Finds out what a rerun of actions of one job would do.
fn inside(
    engine: &mut Engine,
    (job, manner): (&CoordinatorJob, &Manner),
    steps: &[RepairStep],
    now: Timestamp,
) -> Result<FoundWork> {
    let mut open: Vec<(u32, u32)> = Vec::new();
    let mut again = Vec::new();
    for step in steps {
        let Some(number) = step.action_number else { continue };
        let action = engine.store.read(|snapshot| snapshot.coordinator_action(ActionKey { job: job.job, number }))?;
        if action.is_some_and(|action| action.run == step.run) {
            open.push((number, step.step));
        } else {
            again.push(number);
        }
    }
    let note = |outcome: &mut Outcome| {
        for number in &again {
            outcome.note(format!("{}@{number} was rerun or deleted meanwhile, and stays as it is", job.id));
        }
    };
    if open.is_empty() {
        let mut outcome = Outcome::of(&job.id);
        note(&mut outcome);
        return Ok((None, outcome));
    }
    let numbers: Vec<u32> = open.iter().map(|(number, _)| *number).collect();
    let mut plan = rerun::plan(engine, order(job, manner, &numbers), now)?;
    note(&mut plan.outcome);
    let done: BTreeSet<u32> = plan.numbers().collect();
    let steps = open.into_iter().filter(|(number, _)| done.contains(number)).map(|(_, step)| step).collect();
    let name = |output: &Output| Output { coordinator: Some(job.name.clone()), ..output.clone() };
    let outputs = plan.outputs.iter().map(name).collect();
    let outcome = plan.outcome.clone();
    Ok((Some((Work::Rerun(plan), steps, outputs)), outcome))
}

/// Stores the plan, deletes the outputs and reruns the actions; does nothing when they have changed.
///
/// A job that refuses does not stop the others. After a failure of the machine the rest of the plan stays stored.
///
/// # Errors
/// As [`plan`]; E1018 when another command changed an action meanwhile, H0108 while another rerun is running.
pub(crate) fn carry_out(engine: &mut Engine, plan: &RepairPlan, now: Timestamp) -> Result<Vec<Outcome>> {
    let _lock = lock(engine)?;
    let mut again = self::plan(engine, plan.draft.clone(), now)?;
    if !plan.is_still(&again) {
        let error = Error::new(ErrorCode::E1018, "another command changed the actions meanwhile");
        return Err(error.help("check what the rerun would do now"));
    }
    if !again.draft.is_stored && !again.parts.is_empty() {
        again.draft.store(engine)?;
    }
    if !again.draft.repair.cleaned {
        delete_outputs(engine, &mut again)?;
    }
    for part in &again.parts {
        match reset(engine, part, now) {
            Ok(None) => {}
            Ok(Some(outcome)) => again.outcomes[part.outcome] = outcome,
            Err(error) if is_refusal(&error) => refuse(&mut again.outcomes[part.outcome], error),
            Err(error) => return Err(left(error)),
        }
        fault_point("after-rerun-commit");
    }
    fault_point("before-plan-end");
    // What is not done was refused, and its outcome says why.
    engine.store.transact(forget)?;
    Ok(again.outcomes)
}

/// Deletes the plan.
fn forget(transaction: &Transaction<'_>) -> Result<()> {
    transaction.delete_repair()
}

/// Records that the outputs of the plan are deleted.
fn note_cleaned(transaction: &Transaction<'_>) -> Result<()> {
    transaction.set_repair_cleaned()
}

fn left(error: Error) -> Error {
    let help = "the rest of the plan is stored: `howdah rerun --continue` does it";
    let help = error.help_text().map_or_else(|| help.to_owned(), |more| format!("{more}; {help}"));
    error.help(help)
}

/// Replaces the outcome of a job by a refusal.
fn refuse(outcome: &mut Outcome, error: Error) {
    outcome.changes.clear();
    outcome.actions.clear();
    outcome.action_counts.0.clear();
    outcome.refused = Some(error);
}

/// Deletes the outputs of all jobs; a job of which one cannot be deleted is not rerun.
fn delete_outputs(engine: &mut Engine, plan: &mut RepairPlan) -> Result<()> {
    fault_point("before-cleanup");
    let mut parts = Vec::new();
    for part in std::mem::take(&mut plan.parts) {
        match rerun::delete_outputs(engine, &part.outputs) {
            Ok(()) => parts.push(part),
            Err(error) if is_refusal(&error) => refuse(&mut plan.outcomes[part.outcome], error),
            Err(error) => return Err(left(error)),
        }
    }
    plan.parts = parts;
    fault_point("after-cleanup");
    engine.store.transact(note_cleaned)?;
    fault_point("after-cleaned-commit");
    Ok(())
}

/// Resets the actions of one job and marks their steps, in one transaction; returns an outcome that is known only now.
fn reset(engine: &mut Engine, part: &Part, now: Timestamp) -> Result<Option<Outcome>> {
    let plan = match &part.work {
        Work::Earlier(earlier) => return earlier.submit(engine, &part.steps, now).map(Some),
        Work::Workflow(again) => return again.rerun(engine, &part.steps, now).map(Some),
        Work::Rerun(plan) => plan,
    };
    let given = Invocation::new(Origin::Rerun, (Effect::Stored, now))?;
    on_coordinator(engine, plan.job(), &given, |transaction, job, context| {
        plan.reset_actions(transaction, context)?;
        fault_point("inside-rerun-commit");
        finish(transaction, &part.steps)?;
        Ok(Outcome::of(&job.id))
    })?;
    Ok(None)
}
