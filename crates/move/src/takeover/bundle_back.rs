//! The way back of a bundle: all its coordinators go back in one transaction, each as a single one does.
//!
//! A bundle that still waits for its kick-off time ends here, and is resumed in Oozie.

use super::back::{Back, give_back, in_one_step};
use super::command::OozieCommand;
use howdah_engine::Engine;
use howdah_engine::apply::control::Verb;
use howdah_engine::apply::coordinator::CommandContext;
use howdah_engine::lookup::unknown;
use howdah_engine::transition::bundle::{move_bundle, update};
use howdah_oozie::bundle::job_state::JobEvent;
use howdah_store::Transaction;
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::effect::Effect;
use howdah_words::model::id::JobId;
use howdah_words::model::row::{BundleJob, BundleTakeover};
use howdah_words::model::time::Timestamp;

/// A bundle that is given back, or was.
#[derive(Clone, Debug)]
pub struct BundleBack {
    pub job: JobId,
    pub name: String,
    pub oozie_id: String,
    /// Whether it was given back before.
    pub is_repeated: bool,
    pub coordinators: Vec<Back>,
    /// What is to be done in Oozie about the bundle itself.
    pub commands: Vec<OozieCommand>,
}

/// Stops a bundle with its coordinators here, and returns what is to be done in Oozie. A bundle that was given back
/// returns the same again.
///
/// # Errors
/// E0604 when there is no such bundle, H0233 when it was not taken over, H0255 when it has what Oozie has not, or a
/// failure of the database.
pub fn back_of_bundle(engine: &mut Engine, id: &JobId, when: (Effect, Timestamp)) -> Result<BundleBack> {
    in_one_step(engine, when, |transaction, context| {
        let bundle = transaction.bundle_job(id)?.ok_or_else(|| unknown(id))?;
        let takeover = transaction.takeover_of_bundle(bundle.job)?;
        let takeover = takeover.ok_or_else(|| Error::with(ErrorCode::H0233, &[&bundle.id]))?;
        let is_repeated = takeover.back_at.is_some();
        if !is_repeated {
            check(transaction, &bundle)?;
        }
        let mut coordinators = Vec::new();
        for job in transaction.coordinator_jobs_of_bundle(bundle.job)? {
            if let Some(takeover) = transaction.takeover_of_job(job.job)? {
                coordinators.push(give_back(transaction, (&job, takeover), context)?);
            }
        }
        let BundleTakeover { oozie_id, .. } = takeover;
        let commands = commands(&bundle, &oozie_id);
        if !is_repeated {
            end(transaction, bundle.clone(), context)?;
        }
        let BundleJob { id: job, name, .. } = bundle;
        Ok(BundleBack { job, name, oozie_id, is_repeated, coordinators, commands })
    })
}

/// Checks that Oozie has everything that the bundle still runs.
///
/// # Errors
/// H0255, or a failure of the database.
fn check(transaction: &Transaction<'_>, bundle: &BundleJob) -> Result<()> {
    for job in transaction.coordinator_jobs_of_bundle(bundle.job)? {
        if !job.status.is_terminal() && transaction.takeover_of_job(job.job)?.is_none() {
            let why = format!("its coordinator {} was submitted here, and Oozie does not have it", job.id);
            let error = Error::with(ErrorCode::H0255, &[&bundle.id, &why]);
            return Err(error.help(format!("kill it first: howdah kill {}", job.id)));
        }
    }
    Ok(())
}

/// Ends a bundle that still waits, and forgets the coordinators that never were here.
fn end(transaction: &Transaction<'_>, mut bundle: BundleJob, context: CommandContext<'_>) -> Result<()> {
    if bundle.status.is_before_start() {
        move_bundle(transaction, &mut bundle, JobEvent::Kill, context.cause)?;
    } else {
        transaction.forget_bundle_coordinators(bundle.job)?;
        update(transaction, bundle.job, context.cause)?;
    }
    transaction.give_bundle_back(bundle.job, context.cause.at)
}

/// Returns what lets Oozie's bundle continue: one that waited there was suspended. The others were not stopped.
fn commands(bundle: &BundleJob, oozie_id: &str) -> Vec<OozieCommand> {
    let waited = bundle.started_at.is_none() && bundle.suspended_at.is_none();
    let resume = OozieCommand::Control { id: oozie_id.to_owned(), verb: Verb::Resume };
    waited.then_some(resume).into_iter().collect()
}
