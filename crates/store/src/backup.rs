//! Copies the database while it is in use, with SQLite's online backup.
//!
//! A copy appears under its name only when it is complete: it is written under another name and then renamed.

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};

use rusqlite::backup::Backup;
use rusqlite::{Connection, OpenFlags, OptionalExtension as _};

use super::connect::connect;
use super::new_file::{look, make_new_file};
use super::{Snapshot, Store, failure, stamp};
use crate::column::{Columns as _, params};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::start::JournalMark;
use howdah_words::model::time::Timestamp;

/// Pages copied in one step; the source can be written between two steps.
const PAGES: i32 = 4096;

/// What a backup says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackupMark {
    /// When it was made.
    pub at: Timestamp,
    /// The end of the journal of starts before it was made; `None` when there was no journal.
    pub journal: Option<JournalMark>,
}

impl Store {
    /// Writes a consistent copy with the stamp of a backup to `to`, which must not exist (H0111); other processes may
    /// continue to write. A copy of a backup keeps the mark of that one.
    pub fn backup(&self, to: &Path, mark: &BackupMark) -> Result<()> {
        let own = if self.is_backup()? { self.read(Snapshot::backup_mark)? } else { None };
        backup(self, to, own.as_ref().unwrap_or(mark))
    }

    /// Whether a file is a backup of this database; not when that cannot be read. Changes nothing in it.
    pub fn has_backup_at(&self, file: &Path) -> bool {
        let born = |connection: &Connection| connection.query_row("SELECT stamp FROM birth", [], |row| row.column(0));
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let other = || Connection::open_with_flags(file, flags).and_then(|connection| born(&connection));
        let own: Result<String> = self.file.run(born);
        stamp::is_stamped(file).is_ok_and(|stamped| stamped)
            && own.is_ok_and(|own| other().is_ok_and(|other: String| other == own))
    }
}

impl Snapshot {
    /// What a backup says of itself; `None` in a database, and in a backup of an earlier version.
    pub fn backup_mark(&self) -> Result<Option<BackupMark>> {
        self.run(|connection| {
            let mut statement = connection.prepare_cached("SELECT at, journal, position FROM backup_mark")?;
            let mark = statement.query_row([], |row| {
                let (journal, position): (Option<String>, Option<i64>) =
                    (row.column("journal")?, row.column("position")?);
                let journal = journal.zip(position.and_then(|position| u64::try_from(position).ok()));
                let journal = journal.map(|(journal, position)| JournalMark { journal, position });
                Ok(BackupMark { at: row.column("at")?, journal })
            });
            mark.optional()
        })
    }
}

/// Copies `store` to `to`, which must not exist.
fn backup(store: &Store, to: &Path, mark: &BackupMark) -> Result<()> {
    if to.symlink_metadata().is_ok() {
        return Err(exists(to));
    }
    // A missing folder may be a disk that is not mounted: the copy must not be written elsewhere.
    if let Some(folder) = to.parent() {
        let found = look(folder).map_err(|cause| unwritable(to, &cause))?;
        if !found.is_some_and(|found| found.is_dir()) {
            let error = Error::with(ErrorCode::H0111, &[&folder.display(), &"there is no such folder"]);
            return Err(error.help("mount the disk or make the folder first"));
        }
    }
    let part = Part::beside(to);
    write(store, &part.0, Some(mark))?;
    // A hard link never replaces a file that was created meanwhile, as a rename would.
    fs::hard_link(&part.0, to).map_err(|cause| match cause.kind() {
        io::ErrorKind::AlreadyExists => exists(to),
        _ => unwritable(to, &cause),
    })
}

/// Copies the earlier state of `store`, which is in a write transaction of this thread; replaces an older copy.
pub(super) fn copy_before_migration(store: &Store, to: &Path) -> Result<()> {
    let part = Part::beside(to);
    // Without a stamp: the program of that version opens it as it is.
    write(store, &part.0, None)?;
    fs::rename(&part.0, to).map_err(|cause| unwritable(to, &cause))
}

/// An incomplete file; removed when dropped.
struct Part(PathBuf);

impl Part {
    fn beside(to: &Path) -> Self {
        let mut name = to.as_os_str().to_owned();
        name.push(format!(".{}.part", std::process::id()));
        Self(name.into())
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // Absent after a rename; a file left after a failure needs no second error.
        let _ = fs::remove_file(&self.0);
    }
}

fn write(store: &Store, part: &Path, mark: Option<&BackupMark>) -> Result<()> {
    let _ = fs::remove_file(part);
    make_new_file(part).map_err(|cause| unwritable(part, &cause))?;
    // A separate connection: SQLite refuses to copy from one that is in a write transaction.
    let source = reconnect(store)?;
    copy(&source, part, mark).map_err(|cause| failure::explain(part, &cause))?;
    fs::File::open(part).and_then(|file| file.sync_all()).map_err(|cause| unwritable(part, &cause))
}

/// Opens a second connection to the database of `store`, to copy from while the first one writes.
fn reconnect(store: &Store) -> Result<Connection> {
    connect(&store.file.path, failure::BUSY_WAIT).map_err(|cause| store.file.explain(&cause))
}

fn copy(source: &Connection, part: &Path, mark: Option<&BackupMark>) -> rusqlite::Result<()> {
    let mut target = Connection::open(part)?;
    Backup::new(source, &mut target)?.run_to_completion(PAGES, Duration::from_millis(5), None)?;
    if let Some(BackupMark { at, journal }) = mark {
        let (journal, position) = journal.as_ref().map(|mark| (&mark.journal, mark.position)).unzip();
        let position = position.and_then(|position| i64::try_from(position).ok());
        let sql = "INSERT OR REPLACE INTO backup_mark (backup_mark, at, journal, position) VALUES (1, ?1, ?2, ?3)";
        target.execute(sql, params![at, journal, position])?;
        stamp::write(&target, stamp::BACKUP)?;
    }
    // The copy is one file: without this it would get its own -wal on the first read.
    target.pragma_update_and_check(None, "journal_mode", "delete", |row| row.column::<String>(0))?;
    target.close().map_err(|(_, cause)| cause)
}

fn exists(to: &Path) -> Error {
    Error::with(ErrorCode::H0111, &[&to.display(), &"it exists already"]).help("name a file that does not exist yet")
}

fn unwritable(path: &Path, cause: &io::Error) -> Error {
    Error::with(ErrorCode::H0111, &[&path.display(), cause])
}

#[cfg(test)]
mod tests {
    use super::super::testing::{NOW, coordinator, fresh};
    use super::super::{OpenMode, Store};
    use super::BackupMark;
    use howdah_words::error::ErrorCode;

    const MARK: BackupMark = BackupMark { at: NOW, journal: None };

    #[test]
    fn a_backup_holds_everything_and_replaces_nothing() {
        let (folder, mut store) = fresh();
        let job = store.transact(coordinator).unwrap();
        let to = folder.path().join("copy.db");
        store.backup(&to, &MARK).unwrap();
        let copy = Store::open(&to, &OpenMode::MustExist).unwrap();
        assert_eq!(copy.read(|snapshot| snapshot.coordinator_job(&job.id)).unwrap(), Some(job));
        assert_eq!(copy.check().unwrap(), Vec::<String>::new());
        drop(copy);
        let error = store.backup(&to, &MARK).unwrap_err();
        assert_eq!(error.code(), ErrorCode::H0111, "{error}");
        let mut names: Vec<_> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, ["copy.db", "howdah.db", "howdah.db-shm", "howdah.db-wal"]);
    }

    /// The folder may be a disk that is not mounted.
    #[test]
    fn a_backup_makes_no_folder() {
        let (folder, store) = fresh();
        let error = store.backup(&folder.path().join("backups/copy.db"), &MARK).unwrap_err();
        assert_eq!(error.code(), ErrorCode::H0111);
        assert!(!folder.path().join("backups").exists());
    }
}
