//! The calls of the system that look at paths of definitions and jobs, each of them watched: `watch`.
//!
//! Named like those of the standard library, which `host` uses directly only for files of our own and of the system.

use std::fs::{self, DirEntry, FileType, Metadata, ReadDir};
use std::io;
use std::path::{Path, PathBuf};

use super::watch;

/// What a path leads to.
pub(super) fn metadata(path: &Path) -> io::Result<Metadata> {
    watch::look(path, || fs::metadata(path))
}

/// What stands at the path itself.
pub(super) fn symlink_metadata(path: &Path) -> io::Result<Metadata> {
    watch::look(path, || fs::symlink_metadata(path))
}

/// The path with every link in it followed.
pub(super) fn canonicalize(path: &Path) -> io::Result<PathBuf> {
    watch::look(path, || fs::canonicalize(path))
}

/// The kind of the file system on which a folder is.
#[cfg(target_os = "linux")]
pub(super) fn file_system(folder: &Path) -> io::Result<u32> {
    let found = watch::look(folder, || rustix::fs::statfs(folder).map_err(io::Error::from))?;
    u32::try_from(found.f_type).map_err(io::Error::other)
}

/// The entries of a folder.
pub(super) fn read_dir(folder: &Path) -> io::Result<Entries> {
    let entries = watch::look(folder, || fs::read_dir(folder))?;
    Ok(Entries { folder: folder.to_owned(), entries })
}

/// The entries of a folder, as the system tells them.
#[derive(Debug)]
pub(super) struct Entries {
    folder: PathBuf,
    entries: ReadDir,
}

impl Entries {
    /// What the entry is itself. On some file systems the folder does not tell.
    fn with_kind(&self, entry: DirEntry) -> (DirEntry, io::Result<FileType>) {
        let kind = watch::look(&self.folder, || entry.file_type());
        (entry, kind)
    }
}

impl Iterator for Entries {
    type Item = io::Result<(DirEntry, io::Result<FileType>)>;

    fn next(&mut self) -> Option<Self::Item> {
        let entry = watch::look(&self.folder, || self.entries.next())?;
        Some(entry.map(|entry| self.with_kind(entry)))
    }
}
