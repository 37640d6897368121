//! Checks in advance whether files can be written in a folder.
//!
//! The answer is a hint: the writer must still handle the error of the write.

use std::io;
use std::path::Path;

use rustix::fs::{Access, StatVfsMountFlags, access, statvfs};

use super::files::cannot_write;
use super::metadata;
use howdah_words::error::Error;

/// Refuses (H0111) a folder in which this process cannot create files, as far as the system reports that in advance.
pub fn check_writable(folder: &Path) -> Result<(), Error> {
    let found = metadata::of(folder).known()?;
    let checked = match found {
        Some(metadata) if !metadata.is_dir() => Err(io::ErrorKind::NotADirectory.into()),
        Some(_) => access(folder, Access::WRITE_OK | Access::EXEC_OK).map_err(io::Error::from),
        None => Err(io::ErrorKind::NotFound.into()),
    };
    checked.map_err(|error| cannot_write(folder, &error))
}

/// Whether nothing can be written beside `path` because its file system is mounted read-only; `false` when unknown.
pub fn is_read_only(path: &Path) -> bool {
    let flags = statvfs(path).map(|system| system.f_flag);
    flags.is_ok_and(|flags| flags.contains(StatVfsMountFlags::RDONLY))
}
