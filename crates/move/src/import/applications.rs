//! Applications in folders, each with its properties: jobs that have no state.

use std::path::{Path, PathBuf};

use super::missing::once;
use super::{Import, ImportedJob, Machine, Missing, needs};
use crate::oozie_export::JobState;
use howdah_engine::application_path::{
    BUNDLE_PATH, COORDINATOR_PATH, WORKFLOW_PATH, application_kind, application_path,
};
use howdah_engine::submit::submission::{self, Prepared};
use howdah_oozie::configuration::{ParsedProperties, write_properties};
use howdah_words::model::id::JobKind;
use howdah_words::model::time::Timestamp;
use howdah_xml as xml;

/// Returns what properties files say of their jobs.
pub fn applications(found: &[(PathBuf, ParsedProperties)], machine: Machine<'_>, now: Timestamp) -> Import {
    let jobs = found.iter().map(|(file, properties)| application(file, properties, (machine, now))).collect();
    Import { jobs, ..Import::default() }
}

fn application(file: &Path, properties: &ParsedProperties, (machine, now): (Machine<'_>, Timestamp)) -> ImportedJob {
    let kind = application_kind(properties).unwrap_or(JobKind::Coordinator);
    let property = match kind {
        JobKind::Coordinator => COORDINATOR_PATH,
        JobKind::Workflow => WORKFLOW_PATH,
        JobKind::Bundle => BUNDLE_PATH,
    };
    let folder = file.parent().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    let user = properties.values.get("user.name").cloned().unwrap_or_default();
    let application = application_path(properties, property).unwrap_or_default();
    let state = JobState { name: folder.unwrap_or_default(), user, application, ..JobState::default() };
    let mut found = ImportedJob::new(kind, state);
    let (prepared, problems) = submission::prepare(machine.mounts, machine.settings, properties);
    let mut missing: Vec<Missing> = problems.iter().map(Missing::from).collect();
    missing.extend(needs::user(found.state.user.trim()));
    // Only a definition is copied: the properties of a user may name any file that this process can read.
    let mut add = |name: &str, text: &str| found.files.push((name.to_owned(), text.to_owned()));
    let both = (&mut found.uses, &mut missing);
    match prepared {
        Some(Prepared::Coordinator(job)) => {
            add("coordinator.xml", &job.source.text);
            let coordinator = &job.application.coordinator;
            if let Ok(document) = xml::read(&job.source) {
                needs::of_coordinator(machine, (&job.app_path, coordinator), &document, both);
            }
            found.state.application.clone_from(&job.app_path);
            found.state.name.clone_from(&coordinator.name);
            found.state.next = coordinator.schedule.actions_from(1, now).next().map(|(_, nominal)| nominal);
            found.state.end = Some(coordinator.schedule.end);
            for (number, text) in (1..).zip(job.includes.values()) {
                add(&format!("include-{number}.xml"), &text.text);
            }
        }
        Some(Prepared::Workflow(job)) => {
            add("workflow.xml", &job.source.text);
            needs::of_workflow(machine, &found.state.application, both);
        }
        Some(Prepared::Bundle(job)) => {
            add("bundle.xml", job.definition());
            found.state.name.clone_from(&job.prepared.bundle.name);
        }
        None => {}
    }
    found.files.push(("job.properties".to_owned(), write_properties(&properties.values)));
    found.missing = once(missing);
    found
}
