//! Reads the jobs of an Oozie from what an import wrote, or from an export.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::cli::exit::Failure;
use crate::cli::oozie_source;
use howdah_calendar::Zone;
use howdah_engine::definition_file::LARGEST_DEFINITION;
use howdah_engine::settings::Settings;
use howdah_host::files::{self, Entry};
use howdah_host::line_files::LineFiles;
use howdah_host::mounts::Mounts;
use howdah_move::import::{self, Import, Machine};
use howdah_move::oozie_export::{COORDINATORS, JobState};
use howdah_move::takeover::OozieJob;
use howdah_oozie::configuration::{ParsedProperties, parse_properties};
use howdah_words::error::{Error, ErrorCode, Result, SourceText};
use howdah_words::model::id::JobKind;

/// The file of an import with the states of the jobs that are over.
pub(in crate::cli) const OVER: &str = "ended.json";

/// Reads sources.
pub(super) struct Reader<'a> {
    pub(super) settings: &'a Settings,
    pub(super) mounts: &'a Mounts,
    pub(super) zone: Option<&'a str>,
}

/// What is changed in the properties of the jobs.
#[derive(Default)]
pub(super) struct Changes<'a> {
    /// Properties of every job, as `NAME=VALUE`.
    pub(super) definitions: &'a [String],
    /// The users of this machine, by those of the jobs.
    pub(super) users: BTreeMap<String, String>,
}

impl Changes<'_> {
    /// Refuses a user that no job has.
    ///
    /// # Errors
    /// H0002.
    pub(super) fn check_users(&self, jobs: &[OozieJob]) -> Result<()> {
        let Some(unused) = self.users.keys().find(|user| jobs.iter().all(|job| job.state.user != **user)) else {
            return Ok(());
        };
        let mut known: Vec<&str> = jobs.iter().map(|job| job.state.user.as_str()).collect();
        known.sort_unstable();
        known.dedup();
        let error = Error::new(ErrorCode::H0002, format!("--user {unused}=..: no job of SOURCE belongs to [{unused}]"));
        Err(error.help(format!("its jobs belong to: {}", known.join(", "))))
    }

    fn apply(&self, properties: &mut ParsedProperties, user: &str) -> Result<()> {
        if let Some(new) = self.users.get(user) {
            for name in ["user.name", "mapreduce.job.user.name"] {
                let is_old = properties.values.get(name).is_some_and(|value| value.trim() == user);
                if is_old || name == "user.name" {
                    properties.define_as_written(&format!("{name}={new}"));
                }
            }
        }
        for definition in self.definitions {
            if !properties.define_as_written(definition) {
                let error = Error::new(ErrorCode::H0002, format!("-D {definition}: this is not a definition"));
                return Err(error.help("write -D name=value"));
            }
        }
        Ok(())
    }
}

/// Reads the users of `--user OLD=NEW`.
///
/// # Errors
/// H0002 for another form, and for a user who would be two.
pub(super) fn users(given: &[String]) -> Result<BTreeMap<String, String>> {
    let mut users = BTreeMap::new();
    for text in given {
        let refuse = |why: &str| Err(Error::new(ErrorCode::H0002, format!("--user {text}: {why}")));
        match text.split_once('=').map(|(old, new)| (old.trim(), new.trim())) {
            Some((old, new)) if !old.is_empty() && !new.is_empty() => {
                if users.insert(old.to_owned(), new.to_owned()).is_some_and(|before| before != new) {
                    return refuse("this user has another name already");
                }
            }
            _ => return refuse("write --user OLD=NEW"),
        }
    }
    Ok(users)
}

/// What a source has.
pub(super) struct Source {
    pub(super) jobs: Vec<OozieJob>,
    /// The states of the coordinators and bundles that are over.
    pub(super) over: Vec<JobState>,
    /// Rows that cannot be used.
    pub(super) problems: Vec<Error>,
}

impl Reader<'_> {
    /// Reads an export, the folder that an import wrote, or a running Oozie or a folder of its answers.
    ///
    /// # Errors
    /// H0002 for a definition that is none or an unknown zone, H0190 for an export that cannot be read, H0231 for a
    /// file that no import has written, H0240 to H0244 for answers that cannot be read.
    pub(super) fn read(&self, source: &Path, changes: &Changes<'_>) -> Result<Source, Failure> {
        let machine = Machine { mounts: self.mounts, settings: self.settings };
        if let Some(answers) = oozie_source::answers(source)? {
            return Ok(imported(source, import::answers(&answers, machine)?, changes)?);
        }
        let is_folder = matches!(files::look(source)?, Some(Entry::Folder));
        if is_folder && files::look(&source.join(COORDINATORS))?.is_none() {
            return Ok(folder(source, changes)?);
        }
        let zone = self.zone.map(|id| {
            Zone::parse(id).map_err(|error| Error::new(ErrorCode::H0002, format!("--zone: {error}")).help(error.help()))
        });
        let mut lines = LineFiles::open(source)?;
        let found = import::export(&mut lines, machine, zone.transpose()?.as_ref())?;
        Ok(imported(source, found, changes)?)
    }
}

/// Returns what an import has found.
fn imported(source: &Path, found: Import, changes: &Changes<'_>) -> Result<Source> {
    let mut jobs = Vec::new();
    for job in found.jobs {
        let file = |name: &str| job.files.iter().find(|(known, _)| known == name).map(|(_, text)| text.clone());
        let texts = Texts {
            place: format!("{} in {}", job.state.id.as_deref().unwrap_or(&job.state.name), source.display()),
            definition: file("coordinator.xml").or_else(|| file("bundle.xml")),
            datasets: file("datasets.xml"),
            properties: file("job.properties"),
        };
        jobs.push(texts.job((job.kind, job.state), changes)?);
    }
    Ok(Source { jobs, over: found.over, problems: found.problems })
}

/// The texts of one job.
struct Texts {
    place: String,
    definition: Option<String>,
    datasets: Option<String>,
    properties: Option<String>,
}

impl Texts {
    fn job(self, (kind, mut state): (JobKind, JobState), changes: &Changes<'_>) -> Result<OozieJob> {
        let missing = |file: &str| Error::with(ErrorCode::H0231, &[&self.place, &format!("it has no {file}")]);
        let text = self.properties.ok_or_else(|| missing("job.properties"))?;
        let mut properties = parse_properties(&SourceText::new(format!("{}/job.properties", self.place), text))?;
        state.user = state.user_with(&properties.values).to_owned();
        changes.apply(&mut properties, &state.user)?;
        let definition = self.definition.ok_or_else(|| missing("coordinator.xml"))?;
        Ok(OozieJob { kind, state, definition, datasets: self.datasets, properties, place: self.place })
    }
}

/// Reads what an import wrote.
fn folder(source: &Path, changes: &Changes<'_>) -> Result<Source> {
    let mut jobs = Vec::new();
    for (path, entry) in files::list_entries(source)? {
        if entry != Entry::Folder || files::look(&path.join("state.json"))?.is_none() {
            continue;
        }
        let optional = |name: &str| match files::look(&path.join(name))? {
            Some(_) => files::read_text(&path.join(name), LARGEST_DEFINITION).map(Some),
            None => Ok(None),
        };
        let bundle = optional("bundle.xml")?;
        let kind = if bundle.is_some() { JobKind::Bundle } else { JobKind::Coordinator };
        let texts = Texts {
            place: path.display().to_string(),
            definition: bundle.map_or_else(|| optional("coordinator.xml"), |text| Ok(Some(text)))?,
            datasets: optional("datasets.xml")?,
            properties: optional("job.properties")?,
        };
        let state = state(&path.join("state.json"), &document(&path.join("state.json"))?)?;
        jobs.push(texts.job((kind, state), changes)?);
    }
    if jobs.is_empty() {
        let error = Error::with(ErrorCode::H0231, &[&source.display(), &"no folder in it has a state.json"]);
        return Err(error.help("`howdah import oozie ooziedb.zip --to DIR` writes such a folder"));
    }
    let over = source.join(OVER);
    let over = match files::look(&over)? {
        Some(_) => match document(&over)? {
            Value::Array(states) => states.iter().map(|one| state(&over, one)).collect::<Result<_>>()?,
            _ => return Err(Error::with(ErrorCode::H0231, &[&over.display(), &"it is not a list"])),
        },
        None => Vec::new(),
    };
    Ok(Source { jobs, over, problems: Vec::new() })
}

fn document(path: &Path) -> Result<Value> {
    let text = files::read_text(path, LARGEST_DEFINITION)?;
    serde_json::from_str(&text).map_err(|cause| Error::with(ErrorCode::H0231, &[&path.display(), &cause]))
}

fn state(path: &Path, value: &Value) -> Result<JobState> {
    JobState::from_json(value).map_err(|why| Error::with(ErrorCode::H0231, &[&path.display(), &why]))
}
