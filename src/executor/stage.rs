//! Fills the working folder of a command: links, unpacked archives, written files.
//!
//! Done by the shim, as the user of the job.

use std::io;
use std::path::{Path, PathBuf};

use super::work::CommandWork;
use crate::host::command::{self, Outcome};
use crate::host::processes::Signal;
use crate::host::{archive, attempt, files, tree};

/// Of a file that is joined with others, the most bytes that are read.
const LARGEST_PART: u64 = 1 << 20;

/// Fills the working folder of the attempt in `folder`, until somebody asks it to end. A file that is to be shipped and
/// does not exist is JA008.
pub(super) fn stage(work: &CommandWork, folder: &Path) -> Result<(), Outcome> {
    let directory = &work.line.directory;
    let stop = || attempt::is_kill_requested(folder);
    let killed = || Outcome::Signaled(Signal::Terminate.number());
    files::create_private_folder(directory).map_err(|error| command::failed(&error.to_string()))?;
    for (name, target) in &work.links {
        if stop() {
            return Err(killed());
        }
        let is_program = work.shipped_programs.contains(name);
        ship(target, &directory.join(name), is_program).map_err(|error| unusable("File", target, &error))?;
    }
    for (name, archive) in &work.archives {
        let unpacked = archive::unpack(archive, &directory.join(name), &stop);
        if !unpacked.map_err(|error| unusable("Archive", archive, &error))? {
            return Err(killed());
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
fn write(file: &Path, content: &str) -> Result<(), Outcome> {
    if let Some(folder) = file.parent() {
        tree::create_folders(folder).map_err(|error| unusable("Folder", folder, &error))?;
    }
    files::write_new(file, content.as_bytes()).map_err(|error| command::failed(&error.to_string()))
}

/// Links to the file; a program that nobody may execute is copied.
fn ship(target: &Path, link: &Path, is_program: bool) -> io::Result<()> {
    let is_executable = tree::is_executable(target)?;
    if is_program && !is_executable { tree::copy_as_program(target, link) } else { tree::link(target, link) }
}

/// Writes the texts of several files one after another, each beginning on a line of its own.
fn join(parts: &[PathBuf], joined: &Path) -> Result<(), Outcome> {
    let mut content = Vec::new();
    for part in parts {
        let text = files::open_regular(part).and_then(|file| files::start_of(file, LARGEST_PART));
        let text = text.map_err(|error| unusable("File", part, &error))?;
        content.extend(text);
        content.push(b'\n');
    }
    files::write_atomically(joined, &content).map_err(|error| command::failed(&error.to_string()))
}

fn unusable(what: &str, path: &Path, error: &io::Error) -> Outcome {
    let code = match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => "JA008",
        io::ErrorKind::PermissionDenied => "JA002",
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "JA003",
        // A name that the system does not take, and what is inside an archive, do not get better by themselves.
        io::ErrorKind::InvalidFilename
        | io::ErrorKind::InvalidInput
        | io::ErrorKind::AlreadyExists
        | io::ErrorKind::Other
        | io::ErrorKind::InvalidData
        | io::ErrorKind::UnexpectedEof => "JA018",
        _ => "JA009",
    };
    Outcome::Failed { code: code.to_owned(), message: format!("{what} [{}]: {error}", path.display()) }
}
