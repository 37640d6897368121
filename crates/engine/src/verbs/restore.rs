//! `db backup` and `db restore`: what a backup says of the journal of starts, and what that knows when it is put back.
//!
//! The starts that the journal has and the backup has not are stored in the database (tables `earlier_*`) before it is
//! in place. The tick and the runner find them there when the same work is due again.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::rerun::unknown_command::may_be_alive;
use crate::{all_locks, run_folder, start_journal as journal_of};
use howdah_host::lock::{self, Lock};
use howdah_host::start_journal::{self, JournalExtent};
use howdah_host::{environment, files};
use howdah_store::{BackupMark, Earlier, Snapshot, Store, Transaction};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::row::SitePause;
use howdah_words::model::start::{JournalMark, Start};
use howdah_words::model::time::Timestamp;

/// What was done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Restored {
    /// When the backup was made, if it says so.
    pub made_at: Option<Timestamp>,
    /// How many starts began after it: their outcomes are taken over.
    pub known: usize,
    /// The jobs that have started work after it and that it does not have.
    pub without_job: BTreeSet<String>,
    /// The actions (`C@3`) and workflow jobs that were rerun after it: they are as before, and no planned rerun of them
    /// is left.
    pub reruns: BTreeSet<String>,
    /// The folders of the attempts of `without_job` and `reruns` whose commands may be alive: the database does not
    /// have them.
    pub alive: Vec<PathBuf>,
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
        let (starts, extent) = later_starts(database, store, mark.as_ref())?;
        let gap = gap(mark.as_ref(), &extent);
        if let Some(why) = gap.as_ref().filter(|_| !accepts_unknown) {
            let help = "take a later backup. With --accept-unknown it is put back all the same, and all jobs are \
                        paused until `howdah resume --all`: work that is not known would run a second time";
            return Err(Error::with(ErrorCode::H0135, &[&backup.display(), why]).help(help));
        }
        let folders = run_folders(database)?;
        store.transact(|transaction| {
            let mut restored = Restored { made_at: mark.map(|mark| mark.at), ..Restored::default() };
            for start in &starts {
                note(transaction, &run_folder(database), start, &mut restored)?;
            }
            folders.iter().try_for_each(|id| transaction.skip_job_id(id))?;
            if gap.is_some() && transaction.site_pause()?.is_none() {
                transaction.set_site_pause(Some(&SitePause { at: now, actor: environment::user_name()? }))?;
            }
            restored.is_paused = gap.is_some();
            Ok(restored)
        })
    })
}

/// Notes a start that began after the backup. A command that the database will not know does not begin any more; when
/// it may be alive, the database knows its folder.
fn note(transaction: &Transaction<'_>, runs: &Path, start: &Start, restored: &mut Restored) -> Result<()> {
    let is_rerun = match transaction.note_earlier(start)? {
        Earlier::Noted => None,
        Earlier::Rerun(subject) => {
            restored.reruns.insert(subject);
            Some(true)
        }
        Earlier::Unknown(job) => {
            restored.without_job.insert(job);
            Some(false)
        }
    };
    restored.known += usize::from(is_rerun.is_none());
    if let (Some(is_rerun), Some(job)) = (is_rerun, start.jobs.last()) {
        let folder = format!("{}/{}/{}", job.job, start.node, start.folder);
        let path = runs.join(&folder);
        if may_be_alive(&path) {
            restored.alive.push(path);
            if is_rerun {
                transaction.note_earlier_command(start, &folder)?;
            }
        }
    }
    for job in &start.jobs {
        transaction.skip_job_id(&job.job)?;
        job.parent.as_deref().map_or(Ok(()), |parent| transaction.skip_job_id(owner(parent)))?;
    }
    Ok(())
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

/// Returns the starts that began after the backup, and how far the journal reaches; the error when it cannot be read.
///
/// What was purged from the database before the backup has lines too. So of the lines before the mark only those count
/// whose start was under way while the database was copied. Without a mark the last start that the database has is it.
#[expect(clippy::type_complexity, reason = "the second part is an answer, not a failure")]
fn later_starts(
    database: &Path,
    store: &Store,
    mark: Option<&BackupMark>,
) -> Result<(Vec<Start>, Result<Option<JournalExtent>, Error>)> {
    let journal = journal_of(database);
    let id = start_journal::id(&journal).ok().flatten();
    let is_of = |mark: &&JournalMark| id.as_ref() == Some(&mark.journal);
    let position = match mark.map(|mark| &mark.journal) {
        Some(Some(mark)) => Some(mark).filter(is_of).map(|mark| mark.position),
        // There was no journal yet.
        Some(None) => Some(0),
        None => None,
    };
    let mut starts: Vec<Start> = Vec::new();
    let mut failure = None;
    let extent = start_journal::read(&journal, |at, start| {
        let known = store.read(|snapshot| {
            let is_known = snapshot.has_attempt(&start.token)?;
            if is_known && position.is_none() {
                let before = std::mem::take(&mut starts).into_iter();
                starts = before.filter_map(|start| under_way(snapshot, start).transpose()).collect::<Result<_>>()?;
            }
            Ok(is_known || (position.is_some_and(|mark| at < mark) && !snapshot.was_under_way(&start)?))
        });
        match known {
            Ok(false) => starts.push(start),
            Ok(true) => {}
            Err(error) => failure = Some(error),
        }
        Ok(())
    });
    failure.map_or(Ok((starts, extent)), Err)
}

fn under_way(snapshot: &Snapshot, start: Start) -> Result<Option<Start>> {
    Ok(snapshot.was_under_way(&start)?.then_some(start))
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
            let position = mark.journal.as_ref().map_or(0, |mark| mark.position);
            if !reaches {
                return Some("the journal of starts does not reach back to it".to_owned());
            }
            let is_damaged = extent.damaged.is_some_and(|damaged| damaged >= position);
            is_damaged.then(|| "the journal of starts has a damaged line".to_owned())
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
