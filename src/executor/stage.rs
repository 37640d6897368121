//! Fills the working folder of a command: links, unpacked archives, written files.
//!
//! Done by the shim, as the user of the job.

use std::io;
use std::path::Path;

use super::work::CommandWork;
use crate::host::command::{self, Outcome};
use crate::host::located::Located;
use crate::host::processes::Signal;
use crate::host::{attempt, files};

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
        let unpacked = archive.unpack(&directory.join(name), &stop);
        if !unpacked.map_err(|error| unusable("Archive", archive, &error))? {
            return Err(killed());
        }
    }
    for (name, content) in &work.files {
        let written = files::write_new(&directory.join(name), content.as_bytes());
        written.map_err(|error| command::failed(&error.to_string()))?;
    }
    for (name, parts) in &work.joined {
        join(parts, &directory.join(name))?;
    }
    Ok(())
}

/// Links to the file; a program that nobody may execute is copied.
fn ship(target: &Located, link: &Path, is_program: bool) -> io::Result<()> {
    let is_executable = target.is_executable()?;
    if is_program && !is_executable { target.copy_as_program(link) } else { target.link_as(link) }
}

/// Writes the texts of several files one after another, each beginning on a line of its own.
fn join(parts: &[Located], joined: &Path) -> Result<(), Outcome> {
    let mut content = Vec::new();
    for part in parts {
        let text = part.open_regular().and_then(|file| files::start_of(file, LARGEST_PART));
        let text = text.map_err(|error| unusable("File", part, &error))?;
        content.extend(text);
        content.push(b'\n');
    }
    files::write_atomically(joined, &content).map_err(|error| command::failed(&error.to_string()))
}

fn unusable(what: &str, path: &Located, error: &io::Error) -> Outcome {
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
    Outcome::Failed { code: code.to_owned(), message: format!("{what} [{}]: {error}", path.local().display()) }
}
