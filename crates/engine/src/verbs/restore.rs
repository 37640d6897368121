//! `db backup` and `db restore`: what a backup says of the journal of starts, and what that knows when it is put back.
//!
//! The starts that the journal has and the backup has not are stored in the database (tables `earlier_*`) before it is
//! in place. The tick and the runner find them there when the same work is due again.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::{all_locks, run_folder, start_journal as journal_of};
use howdah_host::lock::{self, Lock};
use howdah_host::start_journal::{self, JournalExtent};
use howdah_host::{environment, files};
use howdah_store::{BackupMark, Earlier, Snapshot, Store};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::row::SitePause;
use howdah_words::model::start::Start;
use howdah_words::model::time::Timestamp;

/// What was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restored {
    /// When the backup was made, if it says so.
    pub made_at: Option<Timestamp>,
    /// How many starts began after it: their outcomes are taken over.
    pub known: usize,
    /// The jobs that began after it and that it does not have.
    pub without_job: BTreeSet<String>,
    /// The actions (`C@3`) and workflow jobs that were rerun after it: they are as before, and no planned rerun of them
    /// is left.
    pub reruns: BTreeSet<String>,
    /// Whether what began after it is not all known; then all jobs are paused.
    pub is_paused: bool,
}

/// Writes a backup of the database to `to`, which must not exist.
///
/// # Errors
/// H0111, H0103; H0110 when the journal of starts cannot be read.
pub fn backup(store: &Store, to: &Path, now: Timestamp) -> Result<()> {
    // Before the copy: each start that the copy does not have is then behind this position, or its line is.
    let journal = start_journal::mark(&journal_of(store.path()))?;
    store.backup(to, &BackupMark { at: now, journal })
}

/// What became of the backup of a day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DailyBackup {
    /// The file of the day.
    pub file: PathBuf,
    /// Whether it was made now, and not by an earlier call.
    pub is_new: bool,
    /// The older backups that were deleted.
    pub deleted: Vec<PathBuf>,
}

/// Writes the backup of this day (UTC) into `folder`, once, and deletes all but the `keep` latest of them. It only
/// deletes files with such a name and the stamp of a backup of this database.
///
/// # Errors
/// As [`backup`], and H0110 when the folder cannot be read.
pub fn backup_daily(store: &Store, folder: &Path, keep: usize, now: Timestamp) -> Result<DailyBackup> {
    let name = store.path().file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let day = now.to_utc().unwrap_or_default().format("%Y-%m-%d");
    let file = folder.join(format!("{name}-{day}.db"));
    let is_new = !store.has_backup_at(&file);
    if is_new {
        backup(store, &file, now)?;
    }
    let mut old: Vec<PathBuf> = files::list(folder)?;
    old.retain(|path| is_daily(path, &name) && store.has_backup_at(path));
    old.sort();
    old.truncate(old.len().saturating_sub(keep));
    old.retain(|path| *path != file);
    for path in &old {
        files::remove(path).map_err(|error| files::cannot_write(path, &error))?;
    }
    Ok(DailyBackup { file, is_new, deleted: old })
}

/// Whether a file has the name of a daily backup: `<name>-2026-11-28.db`.
fn is_daily(path: &Path, name: &str) -> bool {
    let day =
        path.file_name().and_then(|file| file.to_str()?.strip_prefix(name)?.strip_prefix('-')?.strip_suffix(".db"));
    day.is_some_and(|day| {
        day.len() == 10
            && day.bytes().enumerate().all(|(place, byte)| match place {
                4 | 7 => byte == b'-',
                _ => byte.is_ascii_digit(),
            })
    })
}

/// Puts a backup back in the place of the database, which may be missing.
///
/// # Errors
/// H0105 when a process works on the database, H0135 when the journal does not reach back to the backup and that was
/// not accepted, and those of [`howdah_store::restore`].
pub fn restore(database: &Path, backup: &Path, accepts_unknown: bool, now: Timestamp) -> Result<Restored> {
    let _locks = take_locks(database)?;
    howdah_store::restore(database, backup, |store, mark| {
        let (starts, extent) = later_starts(database, store)?;
        let gap = gap(mark.as_ref(), &extent);
        if let Some(why) = gap.as_ref().filter(|_| !accepts_unknown) {
            let help = "take a later backup. With --accept-unknown it is put back all the same, and all jobs are \
                        paused until `howdah resume --all`: work that is not known would run a second time";
            return Err(Error::with(ErrorCode::H0135, &[&backup.display(), why]).help(help));
        }
        let folders = run_folders(database)?;
        store.transact(|transaction| {
            transaction.clear_earlier()?;
            let (mut known, mut without_job, mut reruns) = (0, BTreeSet::new(), BTreeSet::new());
            for start in &starts {
                match transaction.note_earlier(start)? {
                    Earlier::Noted => known += 1,
                    Earlier::Rerun(subject) => {
                        transaction.end_planned_rerun(&subject)?;
                        reruns.insert(subject);
                    }
                    Earlier::Unknown => without_job.extend(
                        start.jobs.first().map(|top| owner(top.parent.as_deref().unwrap_or(&top.job)).to_owned()),
                    ),
                }
                for job in &start.jobs {
                    transaction.skip_job_id(&job.job)?;
                    job.parent.as_deref().map_or(Ok(()), |parent| transaction.skip_job_id(owner(parent)))?;
                }
            }
            folders.iter().try_for_each(|id| transaction.skip_job_id(id))?;
            if gap.is_some() && transaction.site_pause()?.is_none() {
                transaction.set_site_pause(Some(&SitePause { at: now, actor: environment::user_name()? }))?;
            }
            let is_paused = gap.is_some();
            Ok(Restored { made_at: mark.map(|mark| mark.at), known, without_job, reruns, is_paused })
        })
    })
}

/// The id of the job in `C@3` or `W@node`.
fn owner(parent: &str) -> &str {
    parent.split('@').next().unwrap_or(parent)
}

fn take_locks(database: &Path) -> Result<Vec<Lock>> {
    let take = |path: &PathBuf| {
        let held = || {
            let help = format!("stop cron, the daemon and the server first: [{}] is held", path.display());
            Error::with(ErrorCode::H0105, &[&database.display(), &0]).help(help)
        };
        lock::try_lock(path)?.ok_or_else(held)
    };
    all_locks(database).iter().map(take).collect()
}

/// Returns the starts that the database does not have, and how far the journal reaches; the error when it cannot be
/// read.
#[expect(clippy::type_complexity, reason = "the second part is an answer, not a failure")]
fn later_starts(database: &Path, store: &Store) -> Result<(Vec<Start>, Result<Option<JournalExtent>, Error>)> {
    let mut starts = Vec::new();
    let mut failure = None;
    let extent = start_journal::read(&journal_of(database), |start| {
        match store.read(|snapshot: &Snapshot| snapshot.has_attempt(&start.token)) {
            Ok(false) => starts.push(start),
            Ok(true) => {}
            Err(error) => failure = Some(error),
        }
        Ok(())
    });
    failure.map_or(Ok((starts, extent)), Err)
}

/// Returns why the journal may lack something that began after the backup; `None` when it has everything.
fn gap(mark: Option<&BackupMark>, extent: &Result<Option<JournalExtent>, Error>) -> Option<String> {
    let extent = match extent {
        Ok(extent) => extent,
        Err(error) => return Some(error.message().to_owned()),
    };
    match (mark, extent) {
        (None, _) => Some("it is no backup that `howdah db backup` of this version has made".to_owned()),
        (Some(mark), Some(extent)) => {
            let reaches = mark.journal.as_ref().map_or(extent.first == 0, |mark| extent.has_all_since(mark));
            (!reaches).then(|| "the journal of starts does not reach back to it".to_owned())
        }
        (Some(mark), None) => mark.journal.as_ref().map(|_| "the journal of starts is gone".to_owned()),
    }
}

/// Returns the names of the run folders: the jobs that have started something.
fn run_folders(database: &Path) -> Result<Vec<String>> {
    let folder = run_folder(database);
    if files::find_folder(&folder).known()?.is_none() {
        return Ok(Vec::new());
    }
    let names = files::list(&folder)?.into_iter();
    Ok(names.filter_map(|path| path.file_name()?.to_str().map(str::to_owned)).collect())
}
