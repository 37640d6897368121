//! `howdah import oozie`: what has to move from an Oozie, as files and one report.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use crate::calendar::Zone;
use crate::check::import::{self, Import, ImportedJob, Machine};
use crate::cli::args::GlobalArgs;
use crate::cli::exit::{Failure, Status};
use crate::cli::{apply, session};
use crate::error::{Error, ErrorCode};
use crate::host::files::{self, Entry};
use crate::host::line_files::LineFiles;
use crate::output::{diagnostic, import as show};

/// The name of a file of a folder that is an export.
const TABLE: &str = "ooziedb_cj.json";

/// Collect the jobs of another scheduler as files, with a report of what is missing here
#[derive(Args, Debug)]
pub(crate) struct ImportArgs {
    #[command(subcommand)]
    from: From,
}

#[derive(Debug, Subcommand)]
enum From {
    /// Write the live jobs of an Oozie as folders, and report what they need and this machine does not have
    ///
    /// SOURCE is an export of an Oozie database (`oozie-setup.sh export ooziedb.zip`; the zip file, or the folder into
    /// which it was unpacked), or a folder of applications with a job.properties each. For each job that is not over a
    /// folder is written: its definition as it was submitted, the datasets of its included files, its properties, and
    /// its state with all times in UTC.
    ///
    /// The report says what lives, by whom, when it is due next and what it uses, then what is missing: mounts,
    /// programs, credentials, metastores, each with what to do. No database is opened and nothing is submitted. Without
    /// --to only the report is printed.
    ///
    /// The exit status is 1 when a row of an export cannot be used.
    #[command(after_help = "\
    Examples:\n\
    \x20 howdah import oozie ooziedb.zip --to imported --mount hdfs://namenode:8020=/data\n\
    \x20 howdah import oozie ooziedb.zip --json\n\
    \x20 howdah import oozie apps/")]
    Oozie(OozieSource),
}

#[derive(Args, Debug)]
struct OozieSource {
    /// An export, as a zip file or a folder, or a folder of applications
    #[arg(value_name = "SOURCE")]
    source: PathBuf,
    /// A new folder for the files of the jobs
    #[arg(long, value_name = "DIR")]
    to: Option<PathBuf>,
    /// The zone of the machine that wrote the export, whose dates have none [default: found from the definitions]
    #[arg(long, value_name = "ZONE")]
    zone: Option<String>,
}

/// Imports from another scheduler.
pub(crate) fn import(global: &GlobalArgs, arguments: &ImportArgs) -> Result<Status, Failure> {
    let From::Oozie(arguments) = &arguments.from;
    let settings = session::settings(global)?;
    let mounts = session::mounts(global, &settings)?;
    let machine = Machine { mounts: &mounts, settings: &settings };
    if let Some(folder) = &arguments.to {
        refuse_used(folder)?;
    }
    let found = collect(global, arguments, machine)?;
    let names = folder_names(&found.jobs);
    if let Some(folder) = &arguments.to {
        write(folder, found.jobs.iter().zip(&names))?;
    }
    show::print(&found, &names, (arguments.to.as_deref(), global.form()))?;
    if !global.is_json() {
        diagnostic::explain(&found.problems);
    }
    Ok(if found.problems.is_empty() { Status::Done } else { Status::Unsuccessful })
}

fn collect(global: &GlobalArgs, arguments: &OozieSource, machine: Machine<'_>) -> Result<Import, Failure> {
    let source = &arguments.source;
    let is_folder = matches!(files::look(source)?, Some(Entry::Folder));
    if is_folder && files::look(&source.join(TABLE))?.is_none() {
        let found = apply::properties_files(source, &[])?;
        return Ok(import::applications(&found, machine, session::clock(global)?.now()));
    }
    let zone = arguments.zone.as_deref().map(|id| {
        Zone::parse(id).map_err(|error| Error::new(ErrorCode::H0002, format!("--zone: {error}")).help(error.help()))
    });
    let mut files = LineFiles::open(source)?;
    Ok(import::export(&mut files, machine, zone.transpose()?.as_ref())?)
}

/// Refuses a folder that has files: they would be mixed with those of another import.
///
/// # Errors
/// H0175, or H0110 and H0113 when the machine cannot tell.
fn refuse_used(folder: &Path) -> Result<(), Error> {
    let is_used = match files::look(folder)? {
        None => false,
        Some(Entry::Folder) => !files::list(folder)?.is_empty(),
        Some(Entry::File | Entry::Other) => true,
    };
    if !is_used {
        return Ok(());
    }
    let why = format!("[{}] is not a new or empty folder", folder.display());
    Err(Error::new(ErrorCode::H0175, why).help("name another folder with --to"))
}

/// Returns a name for the folder of each job: its name, and its number where it has an id.
fn folder_names(jobs: &[ImportedJob]) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let plain = |letter: char| if letter.is_ascii_alphanumeric() || "-_.".contains(letter) { letter } else { '_' };
    let mut name_of = |job: &ImportedJob| {
        let name: String = job.name.trim().chars().map(plain).collect();
        let name = name.trim_start_matches('.').to_owned();
        let number = job.id.as_deref().and_then(|id| id.split('-').next());
        let first = number.map_or_else(|| name.clone(), |number| format!("{name}-{number}"));
        let first = if first.is_empty() { "job".to_owned() } else { first };
        let others = (2..).map(|next| format!("{first}-{next}"));
        let free = std::iter::once(first.clone()).chain(others).find(|name| taken.insert(name.clone()));
        free.unwrap_or(first)
    };
    jobs.iter().map(&mut name_of).collect()
}

fn write<'a>(folder: &Path, jobs: impl Iterator<Item = (&'a ImportedJob, &'a String)>) -> Result<(), Error> {
    for (job, name) in jobs {
        let own = folder.join(name);
        files::make_folders(&own).map_err(|cause| Error::with(ErrorCode::H0111, &[&own.display(), &cause]))?;
        for (file, content) in &job.files {
            files::write_new(&own.join(file), content.as_bytes())?;
        }
    }
    Ok(())
}
