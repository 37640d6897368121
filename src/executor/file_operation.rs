//! The file operations of `fs` and `prepare`, done one after the other inside the shim.
//!
//! Follows the workflow specification, section 3.2.4, with Oozie's codes FS004 to FS014, and decisions W6, W9, W10. Nothing
//! is rolled back; the first failure ends the work. Which paths are meant was decided before, by `fs`.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::ActionContext;
use super::foresight;
use super::outcome::Failure;
use crate::error::ErrorCode;
use crate::host::fault::fault_point;
use crate::host::glob::{self, GlobError};
use crate::host::mounts::Mounts;
use crate::host::tree::change::Change;
use crate::host::tree::{self, Kind, Reach};
use crate::host::{deletion, environment};

/// A path as the definition has it, and where that is on this machine; may be a pattern where the operation allows one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Place {
    pub(super) shown: String,
    pub(super) local: String,
}

/// What becomes of deleted files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Trash {
    /// They are gone.
    Skip,
    /// They are moved to `.Trash/Current` in the user's home.
    Use,
}

/// One command of an `fs` action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum FileOperation {
    MakeDirectory { place: Place },
    Delete { place: Place, trash: Trash },
    Move { source: Place, target: Place },
    ChangeMode { place: Place, mode: u32, reach: Reach },
    ChangeGroup { place: Place, group: String, reach: Reach },
    Touch { place: Place },
    SetReplication { place: Place },
}

/// What bounds the operations of one action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Limits {
    mounts: Mounts,
    home: PathBuf,
    glob_max: usize,
}

/// A problem of one operation: the code and the message with the code before it.
pub(super) type Done<T = ()> = Result<T, Failure>;

impl From<&ActionContext<'_>> for Limits {
    fn from(context: &ActionContext<'_>) -> Self {
        Self { mounts: context.mounts.clone(), home: context.home.to_owned(), glob_max: context.glob_max }
    }
}

impl Limits {
    /// The existing paths that a place names. FS013 when they are too many.
    pub(super) fn expand(&self, place: &Place) -> Done<Vec<PathBuf>> {
        glob::expand(&place.local, self.glob_max).map_err(|error| match error {
            GlobError::TooMany(_) => problem("FS013", "too many globbed files/dirs to do FS operation"),
            GlobError::Pattern(_) => {
                problem("IOException", &format!("Illegal file pattern [{}]: {error}", place.shown))
            }
            GlobError::Io(error) => system_problem("IOException", &place.shown, &error),
        })
    }

    /// Refuses what must not be taken away from its place.
    pub(super) fn check_removable(&self, code: &str, verb: &str, path: &Path) -> Done {
        match deletion::check(path, &self.mounts) {
            Ok(_) => Ok(()),
            Err(error) => Err(problem(code, &format!("{verb}, {error}"))),
        }
    }
}

/// Checks every path (decision W6), then does the operations in order until one fails or `stop` says to;
/// how many were done, and the failure. `note` takes lines for the action's log.
pub(super) fn execute(
    operations: &[FileOperation],
    limits: &Limits,
    stop: impl Fn() -> bool,
    note: &mut dyn FnMut(&str),
) -> (usize, Done<Progress>) {
    if let Err(failure) = foresight::check(operations, limits) {
        return (0, Err(failure));
    }
    for (done, operation) in operations.iter().enumerate() {
        if stop() {
            return (done, Ok(Progress::Stopped));
        }
        fault_point("before-operation");
        if let Err(failure) = perform(operation, limits, note) {
            return (done, Err(failure));
        }
    }
    (operations.len(), Ok(Progress::ToTheEnd))
}

/// Whether all operations were done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    ToTheEnd,
    Stopped,
}

/// Does one operation.
pub(super) fn perform(operation: &FileOperation, limits: &Limits, note: &mut dyn FnMut(&str)) -> Done {
    match operation {
        FileOperation::MakeDirectory { place } => make_directory(place),
        FileOperation::Delete { place, trash } => delete(place, *trash, limits),
        FileOperation::Move { source, target } => move_to(source, target, limits),
        FileOperation::ChangeMode { place, mode, reach } => change("chmod", place, *reach, limits, Change::Mode(*mode)),
        FileOperation::ChangeGroup { place, group, reach } => {
            let group = group_number(group)?;
            change("chgrp", place, *reach, limits, Change::Group(group))
        }
        FileOperation::Touch { place } => touch(place),
        FileOperation::SetReplication { place } => {
            note(&format!("setrep, path [{}]: files of this machine have no replication factor", place.shown));
            Ok(())
        }
    }
}

/// The number of a group of this machine.
pub(super) fn group_number(group: &str) -> Done<u32> {
    environment::group_id(group).ok_or_else(|| problem("IOException", &format!("chgrp, unknown group [{group}]")))
}

/// A path that exists, file or folder, is left as it is.
fn make_directory(place: &Place) -> Done {
    let path = Path::new(&place.local);
    match tree::kind(path) {
        Ok(Kind::Missing) => tree::create_folders(path)
            .map_err(|error| denied(&place.shown, &error).unwrap_or_else(|| not_made(place, &error))),
        Ok(_) => Ok(()),
        Err(error) => Err(system_problem("FS004", &place.shown, &error)),
    }
}

/// Why a folder could not be created.
pub(super) fn not_made(place: &Place, why: &dyn std::fmt::Display) -> Failure {
    problem("FS004", &format!("mkdir, path [{}] could not create directory: {why}", place.shown))
}

/// A pattern that matches nothing is no failure.
fn delete(place: &Place, trash: Trash, limits: &Limits) -> Done {
    for path in limits.expand(place)? {
        let deleted = match trash {
            Trash::Skip => deletion::delete_tree(&path, &limits.mounts).map(|_| ()),
            Trash::Use => move_to_trash(&path, limits),
        };
        deleted.map_err(|error| {
            let words = error.message();
            problem("FS005", &format!("delete, path [{}] could not delete path: {words}", place.shown))
        })?;
    }
    Ok(())
}

/// Keeps the path's folders below the trash; a number is added where the name is taken.
fn move_to_trash(path: &Path, limits: &Limits) -> crate::error::Result<()> {
    let Some(real) = deletion::check(path, &limits.mounts)? else { return Ok(()) };
    let trash = limits.home.join(".Trash/Current");
    let target = trash.join(real.strip_prefix("/").unwrap_or(&real));
    let refuse = |error: io::Error| crate::error::Error::with(ErrorCode::H0123, &[&path.display(), &error]);
    tree::create_folders(target.parent().unwrap_or(&trash)).map_err(refuse)?;
    let numbered = |number: u32| PathBuf::from(format!("{}.{number}", target.display()));
    let is_free = |path: &PathBuf| matches!(tree::kind(path), Ok(Kind::Missing));
    let free = std::iter::once(target.clone()).chain((1..10_000).map(numbered)).find(is_free);
    tree::rename(&real, &free.unwrap_or(target)).map_err(refuse)
}

fn move_to(source: &Place, target: &Place, limits: &Limits) -> Done {
    let sources = limits.expand(source)?;
    let target_path = Path::new(&target.local);
    let target_kind = tree::kind(target_path).map_err(|error| system_problem("FS008", &target.shown, &error))?;
    check_move(source, &sources, target, target_kind)?;
    for path in sources {
        limits.check_removable("FS008", "move", &path)?;
        let landing = landing(&path, target_path, target_kind);
        check_landing(&path, &landing, target, tree::kind(&landing).ok())?;
        tree::rename(&path, &landing).map_err(|error| {
            denied(&path.display().to_string(), &error).unwrap_or_else(|| unmoved(&path, target, &error))
        })?;
    }
    Ok(())
}

/// Where a path comes to lie that is moved to `target`: in it if it is a folder, else under its name.
pub(super) fn landing(path: &Path, target: &Path, kind: Kind) -> PathBuf {
    match (kind, path.file_name()) {
        (Kind::Directory, Some(name)) => target.join(name),
        _ => target.to_owned(),
    }
}

/// What a move asks of the place where a path is to lie; `kind` is what is there, if that is known.
pub(super) fn check_landing(path: &Path, landing: &Path, target: &Place, kind: Option<Kind>) -> Done {
    if landing.starts_with(path) {
        return Err(unmoved(path, target, &"it cannot be moved to itself, nor into itself"));
    }
    match kind {
        None | Some(Kind::Missing) => Ok(()),
        Some(_) => Err(unmoved(path, target, &"the target exists")),
    }
}

fn unmoved(path: &Path, target: &Place, why: &dyn std::fmt::Display) -> Failure {
    problem("FS008", &format!("move, could not move [{}] to [{}]: {why}", path.display(), target.shown))
}

/// What a move asks of its source and its target.
pub(super) fn check_move(source: &Place, sources: &[PathBuf], target: &Place, kind: Kind) -> Done {
    match (sources.len(), kind) {
        (0, _) => Err(problem("FS006", &format!("move, source path [{}] does not exist", source.shown))),
        (1, Kind::File) => {
            let words = format!("move, could not move [{}] to [{}]: the target exists", source.shown, target.shown);
            Err(problem("FS008", &words))
        }
        (1, _) | (_, Kind::Directory) => Ok(()),
        _ => Err(problem("FS012", "move, could not rename multiple sources to the same target name")),
    }
}

fn change(verb: &str, place: &Place, reach: Reach, limits: &Limits, change: Change) -> Done {
    let found = limits.expand(place)?;
    check_exists(verb, place, &found)?;
    for path in found {
        tree::change::change(&path, reach, change)
            .map_err(|error| system_problem("IOException", &place.shown, &error))?;
    }
    Ok(())
}

/// What `chmod` and `chgrp` ask of their path.
pub(super) fn check_exists(verb: &str, place: &Place, found: &[PathBuf]) -> Done {
    if found.is_empty() {
        return Err(problem("FS009", &format!("{verb}, path [{}] does not exist", place.shown)));
    }
    Ok(())
}

/// An existing file is touched whatever its length (decision W9); a folder is refused.
fn touch(place: &Place) -> Done {
    let path = Path::new(&place.local);
    let kind = tree::kind(path).map_err(|error| system_problem("IOException", &place.shown, &error))?;
    check_touch(place, kind)?;
    tree::touch(path).map_err(|error| system_problem("IOException", &place.shown, &error))
}

/// What `touchz` asks of its path.
pub(super) fn check_touch(place: &Place, kind: Kind) -> Done {
    if kind == Kind::Directory {
        return Err(problem("Exception", &format!("{} is a directory", place.shown)));
    }
    Ok(())
}

/// A failure that begins with its code where that is one of the executor's own.
pub(super) fn problem(code: &str, message: &str) -> Failure {
    if code.starts_with("FS") { super::fs::failure(code, message) } else { Failure::error(code, message) }
}

/// FS014 where the system denies access, otherwise `code` with the system's words.
fn system_problem(code: &str, path: &str, error: &io::Error) -> Failure {
    denied(path, error).unwrap_or_else(|| problem(code, &format!("path [{path}]: {error}")))
}

fn denied(path: &str, error: &io::Error) -> Option<Failure> {
    (error.kind() == io::ErrorKind::PermissionDenied).then(|| problem("FS014", &format!("path [{path}]: {error}")))
}

#[cfg(test)]
mod tests;
