//! The coordinators of a bundle: which of them a changed description submits, updates, replaces or leaves out.

use super::state::{BundleChange, Step};
use crate::Engine;
use crate::submit::bundle::PreparedBundleJob;
use crate::submit::bundle_members::{Machine, PreparedMember, examine_all};
use crate::submit::coordinator::PreparedCoordinator;
use crate::submit::warnings::DataCheck;
use howdah_words::error::{Error, ErrorCode};
use howdah_words::model::id::JobId;
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::row::{BundleCoordinator, BundleJob, CoordinatorJob};

/// Compares a described coordinator with the job that it has.
type Compare<'a> = dyn Fn(&mut Engine, &PreparedCoordinator, CoordinatorJob) -> Result<Step, Vec<Error>> + 'a;

/// Compares the coordinators of a live bundle with their descriptions. One that waits for its kick-off time has none
/// yet: its new version is all that changes.
///
/// # Errors
/// What a submission of the coordinators refuses, H0173 for one that cannot be replaced or added now, the refusals of
/// an update, or a failure of the database.
pub(super) fn plan(
    engine: &mut Engine,
    bundle: &PreparedBundleJob,
    job: BundleJob,
    compare: &Compare<'_>,
) -> Result<BundleChange, Vec<Error>> {
    let machine = Machine { mounts: &engine.mounts, settings: &engine.settings, data: DataCheck::Skip };
    let described = &bundle.prepared;
    let prepared = examine_all(machine, &described.bundle, (&job.id, &described.configuration));
    if job.status == JobStatus::PREP {
        return Ok(BundleChange { job, prepared, members: Vec::new() });
    }
    let refusals: Vec<Error> =
        prepared.iter().filter_map(|member| member.unknown().or_else(|| member.refusal())).collect();
    if !refusals.is_empty() {
        return Err(refusals);
    }
    let known = engine.store.read(|snapshot| {
        let rows = snapshot.bundle_members(job.job)?.into_iter().map(|member| member.coordinator);
        let (there, here): (Vec<_>, Vec<_>) = rows.partition(BundleCoordinator::is_in_oozie);
        let jobs = here.into_iter().map(|row| {
            let of_row = row.coordinator_job.map(|job| snapshot.coordinator_job_at(job)).transpose()?.flatten();
            Ok((row.name, of_row))
        });
        Ok((jobs.collect::<Result<Vec<(String, Option<CoordinatorJob>)>, Error>>()?, there))
    });
    let (mut known, there) = known.map_err(|error| vec![error])?;
    let mut members = Vec::new();
    for member in &prepared {
        if let Some(in_oozie) = there.iter().find(|row| row.name == member.name) {
            members.push((member.name.clone(), step_of_oozie(in_oozie, &job)?));
            continue;
        }
        let place = known.iter().position(|(name, _)| *name == member.name);
        let of_member = place.and_then(|place| known.swap_remove(place).1);
        members.push((member.name.clone(), step(engine, (member, of_member), &job, compare)?));
    }
    let gone = |job: &CoordinatorJob| !job.status.is_terminal() && !job.done_materialization;
    known.retain(|(_, job)| job.as_ref().is_some_and(gone));
    known.sort_by(|(one, _), (other, _)| one.cmp(other));
    members.extend(known.into_iter().filter_map(|(name, job)| Some((name, Step::Gone(job?.id)))));
    Ok(BundleChange { job, prepared, members })
}

/// What is done about a coordinator that the Oozie has from which its bundle was taken over: nothing, and it must be
/// over there.
fn step_of_oozie(row: &BundleCoordinator, bundle: &BundleJob) -> Result<Step, Vec<Error>> {
    let status = row.oozie_status.map_or("unknown", JobStatus::as_str);
    if row.oozie_status.is_some_and(JobStatus::is_terminal) {
        let id = row.oozie_id.as_deref().and_then(JobId::parse).unwrap_or_else(|| bundle.id.clone());
        return Ok(Step::Ended(id, format!("it is {status} in Oozie")));
    }
    let why = format!("[{}] is still in Oozie, {status}", row.name);
    let error = Error::with(ErrorCode::H0173, &[&bundle.id, &why]);
    Err(vec![error.help("take it over first: howdah takeover SOURCE")])
}

/// What is done about one coordinator, which may exist.
fn step(
    engine: &mut Engine,
    (member, known): (&PreparedMember, Option<CoordinatorJob>),
    bundle: &BundleJob,
    compare: &Compare<'_>,
) -> Result<Step, Vec<Error>> {
    match (known, &member.coordinator) {
        (Some(job), Some(prepared)) => compare(engine, prepared, job),
        _ if bundle.status.is_suspended() || bundle.status.is_paused() => {
            let why = format!("it is {}, and [{}] would be submitted in it", bundle.status, member.name);
            let error = Error::with(ErrorCode::H0173, &[&bundle.id, &why]);
            Err(vec![error.help("resume the bundle first")])
        }
        _ => Ok(Step::Submit),
    }
}
