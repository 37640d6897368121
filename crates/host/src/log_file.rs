//! Bounds the log of a process that may run for months: what is older moves to one file beside it.
//!
//! The process has the log open for appending, so the file is emptied in place. Lines that are written between the copy
//! and the emptying are lost; such logs are for people only.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use super::files::{self, Lasting};

/// The largest log, in bytes.
pub const LARGEST: u64 = 1 << 20;

/// The file with the older lines of a log.
pub fn older(log: &Path) -> PathBuf {
    let mut name = OsString::from(log);
    name.push(".1");
    name.into()
}

/// Moves the lines of a log that has become larger than [`LARGEST`] to [`older`], the last [`LARGEST`] bytes of it, and
/// empties it. A log that does not exist is small.
///
/// # Errors
/// The system's own error; then the log is as before.
pub fn bound(log: &Path) -> io::Result<()> {
    let file = match files::open_plain(log) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        opened => opened?,
    };
    if file.metadata()?.len() <= LARGEST {
        return Ok(());
    }
    let last = files::end_of(&file, usize::try_from(LARGEST).unwrap_or(usize::MAX))?;
    files::replace(&older(log), &last, Lasting::UntilReboot)?;
    files::append(log)?.set_len(0)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes the files that it works on")]
mod tests {
    use std::fs::{self, OpenOptions};
    use std::io::Write as _;

    use super::*;

    #[test]
    fn a_log_has_two_files_of_a_bounded_size() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("h.db.runner.log");
        bound(&log).unwrap();
        assert!(!log.exists());
        // As the process that writes it has it open.
        let mut writer = OpenOptions::new().append(true).create(true).open(&log).unwrap();
        let line = "x".repeat(999) + "\n";
        for number in 0..3_000 {
            writer.write_all(line.as_bytes()).unwrap();
            writer.write_all(format!("{number}\n").as_bytes()).unwrap();
            if number % 100 == 0 {
                bound(&log).unwrap();
            }
        }
        bound(&log).unwrap();
        writer.write_all(b"the last\n").unwrap();
        let (now, before) = (fs::read_to_string(&log).unwrap(), fs::read(older(&log)).unwrap());
        assert!(now.ends_with("the last\n") && now.starts_with('x'), "{} bytes", now.len());
        assert!(now.len() as u64 <= LARGEST + 100 * 1_010 && before.len() as u64 == LARGEST);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
