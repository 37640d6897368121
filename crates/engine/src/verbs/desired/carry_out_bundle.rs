//! Carries out the changes of a bundle: each coordinator in one transaction, and then the bundle itself. So a plan that
//! is made after an interruption finds the coordinators that are done, and does the rest.

use super::carry_out::{end_old, kill, take_over};
use super::state::{BundleChange, Manner, Replacement, Step};
use crate::apply::change;
use crate::apply::coordinator::{CommandContext, apply};
use crate::apply::invocation::Invocation;
use crate::stored_properties::properties_text;
use crate::submit::bundle::{PreparedBundleJob, insert_members};
use crate::submit::bundle_members::PreparedMember;
use crate::submit::coordinator::{Beginning, Membership, insert_coordinator};
use crate::transition::bundle::{due_at, record_values, update};
use crate::transition::cause::Cause;
use crate::{Engine, run_as};
use howdah_host::fault::fault_point;
use howdah_oozie::coordinator::operation::change_value::NewValues;
use howdah_store::Transaction;
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::effect::Effect;
use howdah_words::model::id::JobId;
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::origin::Origin;
use howdah_words::model::row::{BundleCoordinator, BundleJob, BundleMember, CoordinatorJob, CoordinatorKey};
use howdah_words::model::time::Timestamp;

/// Changes the coordinators of a bundle, then its definition and its properties.
///
/// # Errors
/// E1100 when another command changed a job meanwhile, and everything that the single verbs refuse.
pub(super) fn carry_out(
    engine: &mut Engine,
    (prepared, change): (&PreparedBundleJob, &BundleChange),
    manner: &Manner,
    now: Timestamp,
) -> Result<JobId> {
    for (name, step) in change.members.iter().filter(|(_, step)| step.is_to_do(manner)) {
        fault_point("before-apply-step");
        match (step, change.prepared_member(name)) {
            (Step::Submit, Some(member)) => add(engine, (change, member), now)?,
            (Step::Update(revision), Some(PreparedMember { coordinator: Some(prepared), .. })) => {
                let check = |transaction: &Transaction<'_>| live(transaction, &change.job).map(drop);
                take_over(engine, (revision, prepared), check, now)?;
            }
            (Step::Replace(replacement), Some(member)) => replace(engine, (change, member), replacement, now)?,
            (Step::Gone(job), _) => drop(kill(engine, job, now)?),
            (
                Step::Unchanged(_)
                | Step::Ended(..)
                | Step::Bundle(_)
                | Step::Submit
                | Step::Update(_)
                | Step::Replace(_),
                _,
            ) => {}
        }
        fault_point("after-apply-step");
    }
    store_version(engine, (prepared, change), now)
}

/// Submits a coordinator in a bundle that runs.
fn add(engine: &mut Engine, (change, member): (&BundleChange, &PreparedMember), now: Timestamp) -> Result<()> {
    let Some(prepared) = &member.coordinator else { return Ok(()) };
    let Engine { store, settings, .. } = engine;
    let cause = Cause::new(now, Origin::Submit);
    store.transact(|transaction| {
        let bundle = live(transaction, &change.job)?;
        check_member(transaction, &bundle, (&member.name, None))?;
        let beginning = Beginning::InBundle(Membership { bundle: &bundle, name: &member.name });
        let job = insert_coordinator(transaction, prepared, beginning, settings.window.lookup_seconds, cause)?;
        join(transaction, &bundle, (&member.name, &job))?;
        if bundle.end_at.is_some() {
            let values = NewValues { end: bundle.end_at, ..NewValues::default() };
            let decision = change::decide(transaction, &job, &values);
            apply(transaction, &job, decision, CommandContext { cause, settings })?;
        }
        fault_point("inside-apply-commit");
        update(transaction, bundle.job, cause)
    })
}

/// Ends a coordinator of a bundle before its next action, and submits the one that continues there. The old one stays
/// in the bundle, and has its number behind its name there.
fn replace(
    engine: &mut Engine,
    (change, member): (&BundleChange, &PreparedMember),
    replacement: &Replacement,
    now: Timestamp,
) -> Result<()> {
    let Some(prepared) = &member.coordinator else { return Ok(()) };
    let Replacement { job: old, from: (number, nominal), .. } = replacement;
    let Engine { store, settings, .. } = engine;
    let cause = Cause::new(now, Origin::Submit);
    store.transact(|transaction| {
        let bundle = live(transaction, &change.job)?;
        check_member(transaction, &bundle, (&member.name, Some(old.job)))?;
        end_old(transaction, old, settings, now)?;
        let old_number = old.id.as_str().split('-').next().unwrap_or_default();
        transaction.rename_bundle_coordinator(&bundle, old.job, &format!("{} ({old_number})", member.name))?;
        let membership = Membership { bundle: &bundle, name: &member.name };
        let beginning = Beginning::InBundleAt(membership, *number, *nominal);
        let job = insert_coordinator(transaction, prepared, beginning, settings.window.lookup_seconds, cause)?;
        join(transaction, &bundle, (&member.name, &job))?;
        fault_point("inside-apply-commit");
        update(transaction, bundle.job, cause)
    })
}

/// Refuses a name that has another job in the bundle than the plan knew.
///
/// # Errors
/// E1100.
fn check_member(
    transaction: &Transaction<'_>,
    bundle: &BundleJob,
    (name, planned): (&str, Option<CoordinatorKey>),
) -> Result<()> {
    let is_named = |member: &BundleMember| member.coordinator.name == name;
    let found = transaction.bundle_members(bundle.job)?.into_iter().find(is_named);
    if found.and_then(|member| member.coordinator.coordinator_job) == planned {
        return Ok(());
    }
    Err(changed(&bundle.id))
}

/// Adds a coordinator job to a bundle, as its last one, or as the one that could not be submitted before.
fn join(transaction: &Transaction<'_>, bundle: &BundleJob, (name, job): (&str, &CoordinatorJob)) -> Result<()> {
    let members = transaction.bundle_members(bundle.job)?;
    let known = members.iter().find(|member| member.coordinator.name == name);
    let last = members.iter().map(|member| member.coordinator.sequence).max().unwrap_or_default();
    let row = BundleCoordinator {
        bundle: bundle.job,
        sequence: known.map_or(last + 1, |member| member.coordinator.sequence),
        name: name.to_owned(),
        coordinator_job: Some(job.job),
        ..BundleCoordinator::default()
    };
    match known {
        Some(_) => transaction.update_bundle_coordinator(&row).map(drop),
        None => transaction.insert_bundle_coordinator(&row),
    }
}

/// Gives a bundle its new definition and properties. One that waits for its kick-off time gets the coordinators of the
/// definition too.
fn store_version(
    engine: &mut Engine,
    (prepared, change): (&PreparedBundleJob, &BundleChange),
    now: Timestamp,
) -> Result<JobId> {
    let given = Invocation::new(Origin::Update, (Effect::Stored, now))?;
    let configuration = &prepared.prepared.configuration;
    engine.store.transact(|transaction| {
        let mut bundle = live(transaction, &change.job)?;
        bundle.definition = transaction.store_document(prepared.definition())?;
        bundle.configuration = transaction.store_document(&properties_text(configuration))?;
        bundle.app_path.clone_from(&prepared.app_path);
        bundle.group_name = run_as::group(configuration);
        bundle.acl = run_as::acl(configuration);
        bundle.modified_at = now;
        if bundle.status == JobStatus::PREP {
            bundle.kickoff_at = prepared.prepared.bundle.kick_off;
            bundle.due_at = due_at(&bundle);
            transaction.forget_bundle_coordinators(bundle.job)?;
            insert_members(transaction, bundle.job, &prepared.members)?;
        }
        transaction.update_bundle_definition(&bundle)?;
        fault_point("inside-apply-commit");
        record_values(transaction, &bundle, given.cause())?;
        Ok(bundle.id)
    })
}

/// Returns a bundle as it is now.
///
/// # Errors
/// E1100 when it ended, started, or got another version since the plan was made.
fn live(transaction: &Transaction<'_>, planned: &BundleJob) -> Result<BundleJob> {
    let was_waiting = planned.status == JobStatus::PREP;
    let is_still = |now: &BundleJob| {
        let same = (now.definition, now.configuration) == (planned.definition, planned.configuration);
        same && !now.status.is_terminal() && (now.status == JobStatus::PREP) == was_waiting
    };
    transaction.bundle_job_at(planned.job)?.filter(is_still).ok_or_else(|| changed(&planned.id))
}

fn changed(bundle: &JobId) -> Error {
    let error = Error::new(ErrorCode::E1100, format!("{bundle} was changed meanwhile"));
    error.help("give the command again: it plans for the state that the job has now")
}
