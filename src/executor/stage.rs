//! Fills the working folder of a command: links, unpacked archives, written files.
//!
//! Done by the shim, as the user of the job.

use std::io;
use std::path::Path;

use super::work::CommandWork;
use crate::host::command::{self, Outcome};
use crate::host::{archive, files, tree};

/// Fills the working folder. A file that is to be shipped and does not exist is JA008.
pub(super) fn stage(work: &CommandWork) -> Result<(), Outcome> {
    let directory = &work.line.directory;
    files::create_private_folder(directory).map_err(|error| command::failed(&error.to_string()))?;
    for (name, target) in &work.links {
        let link = directory.join(name);
        let is_program = work.shipped_program.as_ref() == Some(name);
        let staged = tree::is_executable(target).and_then(|executable| {
            if is_program && !executable { tree::copy_as_program(target, &link) } else { tree::link(target, &link) }
        });
        staged.map_err(|error| unusable("File", target, &error))?;
    }
    for (name, archive) in &work.archives {
        archive::unpack(archive, &directory.join(name)).map_err(|error| unusable("Archive", archive, &error))?;
    }
    for (name, content) in &work.files {
        let written = files::write(&directory.join(name), content.as_bytes());
        written.map_err(|error| command::failed(&error.to_string()))?;
    }
    Ok(())
}

fn unusable(what: &str, path: &Path, error: &io::Error) -> Outcome {
    let code = match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => "JA008",
        io::ErrorKind::PermissionDenied => "JA002",
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "JA003",
        // A name that the system does not take, and what is inside an archive, do not get better by themselves.
        io::ErrorKind::InvalidFilename
        | io::ErrorKind::InvalidInput
        | io::ErrorKind::Other
        | io::ErrorKind::InvalidData
        | io::ErrorKind::UnexpectedEof => "JA018",
        _ => "JA009",
    };
    Outcome::Failed { code: code.to_owned(), message: format!("{what} [{}]: {error}", path.display()) }
}
