//! Creates the file of a database, or of a copy, readable by its owner only. Must not depend on what is in it.

use std::fs::{DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode};

/// The metadata of the path; `None` when the system says that nothing exists. When the query fails, the caller opens
/// the file all the same, which gives a better error.
pub(super) fn look(path: &Path) -> io::Result<Option<std::fs::Metadata>> {
    match std::fs::metadata(path) {
        Ok(found) => Ok(Some(found)),
        Err(cause) if matches!(cause.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
        Err(cause) => Err(cause),
    }
}

/// How many links a path may lead through, as for the system.
const MOST_LINKS: usize = 40;

/// The path of the file itself where `path` is a link, also where the file is missing. SQLite's files are beside it.
pub(super) fn real(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        // Only a link can be read as one.
        let Ok(target) = std::fs::read_link(&path) else { break };
        path = path.parent().map_or_else(|| target.clone(), |folder| folder.join(&target));
    }
    path
}

/// Creates the file, readable by its owner only, and the folders above it.
///
/// Uses `mknod` instead of an open: closing a descriptor of a database drops every lock that this process has on it.
pub(super) fn make_file(path: &Path) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
        // A failed query about the folder is reported as if it were no folder.
        made.or_else(|error| match look(folder) {
            Ok(Some(found)) if found.is_dir() => Ok(()),
            Err(cause) if error.kind() == io::ErrorKind::AlreadyExists => Err(cause),
            _ => Err(error),
        })?;
    }
    match make_new_file(path) {
        Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    }
}

/// Creates a file, readable by its owner only, if the name does not exist yet, not even as a link.
pub(super) fn make_new_file(path: &Path) -> io::Result<()> {
    rustix::fs::mknodat(CWD, path, FileType::RegularFile, Mode::RUSR | Mode::WUSR, 0)?;
    // The umask may have removed rights of the owner too.
    std::fs::set_permissions(path, Permissions::from_mode(0o600))
}
