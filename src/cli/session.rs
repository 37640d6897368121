//! The environment of a verb: the clock, the settings, the mounts, the database, the job properties.

use std::path::{Path, PathBuf};
use std::slice;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use crate::cli::args::GlobalArgs;
use crate::cli::exit::Failure;
use crate::cli::moment::Moments;
use crate::output::form::Form;
use crate::output::{diagnostic, text};
use howdah_answers::check::validate::Quotable;
use howdah_answers::check::zones::MachineZones;
use howdah_calendar::zone_data;
use howdah_engine::format::{quoted, read_time, set_notation};
use howdah_engine::settings::{Settings, ZoneChoice};
use howdah_engine::tick_record::TickRecord;
use howdah_engine::{self as engine, Engine, copy_check};
use howdah_host::clock::{Clock, FixedClock, SystemClock};
use howdah_host::file_store;
use howdah_host::found::Found;
use howdah_host::mounts::Mounts;
use howdah_host::session::Session;
use howdah_host::{environment, files, ownership, variables};
use howdah_oozie::configuration::{ParsedProperties, check_storable, parse_properties, read_configuration};
use howdah_store::{Birth, OpenMode, Snapshot, Store};
use howdah_words::error::{Error, ErrorCode, Result, SourceText};
use howdah_words::model::time::Timestamp;
use howdah_xml as xml;

/// The largest properties or site file, in bytes.
const LARGEST_PROPERTIES: u64 = 16 * 1024 * 1024;

/// Returns the clock of this command: the system's, or the time that `--now` names.
pub(crate) fn clock(global: &GlobalArgs) -> Result<Box<dyn Clock>> {
    let Some(text) = &global.now else { return Ok(Box::new(SystemClock)) };
    match read_time(text) {
        Ok(now) => Ok(Box::new(FixedClock(now))),
        Err(error) => Err(Error::new(ErrorCode::H0002, format!("--now [{text}]: {error}")).help(error.help())),
    }
}

/// Returns how the options of a verb read times at `now`.
///
/// # Errors
/// Like [`settings`].
pub(crate) fn moments(global: &GlobalArgs, now: Timestamp) -> Result<Moments, Failure> {
    Ok(Moments::new(now, settings(global)?.submit.processing))
}

/// Makes this process print and read times in the processing time zone of the settings. Invalid settings are reported
/// by the verb that needs them.
pub(crate) fn set_time_notation(global: &GlobalArgs) {
    if let Ok(settings) = settings(global) {
        set_notation(settings.submit.processing, global.form() == Form::Json);
    }
}

/// What the verbs of a session find out once.
#[derive(Debug, Default)]
struct Kept {
    /// The zone data that the settings choose, once they are read.
    zone_choice: OnceLock<ZoneChoice>,
    /// The file of the database: root may change to its owner, whose environment would name another one.
    database: OnceLock<PathBuf>,
    has_warned_of_silence: AtomicBool,
}

fn kept() -> Arc<Kept> {
    Session::current().kept()
}

/// Uses the machine's zone data if the settings say so. The first zone that is needed reads both.
pub(crate) fn install_zone_data(global: &GlobalArgs) {
    if !Session::current().is_of_process() {
        return;
    }
    let (site, quiet) = (global.site.clone(), global.quiet);
    let choice = move || {
        let read = || settings(&GlobalArgs { site: site.clone(), ..GlobalArgs::default() });
        // Invalid settings are reported by the verb that needs them.
        let chosen = || read().map_or_else(|_| ZoneChoice::default(), |settings| settings.zone_data);
        kept().zone_choice.get().copied().unwrap_or_else(chosen)
    };
    let warn = move |warning: &str| {
        if !quiet {
            text::aside(warning);
        }
    };
    zone_data::install(Box::new(MachineZones::new(choice, warn)));
}

/// Returns the settings of the site file, or the defaults when there is none; the environment overrides the choice of
/// zone data, and names the folder of Hadoop's site files where the site does not.
pub(crate) fn settings(global: &GlobalArgs) -> Result<Settings, Failure> {
    let mut settings = site_settings(global)?;
    if let Some(word) = variables::get("HOWDAH_ZONE_DATA") {
        settings.zone_data = ZoneChoice::parse("HOWDAH_ZONE_DATA", &word)?;
    }
    kept().zone_choice.get_or_init(|| settings.zone_data);
    let folder = settings.stores.hadoop_folder.take();
    settings.stores.hadoop_folder = folder.or_else(file_store::folder_of_environment);
    Ok(settings)
}

/// Returns the site file and its properties, if there is one.
///
/// # Errors
/// H0110, H0112, H0113, E0700 for a file that cannot be read.
pub(crate) fn site_properties(global: &GlobalArgs) -> Result<Option<(PathBuf, ParsedProperties)>, Failure> {
    let given = global.site.clone().or_else(|| variables::get("HOWDAH_SITE").map(PathBuf::from));
    let file = match given {
        Some(file) => Some(file),
        None => usual_site_file()?,
    };
    let Some(file) = file else { return Ok(None) };
    let help = "name a file of properties, or a configuration in XML, that you can read, with --site or HOWDAH_SITE";
    let properties = read_properties_file(&file, help)?;
    Ok(Some((file, properties)))
}

fn site_settings(global: &GlobalArgs) -> Result<Settings, Failure> {
    let Some((file, properties)) = site_properties(global)? else { return Ok(Settings::default()) };
    let (mut settings, problems) = Settings::from_site(&properties);
    settings.file = files::absolute(&file).ok();
    if problems.iter().any(|problem| !problem.is_warning()) {
        return Err(problems.into());
    }
    settings.warnings = problems;
    Ok(settings)
}

/// Shows suspicious site settings and mounts: W0131 for names that nothing reads, W0130 for mounts without a folder.
/// For verbs that create or check work; verbs that only show something print no warnings.
pub(crate) fn warn_of_site(global: &GlobalArgs, settings: &Settings, mounts: &Mounts) {
    if global.quiet {
        return;
    }
    let is_missing = |folder: &Path| matches!(files::find(folder), Found::Absent);
    let missing = mounts.folders().filter(|(_, folder)| is_missing(folder));
    let mut warnings = settings.warnings.clone();
    warnings.extend(missing.map(|(prefix, folder)| Error::with(ErrorCode::W0130, &[&prefix, &folder.display()])));
    diagnostic::explain(&warnings);
}

/// Returns the site file at its default place; `None` when there is none that this user may read. H0113 when the
/// machine cannot tell: continuing without its settings would give another result.
fn usual_site_file() -> Result<Option<PathBuf>> {
    let Some(file) = environment::config_folder().map(|folder| folder.join("site.xml")) else { return Ok(None) };
    match files::look(&file) {
        Err(error) if error.may_pass() => Err(error),
        Ok(Some(_)) => Ok(Some(file)),
        Ok(None) | Err(_) => Ok(None),
    }
}

/// Returns the mounts of the command line, the environment and the site.
///
/// # Errors
/// H0120; H0113 when the machine cannot read the site files of Hadoop, which name the default file system.
pub(crate) fn mounts(global: &GlobalArgs, settings: &Settings) -> Result<Mounts> {
    let environment = variables::get("HOWDAH_MOUNTS").unwrap_or_default();
    let texts = given(global, &environment).chain(settings.mounts.iter().map(String::as_str));
    let mounts = Mounts::parse(texts)?;
    let folder = settings.stores.hadoop_folder.as_deref().filter(|_| !mounts.is_empty());
    let default = folder.map(file_store::default_system_of).transpose()?.flatten();
    Ok(mounts.with(&settings.stores, default))
}

/// Returns the mounts of the command line and the environment.
pub(crate) fn given_mounts(global: &GlobalArgs) -> Result<Mounts> {
    let environment = variables::get("HOWDAH_MOUNTS").unwrap_or_default();
    Mounts::parse(given(global, &environment))
}

fn given<'m>(global: &'m GlobalArgs, environment: &'m str) -> impl Iterator<Item = &'m str> {
    global.mounts.iter().map(String::as_str).chain(Mounts::split(environment))
}

/// Returns the file of the database.
pub(crate) fn database(global: &GlobalArgs) -> Result<PathBuf> {
    let kept = kept();
    match kept.database.get() {
        Some(found) => Ok(found.clone()),
        None => find_database(global).map(|found| kept.database.get_or_init(|| found).clone()),
    }
}

fn find_database(global: &GlobalArgs) -> Result<PathBuf> {
    let named = global.db.clone().or_else(|| variables::get("HOWDAH_DB").map(PathBuf::from));
    let default = || environment::state_folder().map(|folder| folder.join("howdah.db"));
    let path = named.or_else(default).ok_or_else(|| {
        Error::new(ErrorCode::H0002, "there is no home folder for the database").help("name a file with --db")
    })?;
    files::absolute(&path).map_err(|error| Error::with(ErrorCode::H0100, &[&path.display(), &error]))
}

/// Returns the engine for a verb that creates jobs, on a database that is created when it is not there yet; warns when
/// no tick comes.
///
/// # Errors
/// H0133 for a copy that was not declared to be the database, and any error of opening a database.
pub(crate) fn engine(global: &GlobalArgs, clock: &dyn Clock) -> Result<Engine, Failure> {
    let engine = new_service_engine(global, clock)?;
    warn_of_silence_for_work(global, &engine);
    Ok(engine)
}

/// Like [`engine()`], for a process that ticks itself.
///
/// # Errors
/// Like [`engine()`].
pub(crate) fn new_service_engine(global: &GlobalArgs, clock: &dyn Clock) -> Result<Engine, Failure> {
    let birth = Birth::at(clock.now(), environment::milliseconds());
    let settings = settings(global)?;
    open_to_write(global, &OpenMode::Create(birth.of_system(&settings.system_id)))
}

/// Returns the engine for a verb that changes something, on a database that must exist; warns when no tick comes.
///
/// # Errors
/// Like [`engine()`].
pub(crate) fn existing_engine(global: &GlobalArgs) -> Result<Engine, Failure> {
    let engine = service_engine(global)?;
    warn_of_silence(global, &engine);
    Ok(engine)
}

/// Like [`existing_engine`], for the processes of howdah: a tick, a runner, a courier, a purge.
///
/// # Errors
/// Like [`engine()`].
pub(crate) fn service_engine(global: &GlobalArgs) -> Result<Engine, Failure> {
    open_to_write(global, &OpenMode::MustExist)
}

/// Returns every verb that changes something checks here whether this is the database or a copy of it.
fn open_to_write(global: &GlobalArgs, mode: &OpenMode) -> Result<Engine, Failure> {
    let mut engine = open(global, mode)?;
    // What is not on a disk is no copy.
    if !is_none(global, mode, engine.store.path()) {
        copy_check::check(&mut engine)?;
    }
    Ok(engine)
}

/// Returns the engine on a database that must exist, even a copy, for verbs that read for a long time; warns when no
/// tick comes.
pub(crate) fn watching_engine(global: &GlobalArgs) -> Result<Engine, Failure> {
    let engine = file_engine(global)?;
    warn_of_silence(global, &engine);
    Ok(engine)
}

/// Returns the engine on a database that must exist, even a copy, for verbs that maintain the file itself.
pub(crate) fn file_engine(global: &GlobalArgs) -> Result<Engine, Failure> {
    open(global, &OpenMode::MustExist)
}

/// Returns the engine on a database that must exist, for a short query: works on a full disk too.
pub(crate) fn query_engine(global: &GlobalArgs) -> Result<Engine, Failure> {
    let engine = open(global, &OpenMode::ReadOnly)?;
    warn_of_silence(global, &engine);
    Ok(engine)
}

/// Returns whether a job has exactly this name. Without a database that can be read there is no such job; this says
/// nothing, because a code that has the form of a name needs no database.
pub(crate) fn is_name_of_job(global: &GlobalArgs, name: &str) -> bool {
    let (db, site, mounts) = (global.db.clone(), global.site.clone(), global.mounts.clone());
    let silent = GlobalArgs { db, site, mounts, quiet: true, ..GlobalArgs::default() };
    let engine = open(&silent, &OpenMode::ReadOnly);
    engine.is_ok_and(|engine| {
        engine.store.read(|snapshot| snapshot.jobs_named(name, 1)).is_ok_and(|jobs| !jobs.is_empty())
    })
}

/// Warns when no tick comes although jobs need ticks: then nothing that is shown changes.
fn warn_of_silence(global: &GlobalArgs, engine: &Engine) {
    if global.quiet {
        return;
    }
    // A database that cannot be read is reported by the verb itself.
    if engine.store.read(Snapshot::needs_ticks).is_ok_and(|needed| needed) {
        warn_of_silence_for_work(global, engine);
    }
}

/// Warns when no tick comes although jobs need ticks, after a command of Oozie's command line.
pub(crate) fn warn_of_silence_after(global: &GlobalArgs) {
    let silent = GlobalArgs { quiet: true, ..global.clone() };
    // A database that cannot be opened is reported by the command.
    if let Ok(engine) = open(&silent, &OpenMode::ReadOnly) {
        warn_of_silence(global, &engine);
    }
}

/// Warns when no tick comes, for a verb that creates work: it does not run. Warns once in a session, and never with
/// --now, which is not the time of the ticks.
pub(crate) fn warn_of_silence_for_work(global: &GlobalArgs, engine: &Engine) {
    if global.quiet || global.now.is_some() {
        return;
    }
    let Some(silence) = TickRecord::read(engine).and_then(|record| record.silence(SystemClock.now())) else { return };
    if !kept().has_warned_of_silence.swap(true, Ordering::Relaxed) {
        text::aside(&format!("warning: {silence}: look at cron or at the daemon (`howdah status`)"));
    }
}

/// Returns whether a database is taken for an empty one: it is certain that there is no such file.
fn is_none(global: &GlobalArgs, mode: &OpenMode, database: &Path) -> bool {
    global.empty_for_none && !matches!(mode, OpenMode::Create(_)) && matches!(files::find(database), Found::Absent)
}

fn open(global: &GlobalArgs, mode: &OpenMode) -> Result<Engine, Failure> {
    let settings = settings(global)?;
    let mounts = mounts(global, &settings)?;
    let database = database(global)?;
    ownership::check(&database, &engine::files_beside(&database), settings.folders_group.as_deref())?;
    let store = if is_none(global, mode, &database) {
        Store::empty(&database, Birth::at(clock(global)?.now(), environment::milliseconds()))?
    } else {
        Store::open(&database, mode)?
    };
    if let Some(mode) = store.open_to_others().filter(|_| !global.quiet) {
        let file = store.path().display();
        text::aside(&format!("warning: other users may use the database [{file}] (mode {mode:o}): chmod 600 '{file}'"));
    }
    let mut engine = Engine::new(store, settings, mounts);
    engine.fixed_now.clone_from(&global.now);
    engine.reads_for.clone_from(&global.reads_for);
    Ok(engine)
}

/// Returns the file of the database for a verb that replaces it, and so does not open it.
///
/// # Errors
/// H0111 when it belongs to another user, and like [`database`].
pub(crate) fn database_to_replace(global: &GlobalArgs) -> Result<PathBuf, Failure> {
    let database = database(global)?;
    let settings = settings(global)?;
    ownership::check(&database, &engine::files_beside(&database), settings.folders_group.as_deref())?;
    Ok(database)
}

/// Returns the options that a command must repeat to use the same database: ` --db FILE`, or nothing.
pub(crate) fn repeated_options(global: &GlobalArgs) -> String {
    global.db.as_deref().map(|path| format!(" --db {}", quoted(&path.display().to_string()))).unwrap_or_default()
}

/// Returns the properties of a job: the user, then the file, then the definitions of the command line.
///
/// # Errors
/// H0002 for a definition without `=`; H0110, H0112, H0113, E0700 for a file that cannot be read.
pub(crate) fn job_properties(config: Option<&Path>, definitions: &[String]) -> Result<ParsedProperties, Failure> {
    let mut properties = given_properties(config, definitions)?;
    if !properties.values.contains_key("user.name") {
        properties.values.insert("user.name".to_owned(), environment::user_name()?);
    }
    Ok(properties)
}

/// Returns only the given properties: the file, then the definitions of the command line.
///
/// # Errors
/// Like [`job_properties`].
pub(crate) fn given_properties(config: Option<&Path>, definitions: &[String]) -> Result<ParsedProperties, Failure> {
    let mut properties = match config {
        Some(file) => read_properties_file(file, "name a file of properties that you can read with -c")?,
        None => ParsedProperties::default(),
    };
    for definition in definitions {
        if !properties.define_as_written(definition) {
            let error = Error::new(ErrorCode::H0002, format!("-D {definition}: this is not a definition"));
            return Err(error.help("write -D name=value").into());
        }
    }
    Ok(properties)
}

/// Like [`given_properties`], for a verb that overrides the properties of a job: each must be allowed in a job.
///
/// # Errors
/// Like [`job_properties`].
pub(crate) fn storable(config: Option<&Path>, definitions: &[String]) -> Result<ParsedProperties, Failure> {
    let properties = given_properties(config, definitions)?;
    check_storable(&properties).inspect_err(|error| Quotable::named(config).allow(slice::from_ref(error)))?;
    Ok(properties)
}

/// Reads a properties file, or a configuration when its name ends in `.xml`.
fn read_properties_file(file: &Path, help: &str) -> Result<ParsedProperties, Failure> {
    let read = parse_properties_file(file, help);
    read.inspect_err(|failure| Quotable::named([file]).allow(&failure.errors))
}

fn parse_properties_file(file: &Path, help: &str) -> Result<ParsedProperties, Failure> {
    let text = files::read_text(file, LARGEST_PROPERTIES).map_err(|error| error.help(help))?;
    let source = SourceText::of_file(file.display().to_string(), text);
    if file.extension().is_some_and(|extension| extension == "xml") {
        let document = xml::read(&source)?;
        return Ok(read_configuration(&document.root, &source)?);
    }
    Ok(parse_properties(&source)?)
}
