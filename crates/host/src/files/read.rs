//! Reads files and standard input: with limits on size, and checked encoding. Must not depend on formats.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::FileExt;
use std::path::Path;

use rustix::buffer::spare_capacity;
use rustix::fs::OFlags;
use rustix::io::Errno;

use super::open::{open_output, open_with_length};
use crate::fault::failing_point;
use crate::found::cannot_read;
use crate::session::Session;
use crate::watch;
use howdah_words::error::{Error, ErrorCode, Location, SourceText, Span};

/// Reads a whole text of at most `limit` bytes.
/// H0110 when it may not be read or is larger, H0113 when the machine fails, H0112 (at the first bad byte) when it is
/// not UTF-8.
pub fn read_text(path: &Path, limit: u64) -> Result<String, Error> {
    let read = failing_point("read-text").and_then(|()| read_start(path, limit.saturating_add(1)));
    let bytes = read.map_err(|error| cannot_read(path, &error))?;
    if bytes.len() as u64 > limit {
        let why = format!("it is larger than {limit} bytes");
        return Err(Error::with(ErrorCode::H0110, &[&path.display(), &why]).passing(false));
    }
    decode(&path.display().to_string(), bytes)
}

/// Decodes bytes that must be UTF-8; `name` is the name to show to the user.
/// H0112, at the first bad byte.
pub fn decode(name: &str, bytes: Vec<u8>) -> Result<String, Error> {
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
pub fn read_start(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let (file, length) = open_with_length(path, OFlags::NONBLOCK)?;
    read_up_to(file, length, limit)
}

/// As [`read_start`], for a file in a folder of another user: also refuses links, so that the caller does not read
/// other files and is not blocked.
pub fn read_start_of_plain(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    start_of(open_output(path)?, limit)
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
    let mut bytes = Vec::with_capacity(usize::try_from(room).unwrap_or(0));
    let first = match watch::look_into(file.as_raw_fd(), || rustix::io::read(&file, spare_capacity(&mut bytes))) {
        Err(Errno::INTR) => 0,
        read => read?,
    };
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
pub fn read_standard_input(limit: u64) -> Result<Vec<u8>, Error> {
    let refuse = |why: &dyn std::fmt::Display| Error::with(ErrorCode::H0110, &[&"standard input", why]);
    let mut bytes = Vec::new();
    if !Session::current().is_of_process() {
        return Ok(bytes);
    }
    let read = io::stdin().lock().take(limit.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|error| refuse(&error))?;
    if bytes.len() as u64 > limit {
        return Err(refuse(&format!("it is larger than {limit} bytes")));
    }
    Ok(bytes)
}

/// Reads at most `limit` bytes of a regular file from `offset`; empty at the end, and when the file does not exist yet.
pub fn read_from(path: &Path, offset: u64, limit: usize) -> io::Result<Vec<u8>> {
    match open_output(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        file => read_piece(&file?, offset, limit),
    }
}

/// Reads at most the last `limit` bytes of a regular file.
pub fn read_end(path: &Path, limit: usize) -> io::Result<Vec<u8>> {
    end_of(&open_output(path)?, limit)
}

/// Reads the last `limit` bytes of an open file, or fewer if it is shorter.
pub fn end_of(file: &File, limit: usize) -> io::Result<Vec<u8>> {
    let length = watch::look_into(file.as_raw_fd(), || file.metadata())?.len();
    read_piece(file, length.saturating_sub(limit as u64), limit)
}

/// The bytes that are searched together for line ends.
pub(super) const PIECE: usize = 64 * 1024;

/// The offset in bytes of the last `lines` lines of a regular file; 0 when it has fewer, and when the file does not
/// exist yet. Text after the last line end is a line. Reads from the end, and no more than necessary.
pub fn start_of_last_lines(path: &Path, lines: u64) -> io::Result<u64> {
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
