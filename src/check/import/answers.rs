//! The live jobs of a running Oozie, from the answers of its web services.

use super::export::{self, is_live};
use super::zones::Zones;
use super::{Import, ImportedJob, Machine};
use crate::check::backtest::job::Job;
use crate::check::oozie::Answers;
use crate::error::{Error, ErrorCode, Result};
use crate::model::id::JobKind;
use crate::model::time::Timestamp;
use crate::oozie_export::{ActionState, Blob, BundleRow, CoordinatorRow, LocalSeconds, MemberState};
use crate::oozie_rest::{ActionAnswer, BundleAnswer, CoordinatorAnswer, MemberAnswer};

/// Returns what a server, or a folder of its answers, says of the jobs that are not over.
///
/// # Errors
/// H0240 to H0244 when the answers cannot be read.
pub(crate) fn answers(answers: &Answers, machine: Machine<'_>) -> Result<Import> {
    let mut import = Import::default();
    for id in answers.live_jobs(JobKind::Coordinator)? {
        match answers.coordinator(&id)? {
            Some(job) if is_live(&job.status) => {
                let definition = answers.definition(&id)?;
                import.jobs.push(coordinator(job, definition, machine));
            }
            Some(_) => {}
            None => import.problems.push(gone(&id)),
        }
    }
    for id in answers.live_jobs(JobKind::Bundle)? {
        match answers.bundle(&id)? {
            Some(job) if is_live(&job.status) => {
                let members = members(&job);
                import.jobs.push(export::bundle(&bundle_row(job, answers.definition(&id)?), members, &Zones::utc()));
            }
            Some(_) => {}
            None => import.problems.push(gone(&id)),
        }
    }
    let workflows = answers.workflows_since(Timestamp::EPOCH)?;
    let live = workflows.into_iter().filter(|job| is_live(&job.status) && job.parent.is_none());
    import.workflows = live.map(|job| job.id).collect();
    Ok(import)
}

fn gone(id: &str) -> Error {
    Error::with(ErrorCode::H0243, &[&id, &"the list names the job, and there is no answer for the job itself"])
        .help("the job may have ended meanwhile: import again")
}

fn coordinator(answer: CoordinatorAnswer, definition: Option<String>, machine: Machine<'_>) -> ImportedJob {
    let last = answer.actions.iter().map(|action| action.number).max().unwrap_or_default();
    let actions: Vec<ActionState> = answer.actions.iter().map(|action| state(action, &answer)).collect();
    let next = answer.next;
    let row = row(answer, definition, last);
    let job = Job::with_files(row, &machine.settings.submit, machine.mounts);
    let mut found = export::coordinator(&job, machine, (&actions, &Zones::utc()));
    if found.next.is_none() && !job.row.is_done {
        // The definition gives the time only when its included files can be read here.
        found.next = next;
    }
    found
}

fn state(action: &ActionAnswer, job: &CoordinatorAnswer) -> ActionState {
    ActionState {
        job: job.id.clone(),
        number: action.number.into(),
        status: action.status.clone(),
        timeout_minutes: job.timeout_minutes,
        external_id: action.workflow.clone(),
        nominal: local(action.nominal),
        created: local(action.created),
        definition: None,
    }
}

fn local(at: Option<Timestamp>) -> Option<LocalSeconds> {
    at.map(|at| LocalSeconds(at.seconds()))
}

/// Returns the row that an export would have, with its dates in UTC.
fn row(answer: CoordinatorAnswer, definition: Option<String>, last: u32) -> CoordinatorRow {
    let blob = |text: Option<String>| text.map(|text| Blob::new(text.into_bytes()));
    let is_done = answer.next.is_none() || answer.end.is_some_and(|end| answer.next.is_some_and(|next| next >= end));
    CoordinatorRow {
        id: answer.id,
        name: answer.name,
        user: answer.user,
        status: answer.status,
        app_path: answer.app_path,
        bundle: answer.bundle,
        execution: answer.execution,
        frequency: answer.frequency,
        time_unit: answer.time_unit,
        time_zone: answer.time_zone,
        timeout_minutes: answer.timeout_minutes,
        concurrency: answer.concurrency,
        start: local(answer.start),
        end: local(answer.end),
        pause: local(answer.pause),
        next: local(answer.next),
        last_action: i64::from(last),
        // A job that has not begun has no next time, and has created nothing.
        is_done: is_done && last > 0,
        definition: blob(definition),
        resolved_definition: None,
        configuration: blob(answer.configuration),
    }
}

/// Returns the coordinators of a bundle, as a state has them.
pub(crate) fn members(bundle: &BundleAnswer) -> Vec<MemberState> {
    let member = |member: &MemberAnswer| MemberState {
        id: member.id.clone(),
        name: member.name.clone(),
        status: member.status.clone(),
    };
    bundle.coordinators.iter().map(member).collect()
}

fn bundle_row(answer: BundleAnswer, definition: Option<String>) -> BundleRow {
    let blob = |text: Option<String>| text.map(|text| Blob::new(text.into_bytes()));
    BundleRow {
        id: answer.id,
        name: answer.name,
        user: answer.user,
        status: answer.status,
        app_path: answer.app_path,
        end: local(answer.end),
        pause: local(answer.pause),
        definition: blob(definition),
        configuration: blob(answer.configuration),
    }
}
