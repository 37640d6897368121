//! Suspending, resuming and killing jobs, and killing some actions of one.
//!
//! `coordinator::operation` decides for coordinators, the state machine of workflow jobs for these; bundles are in
//! `bundle`.

use crate::Engine;
use crate::apply::control::{Verb, decide};
use crate::apply::coordinator::{CommandContext, apply, on_actions};
use crate::apply::invocation::Invocation;
use crate::apply::outcome::Outcome;
use crate::apply::workflow;
use crate::lookup::Job;
use crate::transition::cause::Cause;
use crate::verbs::{bundle, recall};
use howdah_host::fault::fault_point;
use howdah_oozie::coordinator::operation::kill;
use howdah_oozie::coordinator::operation::scope::{Period, Scope};
use howdah_store::Transaction;
use howdah_words::error::Result;
use howdah_words::model::effect::Effect;
use howdah_words::model::id::JobId;
use howdah_words::model::origin::Origin;
use howdah_words::model::row::WorkflowJob;
use howdah_words::model::time::Timestamp;

/// Applies the verb to one job; the outcome says why nothing was done when the job's status does not allow it.
///
/// # Errors
/// E0604 when there is no such job, or a failure of the database.
pub fn control(engine: &mut Engine, id: &JobId, verb: Verb, when: (Effect, Timestamp)) -> Result<Outcome> {
    let given = Invocation::new(verb.origin(), when)?;
    let mut outcome = control_job(engine, id, verb, &given)?;
    if verb == Verb::Suspend && given.effect == Effect::Stored {
        fault_point("after-suspend-commit");
        outcome.notes.extend(recall::recall_starts(engine)?);
    }
    Ok(outcome)
}

fn control_job(engine: &mut Engine, id: &JobId, verb: Verb, given: &Invocation) -> Result<Outcome> {
    let Engine { store, settings, .. } = engine;
    let context = CommandContext { cause: given.cause(), settings };
    store.transact_for(given.effect, |transaction| match Job::of(transaction, id)? {
        Job::Coordinator(job) => apply(transaction, &job, decide(transaction, &job, verb, given.now)?, context),
        Job::Workflow(job) => control_workflow(transaction, &job, verb, given.cause()),
        Job::Bundle(bundle) => bundle::control(transaction, &bundle, verb, context),
    })
}

/// Kills actions of a coordinator job; the job continues with the others.
///
/// # Errors
/// E0604 when there is no such job, E0302 when it is no coordinator job, E0605 for a date without an action, or a
/// failure of the database.
pub fn kill_actions(engine: &mut Engine, id: &JobId, scope: &Scope, when: (Effect, Timestamp)) -> Result<Outcome> {
    let given = Invocation::new(Origin::Kill, when)?;
    on_actions(engine, id, (scope, Period::Active), &given, |job, choose| kill::kill_actions(job, choose))
}

fn control_workflow(transaction: &Transaction<'_>, job: &WorkflowJob, verb: Verb, cause: Cause<'_>) -> Result<Outcome> {
    let allowed = match verb {
        Verb::Suspend => workflow::suspend(transaction, job, cause),
        Verb::Resume => workflow::resume(transaction, job, cause),
        Verb::Kill => workflow::kill(transaction, job, cause),
    }?;
    if let Err(illegal) = allowed {
        return Ok(Outcome::not_done(&job.id, illegal.refusal(&job.id)));
    }
    let mut outcome = Outcome::of(&job.id);
    if let Some(after) = transaction.workflow_job_at(job.job)? {
        outcome.change("status", Some(job.status.to_string()), Some(after.status.to_string()));
        outcome.notes.extend(workflow::suspended_above(transaction, &after)?);
    }
    Ok(outcome)
}
