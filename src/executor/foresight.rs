//! Checks every path of an `fs` action before its first command is executed (decision W6, specification 3.2.4).
//!
//! Sources must exist and targets must not, counting what the commands before will have made or removed. Where the earlier
//! commands leave it open, nothing is refused: the command itself will tell. Changes nothing.

use std::path::Path;

use super::file_operation::{
    Done, FileOperation, Limits, Place, check_exists, check_landing, check_move, check_touch, group_number, landing,
    not_made, problem,
};
use crate::host::glob;
use crate::host::tree::{self, Kind};

/// What earlier commands of the action will have done, in their order.
#[derive(Default)]
struct Foreseen<'a>(Vec<Change<'a>>);

enum Change<'a> {
    MadeFile(&'a Path),
    MadeDirectory(&'a Path),
    /// Something was moved here, or into it.
    MovedTo(&'a Path),
    Removed(&'a Path),
    /// A pattern removed some of what is below this.
    RemovedBelow(&'a Path),
}

/// Refuses with the code that the failing command itself would have.
pub(super) fn check(operations: &[FileOperation], limits: &Limits) -> Done {
    let mut foreseen = Foreseen::default();
    for operation in operations {
        foreseen.check(operation, limits)?;
        foreseen.note(operation);
    }
    Ok(())
}

impl<'a> Foreseen<'a> {
    fn check(&self, operation: &FileOperation, limits: &Limits) -> Done {
        match operation {
            FileOperation::SetReplication { .. } => Ok(()),
            FileOperation::MakeDirectory { place } => match self.file_above(Path::new(&place.local)) {
                Some(file) => Err(not_made(place, &format!("[{}] is a file", file.display()))),
                None => Ok(()),
            },
            FileOperation::Delete { place, .. } => {
                let found = limits.expand(place)?;
                found.iter().try_for_each(|path| limits.check_removable("FS005", "delete", path))
            }
            FileOperation::Move { source, target } => self.check_move(source, target, limits),
            FileOperation::ChangeMode { place, .. } => self.check_source("chmod", place, limits),
            FileOperation::ChangeGroup { place, group, .. } => {
                group_number(group)?;
                self.check_source("chgrp", place, limits)
            }
            FileOperation::Touch { place } => self.check_touch(place),
        }
    }

    fn check_touch(&self, place: &Place) -> Done {
        let path = Path::new(&place.local);
        if let Some(file) = self.file_above(path) {
            return Err(problem("IOException", &format!("path [{}]: [{}] is a file", place.shown, file.display())));
        }
        self.kind(path).map_or(Ok(()), |kind| check_touch(place, kind))
    }

    fn check_source(&self, verb: &str, place: &Place, limits: &Limits) -> Done {
        match self.is_source_foreseen(place) {
            Foresight::Exists | Foresight::Open => Ok(()),
            Foresight::Missing => check_exists(verb, place, &[]),
            Foresight::AsNow => check_exists(verb, place, &limits.expand(place)?),
        }
    }

    fn check_move(&self, source: &Place, target: &Place, limits: &Limits) -> Done {
        let path = Path::new(&target.local);
        let Some(kind) = self.kind(path) else { return Ok(()) };
        let sources = match self.is_source_foreseen(source) {
            Foresight::Open => return Ok(()),
            Foresight::Exists => vec![source.local.clone().into()],
            Foresight::Missing => Vec::new(),
            Foresight::AsNow => limits.expand(source)?,
        };
        check_move(source, &sources, target, kind)?;
        for source in &sources {
            let landing = landing(source, path, kind);
            check_landing(source, &landing, target, self.kind(&landing))?;
        }
        let parent_kind = path.parent().and_then(|parent| self.kind(parent));
        if kind == Kind::Missing && matches!(parent_kind, Some(Kind::Missing | Kind::File)) {
            let words = format!("move, could not move [{}] to [{}]", source.shown, target.shown);
            return Err(problem("FS008", &format!("{words}: the folder of the target does not exist")));
        }
        Ok(())
    }

    /// The file in whose place a folder would have to be for `path` to be one.
    fn file_above<'p>(&self, path: &'p Path) -> Option<&'p Path> {
        let is_there = |above: &&Path| self.kind(above) != Some(Kind::Missing);
        path.ancestors().skip(1).find(is_there).filter(|above| self.kind(above) == Some(Kind::File))
    }

    /// What a path will be; `None` when that is open.
    fn kind(&self, path: &Path) -> Option<Kind> {
        for change in self.0.iter().rev() {
            match change {
                Change::MadeFile(made) if *made == path => return Some(Kind::File),
                Change::MadeFile(made) | Change::MadeDirectory(made) if made.starts_with(path) => {
                    return Some(Kind::Directory);
                }
                Change::Removed(removed) if path.starts_with(removed) => return Some(Kind::Missing),
                Change::MovedTo(place) | Change::RemovedBelow(place) if path.starts_with(place) => return None,
                _ => {}
            }
        }
        tree::kind(path).ok()
    }

    fn is_source_foreseen(&self, place: &Place) -> Foresight {
        let path = Path::new(&place.local);
        if glob::is_pattern(&place.local) {
            let fixed = fixed_part(&place.local);
            let touches = |change: &Change<'_>| {
                let at = change.place();
                at.starts_with(fixed) || fixed.starts_with(at)
            };
            return if self.0.iter().any(touches) { Foresight::Open } else { Foresight::AsNow };
        }
        if !self.0.iter().any(|change| change.place().starts_with(path) || path.starts_with(change.place())) {
            return Foresight::AsNow;
        }
        match self.kind(path) {
            None => Foresight::Open,
            Some(Kind::Missing) => Foresight::Missing,
            Some(_) => Foresight::Exists,
        }
    }

    fn note(&mut self, operation: &'a FileOperation) {
        match operation {
            FileOperation::MakeDirectory { place } => self.0.push(Change::MadeDirectory(Path::new(&place.local))),
            FileOperation::Touch { place } => self.0.push(Change::MadeFile(Path::new(&place.local))),
            FileOperation::Delete { place, .. } => self.note_removal(place),
            FileOperation::Move { source, target } => {
                self.note_removal(source);
                self.0.push(Change::MovedTo(Path::new(&target.local)));
            }
            FileOperation::ChangeMode { .. }
            | FileOperation::ChangeGroup { .. }
            | FileOperation::SetReplication { .. } => {}
        }
    }

    fn note_removal(&mut self, place: &'a Place) {
        let is_pattern = glob::is_pattern(&place.local);
        let path = if is_pattern { fixed_part(&place.local) } else { Path::new(&place.local) };
        self.0.push(if is_pattern { Change::RemovedBelow(path) } else { Change::Removed(path) });
    }
}

enum Foresight {
    /// No earlier command concerns it.
    AsNow,
    Exists,
    Missing,
    Open,
}

impl Change<'_> {
    fn place(&self) -> &Path {
        match self {
            Self::MadeFile(path)
            | Self::MadeDirectory(path)
            | Self::MovedTo(path)
            | Self::Removed(path)
            | Self::RemovedBelow(path) => path,
        }
    }
}

/// The folders of a pattern before its first step with a pattern's character.
fn fixed_part(pattern: &str) -> &Path {
    let path = Path::new(pattern);
    path.ancestors().skip(1).find(|folder| !folder.to_str().is_some_and(glob::is_pattern)).unwrap_or(path)
}
