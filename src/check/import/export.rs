//! The live jobs of an export of an Oozie database.

use std::collections::HashMap;

use serde_json::json;

use super::missing::once;
use super::{Import, ImportedJob, Machine, Missing, needs};
use crate::calendar::{ProcessingZone, Zone};
use crate::check::backtest::job::Job;
use crate::check::backtest::rows::Rows;
use crate::configuration::{read_configuration, write_properties};
use crate::error::{Error, ErrorCode, Result, SourceText};
use crate::host::line_files::LineFiles;
use crate::model::Properties;
use crate::model::id::JobKind;
use crate::model::time::Timestamp;
use crate::oozie_export::{
    ACTIONS, ActionRow, BUNDLES, Blob, BundleRow, COORDINATORS, CoordinatorRow, LocalSeconds, WORKFLOWS, WorkflowRow,
    ZoneClues, ZoneFound,
};
use crate::xml;

/// The statuses of jobs that are over.
const OVER: &[&str] = &["SUCCEEDED", "DONEWITHERROR", "KILLED", "FAILED", "IGNORED"];

/// The statuses of actions that are not over.
const OPEN: &[&str] = &["WAITING", "READY", "SUBMITTED", "RUNNING", "SUSPENDED"];

/// Returns what an export says of the jobs that are not over.
///
/// # Errors
/// H0190 when it cannot be read or has no coordinator jobs.
pub(crate) fn export(files: &mut LineFiles, machine: Machine<'_>, zone: Option<&Zone>) -> Result<Import> {
    let mut import = Import::default();
    let problems = &mut import.problems;
    let bundles = Rows::read_all(files, BUNDLES, BundleRow::read, problems)?.unwrap_or_default();
    let workflows = Rows::read_all(files, WORKFLOWS, WorkflowRow::read, problems)?.unwrap_or_default();
    let rows = Rows::read_all(files, COORDINATORS, CoordinatorRow::read, problems)?;
    let rows = rows.ok_or_else(|| files.refuse(&format!("it has no table {COORDINATORS}")))?;
    let mut open = open_actions(files, problems)?;
    let jobs: Vec<Job> = rows.into_iter().map(|row| Job::new(row, &machine.settings.submit)).collect();
    let found = zone.cloned().or_else(|| zone_of(&jobs));
    if found.is_none() && !jobs.is_empty() {
        let error = Error::new(ErrorCode::H0192, "no job shows it, or none fits them all");
        import.problems.push(error.help("name the zone of the machine that wrote the export, with --zone"));
    }
    for job in jobs.iter().filter(|job| is_live(&job.row.status)) {
        let open = open.remove(&job.row.id).unwrap_or_default();
        import.jobs.push(coordinator(job, machine, (open, found.as_ref())));
    }
    import.jobs.extend(bundles.iter().filter(|row| is_live(&row.status)).map(bundle));
    let live = workflows.into_iter().filter(|row| is_live(&row.status) && row.parent.is_none());
    import.workflows = live.map(|row| row.id).collect();
    import.zone = found.map(|zone| zone.id().to_owned());
    Ok(import)
}

fn is_live(status: &str) -> bool {
    !status.is_empty() && !OVER.contains(&status)
}

/// Returns the actions that are not over, by job.
fn open_actions(files: &mut LineFiles, problems: &mut Vec<Error>) -> Result<HashMap<String, Vec<(u32, String)>>> {
    let rows = Rows::read_all(files, ACTIONS, ActionRow::read_state, problems)?.unwrap_or_default();
    let mut open: HashMap<String, Vec<(u32, String)>> = HashMap::new();
    for (job, number, status) in rows {
        if OPEN.contains(&status.as_str()) {
            open.entry(job).or_default().push((u32::try_from(number).unwrap_or_default(), status));
        }
    }
    for actions in open.values_mut() {
        actions.sort_unstable();
    }
    Ok(open)
}

/// Returns the zone of the dates: the starts of the jobs are in the definitions with a zone.
fn zone_of(jobs: &[Job]) -> Option<Zone> {
    let mut clues = ZoneClues::default();
    for (local, at) in jobs.iter().filter_map(|job| job.row.start.zip(job.start())) {
        clues.add(local, at);
    }
    match clues.find() {
        ZoneFound::Zone { zone, .. } => Some(zone),
        ZoneFound::None | ZoneFound::NoClue => None,
    }
}

fn coordinator(job: &Job, machine: Machine<'_>, (open, zone): (Vec<(u32, String)>, Option<&Zone>)) -> ImportedJob {
    let row = &job.row;
    let mut found = ImportedJob::new(JobKind::Coordinator, row.name.clone(), row.user.clone());
    let at = |local: Option<LocalSeconds>| local.zip(zone).map(|(local, zone)| zone.instant(local.0));
    let last = u32::try_from(row.last_action).unwrap_or_default();
    found.id = Some(row.id.clone());
    found.status = Some(row.status.clone());
    found.bundle.clone_from(&row.bundle);
    found.last_action = Some(last);
    (found.end, found.pause) = (at(row.end), at(row.pause));
    found.open = open;
    row.app_path.clone_into(&mut found.uses.application);
    let mut missing = Vec::new();
    let text = read(row.definition.as_ref(), &mut missing);
    let document = xml::read(&SourceText::new(format!("{} (definition)", row.id), text.clone()));
    match (&job.compile(None), &document) {
        (Ok(compiled), Ok(document)) => {
            let coordinator = &compiled.application.coordinator;
            found.next = compiled.times.at(last + 1).filter(|_| !row.is_done);
            let both = (&mut found.uses, &mut missing);
            needs::of_coordinator(machine, (&row.app_path, coordinator), document, both);
        }
        (Err(errors), _) | (Ok(_), Err(errors)) => missing.extend(errors.iter().map(Missing::from)),
    }
    found.files.push(("coordinator.xml".to_owned(), text));
    if let Some(datasets) = job.recorded_datasets() {
        found.files.push(("datasets.xml".to_owned(), datasets));
    }
    add_common(&mut found, row.configuration.as_ref(), &mut missing);
    found.missing = once(missing);
    found
}

fn bundle(row: &BundleRow) -> ImportedJob {
    let mut found = ImportedJob::new(JobKind::Bundle, row.name.clone(), row.user.clone());
    found.id = Some(row.id.clone());
    found.status = Some(row.status.clone());
    row.app_path.clone_into(&mut found.uses.application);
    let mut missing = Vec::new();
    let text = read(row.definition.as_ref(), &mut missing);
    found.files.push(("bundle.xml".to_owned(), text));
    add_common(&mut found, row.configuration.as_ref(), &mut missing);
    found.missing = once(missing);
    found
}

/// Returns the text of a blob; reports one that cannot be read.
fn read(blob: Option<&Blob>, missing: &mut Vec<Missing>) -> String {
    let text = blob.ok_or_else(|| "it is not in the export".to_owned()).and_then(Blob::text);
    text.unwrap_or_else(|why| {
        missing.push(Missing {
            what: format!("the definition: {why}"),
            fix: "fetch it from Oozie: oozie job -definition ID".to_owned(),
        });
        String::new()
    })
}

/// Adds the properties and the state.
fn add_common(found: &mut ImportedJob, configuration: Option<&Blob>, missing: &mut Vec<Missing>) {
    match properties(configuration) {
        Ok(properties) => found.files.push(("job.properties".to_owned(), write_properties(&properties))),
        Err(why) => missing.push(Missing {
            what: format!("the properties: {why}"),
            fix: "fetch them from Oozie: oozie job -configcontent ID".to_owned(),
        }),
    }
    found.files.push(("state.json".to_owned(), state(found)));
}

fn properties(blob: Option<&Blob>) -> Result<Properties, String> {
    let text = blob.map(Blob::text).transpose()?.unwrap_or_default();
    if text.trim().is_empty() {
        return Ok(Properties::new());
    }
    let source = SourceText::new("the configuration", text);
    let document = xml::read(&source).map_err(|errors| errors.first().map(ToString::to_string).unwrap_or_default())?;
    Ok(read_configuration(&document.root, &source).map_err(|error| error.to_string())?.values)
}

/// Returns the state of a job as JSON, with all times in UTC.
fn state(found: &ImportedJob) -> String {
    let time = |at: Option<Timestamp>| at.map(|at| ProcessingZone::UTC.format(at));
    let open = |(number, status): &(u32, String)| json!({ "actionNumber": number, "status": status });
    let state = json!({
        "id": found.id,
        "name": found.name,
        "user": found.user,
        "status": found.status,
        "bundleId": found.bundle,
        "applicationPath": found.uses.application,
        "lastActionNumber": found.last_action,
        "nextNominalTime": time(found.next),
        "endTime": time(found.end),
        "pauseTime": time(found.pause),
        "openActions": found.open.iter().map(open).collect::<Vec<_>>(),
    });
    serde_json::to_string_pretty(&state).unwrap_or_default() + "\n"
}
