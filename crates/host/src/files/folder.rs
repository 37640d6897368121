//! Lists and creates folders, and says what is at a path. Must not depend on the content of files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::write::cannot_write;
use crate::fault::failing_point;
use crate::found::{Found, Verdict, cannot_read, verdict};
use crate::{folders, looks, metadata};
use howdah_words::error::Error;

/// The entries of a folder in the order of their names; empty when there is no such folder.
pub fn list(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    Ok(list_entries(folder)?.into_iter().map(|(path, _)| path).collect())
}

/// As [`list`], with the kind of each entry. The folder itself contains the kinds, so only links are queried.
pub fn list_entries(folder: &Path) -> Result<Vec<(PathBuf, Entry)>, Error> {
    let refuse = |error: io::Error| cannot_read(folder, &error);
    let entries = match failing_point("list").and_then(|()| looks::read_dir(folder)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(refuse)?,
    };
    let listed = |listed: io::Result<(fs::DirEntry, io::Result<fs::FileType>)>| {
        let (listed, kind) = listed.map_err(refuse)?;
        let path = listed.path();
        let entry = match kind {
            Ok(kind) if kind.is_dir() => Entry::Folder,
            Ok(kind) if kind.is_file() => Entry::File,
            Ok(kind) if kind.is_symlink() => match metadata::of(&path).known()? {
                Some(metadata) if metadata.is_file() => Entry::File,
                Some(_) | None => Entry::Other,
            },
            Ok(_) | Err(_) => Entry::Other,
        };
        Ok((path, entry))
    };
    let mut entries = entries.map(listed).collect::<Result<Vec<_>, Error>>()?;
    entries.sort_unstable_by(|(one, _), (other, _)| one.file_name().cmp(&other.file_name()));
    Ok(entries)
}

/// Makes a path absolute; a relative one starts in the current folder. Follows no links, and the path need not exist;
/// fails for an empty path, and where there is no current folder.
pub fn absolute(path: &Path) -> io::Result<PathBuf> {
    std::path::absolute(path)
}

/// Resolves every link in the path; returns it unchanged where that is not possible.
pub fn resolved(path: &Path) -> PathBuf {
    looks::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// The kind of what is at `path`, links followed; `None` when the system says that nothing exists. H0110 when it may
/// not be queried, H0113 when the machine cannot say.
pub fn look(path: &Path) -> Result<Option<Entry>, Error> {
    match looks::metadata(path) {
        Ok(found) if found.is_dir() => Ok(Some(Entry::Folder)),
        Ok(found) if found.is_file() => Ok(Some(Entry::File)),
        Ok(_) => Ok(Some(Entry::Other)),
        Err(error) if verdict(&error) == Verdict::Absent => Ok(None),
        Err(error) => Err(cannot_read(path, &error)),
    }
}

/// Looks for a folder, or a link to one; anything else counts as absent.
pub fn find_folder(path: &Path) -> Found<()> {
    match metadata::of(path) {
        Found::Present(metadata) if !metadata.is_dir() => Found::Absent,
        found => found.map(drop),
    }
}

/// Looks for anything at `path`, links followed.
pub fn find(path: &Path) -> Found<()> {
    metadata::of(path).map(drop)
}

/// Creates one of howdah's own folders with its parents.
pub fn make_folders(path: &Path) -> io::Result<()> {
    folders::create_folders(path)
}

/// Creates the symbolic link `link` to `target` in one of howdah's own folders; replaces an older link.
pub fn link(target: &Path, link: &Path) -> io::Result<()> {
    folders::link(target, link)
}

/// Whether `path` is a folder, or a link to one; errors as [`look`].
pub fn is_folder(path: &Path) -> Result<bool, Error> {
    Ok(look(path)? == Some(Entry::Folder))
}

/// Creates a folder and its parents, with the user's default permissions; H0111 when that fails.
pub fn create_folder(path: &Path) -> Result<(), Error> {
    make_folders(path).map_err(|error| cannot_write(path, &error))
}

/// Creates a folder and its parents with access for their owner only; H0111 when that fails.
pub fn create_private_folder(path: &Path) -> Result<(), Error> {
    make_private_folder(path).map_err(|error| cannot_write(path, &error))
}

/// As [`create_private_folder`], with the system's own error.
pub fn make_private_folder(path: &Path) -> io::Result<()> {
    folders::create_folders_with(path, 0o700)
}

/// Removes a folder that this process has created, with its content; links in it are not followed. A missing folder is
/// no failure.
pub fn remove_made_folder(path: &Path) -> io::Result<()> {
    fs::remove_dir_all(path).or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) })
}

/// The kind of an entry of a folder, or of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A folder, not a link to one.
    Folder,
    /// A regular file, or a link to one.
    File,
    /// Anything else: pipes, devices, links to folders or to nothing.
    Other,
}
