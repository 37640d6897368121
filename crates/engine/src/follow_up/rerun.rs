//! Reruns the actions whose planned rerun is due, by the rules of the verb `rerun` without options: the outputs of the
//! action are deleted, and it runs from its start.
//!
//! Several processes may do so at once: a tick releases its lock before, and the runner ticks too. So each plan is read
//! again under the lock of reruns, and is changed only if it is still the same.

use crate::Engine;
use crate::apply::invocation::Invocation;
use crate::fault::Fault;
use crate::follow_up::policy;
use crate::settings::Settings;
use crate::stored_policy;
use crate::verbs::rerun::lock::try_lock;
use crate::verbs::rerun::{self, RerunOrder};
use howdah_host::fault::fault_point;
use howdah_host::lock::Lock;
use howdah_oozie::configuration::ParsedProperties;
use howdah_oozie::coordinator::operation::scope::Scope;
use howdah_store::Snapshot;
use howdah_words::error::Result;
use howdah_words::model::action_numbers::ActionNumbers;
use howdah_words::model::effect::Effect;
use howdah_words::model::id::{JobId, Target};
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::origin::Origin;
use howdah_words::model::row::{ActionKey, PolicyRerun};
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
            if error.is_answer() {
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
    // In the second case its commands are still being ended.
    if job.status.is_suspended() || snapshot.has_open_attempts_of_action(action)? {
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
    let order = RerunOrder {
        job: job.clone(),
        actions: Scope::Numbers(ActionNumbers::one(number)),
        refresh: false,
        failed: false,
        nocleanup: false,
        properties: ParsedProperties::default(),
    };
    let given = Invocation::of_policy(Origin::Rerun, reason, (Effect::Stored, now));
    rerun::rerun_under(lock, engine, order, &given).map(drop)
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
