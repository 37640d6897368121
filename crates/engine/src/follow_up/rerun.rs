//! Reruns the actions whose planned rerun is due, by the rules of the verb `rerun` without options: the outputs of the
//! action are deleted, and it runs from its start.
//!
//! Before that it continues what has failed or died of reruns that no person at a terminal began. What an operator does
//! in between counts as for a planned rerun: a suspension holds it, and what is no longer wanted ends it.
//!
//! Several processes may do so at once: a tick releases its lock before, and the runner ticks too. So each plan is read
//! again under the lock of reruns, and is changed only if it is still the same.

use crate::Engine;
use crate::fault::Fault;
use crate::follow_up::policy;
use crate::settings::Settings;
use crate::stored_policy;
use crate::verbs::repair::abandon::Loss;
use crate::verbs::repair::select::named;
use crate::verbs::repair::{self, Draft, Manner};
use crate::verbs::rerun::lock::try_lock;
use howdah_host::fault::fault_point;
use howdah_host::lock::Lock;
use howdah_oozie::coordinator::operation::scope::Scope;
use howdah_store::Snapshot;
use howdah_words::error::Result;
use howdah_words::model::action_numbers::ActionNumbers;
use howdah_words::model::id::{JobId, Target};
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::row::{ActionKey, PolicyRerun, RepairStep, steps_in_words};
use howdah_words::model::time::Timestamp;

/// The most planned reruns that are read at once.
const PAGE: u32 = 200;
/// The most reruns of one call; the next one continues.
const MOST_AT_ONCE: usize = 200;

/// What became of planned reruns.
#[derive(Debug, Default)]
pub(crate) struct Reruns {
    /// How many actions wait for their start again.
    pub done: usize,
    pub faults: Vec<Fault>,
}

/// What becomes of a planned rerun.
enum Verdict {
    /// It must wait, or another process has done or changed it.
    Left,
    /// The job was killed, its policy changed, or a user has ended the planned rerun.
    Unwanted,
    /// It is done.
    Wanted,
}

/// Reruns the actions whose planned rerun is due. While all jobs are paused, none: no output is deleted for an action
/// that cannot start. Without waiting it leaves the rest to the next call while another rerun is running.
///
/// # Errors
/// A failure of the database.
pub(crate) fn rerun_due(engine: &mut Engine, now: Timestamp) -> Result<Reruns> {
    let mut reruns = Reruns::default();
    continue_interrupted(engine, now, &mut reruns)?;
    let mut last: Option<PolicyRerun> = None;
    // Those that cannot be done now must not keep the ones behind them waiting.
    loop {
        let due = engine.store.read(|snapshot| match snapshot.site_pause()? {
            Some(_) => Ok(Vec::new()),
            None => snapshot.due_policy_reruns(now, last.as_ref(), PAGE),
        })?;
        for plan in &due {
            if reruns.done >= MOST_AT_ONCE {
                return Ok(reruns);
            }
            fault_point("before-policy-rerun");
            let Some(lock) = try_lock(engine)? else { return Ok(reruns) };
            rerun_one(&lock, engine, (*plan, now), &mut reruns)?;
        }
        if due.len() < PAGE as usize {
            return Ok(reruns);
        }
        last = due.last().copied();
    }
}

/// Does what is left of reruns that the failure policy or a client began.
fn continue_interrupted(engine: &mut Engine, now: Timestamp, reruns: &mut Reruns) -> Result<()> {
    for draft in repair::unfinished(engine)?.into_iter().filter(|draft| draft.repair.unattended) {
        fault_point("before-continued-rerun");
        let Some(lock) = try_lock(engine)? else { return Ok(()) };
        // Another process may have done it meanwhile, or another plan some of it.
        if let Some(draft) = repair::left_of(engine, &draft.repair.plan)? {
            continue_one(&lock, engine, (draft, now), reruns)?;
        }
    }
    Ok(())
}

/// Does what is left of one rerun, unless it must wait or is no longer wanted. What has deleted outputs is wanted until
/// its actions have run.
fn continue_one(lock: &Lock, engine: &mut Engine, (draft, now): (Draft, Timestamp), reruns: &mut Reruns) -> Result<()> {
    let Engine { store, settings, .. } = &*engine;
    match store.read(|snapshot| judge_stored(snapshot, settings, &draft))? {
        Verdict::Left => return Ok(()),
        Verdict::Unwanted if Loss::of(engine, &draft)?.outputs == 0 => {
            return repair::abandon_under(lock, engine, &draft);
        }
        Verdict::Unwanted | Verdict::Wanted => {}
    }
    let left = steps_in_words(&draft.steps);
    let problems = match repair::rerun_under(lock, engine, draft, now) {
        Ok(outcomes) => {
            reruns.done += outcomes.iter().filter(|outcome| outcome.refused.is_none()).count();
            outcomes.into_iter().filter_map(|outcome| outcome.refused).collect()
        }
        Err(error) => vec![error],
    };
    let fault = |error| Fault { subject: format!("an interrupted rerun of {left}"), error };
    reruns.faults.extend(problems.into_iter().map(fault));
    Ok(())
}

/// Decides what becomes of a rerun that was interrupted.
fn judge_stored(snapshot: &Snapshot, settings: &Settings, draft: &Draft) -> Result<Verdict> {
    if snapshot.site_pause()?.is_some() || draft.is_stopped(snapshot)? {
        return Ok(Verdict::Left);
    }
    // The failure policy reruns one action, and a command of a user about it ends the planned rerun.
    let [RepairStep { coordinator_job: Some(job), action_number: Some(number), .. }] = draft.steps[..] else {
        return Ok(Verdict::Wanted);
    };
    if draft.repair.reason.is_none() {
        return Ok(Verdict::Wanted);
    }
    match snapshot.policy_rerun(ActionKey { job, number })?.filter(|plan| plan.rerun_at.is_some()) {
        Some(plan) => judge_action(snapshot, settings, &plan),
        None => Ok(Verdict::Unwanted),
    }
}

/// Does one planned rerun, if it is still wanted.
fn rerun_one(
    lock: &Lock,
    engine: &mut Engine,
    (plan, now): (PolicyRerun, Timestamp),
    reruns: &mut Reruns,
) -> Result<()> {
    let Some((id, reason)) = wanted(engine, &plan)? else { return Ok(()) };
    match rerun(lock, engine, (&id, plan.number), reason, now) {
        Ok(()) => reruns.done += 1,
        // Another command has changed the action meanwhile, and with it the plan.
        Err(_) if !engine.store.read(|snapshot| is_still(snapshot, &plan))? => {}
        Err(error) => {
            let action =
                |snapshot: &Snapshot| snapshot.has_open_repair_of(ActionKey { job: plan.job, number: plan.number });
            // What has lost outputs stays planned, and the next tick tries it again.
            if error.is_answer() && !engine.store.read(action)? {
                give_up(engine, &plan, now)?;
            }
            let subject = Target::CoordinatorAction(id, plan.number).to_string();
            reruns.faults.push(Fault { subject, error });
        }
    }
    Ok(())
}

/// Returns the job of a plan and the reason of the rerun; `None` when it must wait, or is no longer wanted.
fn wanted(engine: &mut Engine, plan: &PolicyRerun) -> Result<Option<(JobId, String)>> {
    let Engine { store, settings, .. } = engine;
    match store.read(|snapshot| judge(snapshot, settings, plan))? {
        Verdict::Wanted => {}
        Verdict::Left => return Ok(None),
        Verdict::Unwanted => {
            store.transact(|transaction| match judge(transaction, settings, plan)? {
                Verdict::Unwanted => transaction.forget_planned_rerun(plan),
                Verdict::Left | Verdict::Wanted => Ok(()),
            })?;
            return Ok(None);
        }
    }
    store.read(|snapshot| {
        let Some(job) = snapshot.coordinator_job_at(plan.job)? else { return Ok(None) };
        let policy = stored_policy::of_job(snapshot, settings.failure_policy, &job)?;
        Ok(Some((job.id, policy::rerun_reason(plan.reruns, policy))))
    })
}

/// Decides what becomes of a planned rerun.
fn judge(snapshot: &Snapshot, settings: &Settings, plan: &PolicyRerun) -> Result<Verdict> {
    let action = ActionKey { job: plan.job, number: plan.number };
    // In the last case its stored plan is continued.
    if snapshot.site_pause()?.is_some() || !is_still(snapshot, plan)? || snapshot.has_open_repair_of(action)? {
        return Ok(Verdict::Left);
    }
    judge_action(snapshot, settings, plan)
}

/// Decides whether the job, its policy and the action allow the rerun now.
fn judge_action(snapshot: &Snapshot, settings: &Settings, plan: &PolicyRerun) -> Result<Verdict> {
    let action = ActionKey { job: plan.job, number: plan.number };
    let Some(job) = snapshot.coordinator_job_at(plan.job)? else { return Ok(Verdict::Left) };
    // In the second case its commands are still being ended.
    if repair::is_stopped(snapshot, &job, None)? || snapshot.has_open_attempts_of_action(action)? {
        return Ok(Verdict::Left);
    }
    let row = snapshot.coordinator_action(action)?;
    let is_over = matches!(job.status, JobStatus::Killed | JobStatus::Failed | JobStatus::Ignored);
    let policy = stored_policy::of_job(snapshot, settings.failure_policy, &job)?;
    let is_wanted = !is_over && plan.reruns < policy.reruns && row.is_some_and(|row| row.status.is_terminal());
    Ok(if is_wanted { Verdict::Wanted } else { Verdict::Unwanted })
}

/// Checks whether a plan is stored as it was read.
fn is_still(snapshot: &Snapshot, plan: &PolicyRerun) -> Result<bool> {
    let stored = snapshot.policy_rerun(ActionKey { job: plan.job, number: plan.number })?;
    Ok(stored.as_ref() == Some(plan))
}

fn rerun(lock: &Lock, engine: &mut Engine, (job, number): (&JobId, u32), reason: String, now: Timestamp) -> Result<()> {
    let scope = Scope::Numbers(ActionNumbers::one(number));
    let draft = named(engine, (job, Some(&scope)), Vec::new(), &Manner::default(), now)?;
    repair::rerun_under(lock, engine, draft.unattended(Some(reason)), now).map(drop)
}

/// Plans no further rerun of an action that cannot be rerun: it failed for good.
fn give_up(engine: &mut Engine, plan: &PolicyRerun, now: Timestamp) -> Result<()> {
    let Engine { store, settings, .. } = engine;
    store.transact(|transaction| {
        if !is_still(transaction, plan)? {
            return Ok(());
        }
        transaction.set_policy_rerun(&PolicyRerun { rerun_at: None, ..*plan })?;
        match transaction.coordinator_job_at(plan.job)? {
            Some(job) => policy::count(transaction, settings, &job, now).map(drop),
            None => Ok(()),
        }
    })
}
