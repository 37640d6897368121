//! A coordinator job of an export, compiled as a tick compiles a stored one.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::difference::{Difference, Field};
use super::includes::{self, RecordedIncludes};
use super::nominal_times::NominalTimes;
use crate::oozie_export::{Blob, CoordinatorRow};
use howdah_calendar::{CronZone, ProcessingZone, Schedule, Zone};
use howdah_engine::compiled::Application;
use howdah_engine::definition_file::FileIncludes;
use howdah_host::mounts::Mounts;
use howdah_oozie::configuration::{complete, read_configuration, resolve};
use howdah_oozie::coordinator::parse;
use howdah_oozie::coordinator::settings::SubmitSettings;
use howdah_words::error::{Error, ErrorCode, Result, SourceText};
use howdah_words::model::Properties;
use howdah_words::model::time::Timestamp;
use howdah_xml::{self as xml, Document, DocumentKind};

/// The most configurations of one job that are kept compiled.
const MOST_CONFIGURATIONS: usize = 64;

/// A coordinator job, compiled with each configuration that its actions have.
pub(crate) struct Job {
    pub(crate) row: CoordinatorRow,
    settings: SubmitSettings,
    definition: Result<Definition, Vec<Error>>,
    /// Where included files are read; `None` when the resolved definition has their datasets.
    mounts: Option<Mounts>,
    /// With the job's own configuration.
    own: OnceLock<Result<Arc<Compiled>, Vec<Error>>>,
    /// With other configurations.
    compiled: Mutex<HashMap<Blob, Arc<Compiled>>>,
}

/// The documents of a job.
struct Definition {
    written: Document,
    resolved: Option<Document>,
}

/// A job with one configuration.
pub(crate) struct Compiled {
    pub(crate) application: Application,
    pub(crate) times: NominalTimes,
    /// The times when cron follows the zone of the job, as in Oozie (decision C25).
    pub(super) shifted_times: Option<NominalTimes>,
    /// Whether the definition says how long an action waits.
    pub(super) has_timeout: bool,
    /// The included files that were read, by the URIs that name them.
    pub(crate) includes: BTreeMap<String, Arc<SourceText>>,
}

impl Job {
    /// Reads the definition of a job.
    pub(crate) fn new(row: CoordinatorRow, settings: &SubmitSettings) -> Self {
        let definition = Definition::read(&row);
        let start = definition.as_ref().ok().and_then(Definition::start);
        let settings = SubmitSettings {
            // The limit of the frequency applies only at submission.
            check_maximum_frequency: false,
            processing: start.map_or(settings.processing, |start| processing_of(start, settings.processing)),
            ..settings.clone()
        };
        Self { row, settings, definition, mounts: None, own: OnceLock::new(), compiled: Mutex::default() }
    }

    /// Reads a definition whose included files are on this machine, because nothing has their datasets.
    pub(crate) fn with_files(row: CoordinatorRow, settings: &SubmitSettings, mounts: &Mounts) -> Self {
        Self { mounts: Some(mounts.clone()), ..Self::new(row, settings) }
    }

    /// Returns the zone of the job's own datetimes.
    pub(crate) fn processing(&self) -> ProcessingZone {
        self.settings.processing
    }

    /// Returns the start of the job as its resolved definition has it.
    pub(crate) fn start(&self) -> Option<Timestamp> {
        let start = self.definition.as_ref().ok().and_then(Definition::start)?;
        self.processing().parse_datetime(start).ok()
    }

    /// Compiles the job with a configuration: that of an action, or its own.
    ///
    /// # Errors
    /// What submission would report.
    pub(crate) fn compile(&self, configuration: Option<&Blob>) -> Result<Arc<Compiled>, Vec<Error>> {
        let Some(blob) = configuration.filter(|blob| Some(*blob) != self.row.configuration.as_ref()) else {
            let own = || self.row.configuration.clone().unwrap_or_default();
            return self.own.get_or_init(|| self.compile_with(&own()).map(Arc::new)).clone();
        };
        if let Some(known) = self.compiled().get(blob) {
            return Ok(Arc::clone(known));
        }
        let compiled = Arc::new(self.compile_with(blob)?);
        let mut known = self.compiled();
        if known.len() < MOST_CONFIGURATIONS {
            known.insert(blob.clone(), Arc::clone(&compiled));
        }
        Ok(compiled)
    }

    /// Returns the datasets of the included files as one file; `None` for a job that includes none, or whose included
    /// files cannot be read.
    pub(crate) fn included_datasets(&self) -> Option<String> {
        let definition = self.definition.as_ref().ok()?;
        definition.written.root.child("datasets")?.child("include")?;
        if self.mounts.is_some() {
            return self.compile(None).ok().map(|compiled| includes::merged(compiled.includes.values()));
        }
        let resolved = definition.resolved.as_ref().map(|document| &document.root);
        Some(RecordedIncludes::new(&self.row.id, resolved).text().to_owned())
    }

    /// Returns how the job itself differs from what Oozie recorded. What an operator can change is not compared.
    pub(super) fn differences(&self) -> Vec<Difference> {
        let Ok(compiled) = self.compile(None) else { return Vec::new() };
        let coordinator = &compiled.application.coordinator;
        let schedule = &coordinator.schedule;
        let recorded_zone =
            Zone::parse(&self.row.time_zone).map_or_else(|_| self.row.time_zone.clone(), |zone| zone.id().to_owned());
        let fields = [
            (
                Field::Frequency,
                format!("{} {}", self.row.frequency, self.row.time_unit),
                format!("{} {}", coordinator.frequency_text, schedule.frequency.unit_word()),
            ),
            (Field::TimeZone, recorded_zone, schedule.zone.id().to_owned()),
            (Field::Execution, self.row.execution.clone(), coordinator.controls.execution.as_str().to_owned()),
        ];
        let differs = fields.into_iter().filter(|(_, recorded, computed)| recorded != computed);
        differs
            .map(|(field, recorded, computed)| Difference { field, name: None, recorded, computed, ruling: None })
            .collect()
    }

    fn compiled(&self) -> std::sync::MutexGuard<'_, HashMap<Blob, Arc<Compiled>>> {
        self.compiled.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn compile_with(&self, configuration: &Blob) -> Result<Compiled, Vec<Error>> {
        let definition = self.definition.as_ref().map_err(Clone::clone)?;
        let mut configuration = self.configuration(configuration)?;
        let document = &definition.written;
        complete(DocumentKind::Coordinator, document, &mut configuration).map_err(|error| vec![error])?;
        let name = format!("{} (datasets)", self.row.id);
        let ((coordinator, problems), includes) = if let Some(mounts) = &self.mounts {
            let files = FileIncludes::new(mounts, &self.row.app_path);
            (parse::parse(document, &configuration, &files, &self.settings), files.into_texts())
        } else {
            let recorded = RecordedIncludes::new(&name, definition.resolved.as_ref().map(|document| &document.root));
            (parse::parse(document, &configuration, &recorded, &self.settings), BTreeMap::new())
        };
        let refused = || problems.into_iter().filter(|problem| !problem.is_warning()).collect::<Vec<_>>();
        let coordinator = coordinator.ok_or_else(refused)?;
        let schedule = coordinator.schedule.clone();
        let shifted = Schedule { cron_zone: CronZone::Job, ..schedule.clone() };
        let controls = document.root.child("controls");
        Ok(Compiled {
            shifted_times: (shifted != schedule).then(|| NominalTimes::new(shifted)),
            times: NominalTimes::new(schedule.clone()),
            includes,
            has_timeout: controls.is_some_and(|controls| controls.child("timeout").is_some()),
            application: Application { coordinator, configuration, written_end: schedule.end },
        })
    }

    fn configuration(&self, blob: &Blob) -> Result<Properties, Vec<Error>> {
        let text = blob.text().map_err(|why| vec![unusable(&self.row.id, "conf", &why)])?;
        if text.trim().is_empty() {
            return Ok(Properties::new());
        }
        let source = SourceText::new(format!("{} (configuration)", self.row.id), text);
        let document = xml::read(&source)?;
        let parsed = read_configuration(&document.root, &source).map_err(|error| vec![error])?;
        resolve(&parsed.values).map_err(|error| vec![error])
    }
}

impl Definition {
    fn read(row: &CoordinatorRow) -> Result<Self, Vec<Error>> {
        let read = |blob: &Blob, field: &str, what: &str| {
            let text = blob.text().map_err(|why| vec![unusable(&row.id, field, &why)])?;
            xml::read(&SourceText::new(format!("{} ({what})", row.id), text))
        };
        let absent = || vec![unusable(&row.id, "origJobXml", "it is missing")];
        let written = read(row.definition.as_ref().ok_or_else(absent)?, "origJobXml", "definition")?;
        let resolved = row.resolved_definition.as_ref();
        let resolved = resolved.map(|blob| read(blob, "jobXml", "resolved definition")).transpose()?;
        Ok(Self { written, resolved })
    }

    fn start(&self) -> Option<&str> {
        Some(self.resolved.as_ref()?.root.attribute("start")?.value.as_str())
    }
}

fn unusable(job: &str, field: &str, why: &str) -> Error {
    Error::new(ErrorCode::E1005, format!("{job}: the field [{field}]: {why}"))
}

/// Returns the processing time zone in which Oozie wrote a datetime: that of its suffix.
fn processing_of(datetime: &str, usual: ProcessingZone) -> ProcessingZone {
    if usual.parse_datetime(datetime).is_ok() {
        return usual;
    }
    let suffix = datetime.char_indices().rfind(|(_, letter)| matches!(letter, '+' | '-' | 'Z'));
    match suffix.map(|(at, _)| &datetime[at..]) {
        Some("Z") => ProcessingZone::UTC,
        Some(offset) => ProcessingZone::parse(&format!("GMT{offset}")).unwrap_or(usual),
        None => usual,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_suffix_of_a_datetime_names_the_processing_zone() {
        let india = ProcessingZone::parse("GMT+0530").unwrap();
        for (text, usual, expect) in [
            ("2026-01-02T00:00Z", ProcessingZone::UTC, ProcessingZone::UTC),
            ("2026-01-02T00:00+0530", ProcessingZone::UTC, india),
            ("2026-01-02T00:00Z", india, ProcessingZone::UTC),
            ("2026-01-02T00:00+0530", india, india),
            ("nothing", india, india),
        ] {
            assert_eq!(processing_of(text, usual), expect, "{text}");
        }
    }
}
