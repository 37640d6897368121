//! The live jobs of an export of an Oozie database.

use std::collections::HashMap;

use super::missing::once;
use super::zones::Zones;
use super::{Import, ImportedJob, Machine, Missing, needs};
use crate::backtest::job::Job;
use crate::backtest::rows::Rows;
use crate::oozie_export::{
    ACTIONS, ActionRow, BUNDLES, Blob, BundleRow, COORDINATORS, CoordinatorRow, JobState, LocalSeconds, MemberState,
    RecordedAction, WORKFLOWS, WorkflowRow,
};
use howdah_calendar::{ProcessingZone, Zone};
use howdah_engine::settings::Settings;
use howdah_host::line_files::LineFiles;
use howdah_oozie::configuration::{read_configuration, write_properties};
use howdah_words::error::{Error, Result, SourceText};
use howdah_words::model::Properties;
use howdah_words::model::id::JobKind;
use howdah_words::model::time::Timestamp;
use howdah_xml as xml;

/// The statuses of jobs that are over.
const OVER: &[&str] = &["SUCCEEDED", "DONEWITHERROR", "KILLED", "FAILED", "IGNORED"];

/// Returns what an export says of the jobs that are not over.
///
/// # Errors
/// H0190 when it cannot be read or has no coordinator jobs.
pub fn export(files: &mut LineFiles, machine: Machine<'_>, zone: Option<&Zone>) -> Result<Import> {
    let mut import = Import::default();
    let problems = &mut import.problems;
    let bundles = Rows::read_all(files, BUNDLES, BundleRow::read, problems)?.unwrap_or_default();
    let workflows = Rows::read_all(files, WORKFLOWS, WorkflowRow::read, problems)?.unwrap_or_default();
    let rows = Rows::read_all(files, COORDINATORS, CoordinatorRow::read, problems)?;
    let rows = rows.ok_or_else(|| files.refuse(&format!("it has no table {COORDINATORS}")))?;
    let mut actions = actions(files, problems)?;
    let jobs: Vec<Job> = rows.into_iter().map(|row| Job::new(row, &machine.settings.submit)).collect();
    let live: Vec<&Job> = jobs.iter().filter(|job| is_live(&job.row.status)).collect();
    let zones = Zones::find(zone, files, (&jobs, &live))?;
    if let Some(problem) = zones.problem(&live) {
        import.problems.push(problem);
    } else {
        (import.zone, import.other_zones) = zones.named();
    }
    for job in &jobs {
        let actions = actions.remove(&job.row.id).unwrap_or_default();
        if is_live(&job.row.status) {
            import.jobs.push(coordinator(job, machine, (&actions, &zones)));
        } else {
            import.over.push(state(job, (&actions, &zones)));
        }
    }
    for row in &bundles {
        let members = jobs.iter().filter(|job| job.row.bundle.as_ref() == Some(&row.id)).map(|job| member(&job.row));
        let found = bundle(row, members.collect(), &zones);
        if is_live(&row.status) {
            import.jobs.push(found);
        } else {
            import.over.push(found.state);
        }
    }
    let live = workflows.into_iter().filter(|row| is_live(&row.status) && row.parent.is_none());
    import.workflows = live.map(|row| row.id).collect();
    Ok(import)
}

pub(super) fn is_live(status: &str) -> bool {
    !status.is_empty() && !OVER.contains(&status)
}

/// Returns the actions of each job.
fn actions(files: &mut LineFiles, problems: &mut Vec<Error>) -> Result<HashMap<String, Vec<ActionRow>>> {
    let rows = Rows::read_all(files, ACTIONS, ActionRow::read_state, problems)?.unwrap_or_default();
    let mut actions: HashMap<String, Vec<ActionRow>> = HashMap::new();
    for action in rows {
        actions.entry(action.job.clone()).or_default().push(action);
    }
    for actions in actions.values_mut() {
        actions.sort_unstable_by_key(|action| action.number);
    }
    Ok(actions)
}

/// Returns a zone of the dates of an export that fits the starts of its coordinator jobs.
pub(crate) fn zone_of_rows(rows: &[CoordinatorRow], settings: &Settings) -> Option<Zone> {
    let jobs: Vec<Job> = rows.iter().map(|row| Job::new(row.clone(), &settings.submit)).collect();
    Zones::of_starts(&jobs).first()
}

/// The actions of a job, and the zones in which their dates may be.
pub(super) type Actions<'a> = (&'a [ActionRow], &'a Zones);

/// Returns the state of a coordinator.
fn state(job: &Job, (actions, zones): Actions<'_>) -> JobState {
    let row = &job.row;
    let at = |local: Option<LocalSeconds>| local.and_then(|local| zones.instant(local));
    let last = u32::try_from(row.last_action).ok();
    let compiled = job.compile(None).ok();
    let computed = last.and_then(|last| compiled.as_ref()?.times.at(last.checked_add(1)?));
    // What Oozie recorded, where the definition cannot be used here: a job without a next time creates no more.
    let recorded = row.next.or_else(|| row.start.filter(|_| row.last_action == 0));
    let mut state = JobState {
        id: Some(row.id.clone()),
        name: row.name.clone(),
        user: row.user.clone(),
        status: Some(row.status.clone()),
        bundle: row.bundle.clone(),
        application: row.app_path.clone(),
        last_action: last,
        next: computed.or_else(|| at(recorded)).filter(|_| !row.is_done),
        end: at(row.end),
        pause: at(row.pause),
        concurrency: i32::try_from(row.concurrency).ok(),
        throttle: i32::try_from(row.throttle).ok().filter(|throttle| *throttle > 0),
        timeout_minutes: i32::try_from(row.timeout_minutes).ok(),
        ..JobState::default()
    };
    for action in actions {
        let Ok(number) = u32::try_from(action.number) else { continue };
        state.add((number, action.status.clone(), action.external_id.clone()), |open| {
            let computed = compiled.as_ref().and_then(|compiled| compiled.times.at(number));
            open.nominal = computed.or_else(|| at(action.nominal));
            open.created = at(action.created);
            open.timeout_minutes = i32::try_from(action.timeout_minutes).ok();
            open.configuration = own_configuration(action);
        });
    }
    state
}

/// Returns the properties of a READY action, which Oozie has resolved.
fn own_configuration(action: &ActionRow) -> Option<Properties> {
    let text = action.definition.as_ref()?.text().ok()?;
    let name = format!("{}@{}", action.job, action.number);
    let recorded = RecordedAction::read(&name, text).ok()?;
    Some(recorded.configuration.into_iter().collect())
}

/// Returns what is known of a coordinator job, with its files.
pub(super) fn coordinator(job: &Job, machine: Machine<'_>, actions: Actions<'_>) -> ImportedJob {
    let row = &job.row;
    let mut found = ImportedJob::new(JobKind::Coordinator, state(job, actions));
    let mut missing = Vec::new();
    let text = read(row.definition.as_ref(), &mut missing);
    let document = xml::read(&SourceText::new(format!("{} (definition)", row.id), text.clone()));
    match (&job.compile(None), &document) {
        (Ok(compiled), Ok(document)) => {
            let coordinator = &compiled.application.coordinator;
            missing.extend(other_next(row, found.state.next, actions.1));
            let both = (&mut found.uses, &mut missing);
            needs::of_coordinator(machine, (&row.app_path, coordinator), document, both);
        }
        (Err(errors), _) | (Ok(_), Err(errors)) => missing.extend(errors.iter().map(Missing::from)),
    }
    found.files.push(("coordinator.xml".to_owned(), text));
    if let Some(datasets) = job.included_datasets() {
        found.files.push(("datasets.xml".to_owned(), datasets));
    }
    add_common(&mut found, row.configuration.as_ref(), &mut missing);
    found.missing = once(missing);
    found
}

/// Returns the problem when Oozie recorded another next nominal time than the definition gives.
fn other_next(row: &CoordinatorRow, computed: Option<Timestamp>, zones: &Zones) -> Option<Missing> {
    let (recorded, computed) = (row.next?, computed?);
    let zone = zones.without(recorded, computed)?;
    let show = |seconds: i64| ProcessingZone::UTC.format(Timestamp::from_seconds(seconds)).replace('Z', "");
    Some(Missing {
        what: format!(
            "the next nominal time: Oozie recorded {}, the definition gives {} (both in {})",
            show(recorded.0),
            show(zone.local_seconds(computed)),
            zone.id()
        ),
        fix: "compare all its actions: howdah backtest EXPORT".to_owned(),
    })
}

/// Returns how a coordinator of a bundle is in it: Oozie gives the job the name that it has there.
fn member(row: &CoordinatorRow) -> MemberState {
    MemberState { id: row.id.clone(), name: row.name.clone(), status: row.status.clone() }
}

/// Returns what is known of a bundle job, with its files.
pub(super) fn bundle(row: &BundleRow, coordinators: Vec<MemberState>, zones: &Zones) -> ImportedJob {
    let at = |local: Option<LocalSeconds>| local.and_then(|local| zones.instant(local));
    let state = JobState {
        id: Some(row.id.clone()),
        name: row.name.clone(),
        user: row.user.clone(),
        status: Some(row.status.clone()),
        application: row.app_path.clone(),
        end: at(row.end),
        pause: at(row.pause),
        coordinators,
        ..JobState::default()
    };
    let mut found = ImportedJob::new(JobKind::Bundle, state);
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
    let properties = properties(configuration);
    missing.extend(needs::user(found.state.user_with(properties.as_ref().unwrap_or(&Properties::new()))));
    match properties {
        Ok(properties) => found.files.push(("job.properties".to_owned(), write_properties(&properties))),
        Err(why) => missing.push(Missing {
            what: format!("the properties: {why}"),
            fix: "fetch them from Oozie: oozie job -configcontent ID".to_owned(),
        }),
    }
    let state = serde_json::to_string_pretty(&found.state.to_json()).unwrap_or_default() + "\n";
    found.files.push(("state.json".to_owned(), state));
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
