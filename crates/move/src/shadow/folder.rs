//! The folders that an import has written, as jobs of a shadow.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use crate::oozie_export::{JobState, OpenAction};
use howdah_engine::compiled::Application;
use howdah_engine::definition_file::{FileIncludes, LARGEST_DEFINITION};
use howdah_engine::settings::Settings;
use howdah_engine::submit::coordinator::{PreparedCoordinator, timeout_minutes};
use howdah_engine::submit::shadow::{ShadowedAction, ShadowedJob};
use howdah_host::files::{self, Entry};
use howdah_host::mounts::Mounts;
use howdah_oozie::configuration::{complete, parse_properties, resolve};
use howdah_oozie::coordinator::parse;
use howdah_oozie::coordinator::parse::parser::Includes;
use howdah_words::error::{Error, ErrorCode, Result, SourceText};
use howdah_words::model::Properties;
use howdah_words::model::time::Timestamp;
use howdah_xml::{self as xml, DocumentKind};

/// What an import has written.
#[derive(Default)]
pub struct Folders {
    pub jobs: Vec<ShadowedJob>,
    /// The folders without a job that can be shadowed, and why: bundles, whose coordinators have folders of their own,
    /// and jobs without a state.
    pub left_out: Vec<(PathBuf, String)>,
}

/// Reads the folders of an import.
///
/// # Errors
/// H0247 for each coordinator that cannot be compiled, and when there is none; H0110 and H0113 for a file that cannot
/// be read.
pub fn read_folders(
    root: &Path,
    (mounts, settings): (&Mounts, &Settings),
    now: Timestamp,
) -> Result<Folders, Vec<Error>> {
    let one = |error: Error| vec![error];
    let mut found = Folders::default();
    let mut problems = Vec::new();
    for (folder, entry) in files::list_entries(root).map_err(one)? {
        if entry != Entry::Folder {
            continue;
        }
        let job = Folder { path: &folder, mounts, settings };
        match job.read(now) {
            Ok(Ok(job)) => found.jobs.push(job),
            Ok(Err(why)) => found.left_out.push((folder, why)),
            Err(errors) => problems.extend(errors),
        }
    }
    if found.jobs.is_empty() && problems.is_empty() {
        let error =
            Error::with(ErrorCode::H0247, &[&root.display(), &"it has no folder of a coordinator with a state"]);
        problems.push(error.help("name the folder that `howdah import oozie SOURCE --to DIR` has written"));
    }
    if problems.is_empty() { Ok(found) } else { Err(problems) }
}

/// The folder of one job.
#[derive(Clone, Copy)]
struct Folder<'a> {
    path: &'a Path,
    mounts: &'a Mounts,
    settings: &'a Settings,
}

impl Folder<'_> {
    /// Reads the job; or says why it has no shadow.
    fn read(self, now: Timestamp) -> Result<Result<ShadowedJob, String>, Vec<Error>> {
        let one = |error: Error| vec![error];
        if self.text("bundle.xml").map_err(one)?.is_some() {
            return Ok(Err("a bundle: its coordinators are shadowed".to_owned()));
        }
        let Some(state) = self.text("state.json").map_err(one)? else {
            return Ok(Err("it has no state.json".to_owned()));
        };
        let read = serde_json::from_str::<Value>(&state).map_err(|cause| cause.to_string());
        let state = read.and_then(|value| JobState::from_json(&value));
        let state = state.map_err(|why| vec![self.refuse(&format!("state.json: {why}"))])?;
        let Some(oozie_id) = state.id.clone() else { return Ok(Err("it was never submitted".to_owned())) };
        let prepared = self.prepare(&state)?;
        let open = state.open.iter().map(|action| self.action(action, (&state, &prepared), now)).collect::<Result<_>>();
        let is_suspended = state.status.as_deref().is_some_and(|status| status.contains("SUSPENDED"));
        Ok(Ok(ShadowedJob {
            oozie_id,
            last_action: state.last_action.unwrap_or_default(),
            next: state.next,
            end: state.end,
            pause: state.pause,
            concurrency: state.concurrency.filter(|concurrency| *concurrency != 0),
            throttle: state.throttle,
            timeout_minutes: state.timeout_minutes,
            is_suspended,
            open: open.map_err(one)?,
            prepared,
        }))
    }

    fn action(
        self,
        action: &OpenAction,
        (state, prepared): (&JobState, &PreparedCoordinator),
        now: Timestamp,
    ) -> Result<ShadowedAction> {
        let absent = || self.refuse(&format!("state.json: action {} has no nominalTime", action.number));
        let usual = || state.timeout_minutes.unwrap_or_else(|| timeout_minutes(&prepared.application.coordinator));
        Ok(ShadowedAction {
            number: action.number,
            nominal: action.nominal.ok_or_else(absent)?,
            created: action.created.unwrap_or(now),
            timeout_minutes: action.timeout_minutes.unwrap_or_else(usual),
            is_started: !["WAITING", "READY"].contains(&action.status.as_str()),
        })
    }

    /// Compiles the definition with its properties and the datasets of its included files.
    fn prepare(self, state: &JobState) -> Result<PreparedCoordinator, Vec<Error>> {
        let one = |error: Error| vec![error];
        let source = self.source("coordinator.xml").map_err(one)?;
        let document = xml::read(&source)?;
        let mut configuration = self.configuration().map_err(one)?;
        complete(DocumentKind::Coordinator, &document, &mut configuration).map_err(one)?;
        let datasets = self.text("datasets.xml").map_err(one)?;
        let datasets =
            datasets.map(|text| SourceText::of_file(self.path.join("datasets.xml").display().to_string(), text));
        let includes = ImportedIncludes {
            datasets,
            is_read: Cell::new(false),
            files: FileIncludes::new(self.mounts, &state.application),
            read: RefCell::default(),
        };
        // Oozie has accepted the frequency.
        let mut submit = self.settings.submit.clone();
        submit.check_maximum_frequency = false;
        let (coordinator, problems) = parse::parse(&document, &configuration, &includes, &submit);
        let Some(coordinator) = coordinator else {
            let refused = problems.into_iter().filter(|problem| !problem.is_warning());
            return Err(refused.chain([self.refuse("its definition cannot be used here")]).collect());
        };
        let written_end = coordinator.schedule.end;
        Ok(PreparedCoordinator {
            application: Application { coordinator, configuration, written_end },
            app_path: state.application.clone(),
            source,
            includes: includes.read.into_inner(),
        })
    }

    fn configuration(self) -> Result<Properties> {
        let parsed = parse_properties(&self.source("job.properties")?)?;
        resolve(&parsed.values)
    }

    fn source(self, name: &str) -> Result<Arc<SourceText>> {
        let text = self.text(name)?.ok_or_else(|| self.refuse(&format!("it has no {name}")))?;
        Ok(SourceText::of_file(self.path.join(name).display().to_string(), text))
    }

    /// Returns the text of a file; `None` when there is no such file.
    fn text(self, name: &str) -> Result<Option<String>> {
        let path = self.path.join(name);
        if files::look(&path)?.is_none() {
            return Ok(None);
        }
        files::read_text(&path, LARGEST_DEFINITION).map(Some)
    }

    fn refuse(self, why: &str) -> Error {
        Error::with(ErrorCode::H0247, &[&self.path.display(), &why])
            .help("import again, and read what the report says is missing")
    }
}

/// The included files of an imported definition: `datasets.xml` has the datasets of all of them. Without it they are
/// read where the mounts show them.
struct ImportedIncludes<'a> {
    datasets: Option<Arc<SourceText>>,
    is_read: Cell<bool>,
    files: FileIncludes<'a>,
    read: RefCell<BTreeMap<String, Arc<SourceText>>>,
}

impl Includes for ImportedIncludes<'_> {
    fn read(&self, uri: &str) -> Result<Arc<SourceText>> {
        if let Some(known) = self.read.borrow().get(uri) {
            return Ok(Arc::clone(known));
        }
        let text = match &self.datasets {
            None => self.files.read(uri)?,
            Some(_) if self.is_read.replace(true) => SourceText::new(uri, "<datasets/>"),
            Some(datasets) => Arc::clone(datasets),
        };
        self.read.borrow_mut().insert(uri.to_owned(), Arc::clone(&text));
        Ok(text)
    }
}
