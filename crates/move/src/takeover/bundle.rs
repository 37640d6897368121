//! A bundle of an Oozie. It is stored first, with the coordinators that it has there, and each of them joins it in the
//! transaction that takes the coordinator over. So after an interruption some coordinators of a bundle are still in
//! Oozie, and their statuses there count.
//!
//! Nothing stops a bundle in Oozie but one that waits for its kick-off time: its coordinators are stopped one by one.

use super::choices::Side;
use super::command::{OozieCommand, is_over, status};
use super::follow;
use super::oozie_job::{OozieJob, States};
use crate::oozie_export::{JobState, MemberState};
use howdah_engine::apply::control::Verb;
use howdah_engine::submit::bundle::{bundle_row, insert_bundle};
use howdah_engine::submit::bundle_definition::PreparedBundle;
use howdah_engine::transition::bundle::{settle_bundle, update};
use howdah_engine::transition::cause::Cause;
use howdah_engine::{Engine, run_as, shadow};
use howdah_host::fault::fault_point;
use howdah_oozie::bundle::Bundle;
use howdah_store::{Snapshot, Transaction};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::id::JobId;
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::row::{BundleCoordinator, BundleJob, BundleTakeover};
use howdah_words::model::time::Timestamp;

/// A bundle that is taken over.
pub struct PlannedBundle {
    pub oozie_id: String,
    prepared: PreparedBundle,
    definition: String,
    app_path: String,
    pub status: JobStatus,
    end: Option<Timestamp>,
    pause: Option<Timestamp>,
    /// Its coordinators that Oozie has submitted, in the order of the definition; none before its kick-off time.
    pub coordinators: Vec<MemberState>,
    /// What stops it in Oozie: one that has not submitted its coordinators would do so at its kick-off time.
    pub stop: Option<OozieCommand>,
    /// Whether it is known to be stopped.
    pub is_stopped: bool,
}

impl PlannedBundle {
    /// Returns when its coordinators are submitted; `None` for a bundle that has submitted them.
    pub fn kick_off(&self) -> Option<Timestamp> {
        self.prepared.bundle.kick_off.filter(|_| self.status.is_before_start())
    }

    /// Returns the coordinators that the bundle has here.
    fn members(&self) -> Vec<BundleCoordinator> {
        let named = |name: &str| BundleCoordinator { name: name.to_owned(), ..BundleCoordinator::default() };
        if self.status.is_before_start() {
            return enabled(&self.prepared.bundle).map(named).collect();
        }
        let member = |member: &MemberState| BundleCoordinator {
            oozie_id: Some(member.id.clone()),
            oozie_status: JobStatus::from_word(&member.status),
            ..named(&member.name)
        };
        self.coordinators.iter().map(member).collect()
    }
}

/// A bundle that is here.
pub struct BundleHere {
    /// `None` when it was purged.
    pub job: Option<JobId>,
    /// The new statuses of its coordinators that are still in Oozie.
    pub moves: Vec<MemberMove>,
    /// Whether Oozie has it for nothing: its coordinators are here or over, and nothing of them runs there.
    pub is_complete: bool,
    oozie_id: String,
}

/// The new status of a coordinator that is still in Oozie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberMove {
    pub name: String,
    pub from: JobStatus,
    pub to: JobStatus,
}

/// Returns what is known of a bundle that is here; `None` when it is not.
///
/// # Errors
/// A failure of the database.
pub(super) fn here(engine: &Engine, id: &str, states: Option<&States>) -> Result<Option<BundleHere>> {
    engine.store.read(|snapshot| {
        let known = snapshot.bundle_takeover_of_id(id)?.filter(|takeover| takeover.back_at.is_none());
        known.map(|takeover| compare(snapshot, &takeover, states)).transpose()
    })
}

/// Prepares a bundle that is not here; returns why it is refused otherwise.
///
/// # Errors
/// A failure of the database.
pub(super) fn prepare(
    engine: &Engine,
    (job, id): (&OozieJob, &str),
    side: Side<'_>,
) -> Result<Result<PlannedBundle, Vec<Error>>> {
    let planned = match examine(engine, (job, id), side) {
        Ok(planned) => planned,
        Err(errors) => return Ok(Err(errors)),
    };
    for member in &planned.coordinators {
        let known = engine.store.read(|snapshot| snapshot.takeover_of_id(&member.id))?;
        if known.is_some_and(|takeover| takeover.back_at.is_none()) {
            let why = format!("its coordinator [{}] was taken over without it", member.id);
            let error = Error::with(ErrorCode::H0230, &[&id, &why]);
            return Ok(Err(vec![error.help("give the coordinator back first, with --back")]));
        }
    }
    Ok(Ok(planned))
}

fn examine(engine: &Engine, (job, id): (&OozieJob, &str), side: Side<'_>) -> Result<PlannedBundle, Vec<Error>> {
    let refuse = |why: String| vec![Error::with(ErrorCode::H0230, &[&id, &why])];
    let prepared = job.prepare_bundle(&engine.settings.submit)?;
    run_as::worker(&run_as::user(&prepared.configuration)).map_err(|error| vec![error])?;
    let word = job.state.status.as_deref().unwrap_or_default();
    let status = status(&job.state).filter(|status| !status.is_terminal());
    let status = status.ok_or_else(|| refuse(format!("its status is [{word}]")))?;
    let waits = status.is_before_start();
    let coordinators = if waits { Vec::new() } else { coordinators(&prepared.bundle, &job.state).map_err(refuse)? };
    let must_stop = waits && !status.is_suspended();
    if must_stop {
        side.check_stopped(id).map_err(|error| vec![error])?;
    }
    if let Some(states) = side.states().filter(|_| waits) {
        let stopped = check_suspended(states.get(id));
        stopped.map_err(|why| vec![Error::with(ErrorCode::H0232, &[&id, &why])])?;
    }
    let suspend = || OozieCommand::Control { id: id.to_owned(), verb: Verb::Suspend };
    let JobState { application, end, pause, .. } = &job.state;
    Ok(PlannedBundle {
        oozie_id: id.to_owned(),
        prepared,
        definition: job.definition.clone(),
        app_path: application.clone(),
        status,
        end: *end,
        pause: *pause,
        coordinators,
        stop: must_stop.then(suspend),
        is_stopped: side.is_stopped(),
    })
}

/// Returns the names of the coordinators that a bundle submits.
fn enabled(bundle: &Bundle) -> impl Iterator<Item = &str> {
    bundle.coordinators.iter().filter(|coordinator| coordinator.enabled).map(|coordinator| coordinator.name.as_str())
}

/// Returns the coordinators that Oozie has submitted, in the order of the definition.
///
/// # Errors
/// Why they cannot be taken over, in words.
fn coordinators(bundle: &Bundle, state: &JobState) -> Result<Vec<MemberState>, String> {
    let names: Vec<&str> = enabled(bundle).collect();
    let mut members = state.coordinators.clone();
    members.sort_by_key(|member| names.iter().position(|name| *name == member.name).unwrap_or(names.len()));
    if let Some(absent) = names.iter().find(|name| members.iter().all(|member| member.name != **name)) {
        return Err(format!("its state has no coordinator [{absent}]"));
    }
    if let Some(twice) = members.windows(2).find(|two| two[0].name == two[1].name) {
        return Err(format!("its state has two coordinators [{}]", twice[0].name));
    }
    if let Some(wrong) = members.iter().find(|member| JobStatus::from_word(&member.status).is_none()) {
        return Err(format!("the status of its coordinator [{}] is [{}]", wrong.name, wrong.status));
    }
    Ok(members)
}

/// Checks that a bundle submits no coordinators at its kick-off time.
///
/// # Errors
/// Why it does, in words.
fn check_suspended(later: Option<&JobState>) -> Result<(), String> {
    let Some(later) = later else { return Err("the later state does not have it".to_owned()) };
    match status(later) {
        Some(status) if status.is_terminal() => Ok(()),
        Some(status) if status.is_before_start() && status.is_suspended() => Ok(()),
        Some(status) if !status.is_before_start() => {
            Err("it has submitted its coordinators since the import: import again".to_owned())
        }
        _ => Err("it is not suspended, and submits its coordinators at its kick-off time".to_owned()),
    }
}

/// Compares a bundle that was taken over with later states.
fn compare(snapshot: &Snapshot, takeover: &BundleTakeover, states: Option<&States>) -> Result<BundleHere> {
    let job = takeover.bundle.map(|key| snapshot.bundle_job_at(key)).transpose()?.flatten();
    let later = |id: &str| states.and_then(|states| states.get(id));
    let mut here = BundleHere {
        job: job.as_ref().map(|job| job.id.clone()),
        moves: Vec::new(),
        is_complete: !later(&takeover.oozie_id).is_some_and(is_over),
        oozie_id: takeover.oozie_id.clone(),
    };
    let members = job.map(|job| snapshot.bundle_members(job.job)).transpose()?.unwrap_or_default();
    for member in members.into_iter().map(|member| member.coordinator) {
        if let Some(key) = member.coordinator_job {
            let takeover = snapshot.takeover_of_job(key)?;
            let followed = takeover.map(|takeover| follow::compare(snapshot, &takeover, None)).transpose()?;
            here.is_complete &= followed.is_none_or(|followed| followed.left.is_empty());
        } else if let (Some(id), Some(from)) = (&member.oozie_id, member.oozie_status) {
            let to = later(id).and_then(status).unwrap_or(from);
            here.is_complete &= to.is_terminal();
            here.moves.extend((from != to).then_some(MemberMove { name: member.name, from, to }));
        }
    }
    Ok(here)
}

/// Stores a bundle with the coordinators that it has in Oozie; returns `None` when another command has done so.
///
/// # Errors
/// H0152 when the user of the bundle cannot reach the database, or a failure of the database.
pub(super) fn take_over(engine: &mut Engine, planned: &PlannedBundle, cause: Cause<'_>) -> Result<Option<JobId>> {
    let store = &mut engine.store;
    run_as::worker(&run_as::user(&planned.prepared.configuration))?.check_access(store.path())?;
    store.transact(|transaction| {
        shadow::refuse(transaction, "no job is submitted to it")?;
        let known = transaction.bundle_takeover_of_id(&planned.oozie_id)?;
        if known.is_some_and(|takeover| takeover.back_at.is_none()) {
            return Ok(None);
        }
        let texts = (planned.app_path.as_str(), planned.definition.as_str());
        let mut bundle = bundle_row(transaction, &planned.prepared, texts, cause.at)?;
        bundle.status = planned.status;
        bundle.suspended_at = planned.status.is_suspended().then_some(cause.at);
        bundle.started_at = (!planned.status.is_before_start()).then_some(cause.at);
        (bundle.end_at, bundle.pause_at) = (planned.end, planned.pause);
        insert_bundle(transaction, &mut bundle, cause)?;
        for (sequence, member) in (1..).zip(planned.members()) {
            let row = BundleCoordinator { bundle: bundle.job, sequence, ..member };
            transaction.insert_bundle_coordinator(&row)?;
        }
        transaction.insert_bundle_takeover(&BundleTakeover {
            oozie_id: planned.oozie_id.clone(),
            bundle: Some(bundle.job),
            taken_at: cause.at,
            back_at: None,
        })?;
        settle_bundle(transaction, &mut bundle, cause)?;
        fault_point("inside-takeover-commit");
        Ok(Some(bundle.id))
    })
}

/// Returns the bundle here to which a coordinator of Oozie belongs, with its place in it; the refusal when there is
/// none.
///
/// # Errors
/// A failure of the database.
pub(super) fn membership(
    snapshot: &Snapshot,
    bundle: &str,
    coordinator: &str,
) -> Result<Result<(BundleJob, BundleCoordinator), Error>> {
    let refuse = |why: &str| Ok(Err(Error::with(ErrorCode::H0254, &[&coordinator, &bundle, &why])));
    let takeover = snapshot.bundle_takeover_of_id(bundle)?.filter(|takeover| takeover.back_at.is_none());
    let job = takeover.and_then(|takeover| takeover.bundle).map(|key| snapshot.bundle_job_at(key)).transpose()?;
    let Some(job) = job.flatten() else { return refuse("the bundle is not here") };
    if job.status.is_terminal() {
        return refuse(&format!("{} is {}", job.id, job.status));
    }
    let members = snapshot.bundle_members(job.job)?.into_iter().map(|member| member.coordinator);
    let is_it = |member: &BundleCoordinator| member.is_in_oozie() && member.oozie_id.as_deref() == Some(coordinator);
    match members.into_iter().find(is_it) {
        Some(member) => Ok(Ok((job, member))),
        None => refuse("the state of the bundle does not have it"),
    }
}

/// Stores the new statuses of the coordinators of a bundle that are still in Oozie.
///
/// # Errors
/// A failure of the database.
pub(super) fn follow(transaction: &Transaction<'_>, here: &BundleHere, cause: Cause<'_>) -> Result<()> {
    let takeover = transaction.bundle_takeover_of_id(&here.oozie_id)?.filter(|takeover| takeover.back_at.is_none());
    let Some(bundle) = takeover.and_then(|takeover| takeover.bundle) else { return Ok(()) };
    for mut member in transaction.bundle_members(bundle)?.into_iter().map(|member| member.coordinator) {
        let step = here.moves.iter().find(|step| step.name == member.name);
        if let Some(step) = step.filter(|_| member.is_in_oozie()) {
            member.oozie_status = Some(step.to);
            transaction.update_bundle_coordinator(&member)?;
        }
    }
    update(transaction, bundle, cause)
}
