//! Reads and writes files safely: with limits on size, checked encoding, and protection against power cuts.
//!
//! Must not depend on formats. `deletion` deletes, which needs more care; `presence` checks whether something exists.

pub(crate) use std::fs::File;
use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use super::account::{self, Writer};
use super::environment::random_name;
use super::fault::failing_point;
use super::found::{self, Found, Verdict, cannot_read, verdict};
use super::{looks, ownership, watch};
use crate::error::{Error, ErrorCode, Location, SourceText, Span};

/// Reads a whole text of at most `limit` bytes.
/// H0110 when it may not be read or is larger, H0113 when the machine fails, H0112 (at the first bad byte) when it is
/// not UTF-8.
pub(crate) fn read_text(path: &Path, limit: u64) -> Result<String, Error> {
    let read = failing_point("read-text").and_then(|()| read_start(path, limit.saturating_add(1)));
    let bytes = read.map_err(|error| cannot_read(path, &error))?;
    if bytes.len() as u64 > limit {
        let why = format!("it is larger than {limit} bytes");
        return Err(Error::with(ErrorCode::H0110, &[&path.display(), &why]));
    }
    decode(&path.display().to_string(), bytes)
}

/// Decodes bytes that must be UTF-8; `name` is the name to show to the user.
/// H0112, at the first bad byte.
pub(crate) fn decode(name: &str, bytes: Vec<u8>) -> Result<String, Error> {
    String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        // A byte order mark, or a zero in every other byte, indicates another encoding.
        let from = if error.as_bytes().contains(&0) { "utf-16" } else { "latin1" };
        // For such a text no place can be shown.
        let text = if from == "utf-16" { "".into() } else { String::from_utf8_lossy(error.as_bytes()) };
        let source = SourceText::of_file(name, text);
        Error::with(ErrorCode::H0112, &[&name, &"UTF-8"])
            .at(Location::new(&source, Span::new(good, good + char::REPLACEMENT_CHARACTER.len_utf8())))
            .help(format!("convert the file: iconv -f {from} -t utf-8"))
    })
}

/// Reads the first `limit` bytes of a regular file, or fewer if it is shorter. Refuses any other kind, so that a pipe
/// or a device does not block the caller.
pub(crate) fn read_start(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let (file, length) = open_with_length(path, OFlags::NONBLOCK)?;
    read_up_to(file, length, limit)
}

/// As [`read_start`], for a file in a folder of another user: also refuses links, so that the caller does not read
/// other files and is not blocked.
pub(crate) fn read_start_of_plain(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    start_of(open_output(path)?, limit)
}

/// Opens a regular file that is no link, without blocking.
pub(crate) fn open_plain(path: &Path) -> io::Result<File> {
    open_if_regular(path, PLAIN)
}

/// Opens a regular file that is no link and that its folder's owner or this process has written: root shows no other
/// user's file under such a name, even by a hard link.
fn open_output(path: &Path) -> io::Result<File> {
    let file = open_plain(path)?;
    let folder = path.parent().unwrap_or(Path::new("/"));
    if account::has_written(Writer::Either, &file, folder)? {
        return Ok(file);
    }
    Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is another user's"))
}

/// Opens a regular file, links followed, without blocking for the writer of a pipe.
pub(crate) fn open_regular(path: &Path) -> io::Result<File> {
    open_if_regular(path, OFlags::NONBLOCK)
}

/// How howdah opens its own files: without following a link, and without blocking.
pub(super) const PLAIN: OFlags = OFlags::NOFOLLOW.union(OFlags::NONBLOCK);

/// Converts flags to the type of the standard library.
pub(super) fn flags(flags: OFlags) -> i32 {
    i32::try_from(flags.bits()).expect("the flags of an open call are small numbers")
}

fn open_if_regular(path: &Path, how: OFlags) -> io::Result<File> {
    open_with_length(path, how).map(|(file, _)| file)
}

/// Opens a regular file; returns its present length, too.
fn open_with_length(path: &Path, how: OFlags) -> io::Result<(File, u64)> {
    let open = || -> io::Result<(File, fs::Metadata)> {
        let file = OpenOptions::new().read(true).custom_flags(flags(how)).open(path)?;
        let metadata = file.metadata()?;
        Ok((file, metadata))
    };
    let (file, metadata) = watch::look(path, open)?;
    if metadata.is_file() { Ok((file, metadata.len())) } else { Err(io::Error::other("it is no regular file")) }
}

/// The bytes that one call reads: even a slow server must send them within the time limit.
const LONGEST_READ: u64 = 1024 * 1024;

/// Reads the first `limit` bytes of an open file, or fewer if it is shorter.
pub(crate) fn start_of(file: File, limit: u64) -> io::Result<Vec<u8>> {
    let length = watch::look_into(file.as_raw_fd(), || file.metadata()).map_or(0, |metadata| metadata.len());
    read_up_to(file, length, limit)
}

/// Reads the first `limit` bytes of an open file, or fewer if it is shorter; `length` is its probable length.
fn read_up_to(mut file: File, length: u64, limit: u64) -> io::Result<Vec<u8>> {
    // Room for the length and one byte more: a call that leaves this byte free has met the end of a usual file.
    let room = length.saturating_add(1).min(limit).min(LONGEST_READ);
    let mut bytes = vec![0; usize::try_from(room).unwrap_or(0)];
    let first = match watch::look_into(file.as_raw_fd(), || file.read(&mut bytes)) {
        Err(error) if error.kind() == io::ErrorKind::Interrupted => 0,
        read => read?,
    };
    bytes.truncate(first);
    if first > 0 && first as u64 == length && length < room {
        return Ok(bytes);
    }
    loop {
        let most = limit.saturating_sub(bytes.len() as u64).min(LONGEST_READ);
        let read = watch::look_into(file.as_raw_fd(), || Read::by_ref(&mut file).take(most).read_to_end(&mut bytes))?;
        if (read as u64) < LONGEST_READ {
            return Ok(bytes);
        }
    }
}

/// Reads standard input to its end; H0110 when it cannot be read or is larger than `limit` bytes.
pub(crate) fn read_standard_input(limit: u64) -> Result<Vec<u8>, Error> {
    let refuse = |why: &dyn std::fmt::Display| Error::with(ErrorCode::H0110, &[&"standard input", why]);
    let mut bytes = Vec::new();
    let read = io::stdin().lock().take(limit.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|error| refuse(&error))?;
    if bytes.len() as u64 > limit {
        return Err(refuse(&format!("it is larger than {limit} bytes")));
    }
    Ok(bytes)
}

/// Reads at most `limit` bytes of a regular file from `offset`; empty at the end, and when the file does not exist yet.
pub(crate) fn read_from(path: &Path, offset: u64, limit: usize) -> io::Result<Vec<u8>> {
    match open_output(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        file => read_piece(&file?, offset, limit),
    }
}

/// Reads at most the last `limit` bytes of a regular file.
pub(crate) fn read_end(path: &Path, limit: usize) -> io::Result<Vec<u8>> {
    end_of(&open_output(path)?, limit)
}

/// Reads the last `limit` bytes of an open file, or fewer if it is shorter.
pub(crate) fn end_of(file: &File, limit: usize) -> io::Result<Vec<u8>> {
    let length = watch::look_into(file.as_raw_fd(), || file.metadata())?.len();
    read_piece(file, length.saturating_sub(limit as u64), limit)
}

/// The bytes that are searched together for line ends.
const PIECE: usize = 64 * 1024;

/// The offset in bytes of the last `lines` lines of a regular file; 0 when it has fewer, and when the file does not
/// exist yet. Text after the last line end is a line. Reads from the end, and no more than necessary.
pub(crate) fn start_of_last_lines(path: &Path, lines: u64) -> io::Result<u64> {
    let file = match open_output(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        file => file?,
    };
    let length = file.metadata()?.len();
    if lines == 0 {
        return Ok(length);
    }
    let (mut end, mut left) = (length, lines);
    while end > 0 {
        let start = end.saturating_sub(PIECE as u64);
        let piece = read_piece(&file, start, usize::try_from(end - start).unwrap_or(PIECE))?;
        for place in piece.iter().enumerate().rev().filter(|(_, byte)| **byte == b'\n').map(|(place, _)| place) {
            let behind = start + place as u64 + 1;
            // The last line end closes the last line; every earlier one starts the line after it.
            left -= u64::from(behind < length);
            if left == 0 {
                return Ok(behind);
            }
        }
        end = start;
    }
    Ok(0)
}

fn read_piece(file: &File, offset: u64, limit: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; limit];
    let read = watch::look_into(file.as_raw_fd(), || file.read_at(&mut bytes, offset))?;
    bytes.truncate(read);
    Ok(bytes)
}

/// The entries of a folder in the order of their names; empty when there is no such folder.
pub(crate) fn list(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    Ok(list_entries(folder)?.into_iter().map(|(path, _)| path).collect())
}

/// As [`list`], with the kind of each entry. The folder itself contains the kinds, so only links are queried.
pub(crate) fn list_entries(folder: &Path) -> Result<Vec<(PathBuf, Entry)>, Error> {
    let refuse = |error: io::Error| cannot_read(folder, &error);
    let entries = match failing_point("list").and_then(|()| looks::read_dir(folder)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(refuse)?,
    };
    let listed = |listed: io::Result<(fs::DirEntry, io::Result<fs::FileType>)>| {
        let (listed, kind) = listed.map_err(refuse)?;
        let path = listed.path();
        let entry = match kind {
            Ok(kind) if kind.is_dir() => Entry::Folder,
            Ok(kind) if kind.is_file() => Entry::File,
            Ok(kind) if kind.is_symlink() => match found::metadata(&path).known()? {
                Some(metadata) if metadata.is_file() => Entry::File,
                Some(_) | None => Entry::Other,
            },
            Ok(_) | Err(_) => Entry::Other,
        };
        Ok((path, entry))
    };
    let mut entries = entries.map(listed).collect::<Result<Vec<_>, Error>>()?;
    entries.sort_unstable_by(|(one, _), (other, _)| one.file_name().cmp(&other.file_name()));
    Ok(entries)
}

/// Makes a path absolute; a relative one starts in the current folder. Follows no links, and the path need not exist;
/// fails for an empty path, and where there is no current folder.
pub(crate) fn absolute(path: &Path) -> io::Result<PathBuf> {
    std::path::absolute(path)
}

/// Resolves every link in the path; returns it unchanged where that is not possible.
pub(crate) fn resolved(path: &Path) -> PathBuf {
    looks::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// The kind of what is at `path`, links followed; `None` when the system says that nothing exists. H0110 when it may
/// not be queried, H0113 when the machine cannot say.
pub(crate) fn look(path: &Path) -> Result<Option<Entry>, Error> {
    match looks::metadata(path) {
        Ok(found) if found.is_dir() => Ok(Some(Entry::Folder)),
        Ok(found) if found.is_file() => Ok(Some(Entry::File)),
        Ok(_) => Ok(Some(Entry::Other)),
        Err(error) if verdict(&error) == Verdict::Absent => Ok(None),
        Err(error) => Err(cannot_read(path, &error)),
    }
}

/// Looks for a folder, or a link to one; anything else counts as absent.
pub(crate) fn find_folder(path: &Path) -> Found<()> {
    match found::metadata(path) {
        Found::Present(metadata) if !metadata.is_dir() => Found::Absent,
        found => found.map(drop),
    }
}

/// Looks for anything at `path`, links followed.
pub(crate) fn find(path: &Path) -> Found<()> {
    found::metadata(path).map(drop)
}

/// Creates one of howdah's own folders with its parents.
pub(crate) fn make_folders(path: &Path) -> io::Result<()> {
    super::tree::create_folders(path)
}

/// Creates the symbolic link `link` to `target` in one of howdah's own folders; replaces an older link.
pub(crate) fn link(target: &Path, link: &Path) -> io::Result<()> {
    super::tree::link(target, link)
}

/// Whether `path` is a folder, or a link to one; errors as [`look`].
pub(crate) fn is_folder(path: &Path) -> Result<bool, Error> {
    Ok(look(path)? == Some(Entry::Folder))
}

/// Creates a folder and its parents, with the user's default permissions; H0111 when that fails.
pub(crate) fn create_folder(path: &Path) -> Result<(), Error> {
    make_folders(path).map_err(|error| Error::with(ErrorCode::H0111, &[&path.display(), &error]))
}

/// Creates a folder and its parents with access for their owner only; H0111 when that fails.
pub(crate) fn create_private_folder(path: &Path) -> Result<(), Error> {
    make_private_folder(path).map_err(|error| cannot_write(path, &error))
}

/// As [`create_private_folder`], with the system's own error.
pub(crate) fn make_private_folder(path: &Path) -> io::Result<()> {
    super::tree::create_folders_with(path, 0o700)
}

/// Removes a folder that this process has created, with its content; links in it are not followed. A missing folder is
/// no failure.
pub(crate) fn remove_made_folder(path: &Path) -> io::Result<()> {
    fs::remove_dir_all(path).or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) })
}

/// The kind of an entry of a folder, or of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    /// A folder, not a link to one.
    Folder,
    /// A regular file, or a link to one.
    File,
    /// Anything else: pipes, devices, links to folders or to nothing.
    Other,
}

/// Replaces a file as a whole and durably: readers, and a power cut, find the old content or the new. H0111, H0103.
pub(crate) fn write_atomically(path: &Path, content: &[u8]) -> Result<(), Error> {
    replace(path, content).map_err(|error| cannot_write(path, &error))
}

/// As [`write_atomically`], with the system's own error.
pub(crate) fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let temporary = Temporary::write(path, content)?;
    let written = temporary.file.sync_all().and_then(|()| {
        super::fault::fault_point("after-temporary");
        fs::rename(&temporary.path, path)
    });
    written.and_then(|()| sync_parent(path)).inspect_err(|_| temporary.discard())
}

/// Writes a file that nothing relies on before this returns: readers see it only as a whole, but a power cut before the
/// return may leave it empty. It waits for the disk once, [`write_atomically`] twice. H0111, H0103.
pub(crate) fn write_lasting(path: &Path, content: &[u8]) -> Result<(), Error> {
    let temporary = Temporary::write(path, content).map_err(|error| cannot_write(path, &error))?;
    super::fault::fault_point("after-temporary");
    let moved =
        fs::rename(&temporary.path, path).and_then(|()| temporary.file.sync_all()).and_then(|()| sync_parent(path));
    moved.inspect_err(|_| temporary.discard()).map_err(|error| cannot_write(path, &error))
}

/// Writes a file with the user's default permissions. H0111.
pub(crate) fn write(path: &Path, content: &[u8]) -> Result<(), Error> {
    fs::write(path, content).map_err(|error| cannot_write(path, &error))
}

/// Writes a new file with the user's default permissions; never through a link. H0111, H0103.
pub(crate) fn write_new(path: &Path, content: &[u8]) -> Result<(), Error> {
    add(path, content).map_err(|error| cannot_write(path, &error))
}

/// As [`write_new`], with the system's own error.
pub(crate) fn add(path: &Path, content: &[u8]) -> io::Result<()> {
    OpenOptions::new().write(true).create_new(true).open(path)?.write_all(content)
}

/// Creates a file with its whole content durably, if no file of that name exists; `false` when one does.
///
/// The content is complete from the first instant, because a finished file is linked to the name: the link fails like
/// an exclusive creation when the name exists, but the file is never seen without content. Only a power cut before this
/// returns may leave it empty. When the file cannot be made durable, it is removed again. H0111, H0103.
pub(crate) fn create_exclusively(path: &Path, content: &[u8]) -> Result<bool, Error> {
    let temporary = Temporary::write(path, content).map_err(|error| cannot_write(path, &error))?;
    let linked = match fs::hard_link(&temporary.path, path) {
        Ok(()) => {
            let lasting = temporary.file.sync_all().and_then(|()| sync_parent(path));
            lasting.map(|()| true).inspect_err(|_| drop(fs::remove_file(path)))
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    };
    let _ = fs::remove_file(&temporary.path);
    linked.map_err(|error| cannot_write(path, &error))
}

/// Opens a regular file for appending and creates it with access for its owner only; follows no link, and root uses no
/// other user's file. H0111.
pub(crate) fn open_to_append(path: &Path) -> Result<File, Error> {
    append(path).map_err(|error| cannot_write(path, &error))
}

/// As [`open_to_append`], with the system's own error.
pub(crate) fn append(path: &Path) -> io::Result<File> {
    let opened = OpenOptions::new().append(true).create(true).mode(0o600).custom_flags(flags(PLAIN)).open(path)?;
    ownership::check_open(&opened).map(|()| opened)
}

/// Opens a file for reading.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    watch::look(path, || File::open(path))
}

/// Creates a file, or empties an existing one, with the user's default permissions.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    File::create(path)
}

/// Removes a file that this process has created.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    fs::remove_file(path)
}

/// Makes the entry of `path` in its folder durable.
pub(crate) fn sync_parent(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => File::open(folder)?.sync_all(),
        _ => File::open(".")?.sync_all(),
    }
}

/// A finished file beside the file that it will replace.
struct Temporary {
    path: PathBuf,
    file: File,
}

impl Temporary {
    /// Writes `content` to a new file beside `path`, under a name that the folder's owner cannot guess.
    fn write(path: &Path, content: &[u8]) -> io::Result<Self> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let temporary = path.with_file_name(format!(".{name}.{}.tmp", random_name()?));
        let mut temporary = Self { file: create_new(&temporary)?, path: temporary };
        let written = temporary.file.write_all(content);
        written.inspect_err(|_| temporary.discard()).map(|()| temporary)
    }

    /// Removes the file, because it was not used.
    fn discard(&self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Creates a file with access for its owner only. Fails if anything exists at `path`, including a link: the folder may
/// belong to another user.
fn create_new(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

/// Whether nothing more can be written beside `path`: no blocks are left, or no more files can be created. `false` when
/// unknown, as on file systems without a size.
pub(crate) fn has_full_disk(path: &Path) -> bool {
    let full = |system: rustix::fs::StatVfs| {
        system.f_blocks > 0 && system.f_bavail == 0 || system.f_files > 0 && system.f_favail == 0
    };
    rustix::fs::statvfs(path).is_ok_and(full)
}

/// H0103 when there is no space to write `path`, else H0111.
pub(crate) fn cannot_write(path: &Path, error: &io::Error) -> Error {
    let refused = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Error::new(ErrorCode::H0103, path.display()).help(
            "make room on its file system; where `df` shows free blocks, `df -i` shows how many more files it takes",
        ),
        io::ErrorKind::FileTooLarge => Error::new(ErrorCode::H0103, path.display())
            .help("a limit on the size of files was reached: raise it (`ulimit -f`), or make the file smaller"),
        _ => Error::with(ErrorCode::H0111, &[&path.display(), error]),
    };
    refused.passing(found::may_pass(error))
}

#[cfg(test)]
mod tests;
