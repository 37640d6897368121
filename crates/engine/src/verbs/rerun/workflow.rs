//! `rerun` of a workflow job (workflow specification 10).
//!
//! The rerun of a workflow job of a coordinator action also opens the action, and the coordinator job if it has ended:
//! both continue as after a rerun of the action. A child of a sub-workflow node runs alone; its parent does not change.

use crate::apply::invocation::Invocation;
use crate::apply::outcome::Outcome;
use crate::due::due_at;
use crate::lookup::unknown;
use crate::rerun::workflow_rerun;
use crate::transition::cause::Cause;
use crate::transition::coordinator::{move_action, move_job, settle_job};
use crate::{Engine, run_as};
use howdah_oozie::configuration::ParsedProperties;
use howdah_oozie::coordinator::action_state::ActionEvent;
use howdah_oozie::coordinator::job_state::JobEvent;
use howdah_store::{Snapshot, Transaction};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::id::JobId;
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::row::{ActionKey, CoordinatorAction, CoordinatorJob, WorkflowJob};

/// The setting that forbids the rerun of a child alone.
const CHILDREN_DISABLED: &str = "oozie.wf.rerun.disablechild";

/// Runs a workflow job again, with properties over those of the run before, for a process that holds the lock of
/// reruns; `with` is done in the same transaction.
///
/// # Errors
/// E0604, E0404, E0755, E0805, E0806, E0807, E1003 for another user, E1018 when the coordinator job above does not
/// allow it, the errors of a submission, and those of `with`.
pub(crate) fn rerun_workflow(
    engine: &mut Engine,
    (id, given): (&JobId, &ParsedProperties),
    verb: &Invocation,
    with: impl FnOnce(&Transaction<'_>) -> Result<()>,
) -> Result<Outcome> {
    let job = engine.store.read(|snapshot| snapshot.workflow_job(id))?.ok_or_else(|| unknown(id))?;
    run_as::check_user(given, &job.user)?;
    check_child(engine, &job)?;
    let prepared = workflow_rerun::prepare(engine, &job, &given.values)?;
    let cause = verb.cause();
    let lookup_seconds = engine.settings.window.lookup_seconds;
    engine.store.transact_for(verb.effect, |transaction| {
        let before = transaction.workflow_job(id)?.ok_or_else(|| unknown(id))?;
        workflow_rerun::check_over(transaction, &before)?;
        let above = above(transaction, &before)?;
        let after = workflow_rerun::apply(transaction, &prepared, cause)?;
        let mut outcome = Outcome::of(id);
        outcome.change("status", Some(before.status.to_string()), Some(after.status.to_string()));
        outcome.change("run", Some(before.run.to_string()), Some(after.run.to_string()));
        if let Some((coordinator, action)) = above {
            reopen_parents(transaction, (coordinator, &action), lookup_seconds, cause)?;
            outcome.note(format!(
                "its action {}@{} runs again with it",
                coordinator_id(transaction, &action)?,
                action.number
            ));
        }
        with(transaction)?;
        Ok(outcome)
    })
}

fn check_child(engine: &Engine, job: &WorkflowJob) -> Result<()> {
    let Some(parent) = job.parent_workflow else { return Ok(()) };
    let disabled = engine.settings.properties.get(CHILDREN_DISABLED).is_some_and(|value| value.trim() == "true");
    if !disabled {
        return Ok(());
    }
    let parent = engine.store.read(|snapshot| snapshot.workflow_job_at(parent))?.map(|parent| parent.id);
    let parent = parent.as_ref().map(JobId::to_string).unwrap_or_default();
    let error = Error::new(ErrorCode::E0755, format!("{} is a sub-workflow of {parent}", job.id));
    Err(error.help(format!("rerun {parent}, or set {CHILDREN_DISABLED} to false in the site file")))
}

/// Returns the coordinator job and the action that the job belongs to, if it still does.
///
/// # Errors
/// E1018 when the coordinator job's status allows no rerun; E0805 when the action already waits for its start.
fn above(snapshot: &Snapshot, job: &WorkflowJob) -> Result<Option<(CoordinatorJob, CoordinatorAction)>> {
    let (Some(coordinator), Some(number)) = (job.parent_coordinator, job.parent_action) else { return Ok(None) };
    let action = snapshot.coordinator_action(ActionKey { job: coordinator, number })?;
    let belongs = |action: &CoordinatorAction| action.external_id.as_deref() == Some(job.id.as_str());
    let Some(action) = action.filter(belongs) else { return Ok(None) };
    let Some(above) = snapshot.coordinator_job_at(coordinator)? else { return Ok(None) };
    if matches!(above.status, JobStatus::Killed | JobStatus::Failed | JobStatus::Ignored) {
        let error = Error::new(ErrorCode::E1018, format!("coordinator job {} is {}", above.id, above.status));
        return Err(error.help("the workflow application may be submitted as a job of its own"));
    }
    if !action.status.is_terminal() {
        let help = format!("its action {}@{number} is {}: the next tick starts it", above.id, action.status);
        return Err(Error::new(ErrorCode::E0805, job.status).help(help));
    }
    Ok(Some((above, action)))
}

/// Sets the action running, and opens an ended coordinator job again.
fn reopen_parents(
    transaction: &Transaction<'_>,
    (mut job, action): (CoordinatorJob, &CoordinatorAction),
    lookup_seconds: i64,
    cause: Cause<'_>,
) -> Result<()> {
    let mut action = action.clone();
    action.external_status = Some("RUNNING".to_owned());
    action.error_code = None;
    action.error_message = None;
    move_action(transaction, &mut action, ActionEvent::WorkflowRerun, cause)?;
    if job.status.is_terminal() {
        let to = howdah_oozie::coordinator::job_state::transition(job.status, JobEvent::Rerun).unwrap_or(job.status);
        job.due_at = due_at(&CoordinatorJob { status: to, ..job.clone() }, lookup_seconds);
        move_job(transaction, &mut job, JobEvent::Rerun, cause)?;
    }
    settle_job(transaction, job.job, cause)
}

fn coordinator_id(snapshot: &Snapshot, action: &CoordinatorAction) -> Result<String> {
    let job = snapshot.coordinator_job_at(action.job)?;
    Ok(job.map(|job| job.id.to_string()).unwrap_or_default())
}
