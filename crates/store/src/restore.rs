//! Puts a backup back in the place of the database.
//!
//! The copy is prepared in a folder beside the database and has the stamp of a backup until the logs of the database
//! before it are gone: nothing opens it in between, and a restore that was interrupted is given again.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Seek as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::FlockOperation;

use super::new_file::{look, make_new_file, real};
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
    // A link stays one: the file to which it leads is replaced, and SQLite's files are beside that.
    let database = &real(database);
    check_file(backup)?;
    let held = hold(database)?;
    let folder = Preparation::beside(database)?;
    let copy = folder.0.join("copy.db");
    make_new_file(&copy)
        .and_then(|()| copy_content(held.as_ref(), backup, &copy))
        .map_err(|cause| unwritable(&copy, &cause))?;
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
    put_in_place(database, &copy, held.is_some()).map_err(|cause| unwritable(database, &cause))?;
    // Who has waited for it finds that the file was replaced, and opens the new one.
    drop(held);
    let store = attach(database, &OpenMode::MustExist, failure::BUSY_WAIT, Sharing::WithOthers)?;
    store.file.run(|connection| {
        let whole = connection.unchecked_transaction()?;
        whole.execute("DELETE FROM backup_mark", [])?;
        stamp::write(&whole, stamp::DATABASE)?;
        whole.commit()
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

/// Takes SQLite's lock of the database, so that nothing is stored that would be lost; refuses (H0105) while another
/// process has it open. `None` when there is no database. No other descriptor of the file may be closed before this
/// one: that would drop the lock.
fn hold(database: &Path) -> Result<Option<File>> {
    let file = match File::options().read(true).write(true).open(database) {
        Ok(file) => file,
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(cause) => return Err(Error::with(ErrorCode::H0100, &[&database.display(), &cause])),
    };
    rustix::fs::fcntl_lock(&file, FlockOperation::NonBlockingLockExclusive).map_err(|_| {
        let help = "stop cron, the daemon and the server first; `fuser` shows who has the file open";
        Error::with(ErrorCode::H0105, &[&database.display(), &0]).help(help)
    })?;
    Ok(Some(file))
}

fn copy_content(held: Option<&File>, from: &Path, to: &Path) -> io::Result<()> {
    let mut copy = File::options().write(true).open(to)?;
    let found = fs::metadata(from)?;
    if let Some(mut held) = held {
        let itself = held.metadata()?;
        if (itself.dev(), itself.ino()) == (found.dev(), found.ino()) {
            held.rewind()?;
            return io::copy(&mut held, &mut copy).map(drop);
        }
    }
    io::copy(&mut File::open(from)?, &mut copy).map(drop)
}

/// Gives the copy the name of the database. The files of the one before are kept under other names, for a person; those
/// of an interrupted restore are removed.
fn put_in_place(database: &Path, copy: &Path, replaces: bool) -> io::Result<()> {
    let kept = appended(database, ".replaced");
    let before = if replaces { look(database)? } else { None };
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
    if replaces {
        fs::rename(copy, database)?;
    } else {
        // Never replaces a database that was created meanwhile, as a rename would.
        fs::hard_link(copy, database)?;
    }
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

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a process of its own writes while this one restores")]
mod tests {
    use std::env;
    use std::process::{Child, Command};
    use std::thread;
    use std::time::Duration;

    use super::super::testing::{NOW, coordinator, fresh};
    use super::*;

    /// Names the database in which [`helper`] stores a job.
    const DATABASE: &str = "HOWDAH_TEST_DATABASE";

    #[test]
    fn helper() {
        if let Some(database) = env::var_os(DATABASE) {
            let mut store = Store::open(Path::new(&database), &OpenMode::MustExist).unwrap();
            store.transact(|transaction| coordinator(transaction).map(drop)).unwrap();
        }
    }

    fn start_helper(database: &Path) -> Child {
        let mut command = Command::new(env::current_exe().unwrap());
        let child = command.args(["--exact", "restore::tests::helper"]).env(DATABASE, database).spawn().unwrap();
        // Until it waits for the lock.
        thread::sleep(Duration::from_millis(500));
        child
    }

    fn jobs(database: &Path) -> usize {
        let store = Store::open(database, &OpenMode::MustExist).unwrap();
        store.read(Snapshot::live_coordinator_jobs).unwrap().len()
    }

    /// It would say that it has stored a job that is in no database.
    #[test]
    fn what_another_process_stores_meanwhile_is_in_the_database_that_was_put_back() {
        for in_place in [false, true] {
            let (folder, mut store) = fresh();
            let database = folder.path().join("howdah.db");
            let backup = folder.path().join("backup.db");
            store.backup(&backup, &BackupMark { at: NOW, journal: None }).unwrap();
            for _ in 0..3 {
                store.transact(coordinator).unwrap();
            }
            drop(store);
            if in_place {
                fs::copy(&backup, &database).unwrap();
            }
            let from = if in_place { &database } else { &backup };
            let mut child = restore(&database, from, |_, _| {
                let mut child = start_helper(&database);
                assert!(child.try_wait().unwrap().is_none(), "it waits");
                Ok(child)
            })
            .unwrap();
            assert!(child.wait().unwrap().success());
            assert_eq!(jobs(&database), 1, "in place: {in_place}");
            let kept = appended(&database, ".replaced");
            assert_eq!(kept.exists().then(|| jobs(&kept)), (!in_place).then_some(3));
        }
    }

    #[test]
    fn a_link_stays_one_and_a_database_that_was_created_meanwhile_stays() {
        let (folder, mut store) = fresh();
        let at = |name: &str| folder.path().join(name);
        store.transact(coordinator).unwrap();
        store.backup(&at("backup.db"), &BackupMark { at: NOW, journal: None }).unwrap();
        store.transact(coordinator).unwrap();
        drop(store);
        fs::create_dir(at("other")).unwrap();
        for name in ["link.db", "missing.db"] {
            std::os::unix::fs::symlink(format!("other/real-{name}"), at(name)).unwrap();
        }
        fs::rename(at("howdah.db"), at("other/real-link.db")).unwrap();
        for name in ["link.db", "missing.db"] {
            // A log of the database before it, as a power cut leaves it, is beside the file itself.
            fs::write(at(&format!("other/real-{name}-wal")), "what another database has written").unwrap();
            restore(&at(name), &at("backup.db"), |_, _| Ok(())).unwrap();
            assert!(at(name).is_symlink(), "{name}");
            assert_eq!(jobs(&at(name)), 1, "{name}");
            assert!(!at(&format!("other/real-{name}-wal")).exists(), "{name}");
        }
        assert_eq!(jobs(&at("other/real-link.db.replaced")), 2);
        let created = restore(&at("new.db"), &at("backup.db"), |_, _| {
            fs::write(at("new.db"), "of another process").unwrap();
            Ok(())
        });
        assert_eq!(created.unwrap_err().code(), ErrorCode::H0111);
        assert_eq!(fs::read(at("new.db")).unwrap(), b"of another process");
    }

    /// Each reader would leave its log beside the other's.
    #[test]
    fn a_reader_leaves_a_backup_as_it_is() {
        let (folder, store) = fresh();
        let backup = folder.path().join("backup.db");
        store.backup(&backup, &BackupMark { at: NOW, journal: None }).unwrap();
        let before = fs::read(&backup).unwrap();
        let readers = [(); 2].map(|()| Store::open(&backup, &OpenMode::ReadOnly).unwrap());
        for reader in &readers {
            assert!(reader.read(Snapshot::backup_mark).unwrap().is_some());
        }
        assert!(!stamp::log(&backup).exists());
        assert_eq!(fs::read(&backup).unwrap(), before);
    }
}
