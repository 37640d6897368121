//! Writes files so that readers, and a power cut, find the old content or the new. Must not depend on formats.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::open::{PLAIN, append, flags};
use crate::environment::random_name;
use crate::fault::fault_point;
use crate::{found, ownership};
use howdah_words::error::{Error, ErrorCode};

/// The permissions of a file of its owner alone, and of one that others may use as far as the umask allows.
const OWN: u32 = 0o600;
const FOR_ALL: u32 = 0o666;

/// What a file must survive once it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lasting {
    /// The end of every process, but not of the machine: a power cut may leave the file empty or remove it. Costs no
    /// wait for the disk.
    UntilReboot,
    /// A power cut too.
    Always,
}

/// Replaces a file as a whole and durably: readers, and a power cut, find the old content or the new. H0111, H0103.
pub(crate) fn write_atomically(path: &Path, content: &[u8]) -> Result<(), Error> {
    replace(path, content, Lasting::Always).map_err(|error| cannot_write(path, &error))
}

/// Replaces a file as a whole: readers find the old content or the new. Returns the system's own error.
pub fn replace(path: &Path, content: &[u8], lasting: Lasting) -> io::Result<()> {
    replace_as(path, (content, OWN), lasting)
}

/// Replaces a file as a whole, as [`write_atomically`]; other users may read it as far as the umask allows. H0111,
/// H0103.
pub fn write_atomically_for_all(path: &Path, content: &[u8]) -> Result<(), Error> {
    replace_as(path, (content, FOR_ALL), Lasting::Always).map_err(|error| cannot_write(path, &error))
}

fn replace_as(path: &Path, (content, mode): (&[u8], u32), lasting: Lasting) -> io::Result<()> {
    let temporary = Temporary::write(path, (content, mode))?;
    rename_to(path, (&temporary.file, &temporary.path), lasting).inspect_err(|_| temporary.discard())
}

/// Gives a finished file its name.
fn rename_to(path: &Path, (file, beside): (&File, &Path), lasting: Lasting) -> io::Result<()> {
    make_lasting(file, lasting)?;
    fault_point("after-temporary");
    fs::rename(beside, path)?;
    make_entry_lasting(path, lasting)
}

/// As [`replace`], with `used` as the file beside: one that this process has written into the same folder and that
/// nothing needs any more. So no file is created and none is removed, which some file systems are slow in: ext4 without
/// a journal passes over each file that was removed lately. Until the file has its new name, `used` has its content.
/// It keeps the permissions of `used`. Another file is written where `used` is not this process's own any more, or has
/// a second name.
pub(crate) fn replace_with(used: &Path, path: &Path, content: &[u8], lasting: Lasting) -> io::Result<()> {
    let Ok((file, length)) = reopened(used) else { return replace(path, content, lasting) };
    file.write_all_at(content, 0)?;
    // Only now, and not to 0 before: ext4 writes a file that was emptied to the disk when it is closed.
    let written = content.len() as u64;
    if written < length {
        file.set_len(written)?;
    }
    rename_to(path, (&file, used), lasting)
}

/// Opens a file to write it anew, if it is a regular one with one name; with its length.
fn reopened(path: &Path) -> io::Result<(File, u64)> {
    let file = OpenOptions::new().write(true).custom_flags(flags(PLAIN)).open(path)?;
    ownership::check_open(&file)?;
    let metadata = file.metadata()?;
    if metadata.nlink() == 1 { Ok((file, metadata.len())) } else { Err(io::Error::other("it has another name")) }
}

/// Writes a file with the user's default permissions. H0111.
pub fn write(path: &Path, content: &[u8]) -> Result<(), Error> {
    fs::write(path, content).map_err(|error| cannot_write(path, &error))
}

/// Writes a new file with the user's default permissions; never through a link. H0111, H0103.
pub(crate) fn write_new(path: &Path, content: &[u8]) -> Result<(), Error> {
    add(path, content).map_err(|error| cannot_write(path, &error))
}

/// Writes a new file that its owner alone may read. Returns the system's own error.
pub(crate) fn write_own(path: &Path, content: &[u8]) -> io::Result<()> {
    create_new(path, OWN)?.write_all(content)
}

/// As [`write_new`], with the system's own error.
pub fn add(path: &Path, content: &[u8]) -> io::Result<()> {
    OpenOptions::new().write(true).create_new(true).open(path)?.write_all(content)
}

/// Creates a file with its whole content, if no file of that name exists; `false` when one does.
///
/// The content is complete from the first instant, because a finished file is linked to the name: the link fails like
/// an exclusive creation when the name exists, but the file is never seen without content. Only a power cut before this
/// returns may leave it empty. When the file cannot be made `lasting`, it is removed again. H0111, H0103.
pub fn create_exclusively(path: &Path, content: &[u8], lasting: Lasting) -> Result<bool, Error> {
    let temporary = Temporary::write(path, (content, OWN)).map_err(|error| cannot_write(path, &error))?;
    let linked = match fs::hard_link(&temporary.path, path) {
        Ok(()) => {
            let kept = make_lasting(&temporary.file, lasting).and_then(|()| make_entry_lasting(path, lasting));
            kept.map(|()| true).inspect_err(|_| drop(fs::remove_file(path)))
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    };
    let _ = fs::remove_file(&temporary.path);
    linked.map_err(|error| cannot_write(path, &error))
}

/// Opens a regular file for appending and creates it with access for its owner only; follows no link, and root uses no
/// other user's file. H0111.
pub fn open_to_append(path: &Path) -> Result<File, Error> {
    append(path).map_err(|error| cannot_write(path, &error))
}

/// Removes a file that this process has created.
pub fn remove(path: &Path) -> io::Result<()> {
    fs::remove_file(path)
}

/// Removes a folder that has no entries.
pub fn remove_empty_folder(path: &Path) -> io::Result<()> {
    fs::remove_dir(path)
}

/// Makes the entry of `path` in its folder durable.
pub fn sync_parent(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => File::open(folder)?.sync_all(),
        _ => File::open(".")?.sync_all(),
    }
}

fn make_lasting(file: &File, lasting: Lasting) -> io::Result<()> {
    match lasting {
        Lasting::UntilReboot => Ok(()),
        Lasting::Always => file.sync_all(),
    }
}

fn make_entry_lasting(path: &Path, lasting: Lasting) -> io::Result<()> {
    match lasting {
        Lasting::UntilReboot => Ok(()),
        Lasting::Always => sync_parent(path),
    }
}

/// A finished file beside the file that it will replace.
struct Temporary {
    path: PathBuf,
    file: File,
}

impl Temporary {
    /// Writes `content` to a new file beside `path`, under a name that the folder's owner cannot guess.
    fn write(path: &Path, (content, mode): (&[u8], u32)) -> io::Result<Self> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let temporary = path.with_file_name(format!(".{name}.{}.tmp", random_name()?));
        let mut temporary = Self { file: create_new(&temporary, mode)?, path: temporary };
        let written = temporary.file.write_all(content);
        written.inspect_err(|_| temporary.discard()).map(|()| temporary)
    }

    /// Removes the file, because it was not used.
    fn discard(&self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Creates a file with these permissions, less the umask. Fails if anything exists at `path`, including a link: the
/// folder may belong to another user.
pub(super) fn create_new(path: &Path, mode: u32) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(mode).open(path)
}

/// Whether nothing more can be written beside `path`: no blocks are left, or no more files can be created. `false` when
/// unknown, as on file systems without a size.
pub fn has_full_disk(path: &Path) -> bool {
    let full = |system: rustix::fs::StatVfs| {
        system.f_blocks > 0 && system.f_bavail == 0 || system.f_files > 0 && system.f_favail == 0
    };
    rustix::fs::statvfs(path).is_ok_and(full)
}

/// The space of a file system, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Space {
    /// What this user may still write.
    pub free: u64,
    pub all: u64,
}

/// Returns the space of the file system of `path`; `None` when it does not tell.
pub fn space(path: &Path) -> Option<Space> {
    let system = rustix::fs::statvfs(path).ok().filter(|system| system.f_blocks > 0)?;
    let bytes = |blocks: u64| blocks.saturating_mul(system.f_frsize);
    Some(Space { free: bytes(system.f_bavail), all: bytes(system.f_blocks) })
}

/// H0103 when there is no space to write `path`, else H0111.
pub fn cannot_write(path: &Path, error: &io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Error::new(ErrorCode::H0103, path.display()).help(
            "make room on its file system; where `df` shows free blocks, `df -i` shows how many more files it takes",
        ),
        io::ErrorKind::FileTooLarge => Error::new(ErrorCode::H0103, path.display())
            .help("a limit on the size of files was reached: raise it (`ulimit -f`), or make the file smaller"),
        _ => Error::with(ErrorCode::H0111, &[&path.display(), error]).passing(found::may_pass(error)),
    }
}
