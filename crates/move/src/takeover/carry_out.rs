//! Stores a job that is taken over, in one transaction: the job, its open actions, and its former id. A coordinator of
//! a bundle joins the bundle in the same transaction.

use super::bundle;
use super::follow;
use super::plan::{Item, Planned, Step};
use crate::oozie_export::{JobState, OpenAction, ranges};
use howdah_engine::Engine;
use howdah_engine::application_path::BUNDLE_ID;
use howdah_engine::apply::invocation::Invocation;
use howdah_engine::run_as;
use howdah_engine::settings::Settings;
use howdah_engine::sla::registration;
use howdah_engine::stored_properties::properties_text;
use howdah_engine::submit::coordinator::{Beginning, Membership, insert_coordinator};
use howdah_engine::transition::bundle::update;
use howdah_engine::transition::cause::Cause;
use howdah_engine::transition::coordinator::{settle_job, take_over_action};
use howdah_host::fault::fault_point;
use howdah_store::Transaction;
use howdah_words::error::Result;
use howdah_words::model::effect::Effect;
use howdah_words::model::id::JobId;
use howdah_words::model::origin::Origin;
use howdah_words::model::row::{ActionKey, BundleKey, CoordinatorAction, CoordinatorJob, Takeover, TakeoverKey};
use howdah_words::model::status::ActionStatus;
use howdah_words::model::time::Timestamp;

/// Does what one item of a plan says, and returns the job here; `None` where nothing is done. A job that another
/// command has taken over meanwhile stays as it is.
///
/// # Errors
/// H0152 when the user of the job cannot reach the database, or a failure of the database.
pub fn carry_out(engine: &mut Engine, item: &Item, later: Option<&JobState>, now: Timestamp) -> Result<Option<JobId>> {
    let given = Invocation::new(Origin::Takeover, (Effect::Stored, now))?;
    fault_point("before-takeover-step");
    let done = match &item.step {
        Step::TakeOver(planned) => take_over(engine, planned, given.cause())?,
        Step::Bundle(planned) => bundle::take_over(engine, planned, given.cause())?,
        Step::BundleHere(here) if !here.moves.is_empty() => {
            engine.store.transact(|transaction| {
                bundle::follow(transaction, here, given.cause())?;
                fault_point("inside-takeover-commit");
                Ok(())
            })?;
            here.job.clone()
        }
        Step::Here(followed) if !followed.moves.is_empty() => {
            let id = followed.takeover.oozie_id.clone();
            engine.store.transact(|transaction| {
                follow::follow(transaction, (&id, later), given.cause())?;
                fault_point("inside-takeover-commit");
                Ok(())
            })?;
            followed.job.clone()
        }
        Step::Here(_) | Step::BundleHere(_) | Step::Stays(_) | Step::Refused(_) => return Ok(None),
    };
    fault_point("after-takeover-step");
    Ok(done)
}

fn take_over(engine: &mut Engine, planned: &Planned, cause: Cause<'_>) -> Result<Option<JobId>> {
    let Engine { store, settings, .. } = engine;
    let configuration = &planned.prepared.application.configuration;
    run_as::worker(&run_as::user(configuration))?.check_access(store.path())?;
    store.transact(|transaction| {
        let known = transaction.takeover_of_id(&planned.oozie_id)?;
        if known.is_some_and(|takeover| takeover.back_at.is_none()) {
            return Ok(None);
        }
        let lookup = settings.window.lookup_seconds;
        let (job, bundle) = insert_job(transaction, planned, lookup, cause)?;
        for action in planned.carried.iter().chain(&planned.left) {
            insert_action(transaction, (&job, planned), action, (settings, cause))?;
        }
        let left: Vec<u32> = planned.left.iter().map(|action| action.number).collect();
        transaction.insert_takeover(&Takeover {
            takeover: TakeoverKey::default(),
            oozie_id: planned.oozie_id.clone(),
            job: Some(job.job),
            taken_at: cause.at,
            back_at: None,
            last_number: planned.continuation.last_number,
            end_at: planned.continuation.end,
            concurrency: planned.continuation.concurrency,
            left_to_oozie: ranges(&left),
        })?;
        if planned.continuation.next.is_none() {
            // Perhaps nothing of it is open.
            settle_job(transaction, job.job, cause)?;
        }
        bundle.map(|bundle| update(transaction, bundle, cause)).transpose()?;
        fault_point("inside-takeover-commit");
        Ok(Some(job.id))
    })
}

/// Stores the job, as a coordinator of its bundle where it has one.
fn insert_job(
    transaction: &Transaction<'_>,
    planned: &Planned,
    lookup: i64,
    cause: Cause<'_>,
) -> Result<(CoordinatorJob, Option<BundleKey>)> {
    let Planned { prepared, continuation, oozie_id, bundle, .. } = planned;
    let Some(bundle) = bundle else {
        let beginning = Beginning::Continued(continuation);
        return Ok((insert_coordinator(transaction, prepared, beginning, lookup, cause)?, None));
    };
    let (bundle, mut member) = bundle::membership(transaction, bundle, oozie_id)??;
    let mut prepared = prepared.clone();
    prepared.application.configuration.insert(BUNDLE_ID.to_owned(), bundle.id.to_string());
    let membership = Membership { bundle: &bundle, name: &member.name };
    let beginning = Beginning::ContinuedInBundle(membership, continuation);
    let job = insert_coordinator(transaction, &prepared, beginning, lookup, cause)?;
    member.coordinator_job = Some(job.job);
    transaction.update_bundle_coordinator(&member)?;
    Ok((job, Some(bundle.job)))
}

/// Stores an action with the number, the times and the timeout that it has in Oozie.
fn insert_action(
    transaction: &Transaction<'_>,
    (job, planned): (&CoordinatorJob, &Planned),
    action: &OpenAction,
    (settings, cause): (&Settings, Cause<'_>),
) -> Result<()> {
    let Some(nominal) = action.nominal else { return Ok(()) };
    let key = ActionKey { job: job.job, number: action.number };
    let status = ActionStatus::from_word(&action.status).unwrap_or(ActionStatus::Waiting);
    let is_ready = status == ActionStatus::Ready;
    let configuration = action.configuration.as_ref().filter(|_| is_ready);
    let configuration = configuration.map(|own| transaction.store_document(&properties_text(own))).transpose()?;
    let row = CoordinatorAction {
        created_at: action.created.unwrap_or(nominal),
        modified_at: cause.at,
        timeout_minutes: action.timeout_minutes.unwrap_or(job.timeout_minutes),
        external_id: action.external_id.clone(),
        configuration,
        ..CoordinatorAction::unstarted(key, status, nominal)
    };
    take_over_action(transaction, &row, cause)?;
    let application = &planned.prepared.application;
    let waits = matches!(status, ActionStatus::Waiting | ActionStatus::Ready);
    if waits && !application.coordinator.sla.is_empty() {
        let resolved = application.coordinator.resolve(application.scope(), nominal)?;
        let created = (action.number, nominal);
        let promised = registration::prepare(&settings.sla, (job, application), created, &resolved, row.created_at)?;
        if let Some(mut promised) = promised {
            // Oozie has reported what was missed before.
            promised.alerts_disabled |= promised.expected_end_at <= cause.at;
            transaction.insert_sla(&promised)?;
        }
    }
    Ok(())
}
