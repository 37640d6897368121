//! The failure policy: plans the rerun of an action that failed, and suspends a job after failures in a row.

use crate::apply::control::{self, Verb};
use crate::apply::coordinator::{CommandContext, apply};
use crate::settings::Settings;
use crate::settings::failure_policy::{FailurePolicy, RERUN, SUSPEND};
use crate::stored_policy;
use crate::transition::cause::Cause;
use howdah_store::Transaction;
use howdah_words::error::Result;
use howdah_words::model::alert::AlertEvent;
use howdah_words::model::origin::Origin;
use howdah_words::model::row::{ActionKey, CoordinatorJob, Incident, PolicyRerun};
use howdah_words::model::status::ActionStatus;
use howdah_words::model::time::Timestamp;

/// Does what the policy says of an incident; returns whether a job was suspended. What a user killed is no failure.
pub(super) fn judge(
    transaction: &Transaction<'_>,
    settings: &Settings,
    incident: &Incident,
    now: Timestamp,
) -> Result<bool> {
    let Some(action) = incident.action().filter(|_| incident.actor.is_none() && incident.count() == 1) else {
        return Ok(false);
    };
    match incident.event {
        AlertEvent::Recovered => {
            transaction.forget_policy_rerun(action)?;
            if transaction.failures_in_a_row(action.job)? > 0 {
                transaction.set_failures_in_a_row(action.job, 0)?;
            }
            Ok(false)
        }
        AlertEvent::Failed | AlertEvent::Killed | AlertEvent::TimedOut => {
            failed(transaction, settings, (action, incident), now)
        }
        _ => Ok(false),
    }
}

/// Plans the rerun of an action that failed, or counts the failure.
fn failed(
    transaction: &Transaction<'_>,
    settings: &Settings,
    (action, incident): (ActionKey, &Incident),
    now: Timestamp,
) -> Result<bool> {
    let Some(job) = transaction.coordinator_job_at(action.job)? else { return Ok(false) };
    let is_failed =
        |status: ActionStatus| matches!(status, ActionStatus::Failed | ActionStatus::Killed | ActionStatus::TimedOut);
    // A user may have run it again since.
    if !transaction.coordinator_action(action)?.is_some_and(|row| is_failed(row.status)) {
        return Ok(false);
    }
    let policy = stored_policy::of_job(transaction, settings.failure_policy, &job)?;
    let reruns = transaction.policy_rerun(action)?.map_or(0, |plan| plan.reruns);
    // The timeout says how long an action waits for its inputs; a rerun would only make it longer. What was rerun
    // before an older state of the database was put back has run again already.
    if incident.event != AlertEvent::TimedOut && reruns < policy.reruns && !transaction.was_rerun_earlier(action)? {
        let rerun_at = Some(incident.at + policy.wait_seconds(reruns));
        let plan = PolicyRerun { job: action.job, number: action.number, reruns, rerun_at };
        transaction.set_policy_rerun(&plan)?;
        return Ok(false);
    }
    count(transaction, settings, &job, now)
}

/// Counts an action that failed for good; suspends the job after too many in a row, and returns whether it did.
pub(super) fn count(
    transaction: &Transaction<'_>,
    settings: &Settings,
    job: &CoordinatorJob,
    now: Timestamp,
) -> Result<bool> {
    let policy = stored_policy::of_job(transaction, settings.failure_policy, job)?;
    if policy.suspend_after == 0 {
        return Ok(false);
    }
    let failures = transaction.failures_in_a_row(job.job)?.saturating_add(1);
    if failures < policy.suspend_after || job.status.is_suspended() || job.status.is_terminal() {
        transaction.set_failures_in_a_row(job.job, failures)?;
        return Ok(false);
    }
    // After its resume as many must fail again.
    transaction.set_failures_in_a_row(job.job, 0)?;
    suspend(transaction, settings, (job, failures), now)
}

fn suspend(
    transaction: &Transaction<'_>,
    settings: &Settings,
    (job, failures): (&CoordinatorJob, u32),
    now: Timestamp,
) -> Result<bool> {
    let reason = format!("{SUSPEND}: {failures} failures in a row");
    let cause = Cause::new(now, Origin::Suspend).because(&reason);
    let decision = control::decide(transaction, job, Verb::Suspend, now)?;
    apply(transaction, job, decision, CommandContext { cause, settings })?;
    let is_suspended = transaction.coordinator_job_at(job.job)?.is_some_and(|after| after.status.is_suspended());
    if is_suspended {
        transaction.insert_incident(&Incident {
            coordinator_job: Some(job.job),
            reason: Some(reason),
            ..Incident::new(now, AlertEvent::Suspended)
        })?;
    }
    Ok(is_suspended)
}

/// Returns the reason of a rerun, for the audit log.
pub(super) fn rerun_reason(reruns: u32, policy: FailurePolicy) -> String {
    format!("{RERUN}: {} of {}", reruns.saturating_add(1), policy.reruns)
}
