//! Reruns the actions whose planned rerun is due, by the rules of the verb `rerun` without options: the outputs of the
//! action are deleted, and it runs from its start.
//!
//! Before that it continues what has failed or died of reruns that no person at a terminal began.
//!
//! Several processes may do so at once: a tick releases its lock before, and the runner ticks too. So each plan is read
//! again under the lock of reruns, and is changed only if it is still the same.

use crate::Engine;
use crate::fault::Fault;
use crate::follow_up::policy;
use crate::settings::Settings;
use crate::stored_policy;
use crate::verbs::repair::select::named;
use crate::verbs::repair::{self, Manner};
use crate::verbs::rerun::lock::try_lock;
use howdah_host::fault::fault_point;
use howdah_host::lock::Lock;
use howdah_oozie::coordinator::operation::scope::Scope;
use howdah_store::Snapshot;
use howdah_words::error::Result;
use howdah_words::model::action_numbers::ActionNumbers;
use howdah_words::model::id::{JobId, Target};
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::row::{ActionKey, PolicyRerun, steps_in_words};
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
    /// The job was killed, or its policy changed.
    Unwanted,
    /// It is done: the job, and the reason for the audit log.
    Wanted(JobId, String),
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

/// Does what is left of reruns that the failure policy or a client began; while all jobs are paused, nothing.
fn continue_interrupted(engine: &mut Engine, now: Timestamp, reruns: &mut Reruns) -> Result<()> {
    if engine.store.read(Snapshot::site_pause)?.is_some() {
        return Ok(());
    }
    for draft in repair::unfinished(engine)?.into_iter().filter(|draft| draft.repair.unattended) {
        let Some(lock) = try_lock(engine)? else { return Ok(()) };
        let plan = draft.repair.plan.clone();
        let left = steps_in_words(&draft.steps);
        let problems = match repair::rerun_under(&lock, engine, draft, now) {
            Ok(outcomes) => {
                reruns.done += outcomes.iter().filter(|outcome| outcome.refused.is_none()).count();
                outcomes.into_iter().filter_map(|outcome| outcome.refused).collect()
            }
            Err(error) => vec![error],
        };
        // Another process may have done it meanwhile.
        if engine.store.read(|snapshot| snapshot.repair(&plan))?.is_some() {
            let fault = |error| Fault { subject: format!("an interrupted rerun of {left}"), error };
            reruns.faults.extend(problems.into_iter().map(fault));
        }
    }
    Ok(())
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
        Verdict::Wanted(id, reason) => return Ok(Some((id, reason))),
        Verdict::Left => {}
        Verdict::Unwanted => store.transact(|transaction| match judge(transaction, settings, plan)? {
            Verdict::Unwanted => transaction.forget_planned_rerun(plan),
            Verdict::Left | Verdict::Wanted(..) => Ok(()),
        })?,
    }
    Ok(None)
}

/// Decides what becomes of a planned rerun.
fn judge(snapshot: &Snapshot, settings: &Settings, plan: &PolicyRerun) -> Result<Verdict> {
    let action = ActionKey { job: plan.job, number: plan.number };
    if snapshot.site_pause()?.is_some() || !is_still(snapshot, plan)? {
        return Ok(Verdict::Left);
    }
    let Some(job) = snapshot.coordinator_job_at(plan.job)? else { return Ok(Verdict::Left) };
    // In the second case its commands are still being ended, in the third its stored plan is continued.
    if job.status.is_suspended()
        || snapshot.has_open_attempts_of_action(action)?
        || snapshot.has_open_repair_of(action)?
    {
        return Ok(Verdict::Left);
    }
    let row = snapshot.coordinator_action(action)?;
    let is_over = matches!(job.status, JobStatus::Killed | JobStatus::Failed | JobStatus::Ignored);
    let policy = stored_policy::of_job(snapshot, settings.failure_policy, &job)?;
    let is_wanted = !is_over && plan.reruns < policy.reruns && row.is_some_and(|row| row.status.is_terminal());
    if !is_wanted {
        return Ok(Verdict::Unwanted);
    }
    Ok(Verdict::Wanted(job.id, policy::rerun_reason(plan.reruns, policy)))
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
