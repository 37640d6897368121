//! Carries out a rerun of many actions: stores the plan, deletes the outputs, and reruns job by job.
//!
//! All of it is done under the lock of reruns. A command that takes no such lock, such as `kill` or `ignore`, may still
//! change a job in between.

use std::collections::{BTreeMap, BTreeSet};

use crate::Engine;
use crate::apply::coordinator::on_coordinator;
use crate::apply::outcome::Outcome;
use crate::verbs::bundle::reopen;
use crate::verbs::repair::draft::{Draft, Manner, check_met, finish, order};
use crate::verbs::repair::plan::{Part, RepairPlan, Work, kept, plan as find};
use crate::verbs::rerun::lock::{lock, lock_in_turn};
use crate::verbs::rerun::{self, Output, RerunPlan};
use howdah_host::fault::fault_point;
use howdah_host::lock::Lock;
use howdah_oozie::coordinator::operation::named;
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::effect::Effect;
use howdah_words::model::id::{JobId, JobKind};
use howdah_words::model::row::{CoordinatorKey, RepairStep};
use howdah_words::model::time::Timestamp;

/// Stores the plan, deletes the outputs and reruns the actions; does nothing when they have changed.
///
/// A job that refuses does not stop the others. After a failure of the machine the rest of the plan stays stored; so do
/// the actions of a job that refuses after some of its outputs are deleted.
///
/// # Errors
/// As `plan` and [`RepairPlan::check_whole`]; E1018 when another command changed an action or the stored plan
/// meanwhile, H0108 while another rerun is running.
pub fn carry_out(engine: &mut Engine, plan: &RepairPlan, now: Timestamp) -> Result<Vec<Outcome>> {
    let lock = lock(engine)?;
    let again = find_under(&lock, engine, plan.draft.clone(), now)?;
    if !plan.is_still(&again) {
        let error = Error::new(ErrorCode::E1018, "another command changed the actions meanwhile");
        return Err(error.help("check what the rerun would do now"));
    }
    carry_out_under(&lock, engine, again, now)
}

/// Plans and carries out a rerun that asks no one, for a process that holds the lock of reruns.
///
/// # Errors
/// As [`carry_out`].
pub(crate) fn rerun_under(lock: &Lock, engine: &mut Engine, draft: Draft, now: Timestamp) -> Result<Vec<Outcome>> {
    let plan = find_under(lock, engine, Draft { is_unasked: true, ..draft }, now)?;
    carry_out_under(lock, engine, plan, now)
}

/// Reruns what one named job has, for a client that is asked nothing, after the reruns of others. Once the plan is
/// stored, the next tick continues what fails or dies here. The outcome of a bundle has those of its coordinators.
///
/// # Errors
/// As [`carry_out`].
pub fn rerun_unasked(engine: &mut Engine, job: &JobId, draft: Draft, now: Timestamp) -> Result<Outcome> {
    let lock = lock_in_turn(engine)?;
    let mut outcomes = rerun_under(&lock, engine, draft.unattended(None), now)?;
    if job.kind() != JobKind::Bundle {
        return Ok(outcomes.pop().unwrap_or_else(|| Outcome::of(job)));
    }
    let refused = outcomes.iter().find_map(|outcome| outcome.refused.clone());
    Ok(Outcome { coordinators: outcomes, refused, ..Outcome::of(job) })
}

/// Finds out what is done. As no other rerun can begin, nothing else deletes or reruns the actions until it is done.
fn find_under(_lock: &Lock, engine: &mut Engine, draft: Draft, now: Timestamp) -> Result<RepairPlan> {
    engine.store.read(|snapshot| draft.check_current(snapshot))?;
    let plan = find(engine, draft, now)?;
    plan.check_whole()?;
    plan.check_one()?;
    Ok(plan)
}

fn carry_out_under(_lock: &Lock, engine: &mut Engine, mut plan: RepairPlan, now: Timestamp) -> Result<Vec<Outcome>> {
    if !plan.draft.is_stored {
        if plan.parts.is_empty() {
            return Ok(plan.outcomes);
        }
        leave_out_the_rest(&mut plan);
        count_outputs(&mut plan);
        plan.draft.store(engine)?;
    }
    if !plan.draft.repair.cleaned {
        delete_outputs(engine, &mut plan)?;
    }
    for part in std::mem::take(&mut plan.parts) {
        rerun_part(engine, &mut plan, part, now)?;
        fault_point("after-rerun-commit");
    }
    fault_point("before-plan-end");
    let kept = plan.draft.kept_after_cleanup(&plan.settled);
    // The rest of what is not done was refused, and its outcome says why.
    let ended = engine.store.transact(|transaction| check_met(transaction.end_repair(&plan.draft.repair.plan, &kept)?));
    // A plan without an open step means nothing any more: the next rerun deletes it.
    if !plan.draft.steps.iter().all(|step| plan.settled.contains(&step.step)) {
        ended.map_err(|error| left(error, &plan.draft))?;
    }
    plan.check_one()?;
    Ok(plan.outcomes)
}

impl Draft {
    /// Returns the steps that must not be forgotten: those of jobs whose outputs are deleted, except those that are
    /// settled.
    fn kept_after_cleanup(&self, settled: &BTreeSet<u32>) -> BTreeSet<u32> {
        let lost = self.jobs_with_loss();
        let is_lost = |step: &RepairStep| step.coordinator_job.is_some_and(|job| lost.contains(&job));
        let is_kept = |step: &&RepairStep| step.cleaned && step.action_number.is_some() && is_lost(step);
        let steps = self.steps.iter().filter(is_kept).map(|step| step.step);
        steps.filter(|step| !settled.contains(step)).collect()
    }

    /// Returns the steps of a part whose data this process has begun to delete, or an interrupted one has deleted.
    fn steps_with_loss(&self, part: &Part, begun: &BTreeSet<u32>) -> Vec<u32> {
        let is_of = |action: u32| move |output: &&Output| output.action == action && output.deleted_kind().is_some();
        let found = |action: u32| part.outputs.iter().filter(is_of(action)).count();
        let is_lost = |step: &&RepairStep| {
            let outputs = usize::try_from(step.outputs).unwrap_or(usize::MAX);
            let is_lost = |action: u32| begun.contains(&action) || outputs > found(action);
            part.steps.contains(&step.step) && step.action_number.is_some_and(is_lost)
        };
        self.steps.iter().filter(is_lost).map(|step| step.step).collect()
    }
}

/// Takes out of a new draft the steps of what does not run, such as an action that has not ended: it may end before the
/// plan is continued, with outputs that nobody has chosen.
fn leave_out_the_rest(plan: &mut RepairPlan) {
    let runs: BTreeSet<u32> = plan.parts.iter().flat_map(|part| part.steps.iter().copied()).collect();
    plan.draft.steps.retain(|step| runs.contains(&step.step));
}

/// Notes in the steps how many outputs of each action are deleted.
fn count_outputs(plan: &mut RepairPlan) {
    let mut counts: BTreeMap<(Option<CoordinatorKey>, Option<u32>), u32> = BTreeMap::new();
    for part in &plan.parts {
        for output in part.outputs.iter().filter(|output| output.deleted_kind().is_some()) {
            *counts.entry((part.job, Some(output.action))).or_default() += 1;
        }
    }
    for step in &mut plan.draft.steps {
        step.outputs = counts.get(&(step.coordinator_job, step.action_number)).copied().unwrap_or_default();
    }
}

/// Adds to a failure of the machine who does the rest of the plan.
fn left(error: Error, draft: &Draft) -> Error {
    error.more_help(if draft.repair.unattended {
        "the rest of the plan is stored, and the next tick does it"
    } else {
        "the rest of the plan is stored: `howdah rerun --continue` does it"
    })
}

/// Replaces the outcome of a job by a refusal.
fn refuse(outcome: &mut Outcome, error: Error) {
    outcome.changes.clear();
    outcome.actions.clear();
    outcome.action_counts.0.clear();
    outcome.refused = Some(error);
}

/// Deletes the outputs of all jobs. A job of which one cannot be deleted is not rerun; those of its actions that have
/// lost data stay in the plan.
fn delete_outputs(engine: &mut Engine, plan: &mut RepairPlan) -> Result<()> {
    fault_point("before-cleanup");
    let (mut parts, mut steps) = (Vec::new(), BTreeSet::new());
    for part in std::mem::take(&mut plan.parts) {
        let mut begun = BTreeSet::new();
        match rerun::delete_outputs(engine, &part.outputs, &mut begun) {
            Ok(()) => {
                steps.extend(&part.steps);
                parts.push(part);
            }
            Err(error) if error.is_answer() => {
                let lost = plan.draft.steps_with_loss(&part, &begun);
                let error = if lost.is_empty() { error } else { kept(error) };
                refuse(&mut plan.outcomes[part.outcome], error);
                steps.extend(lost);
            }
            Err(error) => return Err(left(error, &plan.draft)),
        }
    }
    plan.parts = parts;
    fault_point("after-cleanup");
    let id = &plan.draft.repair.plan;
    let stored = engine.store.transact(|transaction| check_met(transaction.set_repair_cleaned(id, &steps)?));
    stored.map_err(|error| left(error, &plan.draft))?;
    for step in plan.draft.steps.iter_mut().filter(|step| steps.contains(&step.step)) {
        step.cleaned = true;
    }
    fault_point("after-cleaned-commit");
    Ok(())
}

/// Reruns the actions of one job. Leaves out those that another command has changed meanwhile.
fn rerun_part(engine: &mut Engine, plan: &mut RepairPlan, mut part: Part, now: Timestamp) -> Result<()> {
    let mut changed: Vec<u32> = Vec::new();
    // Why other actions of the job are left out.
    let left_out = plan.outcomes[part.outcome].refused.take();
    let refused = loop {
        let error = match reset(engine, (plan, &part), now) {
            Ok(outcome) => {
                plan.settled.extend(&part.steps);
                if let Some(outcome) = outcome {
                    plan.outcomes[part.outcome] = outcome;
                }
                break (!changed.is_empty()).then(|| changed_error(&plan.outcomes[part.outcome], &changed));
            }
            Err(error) if error.is_answer() => error,
            Err(error) => return Err(left(error, &plan.draft)),
        };
        let Some(rest) = Rest::of(engine, (&plan.draft, &part), now)? else {
            refuse(&mut plan.outcomes[part.outcome], error.clone());
            break Some(error);
        };
        changed.extend(rest.changed);
        plan.outcomes[part.outcome] = rest.plan.outcome.clone();
        part = Part { work: Work::Rerun(rest.plan), steps: rest.steps, ..part };
    };
    let has_lost =
        matches!(part.work, Work::Rerun(_)) && part.job.is_some_and(|job| plan.draft.jobs_with_loss().contains(&job));
    let refused = refused.map(|error| if has_lost { kept(error) } else { error });
    plan.outcomes[part.outcome].refused = refused.or(left_out);
    Ok(())
}

fn changed_error(outcome: &Outcome, changed: &[u32]) -> Error {
    Error::new(ErrorCode::E1018, format!("another command changed {}{} meanwhile", outcome.id, named(changed)))
}

/// Returns why a job is not opened again that another command has suspended since the rerun began. A process that asks
/// no one leaves all of the plan as it is until the suspension ends.
fn suspended_error(job: &JobId, draft: &Draft) -> Error {
    let error = Error::new(ErrorCode::E1018, format!("another command suspended {job} meanwhile"));
    error.passing(draft.repair.unattended)
}

/// The actions of a part that no other command has changed.
struct Rest {
    plan: RerunPlan,
    steps: Vec<u32>,
    /// The numbers of the others.
    changed: Vec<u32>,
}

impl Rest {
    /// Finds out what a rerun of these actions would do; `None` when all or none have changed, or the job refuses.
    fn of(engine: &mut Engine, (draft, part): (&Draft, &Part), now: Timestamp) -> Result<Option<Self>> {
        let Work::Rerun(plan) = &part.work else { return Ok(None) };
        let (mut same, mut changed) = (Vec::new(), Vec::new());
        for action in plan.actions() {
            let stored = engine.store.read(|snapshot| snapshot.coordinator_action(action.key()))?;
            if stored.as_ref() == Some(action) { &mut same } else { &mut changed }.push(action.number);
        }
        if same.is_empty() || changed.is_empty() {
            return Ok(None);
        }
        // The outputs are deleted already.
        let manner = Manner { nocleanup: true, ..draft.manner()? };
        let plan = match rerun::plan(engine, order(plan.job(), &manner, &same), now) {
            Ok(plan) => plan,
            Err(error) if error.is_answer() => return Ok(None),
            Err(error) => return Err(left(error, draft)),
        };
        let numbers: BTreeSet<u32> = plan.numbers().collect();
        let is_in = |step: &&RepairStep| {
            step.coordinator_job == part.job && step.action_number.is_some_and(|number| numbers.contains(&number))
        };
        let steps = draft.steps.iter().filter(is_in).map(|step| step.step).collect();
        Ok(Some(Self { plan, steps, changed }))
    }
}

/// Resets the actions of one job and marks their steps, in one transaction; returns an outcome that is known only now.
fn reset(engine: &mut Engine, (found, part): (&RepairPlan, &Part), now: Timestamp) -> Result<Option<Outcome>> {
    let draft = &found.draft;
    let id = &draft.repair.plan;
    let plan = match &part.work {
        Work::Earlier(earlier) => return earlier.submit(engine, (id, &part.steps), now).map(Some),
        Work::Workflow(again) => {
            let given = draft.invocation((Effect::Stored, now));
            return again.rerun(engine, (id, &part.steps), &given).map(Some);
        }
        Work::Rerun(plan) => plan,
    };
    let given = draft.invocation((Effect::Stored, now));
    on_coordinator(engine, plan.job(), &given, |transaction, job, context| {
        if plan.is_suspended_since(job) {
            return Err(suspended_error(&job.id, draft));
        }
        if let Some(bundle) = draft.bundle(transaction)? {
            if bundle.suspended_at.is_some() && bundle.suspended_at != found.bundle_suspended_at {
                return Err(suspended_error(&bundle.id, draft));
            }
            reopen(transaction, bundle, context.cause)?;
        }
        plan.reset_actions(transaction, context)?;
        fault_point("inside-rerun-commit");
        finish(transaction, id, &part.steps)?;
        Ok(Outcome::of(&job.id))
    })?;
    Ok(None)
}
