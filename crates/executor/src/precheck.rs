//! Checks every path of an `fs` action before its first command is executed (decision W6, specification 3.2.4).
//!
//! Sources must exist and targets must not, including what the earlier commands will create or remove. When this is not
//! known, nothing is refused: the command itself fails then. Changes nothing.

use super::file_operation::{
    Done, FileOperation, Limits, cannot_create, check_destination, check_exists, check_move, check_touch, destination,
    group_number, problem,
};
use howdah_host::located::{Kind, Located};

/// What the earlier commands of the action will do, in their order.
#[derive(Default)]
struct Expected<'a>(Vec<Change<'a>>);

enum Change<'a> {
    MadeFile(&'a Located),
    MadeDirectory(&'a Located),
    /// Something was moved here, or into it.
    MovedTo(&'a Located),
    Removed(&'a Located),
    /// A pattern removed some of what is below this.
    RemovedBelow(Located),
}

/// Refuses with the code of the command that would fail.
pub(super) fn check(operations: &[FileOperation], limits: &Limits) -> Done {
    let mut expected = Expected::default();
    for operation in operations {
        expected.check(operation, limits)?;
        expected.note(operation);
    }
    Ok(())
}

impl<'a> Expected<'a> {
    fn check(&self, operation: &FileOperation, limits: &Limits) -> Done {
        match operation {
            FileOperation::Drop { .. } | FileOperation::SetReplication { .. } => Ok(()),
            FileOperation::MakeDirectory { place } => match self.file_above(place) {
                Some(file) => Err(cannot_create(place, &format!("[{}] is a file", file.shown()))),
                None => Ok(()),
            },
            FileOperation::Delete { place, .. } => {
                let found = limits.expand(place)?;
                found.iter().try_for_each(|path| limits.check_removable("FS005", "delete", path))
            }
            FileOperation::Move { source, target } => self.check_move(source, target, limits),
            FileOperation::ChangeMode { place, .. } => self.check_source("chmod", place, limits),
            FileOperation::ChangeGroup { place, group, .. } => {
                group_number(place, group)?;
                self.check_source("chgrp", place, limits)
            }
            FileOperation::Touch { place } => self.check_touch(place),
        }
    }

    fn check_touch(&self, place: &Located) -> Done {
        if let Some(file) = self.file_above(place) {
            return Err(problem("IOException", &format!("path [{}]: [{}] is a file", place.shown(), file.shown())));
        }
        self.kind(place).map_or(Ok(()), |kind| check_touch(place, kind))
    }

    fn check_source(&self, verb: &str, place: &Located, limits: &Limits) -> Done {
        match self.expected_source(place) {
            ExpectedSource::Exists | ExpectedSource::Open => Ok(()),
            ExpectedSource::Missing => check_exists(verb, place, &[]),
            ExpectedSource::AsNow => check_exists(verb, place, &limits.expand(place)?),
        }
    }

    fn check_move(&self, source: &Located, target: &Located, limits: &Limits) -> Done {
        let Some(kind) = self.kind(target) else { return Ok(()) };
        let sources = match self.expected_source(source) {
            ExpectedSource::Open => return Ok(()),
            ExpectedSource::Exists => vec![source.clone()],
            ExpectedSource::Missing => Vec::new(),
            ExpectedSource::AsNow => limits.expand(source)?,
        };
        check_move(source, &sources, target, kind)?;
        for source in &sources {
            let destination = destination(source, target, kind);
            check_destination(source, &destination, target, self.kind(&destination))?;
        }
        let parent_kind = self.kind(&target.folder());
        if kind == Kind::Missing && matches!(parent_kind, Some(Kind::Missing | Kind::File)) {
            let words = format!("move, could not move [{}] to [{}]", source.shown(), target.shown());
            return Err(problem("FS008", &format!("{words}: the folder of the target does not exist")));
        }
        Ok(())
    }

    /// Returns the file above `place` that would have to be a folder.
    fn file_above(&self, place: &Located) -> Option<Located> {
        let mut above = place.folder();
        while self.kind(&above) == Some(Kind::Missing) && above.path().parent().is_some() {
            above = above.folder();
        }
        Some(above).filter(|above| self.kind(above) == Some(Kind::File))
    }

    /// Returns what a path will be; `None` when this is not known.
    fn kind(&self, place: &Located) -> Option<Kind> {
        for change in self.0.iter().rev() {
            match change {
                Change::MadeFile(made) if made.is_at_or_below(place) && place.is_at_or_below(made) => {
                    return Some(Kind::File);
                }
                Change::MadeFile(made) | Change::MadeDirectory(made) if made.is_at_or_below(place) => {
                    return Some(Kind::Directory);
                }
                Change::Removed(removed) if place.is_at_or_below(removed) => return Some(Kind::Missing),
                Change::MovedTo(above) if place.is_at_or_below(above) => return None,
                Change::RemovedBelow(above) if place.is_at_or_below(above) => return None,
                _ => {}
            }
        }
        place.kind().ok()
    }

    fn expected_source(&self, place: &Located) -> ExpectedSource {
        if place.is_pattern() {
            let fixed = place.fixed_part();
            let touches = |change: &Change<'_>| {
                let at = change.place();
                at.is_at_or_below(&fixed) || fixed.is_at_or_below(at)
            };
            return if self.0.iter().any(touches) { ExpectedSource::Open } else { ExpectedSource::AsNow };
        }
        let touches = |change: &Change<'_>| {
            let at = change.place();
            at.is_at_or_below(place) || place.is_at_or_below(at)
        };
        if !self.0.iter().any(touches) {
            return ExpectedSource::AsNow;
        }
        match self.kind(place) {
            None => ExpectedSource::Open,
            Some(Kind::Missing) => ExpectedSource::Missing,
            Some(_) => ExpectedSource::Exists,
        }
    }

    fn note(&mut self, operation: &'a FileOperation) {
        match operation {
            FileOperation::MakeDirectory { place } => self.0.push(Change::MadeDirectory(place)),
            FileOperation::Touch { place } => self.0.push(Change::MadeFile(place)),
            FileOperation::Delete { place, .. } => self.note_removal(place),
            FileOperation::Move { source, target } => {
                self.note_removal(source);
                self.0.push(Change::MovedTo(target));
            }
            FileOperation::Drop { .. }
            | FileOperation::ChangeMode { .. }
            | FileOperation::ChangeGroup { .. }
            | FileOperation::SetReplication { .. } => {}
        }
    }

    fn note_removal(&mut self, place: &'a Located) {
        let is_pattern = place.is_pattern();
        self.0.push(if is_pattern { Change::RemovedBelow(place.fixed_part()) } else { Change::Removed(place) });
    }
}

enum ExpectedSource {
    /// No earlier command changes it.
    AsNow,
    Exists,
    Missing,
    Open,
}

impl Change<'_> {
    fn place(&self) -> &Located {
        match self {
            Self::MadeFile(place) | Self::MadeDirectory(place) | Self::MovedTo(place) | Self::Removed(place) => place,
            Self::RemovedBelow(place) => place,
        }
    }
}
