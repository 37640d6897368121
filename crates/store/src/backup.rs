//! Copies the database while it is in use, with SQLite's online backup.
//!
//! A copy appears under its name only when it is complete: it is written under another name and then renamed.

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};

use rusqlite::Connection;
use rusqlite::backup::Backup;

use super::connect::connect;
use super::new_file::{look, make_new_file};
use super::{Store, failure};
use crate::column::Columns as _;
use howdah_words::error::{Error, ErrorCode, Result};

/// Pages copied in one step; the source can be written between two steps.
const PAGES: i32 = 4096;

impl Store {
    /// Writes a consistent copy to `to`, which must not exist (H0111); other processes may continue to write.
    pub fn backup(&self, to: &Path) -> Result<()> {
        backup(self, to)
    }
}

/// Copies `store` to `to`, which must not exist.
fn backup(store: &Store, to: &Path) -> Result<()> {
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
    write(store, &part.0)?;
    // A hard link never replaces a file that was created meanwhile, as a rename would.
    fs::hard_link(&part.0, to).map_err(|cause| match cause.kind() {
        io::ErrorKind::AlreadyExists => exists(to),
        _ => unwritable(to, &cause),
    })
}

/// Copies the earlier state of `store`, which is in a write transaction of this thread; replaces an older copy.
pub(super) fn copy_before_migration(store: &Store, to: &Path) -> Result<()> {
    let part = Part::beside(to);
    write(store, &part.0)?;
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

fn write(store: &Store, part: &Path) -> Result<()> {
    let _ = fs::remove_file(part);
    make_new_file(part).map_err(|cause| unwritable(part, &cause))?;
    // A separate connection: SQLite refuses to copy from one that is in a write transaction.
    let source = reconnect(store)?;
    copy(&source, part).map_err(|cause| failure::explain(part, &cause))?;
    fs::File::open(part).and_then(|file| file.sync_all()).map_err(|cause| unwritable(part, &cause))
}

/// Opens a second connection to the database of `store`, to copy from while the first one writes.
fn reconnect(store: &Store) -> Result<Connection> {
    connect(&store.file.path, failure::BUSY_WAIT).map_err(|cause| store.file.explain(&cause))
}

fn copy(source: &Connection, part: &Path) -> rusqlite::Result<()> {
    let mut target = Connection::open(part)?;
    Backup::new(source, &mut target)?.run_to_completion(PAGES, Duration::from_millis(5), None)?;
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
    use super::super::testing::{coordinator, fresh};
    use super::super::{OpenMode, Store};
    use howdah_words::error::ErrorCode;

    #[test]
    fn a_backup_holds_everything_and_replaces_nothing() {
        let (folder, mut store) = fresh();
        let job = store.transact(coordinator).unwrap();
        let to = folder.path().join("copy.db");
        store.backup(&to).unwrap();
        let copy = Store::open(&to, &OpenMode::MustExist).unwrap();
        assert_eq!(copy.read(|snapshot| snapshot.coordinator_job(&job.id)).unwrap(), Some(job));
        assert_eq!(copy.check().unwrap(), Vec::<String>::new());
        drop(copy);
        let error = store.backup(&to).unwrap_err();
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
        let error = store.backup(&folder.path().join("backups/copy.db")).unwrap_err();
        assert_eq!(error.code(), ErrorCode::H0111);
        assert!(!folder.path().join("backups").exists());
    }
}
