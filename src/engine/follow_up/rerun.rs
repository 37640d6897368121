//! Reruns the actions whose planned rerun is due, by the rules of the verb `rerun` without options: the outputs of the
//! action are deleted, and it runs from its start.

use crate::configuration::ParsedProperties;
use crate::coordinator::operation::scope::Scope;
use crate::engine::Engine;
use crate::engine::apply::invocation::Invocation;
use crate::engine::fault::Fault;
use crate::engine::follow_up::policy;
use crate::engine::stored_policy;
use crate::engine::verbs::rerun::{self, RerunOrder};
use crate::error::{Class, Result};
use crate::model::action_numbers::ActionNumbers;
use crate::model::effect::Effect;
use crate::model::id::{JobId, Target};
use crate::model::job_status::JobStatus;
use crate::model::origin::Origin;
use crate::model::row::{ActionKey, PolicyRerun};
use crate::model::time::Timestamp;

/// The most reruns of one call; the next one continues.
const MOST_AT_ONCE: u32 = 200;

/// What became of planned reruns.
#[derive(Debug, Default)]
pub(crate) struct Reruns {
    /// How many actions wait for their start again.
    pub(crate) done: usize,
    pub(crate) faults: Vec<Fault>,
}

/// Reruns the actions whose planned rerun is due. While all jobs are paused, none: no output is deleted for an action
/// that cannot start.
///
/// # Errors
/// A failure of the database.
pub(crate) fn rerun_due(engine: &mut Engine, now: Timestamp) -> Result<Reruns> {
    let mut reruns = Reruns::default();
    let due = engine.store.read(|snapshot| match snapshot.site_pause()? {
        Some(_) => Ok(Vec::new()),
        None => snapshot.due_policy_reruns(now, MOST_AT_ONCE),
    })?;
    for plan in due {
        let Some((id, reason)) = wanted(engine, plan)? else { continue };
        match rerun(engine, (&id, plan.number), &reason, now) {
            Ok(()) => reruns.done += 1,
            Err(error) if error.code().class() == Class::Busy => {}
            Err(error) => {
                if error.code().class() == Class::Refused && !error.may_pass() {
                    give_up(engine, plan, now)?;
                }
                let subject = Target::CoordinatorAction(id, plan.number).to_string();
                reruns.faults.push(Fault { subject, error });
            }
        }
    }
    Ok(reruns)
}

/// Returns the job of a plan and the reason of the rerun; `None` when it must wait, or is no longer wanted.
fn wanted(engine: &mut Engine, plan: PolicyRerun) -> Result<Option<(JobId, String)>> {
    let Engine { store, settings, .. } = engine;
    let (action, wanted) = store.read(|snapshot| {
        let action = ActionKey { job: plan.job, number: plan.number };
        // Its commands are still being ended.
        if snapshot.has_open_attempts_of_action(action)? {
            return Ok((action, None));
        }
        let Some(job) = snapshot.coordinator_job_at(plan.job)? else { return Ok((action, None)) };
        let row = snapshot.coordinator_action(action)?;
        let is_over = matches!(job.status, JobStatus::Killed | JobStatus::Failed | JobStatus::Ignored);
        let policy = stored_policy::of_job(snapshot, settings.failure_policy, &job)?;
        let is_wanted = !is_over && plan.reruns < policy.reruns && row.is_some_and(|row| row.status.is_terminal());
        Ok((action, Some((job.id, is_wanted.then(|| policy::rerun_reason(plan.reruns, policy))))))
    })?;
    match wanted {
        Some((id, Some(reason))) => Ok(Some((id, reason))),
        // The job was killed, or its policy changed.
        Some((_, None)) => store.transact(|transaction| transaction.forget_policy_rerun(action)).map(|()| None),
        None => Ok(None),
    }
}

fn rerun(engine: &mut Engine, (job, number): (&JobId, u32), reason: &str, now: Timestamp) -> Result<()> {
    let order = RerunOrder {
        job: job.clone(),
        actions: Scope::Numbers(ActionNumbers::one(number)),
        refresh: false,
        failed: false,
        nocleanup: false,
        properties: ParsedProperties::default(),
    };
    let plan = rerun::plan(engine, order, now)?;
    let given = Invocation::of_policy(Origin::Rerun, reason.to_owned(), (Effect::Stored, now));
    rerun::carry_out_as(engine, &plan, &given).map(drop)
}

/// Plans no further rerun of an action that cannot be rerun: it failed for good.
fn give_up(engine: &mut Engine, plan: PolicyRerun, now: Timestamp) -> Result<()> {
    let Engine { store, settings, .. } = engine;
    store.transact(|transaction| {
        let action = ActionKey { job: plan.job, number: plan.number };
        let Some(stored) = transaction.policy_rerun(action)?.filter(|stored| stored.rerun_at.is_some()) else {
            return Ok(());
        };
        transaction.set_policy_rerun(&PolicyRerun { rerun_at: None, ..stored })?;
        match transaction.coordinator_job_at(plan.job)? {
            Some(job) => policy::count(transaction, settings, &job, now).map(drop),
            None => Ok(()),
        }
    })
}
