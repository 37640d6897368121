//! Deletes trees safely.
//!
//! Refuses (H0123) `/`, home folders, the roots of mounts, any folder that contains one of these, any path that leaves
//! its mount through `..` or a symbolic link, folders in which another file system is mounted, and what the caller
//! wants to keep. Deletes a link itself, never its target; deletes files in the same way as folders. Must not depend on
//! the reason for the deletion; `descent` deletes without following links.

mod descent;

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use self::descent::Deed;
pub use self::descent::What;
use super::fault::failing_point;
use super::found::{Verdict, cannot_read, is_absence, may_pass, verdict};
use super::looks;
use super::mounts::{Mounts, has_parent_step};
use super::{environment, metadata, user_table};
use howdah_words::error::{Error, ErrorCode};

/// What a deletion would remove.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetFacts {
    /// The path with every link in its parents resolved.
    pub real: PathBuf,
    pub what: What,
}

/// Something that may be deleted. Its folder is held open from the check to the deletion: when another process replaces
/// it, or a folder above, the deletion still happens in the original folder.
#[derive(Debug)]
pub struct Target {
    /// The path as the caller gave it.
    named: PathBuf,
    facts: TargetFacts,
    folder: OwnedFd,
}

impl Target {
    /// Finds what is at a path; `None` when the name does not exist.
    /// H0123 when it must not be deleted, or is, contains, or lies in, one of `kept`.
    pub(super) fn find(path: &Path, mounts: &Mounts, kept: &[PathBuf]) -> Result<Option<Self>, Error> {
        let Some(real) = check(path, mounts)? else { return Ok(None) };
        check_kept(path, &real, kept)?;
        let (Some(above), Some(name)) = (real.parent(), real.file_name()) else {
            return Err(refuse(path, &"it is the root of the file system"));
        };
        let looked = failing_point("delete")
            .and_then(|()| descent::open_folder(above))
            .and_then(|folder| Ok((descent::kind(&folder, name)?, folder)));
        match looked {
            Ok((what, folder)) => Ok(Some(Self { named: path.to_owned(), facts: TargetFacts { real, what }, folder })),
            Err(error) if is_absence(&error) => Ok(None),
            Err(error) => Err(unseen(path, &error)),
        }
    }

    /// What was found.
    pub const fn facts(&self) -> &TargetFacts {
        &self.facts
    }

    /// Deletes the file, the link or the folder with its content; `false` when it is gone already.
    /// H0123 when the system refuses, or another file system is mounted in it.
    pub fn delete(self) -> Result<bool, Error> {
        let name = self.facts.real.file_name().expect("what was found has a name");
        match descent::remove(&self.folder, name, self.facts.what, Deed::Delete) {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(not_done(&self.named, &error)),
        }
    }
}

/// One of howdah's own folders, whose entries are deleted by name. It is held open: neither an entry nor a process that
/// replaces a folder above can redirect a deletion.
#[derive(Debug)]
pub struct Clearing {
    path: PathBuf,
    folder: OwnedFd,
}

impl Clearing {
    /// Opens the folder; `None` when it does not exist. H0123 when it cannot be opened.
    pub fn open(path: &Path) -> Result<Option<Self>, Error> {
        let opened = looks::canonicalize(path).and_then(|real| descent::open_folder(&real));
        match opened {
            Ok(folder) => Ok(Some(Self { path: path.to_owned(), folder })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(not_done(path, &error)),
        }
    }

    /// Deletes an entry with its content; returns the bytes of the disk that it occupied, `None` when the name does not
    /// exist. Files of another user in it are deleted with that user's rights.
    /// H0123 when the system refuses, or another file system is mounted in it.
    pub fn delete(&self, name: &str) -> Result<Option<u64>, Error> {
        self.remove(name, Deed::Clear)
    }

    /// The bytes of the disk that an entry occupies with its content; `None` when the name does not exist. H0123.
    pub fn measure(&self, name: &str) -> Result<Option<u64>, Error> {
        self.remove(name, Deed::Measure)
    }

    /// When an entry was last changed, in seconds of UTC; `None` when the name does not exist. H0123.
    pub fn modified_at(&self, name: &str) -> Result<Option<i64>, Error> {
        self.unless_gone(name, descent::modified_at(&self.folder, name.as_ref()))
    }

    fn remove(&self, name: &str, deed: Deed) -> Result<Option<u64>, Error> {
        let kind = failing_point("delete").and_then(|()| descent::kind(&self.folder, name.as_ref()));
        self.unless_gone(name, kind.and_then(|what| descent::remove(&self.folder, name.as_ref(), what, deed)))
    }

    fn unless_gone<T>(&self, name: &str, done: io::Result<T>) -> Result<Option<T>, Error> {
        match done {
            Ok(done) => Ok(Some(done)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(not_done(&self.path.join(name), &error)),
        }
    }
}

/// Refuses (H0123) what must not be deleted; otherwise returns the path with every link in its parents resolved, or
/// `None` when its folder does not exist.
pub(super) fn check(path: &Path, mounts: &Mounts) -> Result<Option<PathBuf>, Error> {
    if !path.is_absolute() {
        return Err(refuse(path, &"it is not an absolute path"));
    }
    if has_parent_step(path) {
        return Err(refuse(path, &"it goes through \"..\""));
    }
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(refuse(path, &"it is the root of the file system"));
    };
    check_protected(path, path, mounts)?;
    let real = match looks::canonicalize(folder) {
        Ok(folder) => folder.join(name),
        Err(error) if is_absence(&error) => return Ok(None),
        Err(error) => return Err(unseen(path, &error)),
    };
    check_protected(path, &real, mounts)?;
    if let Some(root) = mounts.root_of(path) {
        let real_root = looks::canonicalize(root).map_err(|error| unseen(path, &error))?;
        if !real.starts_with(&real_root) {
            return Err(refuse(path, &format_args!("a symbolic link leads out of the mount [{}]", root.display())));
        }
    }
    if let Some(point) = mount_points()?.into_iter().find(|point| point.starts_with(&real)) {
        return Err(refuse(path, &format_args!("another file system is mounted at [{}]", point.display())));
    }
    Ok(Some(real))
}

/// Refuses `named` when `real` is, or contains, a home folder or the root of a mount.
fn check_protected(named: &Path, real: &Path, mounts: &Mounts) -> Result<(), Error> {
    for root in mounts.roots() {
        if holds(real, root)? {
            return Err(refuse(named, &format_args!("it holds the root of the mount [{}]", root.display())));
        }
    }
    for home in environment::local_homes()? {
        if holds(real, &home)? {
            return Err(refuse_home(named, &home));
        }
    }
    // Directory services do not list their users, so look up the owner of what is deleted.
    let owner = metadata::of_link(real).known()?.map(|metadata| user_table::numbered(metadata.uid())).transpose()?;
    match owner.flatten() {
        Some(owner) if holds(real, &owner.home)? => Err(refuse_home(named, &owner.home)),
        _ => Ok(()),
    }
}

fn refuse_home(named: &Path, home: &Path) -> Error {
    refuse(named, &format_args!("it holds the home directory [{}]", home.display()))
}

/// Refuses `named` when `real` is, contains, or lies in, one of `kept`.
fn check_kept(named: &Path, real: &Path, kept: &[PathBuf]) -> Result<(), Error> {
    for kept in kept {
        if holds(real, kept)? {
            return Err(refuse(named, &format_args!("it holds [{}]", kept.display())));
        }
        let place = resolved(kept)?;
        if holds(kept, real)? || place.is_some_and(|place| real.starts_with(place)) {
            return Err(refuse(named, &format_args!("it lies in [{}]", kept.display())));
        }
    }
    Ok(())
}

/// Whether `real` is, or contains, `protected`.
fn holds(real: &Path, protected: &Path) -> Result<bool, Error> {
    Ok(protected.starts_with(real) || resolved(protected)?.is_some_and(|place| place.starts_with(real)))
}

/// The real path; `None` when it does not exist, or may not be queried. H0113 when the machine cannot say: a path that
/// might be protected is not deleted.
fn resolved(path: &Path) -> Result<Option<PathBuf>, Error> {
    match looks::canonicalize(path) {
        Ok(real) => Ok(Some(real)),
        Err(error) if verdict(&error) == Verdict::Unknown => Err(cannot_read(path, &error)),
        Err(_) => Ok(None),
    }
}

/// The mount points of the system; empty where it has no such table. H0110, H0113 when the table cannot be read: a
/// deletion needs it.
fn mount_points() -> Result<Vec<PathBuf>, Error> {
    let path = Path::new("/proc/self/mountinfo");
    let table = match fs::read_to_string(path) {
        Err(error) if verdict(&error) == Verdict::Absent => String::new(),
        table => table.map_err(|error| cannot_read(path, &error))?,
    };
    let points = table.lines().filter_map(|line| line.split(' ').nth(4)).map(|point| PathBuf::from(unescape(point)));
    Ok(points.collect())
}

/// A path of the mount table, in which blanks and backslashes are written as `\040` etc.
fn unescape(point: &str) -> String {
    let mut parts = point.split('\\');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let code = part.get(..3).and_then(|digits| u8::from_str_radix(digits, 8).ok());
        match code {
            Some(code) => {
                text.push(char::from(code));
                text.push_str(&part[3..]);
            }
            None => text.extend(std::iter::once('\\').chain(part.chars())),
        }
    }
    text
}

/// The error for a failed deletion: H0123, marked when a retry may succeed.
pub(super) fn not_done(path: &Path, error: &io::Error) -> Error {
    refuse(path, error).passing(may_pass(error))
}

/// The error for a failed query: H0113 when the machine cannot say what exists, otherwise a refusal.
fn unseen(path: &Path, error: &io::Error) -> Error {
    match verdict(error) {
        Verdict::Unknown => cannot_read(path, error),
        Verdict::Absent | Verdict::Refused => refuse(path, error),
    }
}

fn refuse(path: &Path, why: &dyn std::fmt::Display) -> Error {
    Error::with(ErrorCode::H0123, &[&path.display(), why])
}

#[cfg(test)]
mod tests;
