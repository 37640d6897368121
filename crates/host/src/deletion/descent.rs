//! Deletes from folders that are held open.
//!
//! A folder is reached step by step from the root, each step from the descriptor of the one before, and no step follows
//! a link; what is deleted is named relative to an open folder. So a process that replaces a folder above by a link
//! cannot redirect the deletion. Decides nothing about what may be deleted, except that another file system is never
//! entered.

use std::ffi::{CStr, CString, OsStr};
use std::io;
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path};

use rustix::fs::{AtFlags, Dev, Dir, FileType, Mode, OFlags, Stat, open};
use rustix::io::Errno;
use rustix::path::Arg;

use crate::account;
use crate::acting;
use crate::tree::change;
use crate::user_table;
use crate::watch;
use howdah_words::error::Error;

/// How to open a folder of the path: where the system can, with no more rights than to pass through it.
#[cfg(target_os = "linux")]
const PASS: OFlags = OFlags::PATH.union(FOLDER);
#[cfg(not(target_os = "linux"))]
const PASS: OFlags = OFlags::RDONLY.union(FOLDER);
/// The folder itself, not the target of a link of that name.
const FOLDER: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// The deepest nesting of folders that are deleted; each is held open.
const DEEPEST: usize = 256;

/// Opens a folder whose absolute path contains neither links nor `..`.
pub(super) fn open_folder(path: &Path) -> io::Result<OwnedFd> {
    watch::look(path, || open_steps(path))
}

fn open_steps(path: &Path) -> io::Result<OwnedFd> {
    let mut folder = open("/", PASS, Mode::empty())?;
    for step in path.components() {
        match step {
            Component::RootDir => {}
            Component::Normal(name) => folder = openat(&folder, name, PASS, Mode::empty())?,
            _ => return Err(io::ErrorKind::InvalidInput.into()),
        }
    }
    Ok(folder)
}

// System calls, each with the time limit of `watch`.

fn openat(folder: impl AsFd, name: impl Arg, flags: OFlags, mode: Mode) -> rustix::io::Result<OwnedFd> {
    let folder = folder.as_fd();
    watch::look_into(folder.as_raw_fd(), || rustix::fs::openat(folder, name, flags, mode))
}

fn statat(folder: impl AsFd, name: impl Arg, flags: AtFlags) -> rustix::io::Result<Stat> {
    let folder = folder.as_fd();
    watch::look_into(folder.as_raw_fd(), || rustix::fs::statat(folder, name, flags))
}

fn fstat(folder: impl AsFd) -> rustix::io::Result<Stat> {
    let folder = folder.as_fd();
    watch::look_into(folder.as_raw_fd(), || rustix::fs::fstat(folder))
}

fn unlinkat(folder: impl AsFd, name: impl Arg, flags: AtFlags) -> rustix::io::Result<()> {
    let folder = folder.as_fd();
    watch::look_into(folder.as_raw_fd(), || rustix::fs::unlinkat(folder, name, flags))
}

/// The kind of an entry of a folder; a link is not followed.
pub(super) fn kind(folder: &OwnedFd, name: &OsStr) -> io::Result<What> {
    let stat = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
    Ok(match FileType::from_raw_mode(stat.st_mode) {
        FileType::Directory => What::Folder,
        FileType::Symlink => What::Link,
        _ => What::File,
    })
}

/// The operation on each entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Deed {
    /// Deletes it.
    Delete,
    /// Deletes it from one of howdah's own folders. Where this process is root's, files of another user are deleted
    /// with that user's rights, and a folder that its owner made inaccessible is opened.
    Clear,
    /// Only reports its size.
    Measure,
}

/// Deletes a file, a link or a folder with its content, or only measures it; returns the bytes of the disk that it
/// occupies.
pub(super) fn remove(folder: &OwnedFd, name: &OsStr, what: What, deed: Deed) -> io::Result<u64> {
    match what {
        What::Folder => {
            let (name, stat) = (CString::new(name.as_bytes())?, statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?);
            if deed == Deed::Clear && is_anothers(&stat) {
                let bytes = occupied(&stat) + empty_as_owner(folder.as_fd(), &name, &stat)?;
                unlinkat(folder, &name, AtFlags::REMOVEDIR)?;
                return Ok(bytes);
            }
            remove_tree(folder.as_fd(), &name, deed)
        }
        What::File | What::Link => {
            let occupied = occupied(&statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?);
            if deed != Deed::Measure {
                unlinkat(folder, name, AtFlags::empty())?;
            }
            Ok(occupied)
        }
    }
}

/// When an entry of a folder was last changed, in seconds of UTC.
pub(super) fn modified_at(folder: &OwnedFd, name: &OsStr) -> io::Result<i64> {
    // The type of the field is not the same on every system.
    #[allow(clippy::useless_conversion, clippy::unnecessary_cast)]
    Ok(statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?.st_mtime as i64)
}

/// The bytes of the disk that a file occupies; 0 for a file with other hard links.
fn occupied(stat: &Stat) -> u64 {
    if stat.st_nlink > 1 && FileType::from_raw_mode(stat.st_mode) != FileType::Directory {
        return 0;
    }
    u64::try_from(stat.st_blocks).unwrap_or_default() * 512
}

/// A folder that is being emptied.
struct Level {
    /// Its name in the folder above.
    name: CString,
    entries: Dir,
}

impl Level {
    fn open(above: BorrowedFd<'_>, name: CString, deed: Deed) -> rustix::io::Result<Self> {
        let folder = match openat(above, &name, OFlags::RDONLY | FOLDER, Mode::empty()) {
            Err(Errno::ACCESS) if deed == Deed::Clear => {
                unlock(&openat(above, &name, PASS, Mode::empty())?)?;
                openat(above, &name, OFlags::RDONLY | FOLDER, Mode::empty())?
            }
            folder => folder?,
        };
        if deed == Deed::Clear {
            unlock(&folder)?;
        }
        Self::of(name, folder)
    }

    fn of(name: CString, folder: OwnedFd) -> rustix::io::Result<Self> {
        Ok(Self { name, entries: Dir::new(folder)? })
    }

    /// Deletes or measures everything in it; returns the bytes of the disk that this occupied.
    fn empty(self, deed: Deed, device: Dev) -> io::Result<u64> {
        let mut levels = vec![self];
        let mut bytes = 0;
        loop {
            let deepest = levels.len() == DEEPEST;
            let Some(level) = levels.last_mut() else { return Ok(bytes) };
            match level.next(deed)? {
                Step::On(occupied) => bytes += occupied,
                Step::Into(below) if below.stat()?.st_dev != device => return Err(another_file_system(&below.name)),
                Step::Hand(name, stat) if stat.st_dev != device => return Err(another_file_system(&name)),
                Step::Into(_) if deepest => {
                    return Err(io::Error::other(format!("folders are nested more than {DEEPEST} deep")));
                }
                Step::Into(below) => {
                    bytes += occupied(&below.stat()?);
                    levels.push(below);
                }
                Step::Hand(name, stat) => {
                    let folder = level.entries.fd()?;
                    bytes += occupied(&stat) + empty_as_owner(folder, &name, &stat)?;
                    unless_gone(unlinkat(folder, &name, AtFlags::REMOVEDIR))?;
                }
                Step::Over => {
                    let emptied = levels.pop();
                    if let (Some(above), Some(Level { name, .. }), true) =
                        (levels.last(), emptied, deed != Deed::Measure)
                    {
                        unless_gone(unlinkat(above.entries.fd()?, &name, AtFlags::REMOVEDIR))?;
                    }
                }
            }
        }
    }

    fn stat(&self) -> rustix::io::Result<Stat> {
        fstat(self.entries.fd()?)
    }

    /// Deletes or measures the next entry that is no folder, or returns one that is; `Over` when there are no more
    /// entries.
    fn next(&mut self, deed: Deed) -> rustix::io::Result<Step> {
        let descriptor = self.entries.fd()?.as_raw_fd();
        let entry = watch::look_into(descriptor, || self.entries.read());
        let Some(entry) = entry.transpose()? else { return Ok(Step::Over) };
        let name = entry.file_name();
        if name == c"." || name == c".." {
            return Ok(Step::On(0));
        }
        let folder = self.entries.fd()?;
        let Some(stat) = unless_gone(statat(folder, name, AtFlags::SYMLINK_NOFOLLOW))? else { return Ok(Step::On(0)) };
        if FileType::from_raw_mode(stat.st_mode) == FileType::Directory {
            if deed == Deed::Clear && is_anothers(&stat) {
                return Ok(Step::Hand(name.to_owned(), stat));
            }
            return Ok(unless_gone(Self::open(folder, name.to_owned(), deed))?.map_or(Step::On(0), Step::Into));
        }
        if deed != Deed::Measure {
            unless_gone(unlinkat(folder, name, AtFlags::empty()))?;
        }
        Ok(Step::On(occupied(&stat)))
    }
}

/// The next step in a folder that is being emptied.
enum Step {
    /// Continue after an entry that occupied this many bytes.
    On(u64),
    /// Enter a folder in it.
    Into(Level),
    /// Empty a folder in it that belongs to another user.
    Hand(CString, Stat),
    /// Stop: it is empty.
    Over,
}

/// Whether this process is root's and found an entry of another user. A process with a user's rights has no other
/// choice.
fn is_anothers(stat: &Stat) -> bool {
    account::effective_uid() == 0 && stat.st_uid != 0
}

/// Empties a folder in `above` with the rights of its owner: howdah does not delete what the owner could not. The
/// folder is opened first, so that it is the one that was checked.
fn empty_as_owner(above: BorrowedFd<'_>, name: &CStr, stat: &Stat) -> io::Result<u64> {
    let folder = openat(above, name, OFlags::RDONLY | FOLDER, Mode::empty())?;
    let found = fstat(&folder)?;
    if (found.st_uid, found.st_ino, found.st_dev) != (stat.st_uid, stat.st_ino, stat.st_dev) {
        return Err(io::Error::other(format!("another process replaced the folder [{}]", name.to_string_lossy())));
    }
    let told = |refused: Error| {
        let kind = if refused.may_pass() { io::ErrorKind::WouldBlock } else { io::ErrorKind::Other };
        io::Error::new(kind, refused.message().to_owned())
    };
    let owner = user_table::owner(stat.st_uid, stat.st_gid).map_err(told)?;
    let empty = || {
        unlock(&folder)?;
        Level::of(name.to_owned(), folder)?.empty(Deed::Clear, found.st_dev)
    };
    acting::act_as(&owner, empty).map_err(told)?
}

/// Restores the rights of a folder's owner that are needed to empty it; a folder of another user stays unchanged.
fn unlock(folder: &OwnedFd) -> rustix::io::Result<()> {
    let stat = fstat(folder)?;
    let mode = Mode::from_raw_mode(stat.st_mode);
    if stat.st_uid == account::effective_uid() && !mode.contains(Mode::RWXU) {
        change::set_mode(folder, mode | Mode::RWXU)
            .map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::ACCESS))?;
    }
    Ok(())
}

fn remove_tree(above: BorrowedFd<'_>, name: &CStr, deed: Deed) -> io::Result<u64> {
    let top = Level::open(above, name.to_owned(), deed)?;
    let stat = top.stat()?;
    let bytes = occupied(&stat) + top.empty(deed, stat.st_dev)?;
    if deed != Deed::Measure {
        unless_gone(unlinkat(above, name, AtFlags::REMOVEDIR))?;
    }
    Ok(bytes)
}

fn another_file_system(name: &CStr) -> io::Error {
    io::Error::other(format!("another file system is mounted in it, at a folder [{}]", name.to_string_lossy()))
}

/// What another process deleted meanwhile needs no deletion.
fn unless_gone<T>(done: rustix::io::Result<T>) -> rustix::io::Result<Option<T>> {
    match done {
        Err(Errno::NOENT) => Ok(None),
        done => done.map(Some),
    }
}

/// The kind of what is at a path; links are not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    File,
    Folder,
    Link,
}
