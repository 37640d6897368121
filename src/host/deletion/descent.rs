//! Deleting from folders that are held open.
//!
//! A folder is reached step by step from the root, each step from the descriptor of the one before, and no step follows a
//! link; what is deleted is named in an open folder. So whoever exchanges a folder above for a link meanwhile leads nobody
//! elsewhere. Decides nothing about what may be deleted, except that another file system is never entered.

use std::ffi::{CString, OsStr};
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat, fstat, open, openat, statat, unlinkat};
use rustix::io::Errno;

use super::What;

/// How a folder on the way is opened: where the system can, with no more rights than to pass through it.
#[cfg(target_os = "linux")]
const PASS: OFlags = OFlags::PATH.union(FOLDER);
#[cfg(not(target_os = "linux"))]
const PASS: OFlags = OFlags::RDONLY.union(FOLDER);
/// A folder itself, and not what a link of that name leads to.
const FOLDER: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Most folders one in another that are deleted; each is held open.
const DEEPEST: usize = 256;

/// Opens a folder of which the absolute path has neither links nor `..`.
pub(super) fn open_folder(path: &Path) -> io::Result<OwnedFd> {
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

/// What stands in a folder under a name; a link is not followed.
pub(super) fn kind(folder: &OwnedFd, name: &OsStr) -> io::Result<What> {
    let stat = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
    Ok(match FileType::from_raw_mode(stat.st_mode) {
        FileType::Directory => What::Folder,
        FileType::Symlink => What::Link,
        _ => What::File,
    })
}

/// What is done with what is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Deed {
    /// It is deleted.
    Delete,
    /// Only its size is told.
    Measure,
}

/// Deletes a file, a link or a folder with all it holds, or only measures it; the bytes of the disk that it occupies.
pub(super) fn remove(folder: &OwnedFd, name: &OsStr, what: What, deed: Deed) -> io::Result<u64> {
    match what {
        What::Folder => remove_tree(folder.as_fd(), CString::new(name.as_bytes())?, deed),
        What::File | What::Link => {
            let occupied = occupied(&statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?);
            if deed == Deed::Delete {
                unlinkat(folder, name, AtFlags::empty())?;
            }
            Ok(occupied)
        }
    }
}

/// When what stands in a folder under a name was last changed, in seconds of UTC.
pub(super) fn modified_at(folder: &OwnedFd, name: &OsStr) -> io::Result<i64> {
    // The type of the field is not the same on every system.
    #[allow(clippy::useless_conversion, clippy::unnecessary_cast)]
    Ok(statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?.st_mtime as i64)
}

/// The bytes of the disk that a file occupies; none for one that has another name as well.
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
    fn open(above: BorrowedFd<'_>, name: CString) -> rustix::io::Result<Self> {
        let folder = openat(above, &name, OFlags::RDONLY | FOLDER, Mode::empty())?;
        Ok(Self { name, entries: Dir::new(folder)? })
    }

    fn stat(&self) -> rustix::io::Result<Stat> {
        fstat(self.entries.fd()?)
    }

    /// Deletes or measures the next entry that is no folder, or answers one that is; `Over` when nothing is left.
    fn next(&mut self, deed: Deed) -> rustix::io::Result<Step> {
        let Some(entry) = self.entries.read().transpose()? else { return Ok(Step::Over) };
        let name = entry.file_name();
        if name == c"." || name == c".." {
            return Ok(Step::On(0));
        }
        let folder = self.entries.fd()?;
        let Some(stat) = unless_gone(statat(folder, name, AtFlags::SYMLINK_NOFOLLOW))? else { return Ok(Step::On(0)) };
        if FileType::from_raw_mode(stat.st_mode) == FileType::Directory {
            return Ok(unless_gone(Self::open(folder, name.to_owned()))?.map_or(Step::On(0), Step::Into));
        }
        if deed == Deed::Delete {
            unless_gone(unlinkat(folder, name, AtFlags::empty()))?;
        }
        Ok(Step::On(occupied(&stat)))
    }
}

/// What comes next in a folder that is being emptied.
enum Step {
    /// The next entry, after one that occupied so many bytes.
    On(u64),
    /// A folder in it.
    Into(Level),
    /// Nothing: it is empty.
    Over,
}

fn remove_tree(above: BorrowedFd<'_>, name: CString, deed: Deed) -> io::Result<u64> {
    let mut levels = vec![Level::open(above, name)?];
    let first = levels[0].stat()?;
    let (device, mut bytes) = (first.st_dev, occupied(&first));
    while let Some(level) = levels.last_mut() {
        match level.next(deed)? {
            Step::On(occupied) => bytes += occupied,
            Step::Into(below) if below.stat()?.st_dev != device => {
                let name = below.name.to_string_lossy();
                return Err(io::Error::other(format!("another file system is mounted in it, at a folder [{name}]")));
            }
            Step::Into(_) if levels.len() == DEEPEST => {
                return Err(io::Error::other(format!("more than {DEEPEST} folders stand one in another")));
            }
            Step::Into(below) => {
                bytes += occupied(&below.stat()?);
                levels.push(below);
            }
            Step::Over => {
                let Some(Level { name, .. }) = levels.pop() else { break };
                let folder = levels.last().map_or(Ok(above), |level| level.entries.fd())?;
                if deed == Deed::Delete {
                    unless_gone(unlinkat(folder, &name, AtFlags::REMOVEDIR))?;
                }
            }
        }
    }
    Ok(bytes)
}

/// What somebody else deleted meanwhile needs no deletion.
fn unless_gone<T>(done: rustix::io::Result<T>) -> rustix::io::Result<Option<T>> {
    match done {
        Err(Errno::NOENT) => Ok(None),
        done => done.map(Some),
    }
}
