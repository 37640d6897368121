//! Opens files so that no link, pipe or device of another user misleads or blocks the caller. Must not depend on what
//! is read or written.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

use crate::handover::{self, Writer};
use crate::{ownership, watch};

/// Opens a regular file that is no link, without blocking.
pub(crate) fn open_plain(path: &Path) -> io::Result<File> {
    open_if_regular(path, PLAIN)
}

/// Opens a regular file that is no link and that its folder's owner or this process has written: root shows no other
/// user's file under such a name, even by a hard link.
pub(super) fn open_output(path: &Path) -> io::Result<File> {
    let file = open_plain(path)?;
    let folder = path.parent().unwrap_or(Path::new("/"));
    if handover::has_written(Writer::Either, &file, folder)? {
        return Ok(file);
    }
    Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is another user's"))
}

/// Opens a regular file, links followed, without blocking for the writer of a pipe.
pub fn open_regular(path: &Path) -> io::Result<File> {
    open_if_regular(path, OFlags::NONBLOCK)
}

/// How howdah opens its own files: without following a link, and without blocking.
pub(crate) const PLAIN: OFlags = OFlags::NOFOLLOW.union(OFlags::NONBLOCK);

/// Converts flags to the type of the standard library.
pub(crate) fn flags(flags: OFlags) -> i32 {
    i32::try_from(flags.bits()).expect("the flags of an open call are small numbers")
}

fn open_if_regular(path: &Path, how: OFlags) -> io::Result<File> {
    open_with_length(path, how).map(|(file, _)| file)
}

/// Opens a regular file; returns its present length, too.
pub(super) fn open_with_length(path: &Path, how: OFlags) -> io::Result<(File, u64)> {
    let open = || -> io::Result<(File, Metadata)> {
        let file = OpenOptions::new().read(true).custom_flags(flags(how)).open(path)?;
        let metadata = file.metadata()?;
        Ok((file, metadata))
    };
    let (file, metadata) = watch::look(path, open)?;
    if metadata.is_file() { Ok((file, metadata.len())) } else { Err(io::Error::other("it is no regular file")) }
}

/// As [`open_to_append`](super::open_to_append), with the system's own error.
pub fn append(path: &Path) -> io::Result<File> {
    let opened = OpenOptions::new().append(true).create(true).mode(0o600).custom_flags(flags(PLAIN)).open(path)?;
    ownership::check_open(&opened).map(|()| opened)
}

/// Opens an existing file of howdah's own to write over a part of it; no link.
pub fn open_to_change(path: &Path) -> io::Result<File> {
    let opened = OpenOptions::new().write(true).custom_flags(flags(PLAIN)).open(path)?;
    ownership::check_open(&opened).map(|()| opened)
}

/// Opens a file for reading.
pub fn open(path: &Path) -> io::Result<File> {
    watch::look(path, || File::open(path))
}

/// Creates a file, or empties an existing one, with the user's default permissions.
pub fn create(path: &Path) -> io::Result<File> {
    File::create(path)
}
