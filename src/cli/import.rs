//! `howdah import oozie`: what has to move from an Oozie, as files and one report.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use crate::cli::args::GlobalArgs;
use crate::cli::exit::{Failure, Status};
use crate::cli::{apply, oozie_source, session, takeover};
use crate::output::{diagnostic, import as show, text};
use howdah_calendar::Zone;
use howdah_host::files::{self, Entry, Lasting};
use howdah_host::line_files::LineFiles;
use howdah_host::oozie_server::OozieServer;
use howdah_host::ownership;
use howdah_move::import::{self, Import, ImportedJob, Machine};
use howdah_move::oozie_export::JobState;
use howdah_move::oozie_rest::fetch_script;
use howdah_words::error::{Error, ErrorCode};

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
    /// which it was unpacked), the address of a running Oozie (`http://HOST:11000/oozie`), a folder of the answers of
    /// one, or a folder of applications with a job.properties each. For each job that is not over a folder is written:
    /// its definition as it was submitted, the datasets of its included files, its properties, and its state with all
    /// times in UTC.
    ///
    /// A running Oozie does not give the included files: they are read where the mounts show them. Where it wants
    /// Kerberos, --print-fetch prints a script that fetches the answers into a folder with `curl --negotiate`.
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
    \x20 howdah import oozie http://oozie:11000/oozie --to imported --mount hdfs://namenode:8020=/data\n\
    \x20 howdah import oozie http://oozie:11000/oozie --print-fetch > fetch.sh; sh fetch.sh oozie-answers\n\
    \x20 howdah import oozie apps/")]
    Oozie(OozieSource),
}

#[derive(Args, Debug)]
struct OozieSource {
    /// An export, as a zip file or a folder; the address of a server; a folder of answers or of applications
    #[arg(value_name = "SOURCE")]
    source: PathBuf,
    /// A new folder for the files of the jobs
    #[arg(long, value_name = "DIR")]
    to: Option<PathBuf>,
    /// The zone of the machine that wrote the export, whose dates have none [default: found from the definitions]
    #[arg(long, value_name = "ZONE")]
    zone: Option<String>,
    /// Only print a script that fetches the answers of the server SOURCE into a folder, with curl
    #[arg(long, conflicts_with_all = ["to", "zone"])]
    print_fetch: bool,
}

/// Imports from another scheduler.
pub(crate) fn import(global: &GlobalArgs, arguments: &ImportArgs) -> Result<Status, Failure> {
    let From::Oozie(arguments) = &arguments.from;
    if arguments.print_fetch {
        return print_fetch(&arguments.source);
    }
    let settings = session::settings(global)?;
    let mounts = session::mounts(global, &settings)?;
    let machine = Machine { mounts: &mounts, settings: &settings };
    if let Some(folder) = &arguments.to {
        // What is written is submitted later, with the rights of its reader.
        ownership::check_path(&folder.join("job"), settings.folders_group.as_deref(), ErrorCode::H0111)?;
        refuse_used(folder)?;
    }
    let found = collect(global, arguments, machine)?;
    let names = folder_names(&found.jobs);
    if let Some(folder) = &arguments.to {
        write(folder, found.jobs.iter().zip(&names))?;
        write_over(folder, &found.over)?;
    }
    show::print(&found, &names, (arguments.to.as_deref(), global.form()))?;
    if !global.is_json() {
        diagnostic::explain(&found.problems);
    }
    Ok(if found.problems.is_empty() { Status::Done } else { Status::Unsuccessful })
}

fn collect(global: &GlobalArgs, arguments: &OozieSource, machine: Machine<'_>) -> Result<Import, Failure> {
    let source = &arguments.source;
    if let Some(answers) = oozie_source::answers(source)? {
        return Ok(import::answers(&answers, machine)?);
    }
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

/// Prints a script that fetches the answers of a server.
fn print_fetch(source: &Path) -> Result<Status, Failure> {
    let url = source.to_string_lossy();
    // Refuses what is not the address of a server.
    OozieServer::new(&url, "")?;
    text::line(fetch_script(&url).trim_end())?;
    Ok(Status::Done)
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

/// The most characters of a job's name, and of its number, in the name of its folder.
const MOST_OF_NAME: usize = 170;
const MOST_OF_NUMBER: usize = 29;

/// Returns a name for the folder of each job: its name, and its number where it has an id.
fn folder_names(jobs: &[ImportedJob]) -> Vec<String> {
    // A file beside the folders has this name.
    let mut taken = BTreeSet::from([takeover::OVER.to_owned()]);
    let mut name_of = |job: &ImportedJob| {
        let number = job.state.id.as_deref().and_then(|id| id.split('-').next());
        let first = folder_name(&job.state.name, number);
        let others = (2..).map(|next| format!("{first}-{next}"));
        let free = std::iter::once(first.clone()).chain(others).find(|name| taken.insert(name.clone()));
        free.unwrap_or(first)
    };
    jobs.iter().map(&mut name_of).collect()
}

/// Returns a name that is one folder, and neither hidden nor an option, whatever an export says.
fn folder_name(name: &str, number: Option<&str>) -> String {
    let plain = |letter: char| if letter.is_ascii_alphanumeric() || "-_.".contains(letter) { letter } else { '_' };
    let mut all: String = name.trim().chars().map(plain).take(MOST_OF_NAME).collect();
    if let Some(number) = number {
        all.push('-');
        all.extend(number.chars().map(plain).take(MOST_OF_NUMBER));
    }
    let all = all.trim_start_matches(['.', '-']);
    if all.is_empty() { "job".to_owned() } else { all.to_owned() }
}

/// Writes the folders, for their owner only: properties may have passwords.
fn write<'a>(folder: &Path, jobs: impl Iterator<Item = (&'a ImportedJob, &'a String)>) -> Result<(), Error> {
    for (job, name) in jobs {
        let own = folder.join(name);
        files::create_private_folder(&own)?;
        for (file, content) in &job.files {
            add(&own.join(file), content)?;
        }
    }
    Ok(())
}

/// Writes a new file for its owner only.
fn add(path: &Path, content: &str) -> Result<(), Error> {
    if files::create_exclusively(path, content.as_bytes(), Lasting::UntilReboot)? {
        return Ok(());
    }
    Err(Error::with(ErrorCode::H0111, &[&path.display(), &"it exists already"]))
}

/// Writes the states of the jobs that are over: a takeover reads in them how actions ended.
fn write_over(folder: &Path, over: &[JobState]) -> Result<(), Error> {
    if over.is_empty() {
        return Ok(());
    }
    let states: Vec<_> = over.iter().map(JobState::to_json).collect();
    let text = serde_json::to_string(&states).unwrap_or_default() + "\n";
    files::create_private_folder(folder)?;
    add(&folder.join(takeover::OVER), &text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_folder_is_plain() {
        let long = "n".repeat(300);
        for (name, number, expect) in [
            ("daily west", Some("0000001"), "daily_west-0000001"),
            ("../../x", Some("x/../../etc"), "_.._x-x_.._.._etc"),
            ("", Some(".."), "job"),
            ("..", Some(""), "job"),
            ("", Some("0000001"), "0000001"),
            ("-rf", None, "rf"),
            (".hidden", None, "hidden"),
            ("", None, "job"),
            ("a\0b\u{e9}", None, "a_b_"),
            (&long, Some("0000001"), &format!("{}-0000001", &long[..170])),
            (&long, Some(&long), &format!("{}-{}", &long[..170], &long[..29])),
        ] {
            assert_eq!(folder_name(name, number), expect, "{name} {number:?}");
        }
    }
}
