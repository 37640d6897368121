//! Reading and writing files so that neither size, encoding nor a power cut surprises.
//!
//! Knows no format. Deleting, which needs more care, is `deletion`; whether something exists is `presence`.

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

/// The text of bytes that must be UTF-8; `name` is what the user knows them by.
/// H0112, at the first byte that is none.
pub(crate) fn decode(name: &str, bytes: Vec<u8>) -> Result<String, Error> {
    String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        // A byte order mark, or a zero in every other byte, is the mark of another encoding.
        let from = if error.as_bytes().contains(&0) { "utf-16" } else { "latin1" };
        // Of such a text only its start is a place, and there is nothing that could be shown.
        let text = if from == "utf-16" { "".into() } else { String::from_utf8_lossy(error.as_bytes()) };
        let source = SourceText::of_file(name, text);
        Error::with(ErrorCode::H0112, &[&name, &"UTF-8"])
            .at(Location::new(&source, Span::new(good, good + char::REPLACEMENT_CHARACTER.len_utf8())))
            .help(format!("convert the file: iconv -f {from} -t utf-8"))
    })
}

/// Reads the first `limit` bytes of a regular file, or fewer if it is shorter; what is none is refused, so that no pipe
/// and no device keeps anybody waiting.
pub(crate) fn read_start(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    start_of(open_regular(path)?, limit)
}

/// As [`read_start`], of a file in a folder that belongs to somebody else: links and what is no file are refused, so
/// that nobody is led to other files or kept waiting.
pub(crate) fn read_start_of_plain(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    start_of(open_output(path)?, limit)
}

/// Opens a regular file that is no link, without waiting for anybody.
pub(crate) fn open_plain(path: &Path) -> io::Result<File> {
    open_if_regular(path, PLAIN)
}

/// Opens a regular file that is no link and that its folder's owner or this process has written: root shows nobody
/// else's under such a name, also not by a second name of the file.
fn open_output(path: &Path) -> io::Result<File> {
    let file = open_plain(path)?;
    let folder = path.parent().unwrap_or(Path::new("/"));
    if account::has_written(Writer::Either, &file, folder)? {
        return Ok(file);
    }
    Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is another user's"))
}

/// Opens a regular file, links followed, without waiting for anybody who would write into a pipe.
pub(crate) fn open_regular(path: &Path) -> io::Result<File> {
    open_if_regular(path, OFlags::NONBLOCK)
}

/// How a file of our own is opened: not what a link of its name leads to, and without waiting for anybody.
pub(super) const PLAIN: OFlags = OFlags::NOFOLLOW.union(OFlags::NONBLOCK);

/// Flags as the standard library wants them.
pub(super) fn flags(flags: OFlags) -> i32 {
    i32::try_from(flags.bits()).expect("the flags of an open call are small numbers")
}

fn open_if_regular(path: &Path, how: OFlags) -> io::Result<File> {
    let open = || -> io::Result<(File, bool)> {
        let file = OpenOptions::new().read(true).custom_flags(flags(how)).open(path)?;
        let is_file = file.metadata()?.is_file();
        Ok((file, is_file))
    };
    let (file, is_file) = watch::look(path, open)?;
    if is_file { Ok(file) } else { Err(io::Error::other("it is no regular file")) }
}

/// Bytes that are read in one look: a slow server must give so many within the time of one.
const LONGEST_READ: u64 = 1024 * 1024;

/// The first `limit` bytes of an open file, or fewer if it is shorter.
pub(crate) fn start_of(mut file: File, limit: u64) -> io::Result<Vec<u8>> {
    // Room for all that the file has now, and a byte to see its end, so that a usual file is read in one piece.
    let length = watch::look_into(file.as_raw_fd(), || file.metadata()).map_or(0, |metadata| metadata.len()).min(limit);
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0).saturating_add(1));
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

/// Reads at most `limit` bytes of a plain file from `offset` on; empty at the end, and when there is no such file yet.
pub(crate) fn read_from(path: &Path, offset: u64, limit: usize) -> io::Result<Vec<u8>> {
    match open_output(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        file => read_piece(&file?, offset, limit),
    }
}

/// Reads at most the last `limit` bytes of a plain file.
pub(crate) fn read_end(path: &Path, limit: usize) -> io::Result<Vec<u8>> {
    end_of(&open_output(path)?, limit)
}

/// The last `limit` bytes of an open file, or fewer if it is shorter.
pub(crate) fn end_of(file: &File, limit: usize) -> io::Result<Vec<u8>> {
    let length = watch::look_into(file.as_raw_fd(), || file.metadata())?.len();
    read_piece(file, length.saturating_sub(limit as u64), limit)
}

/// Bytes that are looked at together for ends of lines.
const PIECE: usize = 64 * 1024;

/// Where the last `lines` lines of a plain file begin, as a number of bytes; 0 when it has fewer, and when there is no
/// such file yet. What stands behind the last end of a line is a line. Reads from the end, and no more than is asked
/// for.
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
            // The end of the last line ends it; every earlier one begins the line behind it.
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

/// As [`list`], with what each entry is. The folder itself tells, so only links are looked at.
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

/// The path from the root on, beginning with the current folder where it is relative. Follows no links, and what it
/// names need not exist; fails for an empty path, and where there is no current folder.
pub(crate) fn absolute(path: &Path) -> io::Result<PathBuf> {
    std::path::absolute(path)
}

/// The path with every link in it followed; as it is where that cannot be done.
pub(crate) fn resolved(path: &Path) -> PathBuf {
    looks::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// What is at `path`, links followed; `None` when the system says that there is nothing. H0110 when it may not be
/// looked at, H0113 when the machine cannot tell.
pub(crate) fn look(path: &Path) -> Result<Option<Entry>, Error> {
    match looks::metadata(path) {
        Ok(found) if found.is_dir() => Ok(Some(Entry::Folder)),
        Ok(found) if found.is_file() => Ok(Some(Entry::File)),
        Ok(_) => Ok(Some(Entry::Other)),
        Err(error) if verdict(&error) == Verdict::Absent => Ok(None),
        Err(error) => Err(cannot_read(path, &error)),
    }
}

/// Looks for a folder, or a link to one; what is no folder is absent.
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

/// Makes a folder of our own with its parents.
pub(crate) fn make_folders(path: &Path) -> io::Result<()> {
    super::tree::create_folders(path)
}

/// Makes `link`, in a folder of our own, a symbolic link to `target`; replaces an older link.
pub(crate) fn link(target: &Path, link: &Path) -> io::Result<()> {
    super::tree::link(target, link)
}

/// Whether `path` is a folder, or a link to one; as [`look`].
pub(crate) fn is_folder(path: &Path) -> Result<bool, Error> {
    Ok(look(path)? == Some(Entry::Folder))
}

/// Creates a folder and its parents, with the permissions that are usual for the user; H0111 when that fails.
pub(crate) fn create_folder(path: &Path) -> Result<(), Error> {
    make_folders(path).map_err(|error| Error::with(ErrorCode::H0111, &[&path.display(), &error]))
}

/// Creates a folder and its parents for their owner alone; H0111 when that fails.
pub(crate) fn create_private_folder(path: &Path) -> Result<(), Error> {
    make_private_folder(path).map_err(|error| cannot_write(path, &error))
}

/// As [`create_private_folder`], with the system's own error.
pub(crate) fn make_private_folder(path: &Path) -> io::Result<()> {
    super::tree::create_folders_with(path, 0o700)
}

/// Removes a folder that this process has made, with all that is in it; links in it are not followed. One that is not
/// there is no failure.
pub(crate) fn remove_made_folder(path: &Path) -> io::Result<()> {
    fs::remove_dir_all(path).or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) })
}

/// What stands in a folder, or at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    /// A folder itself, not a link to one.
    Folder,
    /// A regular file, or a link to one.
    File,
    /// Anything else: pipes, devices, links to folders or to nothing.
    Other,
}

/// Replaces a file whole and durably: readers and power cuts see the old content or the new. H0111, H0103.
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

/// Writes a file on which nobody relies before this returns: readers see it whole at once, but a power cut may leave it
/// empty until then. One wait for the disk, where [`write_atomically`] takes two. H0111, H0103.
pub(crate) fn write_lasting(path: &Path, content: &[u8]) -> Result<(), Error> {
    let temporary = Temporary::write(path, content).map_err(|error| cannot_write(path, &error))?;
    super::fault::fault_point("after-temporary");
    let moved =
        fs::rename(&temporary.path, path).and_then(|()| temporary.file.sync_all()).and_then(|()| sync_parent(path));
    moved.inspect_err(|_| temporary.discard()).map_err(|error| cannot_write(path, &error))
}

/// Writes a file for everyone to read who may, as the user's usual permissions say. H0111.
pub(crate) fn write(path: &Path, content: &[u8]) -> Result<(), Error> {
    fs::write(path, content).map_err(|error| cannot_write(path, &error))
}

/// Writes a file that is not there yet, with the permissions that are usual for the user; never through a link. H0111,
/// H0103.
pub(crate) fn write_new(path: &Path, content: &[u8]) -> Result<(), Error> {
    add(path, content).map_err(|error| cannot_write(path, &error))
}

/// As [`write_new`], with the system's own error.
pub(crate) fn add(path: &Path, content: &[u8]) -> io::Result<()> {
    OpenOptions::new().write(true).create_new(true).open(path)?.write_all(content)
}

/// Creates a file with its whole content durably, if no file of that name exists; `false` when one does.
///
/// The content is complete from the first instant, because a finished file is linked to the name: the link is refused
/// like an exclusive creation, but leaves no moment of a file without content. Only a power cut before this returns may
/// leave the file empty. Where the file cannot be made to last it is taken away again. H0111, H0103.
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

/// Opens a regular file for appending, creating it for its owner alone; no link is followed, and root uses no other
/// user's. H0111.
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

/// Creates a file, or empties the one that is there, with the permissions that are usual for the user.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    File::create(path)
}

/// Removes a file that this process has made.
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

/// A finished file beside the one that it is to become.
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

    /// Removes it, because it did not become what it was to become.
    fn discard(&self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Creates a file for its owner alone. Whatever is at `path` already, a link to anywhere included, refuses it: the
/// folder may belong to somebody else.
fn create_new(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

/// Whether nothing more can be written beside `path`: there are no blocks left, or no more files may be made. Not where
/// nobody knows, as on file systems without a size.
pub(crate) fn has_full_disk(path: &Path) -> bool {
    let full = |system: rustix::fs::StatVfs| {
        system.f_blocks > 0 && system.f_bavail == 0 || system.f_files > 0 && system.f_favail == 0
    };
    rustix::fs::statvfs(path).is_ok_and(full)
}

/// H0103 when there is no room to write `path`, else H0111.
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
