//! Puts a backup back in the place of the database.
//!
//! The copy is prepared in a folder beside the database and has the stamp of a backup until the logs of the database
//! before it are gone: nothing opens it in between, and a restore that was interrupted is given again.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::FlockOperation;

use super::new_file::{look, make_new_file};
use super::open::{Sharing, attach};
use super::{BackupMark, OpenMode, Snapshot, Store, failure, stamp};
use crate::column::Columns as _;
use howdah_words::error::{Error, ErrorCode, Result};

/// Replaces the database by the content of `backup`. Before that `fill` changes the copy; it gets what the backup says
/// of itself. The caller has all locks of the database. What was there before is kept beside it, as `<db>.replaced`.
///
/// # Errors
/// H0105 when another process has the database open, H0101, H0102, H0107 for a file that is no whole backup, H0100,
/// H0103, H0111; and those of `fill`. Then the database is as it was, or is refused (H0134) until this is done again.
pub fn restore<T>(
    database: &Path,
    backup: &Path,
    fill: impl FnOnce(&mut Store, Option<BackupMark>) -> Result<T>,
) -> Result<T> {
    check_file(backup)?;
    refuse_open(database)?;
    let folder = Preparation::beside(database)?;
    let copy = folder.0.join("copy.db");
    make_new_file(&copy).and_then(|()| copy_content(backup, &copy)).map_err(|cause| unwritable(&copy, &cause))?;
    let mut store = attach(&copy, &OpenMode::MustExist, failure::BUSY_WAIT, Sharing::WithOthers)
        .map_err(|error| renamed(&error, backup))?;
    if let Some(finding) = store.check()?.first() {
        return Err(Error::with(ErrorCode::H0107, &[&backup.display(), finding]));
    }
    let mark = if store.is_backup()? { store.read(Snapshot::backup_mark)? } else { None };
    let value = fill(&mut store, mark)?;
    store.file.run(|connection| {
        stamp::write(connection, stamp::BACKUP)?;
        connection.pragma_update_and_check(None, "journal_mode", "delete", |row| row.column::<String>(0))
    })?;
    drop(store);
    put_in_place(database, &copy).map_err(|cause| unwritable(database, &cause))?;
    let store = attach(database, &OpenMode::MustExist, failure::BUSY_WAIT, Sharing::WithOthers)?;
    store.file.run(|connection| {
        connection.execute("DELETE FROM backup_mark", [])?;
        stamp::write(connection, stamp::DATABASE)
    })?;
    Ok(value)
}

/// Refuses a copy of a file that was in use: a part of it is in its log.
fn check_file(backup: &Path) -> Result<()> {
    let stamped =
        stamp::is_stamped(backup).map_err(|cause| Error::with(ErrorCode::H0100, &[&backup.display(), &cause]))?;
    if !stamped && stamp::log(backup).symlink_metadata().is_ok() {
        let (file, log) = (backup.display(), stamp::log(backup));
        let why = format!("it is no backup, and its log [{}] is beside it", log.display());
        let help = format!("make a backup of it: howdah db backup --db '{file}' '{file}.backup'");
        return Err(Error::with(ErrorCode::H0100, &[&file, &why]).help(help));
    }
    Ok(())
}

/// Refuses (H0105) while another process has the database open: what it stores would be lost.
fn refuse_open(database: &Path) -> Result<()> {
    let file = match File::options().read(true).write(true).open(database) {
        Ok(file) => file,
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(cause) => return Err(Error::with(ErrorCode::H0100, &[&database.display(), &cause])),
    };
    rustix::fs::fcntl_lock(&file, FlockOperation::NonBlockingLockExclusive).map_err(|_| {
        let help = "stop cron, the daemon and the server first; `fuser` shows who has the file open";
        Error::with(ErrorCode::H0105, &[&database.display(), &0]).help(help)
    })
}

fn copy_content(from: &Path, to: &Path) -> io::Result<()> {
    io::copy(&mut File::open(from)?, &mut File::options().write(true).open(to)?).map(drop)
}

/// Gives the copy the name of the database. The files of the one before are kept under other names, for a person; those
/// of an interrupted restore are removed.
fn put_in_place(database: &Path, copy: &Path) -> io::Result<()> {
    let kept = appended(database, ".replaced");
    let before = look(database)?;
    if let Some(before) = &before {
        let owner = (Some(before.uid()), Some(before.gid()));
        std::os::unix::fs::chown(copy, owner.0, owner.1)?;
    }
    File::open(copy)?.sync_all()?;
    let keeps = before.is_some() && !stamp::is_stamped(database)?;
    if keeps {
        for suffix in ["", "-wal"] {
            remove(&appended(&kept, suffix))?;
        }
        fs::hard_link(database, &kept)?;
    }
    fs::rename(copy, database)?;
    sync_folder(database)?;
    let log = stamp::log(database);
    if keeps && look(&log)?.is_some() {
        fs::rename(&log, stamp::log(&kept))?;
    }
    for suffix in ["-wal", "-shm", "-journal"] {
        remove(&appended(database, suffix))?;
    }
    sync_folder(database)
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(cause) if cause.kind() != io::ErrorKind::NotFound => Err(cause),
        _ => Ok(()),
    }
}

fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(path.parent().unwrap_or(Path::new("/")))?.sync_all()
}

fn appended(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// A folder for the copy and SQLite's files beside it; removed when dropped.
struct Preparation(PathBuf);

impl Preparation {
    fn beside(database: &Path) -> Result<Self> {
        let folder = appended(database, ".restore");
        // Another restore would have the locks: what is there is left from one that died.
        let _ = fs::remove_dir_all(&folder);
        if let Some(parent) = database.parent() {
            let made = DirBuilder::new().recursive(true).mode(0o700).create(parent);
            made.map_err(|cause| unwritable(parent, &cause))?;
        }
        DirBuilder::new().mode(0o700).create(&folder).map_err(|cause| unwritable(&folder, &cause))?;
        Ok(Self(folder))
    }
}

impl Drop for Preparation {
    fn drop(&mut self) {
        // What is left does no harm: the next restore removes it.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The same error about the file that the user has named.
fn renamed(error: &Error, backup: &Path) -> Error {
    Error::with(ErrorCode::H0100, &[&backup.display(), &error.message()])
}

fn unwritable(path: &Path, cause: &io::Error) -> Error {
    match cause.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => failure::no_space(&path.display()),
        _ => Error::with(ErrorCode::H0111, &[&path.display(), cause]),
    }
}
