//! The file operations of `fs` and `prepare`, done one after the other in the shim.
//!
//! Follows the workflow specification, section 3.2.4, with Oozie's codes FS004 to FS014, and decisions W6, W9, W10.
//! Nothing is rolled back. The first failure ends the work, except a failure of the machine: then the operation is
//! tried again and first checks what exists. `fs` has resolved the paths before.

use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::blocked::{because, because_of};
use crate::context::ActionContext;
use crate::failure::Failure;
use howdah_host::fault::failing_point;
use howdah_host::located::{Change, GlobError, Kind, Located, MetastoreData, Reach};
use howdah_host::mounts::Mounts;
use howdah_host::{environment, found};

/// What happens to deleted files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Trash {
    /// They are removed.
    Skip,
    /// They are moved to `.Trash/Current` in the user's home.
    Use,
}

/// One command of an `fs` action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum FileOperation {
    MakeDirectory {
        place: Located,
    },
    Delete {
        place: Located,
        trash: Trash,
    },
    /// Partitions or a table of a metastore.
    Drop {
        data: MetastoreData,
    },
    Move {
        source: Located,
        target: Located,
    },
    ChangeMode {
        place: Located,
        mode: u32,
        reach: Reach,
    },
    ChangeGroup {
        place: Located,
        group: String,
        reach: Reach,
    },
    Touch {
        place: Located,
    },
    SetReplication {
        place: Located,
        /// Missing in an order of earlier versions, which knew only files of this machine: those have no copies.
        #[serde(default)]
        copies: u16,
    },
}

/// The limits of the operations of one action.
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
    /// Returns the existing paths that a place names. FS013 when they are too many.
    pub(super) fn expand(&self, place: &Located) -> Done<Vec<Located>> {
        place.expand(self.glob_max).map_err(|error| match error {
            GlobError::TooMany(_) => problem("FS013", "too many globbed files/dirs to do FS operation"),
            GlobError::Pattern(_) => {
                problem("IOException", &format!("Illegal file pattern [{}]: {error}", place.shown()))
            }
            GlobError::Io(error) => system_problem("IOException", place.shown(), &error),
        })
    }

    /// Refuses a path that must not be moved or deleted.
    pub(super) fn check_removable(&self, code: &str, verb: &str, path: &Located) -> Done {
        match path.check_removable(&self.mounts) {
            Ok(()) => Ok(()),
            Err(error) => Err(because_of(problem(code, &format!("{verb}, {error}")), &error)),
        }
    }
}

/// Executes one operation. `unanswered` keeps, from one try to the next, the destinations of renames that may have been
/// done although they failed.
pub(crate) fn perform(
    operation: &FileOperation,
    unanswered: &mut Vec<Located>,
    limits: &Limits,
    note: &mut dyn FnMut(&str),
) -> Done {
    match operation {
        FileOperation::MakeDirectory { place } => make_directory(place),
        FileOperation::Delete { place, trash } => delete(place, *trash, limits),
        FileOperation::Drop { data } => data
            .drop_data()
            .map_err(|why| problem("FS005", &format!("delete, path [{}] could not delete path: {why}", data.shown()))),
        FileOperation::Move { source, target } => move_to((source, target), unanswered, limits),
        FileOperation::ChangeMode { place, mode, reach } => change("chmod", place, *reach, limits, Change::Mode(*mode)),
        FileOperation::ChangeGroup { place, group, reach } => {
            let number = group_number(place, group)?;
            change("chgrp", place, *reach, limits, Change::Group { name: group, number })
        }
        FileOperation::Touch { place } => touch(place),
        FileOperation::SetReplication { place, copies } => {
            set_replication(place, *copies, note);
            Ok(())
        }
    }
}

/// Returns the number of a group of this machine; `None` for a path of a server, which knows its groups by name.
pub(super) fn group_number(place: &Located, group: &str) -> Done<Option<u32>> {
    if place.here().is_none() {
        return Ok(None);
    }
    let known = environment::group_id(group);
    let known = known.map_err(|error| because_of(problem("IOException", error.message()), &error))?;
    known.map(Some).ok_or_else(|| problem("IOException", &format!("chgrp, unknown group [{group}]")))
}

/// Creates a folder. An existing path, file or folder, stays as it is.
fn make_directory(place: &Located) -> Done {
    match place.kind() {
        Ok(Kind::Missing) => failing_point("operation").and_then(|()| place.create_folders()).map_err(|error| {
            denied(place.shown(), &error).unwrap_or_else(|| because(cannot_create(place, &error), &error))
        }),
        Ok(_) => Ok(()),
        Err(error) => Err(system_problem("FS004", place.shown(), &error)),
    }
}

/// Returns the failure of a folder that could not be created.
pub(super) fn cannot_create(place: &Located, why: &dyn std::fmt::Display) -> Failure {
    problem("FS004", &format!("mkdir, path [{}] could not create directory: {why}", place.shown()))
}

/// Deletes what a path or pattern names. A pattern without matches is no failure.
fn delete(place: &Located, trash: Trash, limits: &Limits) -> Done {
    for path in limits.expand(place)? {
        let deleted = match trash {
            Trash::Skip => path.delete(&limits.mounts).map(drop),
            Trash::Use => path.move_to_trash(&limits.home, &limits.mounts),
        };
        deleted.map_err(|error| {
            let words = format!("delete, path [{}] could not delete path: {}", place.shown(), error.message());
            because_of(problem("FS005", &words), &error)
        })?;
    }
    Ok(())
}

fn move_to((source, target): (&Located, &Located), unanswered: &mut Vec<Located>, limits: &Limits) -> Done {
    let sources = limits.expand(source)?;
    // What an earlier try has begun to create on a server is no folder to move into.
    let was_begun = |place: &Located| place.here().is_none() && unanswered.contains(place);
    let target_kind = if was_begun(target) {
        Kind::Missing
    } else {
        target.kind().map_err(|error| system_problem("FS008", target.shown(), &error))?
    };
    if sources.is_empty() && are_moved(unanswered)? {
        return Ok(());
    }
    check_move(source, &sources, target, target_kind)?;
    for path in sources {
        limits.check_removable("FS008", "move", &path)?;
        let destination = destination(&path, target, target_kind);
        let there = if unanswered.contains(&destination) && destination.here().is_none() {
            None
        } else {
            Some(destination.kind().map_err(|error| system_problem("FS008", target.shown(), &error))?)
        };
        check_destination(&path, &destination, target, there)?;
        failing_point("operation").and_then(|()| path.rename(&destination)).map_err(|error| {
            if found::may_pass(&error) {
                unanswered.push(destination.clone());
            }
            denied(path.shown(), &error).unwrap_or_else(|| because(unmoved(&path, target, &error), &error))
        })?;
    }
    Ok(())
}

/// Checks whether what earlier tries have sent without an answer was moved.
fn are_moved(unanswered: &[Located]) -> Done<bool> {
    for destination in unanswered {
        let kind = destination.kind().map_err(|error| system_problem("FS008", destination.shown(), &error))?;
        if kind == Kind::Missing {
            return Ok(false);
        }
    }
    Ok(!unanswered.is_empty())
}

/// Returns the destination of a path that is moved to `target`: inside it if it is a folder, else `target` itself.
pub(super) fn destination(path: &Located, target: &Located, kind: Kind) -> Located {
    match (kind, path.path().file_name()) {
        (Kind::Directory, Some(name)) => target.entry(name),
        _ => target.clone(),
    }
}

/// Checks the destination of a move; `kind` is what exists there, if that is known.
pub(super) fn check_destination(path: &Located, destination: &Located, target: &Located, kind: Option<Kind>) -> Done {
    if destination.is_at_or_below(path) {
        return Err(unmoved(path, target, &"it cannot be moved to itself or into itself"));
    }
    match kind {
        None | Some(Kind::Missing) => Ok(()),
        Some(_) => Err(unmoved(path, target, &"the target exists")),
    }
}

fn unmoved(path: &Located, target: &Located, why: &dyn std::fmt::Display) -> Failure {
    problem("FS008", &format!("move, could not move [{}] to [{}]: {why}", path.shown(), target.shown()))
}

/// Checks the source and the target of a move.
pub(super) fn check_move(source: &Located, sources: &[Located], target: &Located, kind: Kind) -> Done {
    match (sources.len(), kind) {
        (0, _) => Err(problem("FS006", &format!("move, source path [{}] does not exist", source.shown()))),
        (1, Kind::File) => {
            let words = format!("move, could not move [{}] to [{}]: the target exists", source.shown(), target.shown());
            Err(problem("FS008", &words))
        }
        (1, _) | (_, Kind::Directory) => Ok(()),
        _ => Err(problem("FS012", "move, could not rename multiple sources to the same target name")),
    }
}

fn change(verb: &str, place: &Located, reach: Reach, limits: &Limits, change: Change<'_>) -> Done {
    let found = limits.expand(place)?;
    check_exists(verb, place, &found)?;
    for path in found {
        failing_point("operation")
            .and_then(|()| path.change(reach, change))
            .map_err(|error| system_problem("IOException", place.shown(), &error))?;
    }
    Ok(())
}

/// Sets how many copies of a file are kept. As in Oozie a failure is no failure of the action: it is noted.
fn set_replication(place: &Located, copies: u16, note: &mut dyn FnMut(&str)) {
    let why = match failing_point("operation").and_then(|()| place.set_replication(copies)) {
        Ok(()) => return,
        Err(error) => error,
    };
    note(&format!("setrep, path [{}]: {why}", place.shown()));
}

/// Checks that the path of `chmod` and `chgrp` exists.
pub(super) fn check_exists(verb: &str, place: &Located, found: &[Located]) -> Done {
    if found.is_empty() {
        return Err(problem("FS009", &format!("{verb}, path [{}] does not exist", place.shown())));
    }
    Ok(())
}

/// Touches a file; an existing one may have any length (decision W9), a folder is refused.
fn touch(place: &Located) -> Done {
    let kind = place.kind().map_err(|error| system_problem("IOException", place.shown(), &error))?;
    check_touch(place, kind)?;
    failing_point("operation")
        .and_then(|()| place.touch())
        .map_err(|error| system_problem("IOException", place.shown(), &error))
}

/// Checks the path of `touchz`.
pub(super) fn check_touch(place: &Located, kind: Kind) -> Done {
    if kind == Kind::Directory {
        return Err(problem("Exception", &format!("{} is a directory", place.shown())));
    }
    Ok(())
}

/// Returns a failure; its message starts with the code when the code is one of the executor's own.
pub(super) fn problem(code: &str, message: &str) -> Failure {
    if code.starts_with("FS") { failure(code, message) } else { Failure::error(code, message) }
}

/// Returns FS014 when the system denies access, otherwise `code` with the system's message.
fn system_problem(code: &str, path: &str, error: &io::Error) -> Failure {
    denied(path, error).unwrap_or_else(|| because(problem(code, &format!("path [{path}]: {error}")), error))
}

fn denied(path: &str, error: &io::Error) -> Option<Failure> {
    (error.kind() == io::ErrorKind::PermissionDenied).then(|| problem("FS014", &format!("path [{path}]: {error}")))
}

/// Returns a failure whose message starts with its code, as in Oozie's exceptions.
pub(crate) fn failure(code: &str, message: &str) -> Failure {
    Failure::error(code, format!("{code}: {message}"))
}

#[cfg(test)]
mod table;
#[cfg(test)]
mod tests;
