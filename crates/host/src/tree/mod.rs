//! Operations on files and folders besides reading, writing and deleting: each function is one step, without policy.
//!
//! Errors are the system's own; the executor decides what they mean for an action.

pub(crate) mod change;

use std::fs::{self, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

use rustix::fs::{OFlags, Timespec, Timestamps, UTIME_NOW};

use super::files;
use super::folders::create_folders;
use super::found::is_absence;
use super::{looks, watch};

/// The kind of what a path names; links are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Missing,
    File,
    Directory,
}

/// The kind of what `path` names.
pub(crate) fn kind(path: &Path) -> io::Result<Kind> {
    match looks::metadata(path) {
        Ok(metadata) if metadata.is_dir() => Ok(Kind::Directory),
        Ok(_) => Ok(Kind::File),
        Err(error) if is_absence(&error) => Ok(Kind::Missing),
        Err(error) => Err(error),
    }
}

/// Bytes of a file, links followed, 0 for a folder; `None` when it does not exist.
pub(crate) fn file_size(path: &Path) -> io::Result<Option<u64>> {
    match looks::metadata(path) {
        Ok(metadata) => Ok(Some(if metadata.is_dir() { 0 } else { metadata.len() })),
        Err(error) if is_absence(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Bytes of all files directly in a folder; `None` when there is no such folder. A link to nothing counts 0.
pub(crate) fn size_of_entries(folder: &Path) -> io::Result<Option<u64>> {
    let entries = match looks::read_dir(folder) {
        Err(error) if is_absence(&error) => return Ok(None),
        entries => entries?,
    };
    entries.map(|entry| Ok(file_size(&entry?.0.path())?.unwrap_or(0))).sum::<io::Result<u64>>().map(Some)
}

/// Renames a file or folder within one file system.
pub(crate) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    watch::look(to, || fs::rename(from, to))
}

/// Creates an empty file with its folders, or sets the times of an existing one to now. Does not wait for a reader of a
/// pipe.
pub(crate) fn touch(path: &Path) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        create_folders(folder)?;
    }
    let flags = files::flags(OFlags::NONBLOCK | OFlags::NOCTTY);
    let file = OpenOptions::new().append(true).create(true).custom_flags(flags).open(path)?;
    let now = Timespec { tv_sec: 0, tv_nsec: UTIME_NOW };
    Ok(rustix::fs::futimens(&file, &Timestamps { last_access: now, last_modification: now })?)
}

/// Sets the permission bits.
#[cfg(test)]
pub(crate) fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    fs::set_permissions(path, Permissions::from_mode(mode))
}

/// Whether any user may execute the file.
pub(crate) fn is_executable(path: &Path) -> io::Result<bool> {
    Ok(looks::metadata(path)?.permissions().mode() & 0o111 != 0)
}

/// Copies a file and lets its owner execute the copy.
pub(crate) fn copy_as_program(from: &Path, to: &Path) -> io::Result<()> {
    copy_with_mode(from, to, 0o700)
}

/// Copies a file so that only the owner of the copy may read and write it.
pub(crate) fn copy_for_owner(from: &Path, to: &Path) -> io::Result<()> {
    copy_with_mode(from, to, 0o600)
}

/// Copies a regular file to a name that does not exist yet.
fn copy_with_mode(from: &Path, to: &Path, mode: u32) -> io::Result<()> {
    let mut content = files::open_regular(from)?;
    let mut copy = OpenOptions::new().write(true).create_new(true).mode(mode).open(to)?;
    io::copy(&mut content, &mut copy)?;
    copy.set_permissions(Permissions::from_mode(mode))
}

/// The permission bits of what a path names.
pub(crate) fn mode(path: &Path) -> io::Result<u32> {
    Ok(looks::metadata(path)?.permissions().mode() & 0o7777)
}

/// Copies the content of the folder `from` into the folder `to`, which is created, with everything below. Returns
/// `false` when `stop` ended it early. A file or link replaces an entry of the same name, and a folder replaces a link:
/// nothing is ever written through a link. Fails when a folder would have to replace a file, or a file a folder.
pub(crate) fn copy_over(from: &Path, to: &Path, stop: &dyn Fn() -> bool) -> io::Result<bool> {
    create_folders(to)?;
    let mut folders = vec![(from.to_owned(), to.to_owned())];
    while let Some((from, to)) = folders.pop() {
        for entry in looks::read_dir(&from)? {
            if stop() {
                return Ok(false);
            }
            let (entry, kind) = entry?;
            let (source, target, kind) = (entry.path(), to.join(entry.file_name()), kind?);
            let present = match looks::symlink_metadata(&target) {
                Err(error) if is_absence(&error) => None,
                present => Some(present?),
            };
            let gives_way = |present: &fs::Metadata| present.is_symlink() || !present.is_dir() && !kind.is_dir();
            if present.as_ref().is_some_and(gives_way) {
                fs::remove_file(&target)?;
            }
            if kind.is_dir() {
                if !present.is_some_and(|present| present.is_dir()) {
                    fs::create_dir(&target)?;
                }
                folders.push((source, target));
            } else if kind.is_symlink() {
                std::os::unix::fs::symlink(fs::read_link(source)?, target)?;
            } else {
                copy_with_mode(&source, &target, mode(&source)?)?;
            }
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folders::{create_folders_with, link};

    #[test]
    fn a_copy_replaces_names_keeps_others_and_follows_no_link() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        let write = |path: &str, content: &str| {
            touch(&at(path)).unwrap();
            fs::write(at(path), content).unwrap();
        };
        write("from/deep/new", "new");
        write("from/linked/file", "new");
        write("from/file", "new");
        set_mode(&at("from/file"), 0o444).unwrap();
        link(Path::new("/nowhere"), &at("from/link")).unwrap();
        write("to/kept", "old");
        write("to/link", "old");
        write("outside/file", "old");
        link(&at("outside"), &at("to/linked")).unwrap();
        link(&at("outside/file"), &at("to/file")).unwrap();
        assert!(!copy_over(&at("from"), &at("to"), &|| true).unwrap());
        for _ in 0..2 {
            assert!(copy_over(&at("from"), &at("to"), &|| false).unwrap());
        }
        for (path, expect) in
            [("deep/new", "new"), ("linked/file", "new"), ("file", "new"), ("kept", "old"), ("../outside/file", "old")]
        {
            assert_eq!(fs::read_to_string(at("to").join(path)).unwrap(), expect, "{path}");
        }
        assert_eq!(fs::read_link(at("to/link")).unwrap(), Path::new("/nowhere"));
        assert_eq!(mode(&at("to/file")).unwrap(), 0o444);
        write("bad/kept/x", "");
        assert!(copy_over(&at("bad"), &at("to"), &|| false).is_err());
    }

    #[test]
    fn a_name_that_the_machine_cannot_follow_is_not_called_taken() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        for _ in 0..2 {
            create_folders_with(&at("a/b/c"), 0o700).unwrap();
        }
        assert_eq!(["a", "a/b", "a/b/c"].map(|path| mode(&at(path)).unwrap()), [0o700; 3]);
        link(&at("a"), &at("linked")).unwrap();
        create_folders(&at("linked/d/../e")).unwrap();
        assert!(at("a/d").is_dir() && at("a/e").is_dir());
        fs::write(at("file"), "").unwrap();
        link(Path::new("loop"), &at("loop")).unwrap();
        link(Path::new("nothing"), &at("dangling")).unwrap();
        for (path, expect) in [
            ("file", io::ErrorKind::AlreadyExists),
            ("dangling", io::ErrorKind::AlreadyExists),
            ("file/x", io::ErrorKind::NotADirectory),
        ] {
            assert_eq!(create_folders(&at(path)).unwrap_err().kind(), expect, "{path}");
        }
        // The query about the existing entry fails, as it does when the disk fails.
        let looped = Some(rustix::io::Errno::LOOP.raw_os_error());
        for path in ["loop", "loop/x"] {
            assert_eq!(create_folders(&at(path)).unwrap_err().raw_os_error(), looped, "{path}");
        }
    }

    #[test]
    fn touching_keeps_the_content() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/f");
        touch(&path).unwrap();
        assert_eq!(kind(&path).unwrap(), Kind::File);
        fs::write(&path, "x").unwrap();
        let old = std::time::SystemTime::UNIX_EPOCH;
        fs::File::options().write(true).open(&path).unwrap().set_modified(old).unwrap();
        touch(&path).unwrap();
        assert!(fs::metadata(&path).unwrap().modified().unwrap() > old);
        assert_eq!(fs::read(&path).unwrap(), b"x");
    }
}
