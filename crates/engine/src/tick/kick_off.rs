//! Pauses bundles whose pause time has come, and submits the coordinators of those whose kick-off time has come
//! (`BundleKickOff`, `BundleStartXCommand`).
//!
//! One transaction submits all coordinators of a bundle, so that each is submitted exactly once. When one of them is
//! refused, none is submitted and the bundle fails.

use crate::apply::change::decide;
use crate::apply::coordinator::{CommandContext, apply};
use crate::stored_properties::read_properties;
use crate::submit::bundle_members::{Machine, PreparedMember, examine_all};
use crate::submit::coordinator::{Beginning, Membership, insert_coordinator};
use crate::submit::warnings::DataCheck;
use crate::tick::context::Tick;
use crate::transition::bundle::{move_bundle, settle_bundle};
use crate::transition::cause::Cause;
use crate::{Engine, run_as};
use howdah_el::Knowledge;
use howdah_host::fault::fault_point;
use howdah_oozie::bundle::job_state::JobEvent;
use howdah_oozie::bundle::{self, Bundle};
use howdah_oozie::coordinator::operation::change_value::NewValues;
use howdah_store::Transaction;
use howdah_words::error::{Error, ErrorCode, Result, SourceText};
use howdah_words::model::Properties;
use howdah_words::model::id::JobId;
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::origin::Origin;
use howdah_words::model::row::{BundleJob, BundleKey};
use howdah_words::model::time::Timestamp;
use howdah_xml as xml;

/// The name of this step in events.
const KICK_OFF: Origin = Origin::KickOff;
/// The name of this step in events of a pause.
const PAUSE: Origin = Origin::Pause;

/// Runs the step for every bundle that is due.
pub fn bundles(tick: &mut Tick<'_>) -> Result<()> {
    let now = tick.now;
    for bundle in tick.engine.store.read(|snapshot| snapshot.due_bundle_jobs(now))? {
        if bundle.pause_at.is_some_and(|pause| pause <= now) {
            pause(tick.engine, bundle.job, now)?;
            continue;
        }
        for error in kick_off(tick.engine, &bundle, now)? {
            tick.report.fault(bundle.id.as_str(), error);
        }
    }
    Ok(())
}

fn pause(engine: &mut Engine, bundle: BundleKey, now: Timestamp) -> Result<()> {
    engine.store.transact(|transaction| {
        let Some(mut bundle) = transaction.bundle_job_at(bundle)? else { return Ok(()) };
        move_bundle(transaction, &mut bundle, JobEvent::PauseTimeReached, Cause::new(now, PAUSE)).map(drop)
    })
}

/// When the coordinators of a bundle that was just submitted are submitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// At its kick-off time; without one, now.
    WhenDue,
    /// Now, whatever its kick-off time is.
    Now,
}

/// Starts a bundle that was just submitted when its time has come; returns why it could not be started.
///
/// # Errors
/// A failure of the database.
pub fn start(engine: &mut Engine, id: &JobId, start: Start, now: Timestamp) -> Result<Vec<Error>> {
    let bundle = engine.store.read(|snapshot| snapshot.bundle_job(id))?;
    let due = bundle.filter(|bundle| start == Start::Now || bundle.due_at.is_some_and(|due| due <= now));
    due.map_or(Ok(Vec::new()), |bundle| kick_off(engine, &bundle, now))
}

/// Submits the coordinators of a bundle in PREP, whatever its kick-off time is.
///
/// Returns and records why they could not be submitted. Does not change a bundle that another process has started or
/// suspended.
///
/// # Errors
/// A failure of the database.
fn kick_off(engine: &mut Engine, bundle: &BundleJob, now: Timestamp) -> Result<Vec<Error>> {
    let may_work = run_as::worker(&bundle.user).and_then(|worker| worker.check_access(engine.store.path()));
    let (definition, configuration) = match may_work.and_then(|()| load(engine, bundle)) {
        Ok(loaded) => loaded,
        // The bundle does not fail: it belongs to another user, or another version of howdah accepted it.
        Err(error) => return Ok(vec![error]),
    };
    let Engine { store, settings, mounts, .. } = engine;
    let machine = Machine { mounts, settings, data: DataCheck::Skip };
    let members = examine_all(machine, &definition, (&bundle.id, &configuration));
    if let Some(unknown) = members.iter().find_map(PreparedMember::unknown) {
        // It is unknown now whether one coordinator is refused, so none is submitted before the next step.
        return Ok(vec![unknown]);
    }
    let refusals: Vec<Error> = members.iter().filter_map(PreparedMember::refusal).collect();
    fault_point("before-kick-off-commit");
    store.transact(|transaction| {
        let Some(mut bundle) = transaction.bundle_job_at(bundle.job)? else { return Ok(()) };
        if bundle.status != JobStatus::PREP {
            return Ok(());
        }
        if let Some(first) = members.iter().find_map(PreparedMember::refusal_text) {
            return refuse(transaction, &mut bundle, &members, Cause::new(now, KICK_OFF).because(&first));
        }
        let context = CommandContext { cause: Cause::new(now, KICK_OFF), settings };
        submit_all(transaction, &mut bundle, &members, context)
    })?;
    fault_point("after-kick-off-commit");
    Ok(refusals)
}

/// Reads the stored definition and configuration, and evaluates the definition again.
fn load(engine: &Engine, bundle: &BundleJob) -> Result<(Bundle, Properties)> {
    let (text, configuration) = engine.store.read(|snapshot| {
        Ok((snapshot.document(bundle.definition)?, read_properties(&snapshot.document(bundle.configuration)?)?))
    })?;
    let source = SourceText::new(bundle.app_path.clone(), text);
    let unreadable = |errors: Vec<Error>| {
        let first = errors.into_iter().find(|error| !error.is_warning());
        first.unwrap_or_else(|| Error::new(ErrorCode::E1301, format!("the stored definition of {}", bundle.id)))
    };
    let document = xml::read(&source).map_err(unreadable)?;
    let processing = engine.settings.submit.processing;
    let (definition, problems) = bundle::parse(&document, (Knowledge::Complete, &configuration), processing);
    Ok((definition.ok_or(problems).map_err(unreadable)?, configuration))
}

/// Submits every coordinator; an end time that a command set on the bundle is set on them too.
fn submit_all(
    transaction: &Transaction<'_>,
    bundle: &mut BundleJob,
    members: &[PreparedMember],
    context: CommandContext<'_>,
) -> Result<()> {
    let CommandContext { cause, settings } = context;
    for row in transaction.bundle_members(bundle.job)? {
        let mut row = row.coordinator;
        let member = members.iter().find(|member| member.name == row.name);
        let Some(prepared) = member.and_then(|member| member.coordinator.as_ref()) else { continue };
        let membership = Beginning::InBundle(Membership { bundle, name: &row.name });
        let job = insert_coordinator(transaction, prepared, membership, settings.window.lookup_seconds, cause)?;
        row.coordinator_job = Some(job.job);
        transaction.update_bundle_coordinator(&row)?;
        if bundle.end_at.is_some() {
            let values = NewValues { end: bundle.end_at, ..NewValues::default() };
            apply(transaction, &job, decide(transaction, &job, &values), context)?;
        }
        fault_point("inside-kick-off-commit");
    }
    bundle.started_at = Some(cause.at);
    move_bundle(transaction, bundle, JobEvent::KickedOff, cause)?;
    settle_bundle(transaction, bundle, cause)
}

/// Records which coordinators are refused and fails the bundle.
fn refuse(
    transaction: &Transaction<'_>,
    bundle: &mut BundleJob,
    members: &[PreparedMember],
    cause: Cause<'_>,
) -> Result<()> {
    for row in transaction.bundle_members(bundle.job)? {
        let mut row = row.coordinator;
        let member = members.iter().find(|member| member.name == row.name);
        let Some(reason) = member.and_then(PreparedMember::reason) else { continue };
        (row.error_code, row.error_message) = (Some(reason.0.to_string()), Some(reason.1));
        transaction.update_bundle_coordinator(&row)?;
    }
    move_bundle(transaction, bundle, JobEvent::SubmissionFailed, cause).map(drop)
}
