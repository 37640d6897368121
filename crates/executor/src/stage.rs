//! Fills the working folder of a command: links, unpacked archives, written files.
//!
//! Done by the shim, as the user of the job.

use std::io;
use std::path::Path;

use crate::command_work::CommandWork;
use howdah_host::attempt::{self, Retry};
use howdah_host::command::{self, WorkOutcome};
use howdah_host::fault::failing_point;
use howdah_host::files::{self, Lasting};
use howdah_host::located::Located;
use howdah_host::processes::Signal;

/// The most bytes that are read of a file that is joined with others.
const LARGEST_PART: u64 = 1 << 20;

/// Why the working folder is not filled.
struct Unfilled {
    outcome: WorkOutcome,
    /// The system's own error, where there is one.
    error: Option<io::Error>,
}

/// Fills the working folder of the attempt in `folder`, until it is to end. A missing file that is to be shipped is
/// JA008. After a temporary failure of the machine, such as a full disk, it waits and fills the folder again from the
/// start: nothing has run in it yet.
pub(super) fn stage(work: &CommandWork, folder: &Path) -> Result<(), WorkOutcome> {
    let directory = &work.line.directory;
    let mut retry = Retry::new(folder);
    let mut filled = fill(work, folder);
    loop {
        match filled {
            Ok(()) => return Ok(()),
            Err(Unfilled { error: Some(error), .. }) if retry.allows(&error) && directory.starts_with(folder) => {
                // The files so far may use space that other attempts and the log need.
                let _ = files::remove_made_folder(directory);
                retry.wait(&files::cannot_write(directory, &error).message());
            }
            Err(Unfilled { outcome, .. }) => return Err(outcome),
        }
        if attempt::is_kill_requested(folder) {
            return Err(killed());
        }
        filled = files::remove_made_folder(directory)
            .map_err(|error| refused(directory, error))
            .and_then(|()| fill(work, folder));
    }
}

fn killed() -> WorkOutcome {
    WorkOutcome::Signaled(Signal::Terminate.number())
}

fn fill(work: &CommandWork, folder: &Path) -> Result<(), Unfilled> {
    let directory = &work.line.directory;
    let stop = || attempt::is_kill_requested(folder);
    let ended = || Unfilled { outcome: killed(), error: None };
    let made = failing_point("stage").and_then(|()| files::make_private_folder(directory));
    made.map_err(|error| refused(directory, error))?;
    for (name, target) in &work.links {
        if stop() {
            return Err(ended());
        }
        let is_program = work.shipped_programs.contains(name);
        ship(target, &directory.join(name), is_program).map_err(|error| unusable("File", target, error))?;
    }
    for (name, archive) in &work.archives {
        let unpacked = archive.unpack(&directory.join(name), &stop);
        if !unpacked.map_err(|error| unusable("Archive", archive, error))? {
            return Err(ended());
        }
    }
    for (name, content) in &work.files {
        write(&directory.join(name), content)?;
    }
    for (name, parts) in &work.joined {
        join(parts, &directory.join(name))?;
    }
    Ok(())
}

/// Writes a file of the action's own, with the folder that it is in.
fn write(file: &Path, content: &str) -> Result<(), Unfilled> {
    if let Some(folder) = file.parent() {
        files::make_folders(folder).map_err(|error| unusable("Folder", &Located::named_here(folder), error))?;
    }
    files::add(file, content.as_bytes()).map_err(|error| refused(file, error))
}

/// Links to the file; a program that is not executable is copied.
fn ship(target: &Located, link: &Path, is_program: bool) -> io::Result<()> {
    let is_executable = target.is_executable()?;
    if is_program && !is_executable { target.copy_as_program(link) } else { target.link_as(link) }
}

/// Writes the texts of several files one after another, each starting on a new line.
fn join(parts: &[Located], joined: &Path) -> Result<(), Unfilled> {
    let mut content = Vec::new();
    for part in parts {
        let text = part.read_start(LARGEST_PART).map_err(|error| unusable("File", part, error))?;
        content.extend(text);
        content.push(b'\n');
    }
    files::replace(joined, &content, Lasting::UntilReboot).map_err(|error| refused(joined, error))
}

/// Returns the failure of a file that cannot be written to the working folder.
fn refused(path: &Path, error: io::Error) -> Unfilled {
    let why = files::cannot_write(path, &error).to_string();
    Unfilled { outcome: command::not_begun(&why, Some(&error)), error: Some(error) }
}

fn unusable(what: &str, place: &Located, error: io::Error) -> Unfilled {
    let code = match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => "JA008",
        io::ErrorKind::PermissionDenied => "JA002",
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "JA003",
        // A name that the system refuses and the content of an archive stay invalid.
        io::ErrorKind::InvalidFilename
        | io::ErrorKind::InvalidInput
        | io::ErrorKind::AlreadyExists
        | io::ErrorKind::Other
        | io::ErrorKind::InvalidData
        | io::ErrorKind::UnexpectedEof => "JA018",
        _ => "JA009",
    };
    let message = format!("{what} [{}]: {error}", place.place());
    Unfilled { outcome: WorkOutcome::Failed { code: code.to_owned(), message }, error: Some(error) }
}
