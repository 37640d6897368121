//! Creates folders and symbolic links, each in one step, without policy.
//!
//! Errors are the system's own. Must not depend on what a folder is for.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use super::found::is_absence;
use super::looks;

/// Creates a folder with its parents, with the user's default permissions.
pub(crate) fn create_folders(path: &Path) -> io::Result<()> {
    create_folders_with(path, 0o777)
}

/// As [`create_folders`], with these permissions. When a name is taken and the machine cannot say whether by a folder,
/// returns the machine's error; the standard library would report that the name is in use.
pub(super) fn create_folders_with(path: &Path, mode: u32) -> io::Result<()> {
    let mut missing = Vec::new();
    for folder in path.ancestors().filter(|folder| !folder.as_os_str().is_empty()) {
        match create_one(folder, mode) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => missing.push(folder),
            made => {
                made?;
                break;
            }
        }
    }
    missing.into_iter().rev().try_for_each(|folder| create_one(folder, mode))
}

/// Creates a folder, unless there is one, or a link to one.
fn create_one(folder: &Path, mode: u32) -> io::Result<()> {
    let Err(refusal) = DirBuilder::new().mode(mode).create(folder) else { return Ok(()) };
    match looks::metadata(folder) {
        Ok(found) if found.is_dir() => Ok(()),
        Err(cause) if refusal.kind() == io::ErrorKind::AlreadyExists && !is_absence(&cause) => Err(cause),
        _ => Err(refusal),
    }
}

/// Creates the symbolic link `link` to `target`; replaces an older link.
pub(crate) fn link(target: &Path, link: &Path) -> io::Result<()> {
    match looks::symlink_metadata(link) {
        Ok(metadata) if metadata.is_symlink() => fs::remove_file(link)?,
        Ok(_) => {}
        Err(error) if is_absence(&error) => {}
        Err(error) => return Err(error),
    }
    std::os::unix::fs::symlink(target, link)
}
