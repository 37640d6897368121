//! Changes the mode or the group of files and folders, each held open from the check to the change.
//!
//! A link at the path itself is followed. Below it no link is followed or changed, even one that another process puts
//! in the place of a file meanwhile. The content of a folder is changed before the folder itself, so that the right to
//! enter it is removed last.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use rustix::fs::{Dir, FileType, Gid, Mode, OFlags, RawMode, fstat, open, openat};
use rustix::io::Errno;

use serde::{Deserialize, Serialize};

/// What is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// The permission bits.
    Mode(u32),
    /// The group.
    Group(u32),
}

/// The deepest nesting of folders that are changed; each is held open.
const DEEPEST: usize = 256;
/// How a file is held open that need not be readable.
#[cfg(target_os = "linux")]
const HOLD: OFlags = OFlags::PATH.union(OFlags::CLOEXEC);
#[cfg(not(target_os = "linux"))]
const HOLD: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);

/// Changes what `path` names, and as much below it as `reach` says.
pub(crate) fn change(path: &Path, reach: Reach, change: Change) -> io::Result<()> {
    let top = open(path, HOLD, Mode::empty())?;
    if reach == Reach::Itself || !is_folder(&top)? {
        return apply(&top, change);
    }
    let mut levels = vec![Level::open(top)?];
    while let Some(level) = levels.last_mut() {
        match level.next()? {
            Some(entry) if reach == Reach::Everything && is_folder(&entry)? => {
                if levels.len() == DEEPEST {
                    return Err(io::Error::other(format!("folders are nested more than {DEEPEST} deep")));
                }
                levels.push(Level::open(entry)?);
            }
            Some(entry) => apply(&entry, change)?,
            None => {
                let Some(level) = levels.pop() else { break };
                apply(&level.folder, change)?;
            }
        }
    }
    Ok(())
}

/// A folder whose entries are being changed.
struct Level {
    folder: OwnedFd,
    entries: Dir,
}

impl Level {
    fn open(folder: OwnedFd) -> io::Result<Self> {
        let listed = openat(&folder, c".", OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        Ok(Self { folder, entries: Dir::new(listed)? })
    }

    /// The next entry that is no link, held open; `None` when there are no more.
    fn next(&mut self) -> io::Result<Option<OwnedFd>> {
        while let Some(entry) = self.entries.read().transpose()? {
            let name: &CStr = entry.file_name();
            if name == c"." || name == c".." {
                continue;
            }
            let held = match openat(&self.folder, name, HOLD | OFlags::NOFOLLOW, Mode::empty()) {
                // It is gone or, where links cannot be held at all, a link.
                Err(Errno::NOENT | Errno::LOOP) => continue,
                held => held?,
            };
            if kind(&held)? != FileType::Symlink {
                return Ok(Some(held));
            }
        }
        Ok(None)
    }
}

fn kind(held: &OwnedFd) -> io::Result<FileType> {
    Ok(FileType::from_raw_mode(fstat(held)?.st_mode))
}

fn is_folder(held: &OwnedFd) -> io::Result<bool> {
    Ok(kind(held)? == FileType::Directory)
}

fn apply(held: &OwnedFd, change: Change) -> io::Result<()> {
    match change {
        Change::Mode(mode) => set_mode(held, Mode::from_raw_mode(mode as RawMode)),
        Change::Group(group) => set_group(held, Gid::from_raw(group)),
    }
}

/// A descriptor that only holds a file cannot change it; the kernel's own name for the descriptor always means that
/// file.
#[cfg(target_os = "linux")]
pub(crate) fn set_mode(held: &impl AsFd, mode: Mode) -> io::Result<()> {
    use std::os::fd::AsRawFd as _;

    use rustix::fs::{AtFlags, CWD};

    let name = format!("/proc/self/fd/{}", held.as_fd().as_raw_fd());
    Ok(rustix::fs::chmodat(CWD, name, mode, AtFlags::empty())?)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn set_mode(held: &impl AsFd, mode: Mode) -> io::Result<()> {
    Ok(rustix::fs::fchmod(held, mode)?)
}

#[cfg(target_os = "linux")]
fn set_group(held: &OwnedFd, group: Gid) -> io::Result<()> {
    Ok(rustix::fs::chownat(held, c"", None, Some(group), rustix::fs::AtFlags::EMPTY_PATH)?)
}

#[cfg(not(target_os = "linux"))]
fn set_group(held: &OwnedFd, group: Gid) -> io::Result<()> {
    Ok(rustix::fs::fchown(held, None, Some(group))?)
}

/// How far below a folder a change reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reach {
    /// Only the path itself.
    Itself,
    /// The path and the entries of the folder.
    Entries,
    /// The path and everything below.
    Everything,
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{MetadataExt as _, symlink};
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use crate::tree;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o7777
    }

    #[test]
    fn a_change_reaches_as_far_as_it_is_told_and_no_links() {
        for (reach, expect) in [
            (Reach::Itself, [0o750, 0o755, 0o644, 0o644]),
            (Reach::Entries, [0o750, 0o750, 0o750, 0o644]),
            (Reach::Everything, [0o750; 4]),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let at = |path: &str| folder.path().join(path);
            fs::create_dir_all(at("a/b")).unwrap();
            for file in ["a/f", "a/b/c", "outside"] {
                fs::write(at(file), "").unwrap();
            }
            for (path, mode) in [("a", 0o755), ("a/b", 0o755), ("a/f", 0o644), ("a/b/c", 0o644), ("outside", 0o644)] {
                tree::set_mode(&at(path), mode).unwrap();
            }
            symlink(at("outside"), at("a/link")).unwrap();
            symlink(at("a"), at("way")).unwrap();
            change(&at("way"), reach, Change::Mode(0o750)).unwrap();
            assert_eq!(["a", "a/b", "a/f", "a/b/c"].map(|path| mode(&at(path))), expect, "{reach:?}");
            assert_eq!(mode(&at("outside")), 0o644, "{reach:?}");
        }
    }

    #[test]
    fn a_folder_that_is_closed_afterwards_is_changed_last() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("a/b")).unwrap();
        change(&folder.path().join("a"), Reach::Everything, Change::Mode(0)).unwrap();
        assert_eq!(mode(&folder.path().join("a")), 0);
        tree::set_mode(&folder.path().join("a"), 0o700).unwrap();
    }

    /// Another process replaces a file by a link, again and again; the target of the link keeps its mode and group.
    #[test]
    fn a_link_that_is_swapped_in_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        fs::create_dir_all(at("tree/below")).unwrap();
        fs::write(at("precious"), "").unwrap();
        tree::set_mode(&at("precious"), 0o600).unwrap();
        symlink(at("precious"), at("bait")).unwrap();
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    fs::write(at("new"), "").unwrap();
                    fs::rename(at("new"), at("tree/below/file")).unwrap();
                    symlink(at("precious"), at("link")).unwrap();
                    fs::rename(at("link"), at("tree/below/file")).unwrap();
                }
            });
            for _ in 0..3_000 {
                change(&at("tree"), Reach::Everything, Change::Mode(0o777)).unwrap();
            }
            done.store(true, Ordering::Relaxed);
        });
        assert_eq!(mode(&at("precious")), 0o600);
    }
}
