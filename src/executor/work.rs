//! What a shim has to do, and doing it.
//!
//! Written as JSON into the attempt's folder when the attempt is started, read and performed by the shim.
//! Order for a command: prepare, working folder with its files and links, then the command itself; before each step the
//! shim looks whether the attempt was killed.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::file_operation::{self, FileOperation, Limits, Progress};
use crate::error::Error;
use crate::host::attempt::{self, Performed};
use crate::host::command::{self, CommandLine, Outcome};
use crate::host::processes::Signal;
use crate::host::{files, tree};

/// The work of one attempt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Work {
    /// A command line under supervision.
    Command(Box<CommandWork>),
    /// File operations, in order.
    Files(FileWork),
}

/// File operations with their bounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct FileWork {
    pub(super) operations: Vec<FileOperation>,
    pub(super) limits: Limits,
}

/// A command with what must be there before it runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct CommandWork {
    /// Deletions and new folders before the command.
    pub(super) prepare: FileWork,
    /// Links in the working folder: name to target.
    pub(super) links: BTreeMap<String, PathBuf>,
    /// Files written into the working folder: name to content.
    pub(super) files: BTreeMap<String, String>,
    /// The command.
    pub(super) line: CommandLine,
    /// The link that is the program, made executable if it is not.
    pub(super) shipped_program: Option<String>,
    /// Most bytes of standard output that become the action's data; `None` without `capture-output`.
    pub(super) capture: Option<usize>,
}

impl Work {
    /// Most bytes of standard output that become the action's data; `None` when none does.
    pub(crate) fn capture_limit(&self) -> Option<usize> {
        match self {
            Self::Command(work) => work.capture,
            Self::Files(_) => None,
        }
    }
}

/// The main of `howdah attempt DIR`: does the work of the attempt in `folder`, unless somebody else has claimed it.
///
/// # Errors
/// H0110, H0111 when the order cannot be read or the claim or the outcome cannot be written.
pub(crate) fn run_attempt(folder: &Path) -> Result<(), Error> {
    attempt::run(folder, perform).map(drop)
}

fn perform(work: Work, folder: &Path) -> Performed {
    match work {
        Work::Files(work) => {
            let (files_done, outcome) = operate(&work, folder);
            Performed { outcome, files_done }
        }
        Work::Command(work) => {
            let (files_done, outcome) = prepare(&work.prepare, folder);
            let outcome = match outcome {
                Outcome::Exited(0) => match stage(&work) {
                    Ok(()) => attempt::run_command(&work.line, folder),
                    Err(failed) => failed,
                },
                other => other,
            };
            Performed { outcome, files_done }
        }
    }
}

/// Checks all paths, then does the operations.
fn operate(work: &FileWork, folder: &Path) -> (usize, Outcome) {
    let stop = || attempt::is_kill_requested(folder);
    let (done, result) = file_operation::execute(&work.operations, &work.limits, stop, &mut |text| note(folder, text));
    let outcome = match result {
        Ok(Progress::ToTheEnd) => Outcome::Exited(0),
        Ok(Progress::Stopped) => Outcome::Signaled(Signal::Terminate.number()),
        Err(failure) => Outcome::Failed { code: failure.code, message: failure.message },
    };
    (done, outcome)
}

/// The operations of `prepare`, one by one without a look ahead.
fn prepare(work: &FileWork, folder: &Path) -> (usize, Outcome) {
    for (done, operation) in work.operations.iter().enumerate() {
        if attempt::is_kill_requested(folder) {
            return (done, Outcome::Signaled(Signal::Terminate.number()));
        }
        if let Err(failure) = file_operation::perform(operation, &work.limits, &mut |text| note(folder, text)) {
            let message = format!("Prepare execution in the Launcher AM has failed, {}", failure.message);
            return (done, command::failed(&message));
        }
    }
    (work.operations.len(), Outcome::Exited(0))
}

/// Fills the working folder. A file that is to be shipped and does not exist is JA008.
fn stage(work: &CommandWork) -> Result<(), Outcome> {
    let directory = &work.line.directory;
    files::create_private_folder(directory).map_err(|error| command::failed(&error.to_string()))?;
    for (name, target) in &work.links {
        let link = directory.join(name);
        let is_program = work.shipped_program.as_ref() == Some(name);
        let staged = tree::is_executable(target).and_then(|executable| {
            if is_program && !executable { tree::copy_as_program(target, &link) } else { tree::link(target, &link) }
        });
        staged.map_err(|error| {
            let code = if error.kind() == std::io::ErrorKind::NotFound { "JA008" } else { "JA009" };
            Outcome::Failed { code: code.to_owned(), message: format!("File [{}]: {error}", target.display()) }
        })?;
    }
    for (name, content) in &work.files {
        let written = files::write_atomically(&directory.join(name), content.as_bytes());
        written.map_err(|error| command::failed(&error.to_string()))?;
    }
    Ok(())
}

/// Adds a line to the action's log; a log that cannot be written stops no work.
fn note(folder: &Path, text: &str) {
    let [_, stderr] = attempt::output_files(folder);
    if let Ok(mut file) = files::open_to_append(&stderr) {
        let _ = writeln!(file, "howdah: {text}");
    }
}

#[cfg(test)]
mod tests;
