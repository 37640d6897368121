//! Coordinator jobs compiled from what was stored at submission, each once.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::application_path::{COORDINATOR_PATH, WORKFLOW_PATH};
use crate::definition_file::StoredIncludes;
use crate::stored_properties::read_properties;
use howdah_host::located::DefaultStore;
use howdah_oozie::coordinator::definition::Coordinator;
use howdah_oozie::coordinator::parse;
use howdah_oozie::coordinator::phase::JobScope;
use howdah_oozie::coordinator::settings::SubmitSettings;
use howdah_store::Snapshot;
use howdah_words::error::{Error, ErrorCode, Result, SourceText};
use howdah_words::model::Properties;
use howdah_words::model::id::JobId;
use howdah_words::model::row::{CoordinatorJob, CoordinatorKey};
use howdah_words::model::time::Timestamp;
use howdah_xml as xml;

/// A version of a coordinator job's definition, ready to use.
#[derive(Clone, Debug)]
pub struct Application {
    pub coordinator: Coordinator,
    pub configuration: Properties,
    /// The end that the definition writes; the schedule has the one that the job has now.
    pub written_end: Timestamp,
}

impl Application {
    /// Returns the store of paths without scheme: that of the application path (decision W30).
    pub fn store(&self) -> DefaultStore {
        self.configuration.get(COORDINATOR_PATH).map(|path| DefaultStore::of(path.trim())).unwrap_or_default()
    }

    /// Returns what all phases of this job's expressions use.
    pub fn scope(&self) -> JobScope<'_> {
        JobScope { configuration: &self.configuration, processing: self.coordinator.schedule.processing }
    }
}

/// The applications that were needed so far, each with the end that its job has.
#[derive(Debug, Default)]
pub struct Applications(HashMap<(CoordinatorKey, u32), Arc<Application>>);

impl Applications {
    /// Returns the application of a job's version, compiled at the first call.
    ///
    /// # Errors
    /// E1005 when what was stored can no longer be read: another howdah, or other settings, accepted it.
    pub fn load(
        &mut self,
        snapshot: &Snapshot,
        job: &CoordinatorJob,
        version: u32,
        settings: &SubmitSettings,
    ) -> Result<Arc<Application>> {
        if let Some(known) = self.0.get_mut(&(job.job, version)) {
            if known.coordinator.schedule.end != job.end_at {
                Arc::make_mut(known).coordinator.schedule.end = job.end_at;
            }
            return Ok(Arc::clone(known));
        }
        let application = Arc::new(compile(snapshot, job, version, settings)?);
        self.0.insert((job.job, version), Arc::clone(&application));
        Ok(application)
    }
}

fn compile(snapshot: &Snapshot, job: &CoordinatorJob, version: u32, settings: &SubmitSettings) -> Result<Application> {
    let stored = snapshot
        .coordinator_definition(job.job, version)?
        .ok_or_else(|| Error::new(ErrorCode::E1005, format!("{} has no definition {version}", job.id)))?;
    let configuration = read_properties(&snapshot.document(stored.configuration)?)?;
    let mut includes = BTreeMap::new();
    for include in &stored.includes.0 {
        let text = SourceText::new(include.uri.clone(), snapshot.document(include.document)?);
        includes.insert(include.uri.clone(), text);
    }
    let source = SourceText::new(stored_name(&job.id, version), snapshot.document(stored.definition)?);
    let document = xml::read(&source).map_err(|errors| first(errors, &job.id))?;
    // The limit of the frequency applies only at submission.
    let settings = SubmitSettings { check_maximum_frequency: false, ..settings.clone() };
    let (coordinator, problems) = parse::parse(&document, &configuration, &StoredIncludes(includes), &settings);
    let mut coordinator = coordinator.ok_or_else(|| first(problems, &job.id))?;
    let written_end = coordinator.schedule.end;
    // The operator may have changed it since.
    coordinator.schedule.end = job.end_at;
    // A backfill runs nominal times before the start that the definition writes.
    coordinator.schedule.start = job.start_at;
    Ok(Application { coordinator, configuration, written_end })
}

/// Returns the name of a stored definition in messages.
fn stored_name(id: &JobId, version: u32) -> String {
    if version == 1 { format!("{id} (definition)") } else { format!("{id} (definition {version})") }
}

fn first(errors: Vec<Error>, id: &JobId) -> Error {
    errors
        .into_iter()
        .find(|error| !error.is_warning())
        .unwrap_or_else(|| Error::new(ErrorCode::E1005, format!("the stored definition of {id} cannot be read")))
}

/// Returns the configuration of the workflow job of an action at `nominal`: the job's configuration, the action's own
/// values over it, and the action's nominal time in milliseconds.
pub fn workflow_configuration(application: &Application, own: &Properties, nominal: Timestamp) -> Properties {
    let mut configuration = application.coordinator.workflow_configuration(&application.configuration, own);
    let milliseconds = nominal.seconds() * 1000;
    configuration.insert("oozie.coord.action.nominal_time".to_owned(), milliseconds.to_string());
    if let Some(path) = configuration.get_mut(WORKFLOW_PATH) {
        *path = application.store().qualify(path).as_str().to_owned();
    }
    configuration
}
