//! The live jobs of a running Oozie, from the answers of its web services.

use super::export::{self, is_live};
use super::zones::Zones;
use super::{Import, ImportedJob, Machine};
use crate::backtest::job::Job;
use crate::oozie::Answers;
use crate::oozie_export::{ActionRow, Blob, CoordinatorRow, LocalSeconds};
use crate::oozie_rest::{ActionAnswer, BundleAnswer, CoordinatorAnswer};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::id::JobKind;
use howdah_words::model::time::Timestamp;

/// Returns what a server, or a folder of its answers, says of the jobs that are not over.
///
/// # Errors
/// H0240 to H0244 when the answers cannot be read.
pub fn answers(answers: &Answers, machine: Machine<'_>) -> Result<Import> {
    let mut import = Import::default();
    for id in answers.live_jobs(JobKind::Coordinator)? {
        match answers.coordinator(&id)? {
            Some(job) if is_live(&job.row.status) => {
                let definition = answers.definition(&id)?;
                import.jobs.push(coordinator(job, definition, machine));
            }
            Some(_) => {}
            None => import.problems.push(gone(&id)),
        }
    }
    for id in answers.live_jobs(JobKind::Bundle)? {
        match answers.bundle(&id)? {
            Some(BundleAnswer { mut row, coordinators }) if is_live(&row.status) => {
                row.definition = answers.definition(&id)?.map(Blob::of_text);
                import.jobs.push(export::bundle(&row, coordinators, &Zones::utc()));
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
    let CoordinatorAnswer { mut row, actions } = answer;
    let last = actions.iter().map(|action| action.number).max().unwrap_or_default();
    let actions: Vec<ActionRow> = actions.into_iter().map(|action| action_row(action, &row)).collect();
    let creates_more = row.next.is_some_and(|next| row.end.is_none_or(|end| next < end));
    // A job that has not begun has no next time, and has created nothing.
    row.is_done = !creates_more && last > 0;
    row.last_action = last.into();
    row.definition = definition.map(Blob::of_text);
    let job = Job::with_files(row, &machine.settings.submit, machine.mounts);
    export::coordinator(&job, machine, (&actions, &Zones::utc()))
}

/// Returns the row that an export would have, with its dates in UTC.
fn action_row(action: ActionAnswer, job: &CoordinatorRow) -> ActionRow {
    let local = |at: Option<Timestamp>| at.map(LocalSeconds::in_utc);
    ActionRow {
        job: job.id.clone(),
        number: action.number.into(),
        status: action.status,
        timeout_minutes: job.timeout_minutes,
        external_id: action.workflow,
        nominal: local(action.nominal),
        created: local(action.created),
        ..ActionRow::default()
    }
}
