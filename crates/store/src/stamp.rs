//! The stamp of a backup: another application id in its SQLite header than that of a database.
//!
//! It is read from the file itself, before SQLite opens it: SQLite would write the log of the database that was there
//! before into a backup that `cp` has put in its place.

use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rusqlite::Connection;

use super::Store;
use super::new_file::real;
use crate::column::Columns as _;
use howdah_words::error::{Error, ErrorCode, Result};

/// The application id of a database: "howd" in ASCII.
pub(super) const DATABASE: u32 = 0x686f_7764;
/// That of a backup: "howb".
pub(super) const BACKUP: u32 = 0x686f_7762;

/// Where the header has it, as four bytes, the highest first.
const PLACE: u64 = 68;

/// The files whose headers this process has read. They stay open: closing one would drop the locks that SQLite has on
/// the same file in this process.
static READ: Mutex<Vec<((u64, u64), File)>> = Mutex::new(Vec::new());

impl Store {
    /// Whether the file is a backup that was not put back with `howdah db restore`.
    pub fn is_backup(&self) -> Result<bool> {
        self.file.run(is_on)
    }

    /// Refuses (H0134) a backup that was not put back with `howdah db restore`.
    pub fn refuse_backup(&self) -> Result<()> {
        if self.is_backup()? { Err(refusal(self.path())) } else { Ok(()) }
    }
}

/// Refuses (H0134) a backup beside which the log of another database is.
pub(super) fn refuse_with_log(path: &Path) -> Result<()> {
    // Without a log SQLite adds nothing to the file. What cannot be read is reported when SQLite opens it.
    if log(path).symlink_metadata().is_ok() && is_stamped(path).is_ok_and(|stamped| stamped) {
        return Err(refusal(path));
    }
    Ok(())
}

/// Whether the header of a file is that of a backup.
pub(super) fn is_stamped(path: &Path) -> io::Result<bool> {
    let found = std::fs::metadata(path)?;
    let identity = (found.dev(), found.ino());
    let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    let known = read.iter().position(|(known, _)| *known == identity);
    let place = if let Some(place) = known {
        place
    } else {
        read.push((identity, File::open(path)?));
        read.len() - 1
    };
    let mut id = [0; 4];
    match read[place].1.read_exact_at(&mut id, PLACE) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        outcome => outcome.map(|()| u32::from_be_bytes(id) == BACKUP),
    }
}

/// Whether the open file has the stamp of a backup.
pub(super) fn is_on(connection: &Connection) -> rusqlite::Result<bool> {
    let id: i64 = connection.prepare_cached("PRAGMA application_id")?.query_row([], |row| row.column(0))?;
    Ok(id == i64::from(BACKUP))
}

/// Writes the stamp of a backup, or of a database.
pub(super) fn write(connection: &Connection, id: u32) -> rusqlite::Result<()> {
    connection.pragma_update(None, "application_id", i64::from(id))
}

/// SQLite's log of a database: beside the file itself, not beside a link to it.
pub(super) fn log(path: &Path) -> PathBuf {
    let mut name = real(path).into_os_string();
    name.push("-wal");
    name.into()
}

fn refusal(path: &Path) -> Error {
    let path = path.display();
    Error::new(ErrorCode::H0134, &path).help(format!(
        "what ran after it would run a second time. This puts it back: howdah db restore --db '{path}' '{path}'"
    ))
}
