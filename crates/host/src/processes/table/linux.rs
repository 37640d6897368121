//! The process table of Linux: `/proc`. Must not depend on which process is looked for.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

use super::Entry;
use crate::fault::failing_point;
use crate::found::{Found, Unknown};

/// More bytes than a line of `/proc/PID/stat` has: about fifty numbers and a short name.
const LONGEST: usize = 2048;

/// The running process `pid`.
pub(in crate::processes) fn read(pid: i32) -> Found<Entry> {
    // The kernel returns the whole line if the buffer has room for it.
    let mut line = [0; LONGEST];
    let path = PathBuf::from(format!("/proc/{pid}/stat"));
    let read =
        failing_point("process-table").and_then(|()| File::open(&path)).and_then(|mut file| file.read(&mut line));
    match read {
        Ok(length) => parse(&String::from_utf8_lossy(&line[..length]))
            .unwrap_or_else(|| Found::Unknown(Unknown::of(&path.display().to_string(), "it has no such content"))),
        Err(error) if error.raw_os_error() == Some(Errno::SRCH.raw_os_error()) => Found::Absent,
        Err(error) if is_hidden(&error) => unlisted(pid, &path, &error),
        Err(error) => Found::unknown(&path, &error),
    }
}

/// Whether an error leaves it open if the process exists: `/proc` may be missing, or hide the processes of others.
fn is_hidden(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied)
}

/// A process that `/proc` does not show: absent when the kernel has none, or only one of another user.
fn unlisted(pid: i32, path: &Path, error: &io::Error) -> Found<Entry> {
    match Some(pid).filter(|pid| *pid > 0).and_then(Pid::from_raw).map(test_kill_process) {
        Some(Ok(())) => Found::unknown(path, error),
        Some(Err(_)) | None => Found::Absent,
    }
}

/// Parses a line of `/proc/PID/stat`: absent for a process that has ended, `None` for any other text. The name may
/// contain blanks and brackets, so fields are counted from its last `)`.
fn parse(line: &str) -> Option<Found<Entry>> {
    let fields: Vec<&str> = line[line.rfind(')')? + 1..].split_ascii_whitespace().collect();
    // The first field here is the third of the line: state, parent, group, session, ..., threads (20), start time (22).
    // A process lives as long as it has threads, and its first thread may end before the others.
    let has_other_threads = || fields.get(17).is_some_and(|threads| !matches!(*threads, "0" | "1"));
    if matches!(*fields.first()?, "Z" | "X" | "x") && !has_other_threads() {
        return Some(Found::Absent);
    }
    Some(Found::Present(Entry {
        pid: line.split_once(' ')?.0.parse().ok()?,
        group: fields.get(2)?.parse().ok()?,
        session: fields.get(3)?.parse().ok()?,
        start_time: (*fields.get(19)?).to_owned(),
    }))
}

/// Every process that this user may see.
pub(in crate::processes) fn all() -> Result<Vec<Entry>, Unknown> {
    let folder = Path::new("/proc");
    let listed = std::fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let mut all = Vec::new();
    for entry in Found::of(folder, listed).known()?.unwrap_or_default() {
        if let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) {
            all.extend(read(pid).known()?);
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_process_table() {
        let line = "7 (a) b) S 1 5 4 0 -1 4194560 1 0 0 0 3 4 5 6 20 0 1 0 12345 0 0";
        let alive = || Some(Found::Present(Entry { pid: 7, group: 5, session: 4, start_time: "12345".to_owned() }));
        assert_eq!(parse(line), alive());
        let ended = line.replace(") S", ") Z");
        assert_eq!(parse(&ended), Some(Found::Absent));
        assert_eq!(parse(&ended.replace(" 20 0 1 0 ", " 20 0 3 0 ")), alive());
        assert_eq!(parse("7 (a"), None);
    }
}
