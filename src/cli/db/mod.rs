//! `howdah db`: maintains the database.

mod here;
mod purge;

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde_json::json;

use crate::cli::args::GlobalArgs;
use crate::cli::db::purge::PurgeArgs;
use crate::cli::exit::{Failure, Status};
use crate::cli::session;
use crate::output::node::bytes;
use crate::output::screen::Screen;
use crate::output::{json, text};
use howdah_engine::Engine;
use howdah_engine::format::time;
use howdah_engine::verbs::restore;
use howdah_host::{files, ownership};
use howdah_words::error::{Error, ErrorCode, Result};

/// Check, copy, put back, or maintain the database
///
/// The database is one SQLite file; the logs of its jobs are in the folder beside it.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:\n\
\x20 howdah db check\n\
\x20 howdah db backup --daily /backup --keep 7\n\
\x20 howdah db restore /backup/howdah-2026-11-28.db\n\
\x20 howdah db here\n\
\x20 howdah db purge --older-than 30d --dry-run\n\
\x20 howdah db shrink")]
pub(crate) struct DbArgs {
    #[command(subcommand)]
    command: DbCommand,
}

#[derive(Debug, Subcommand)]
enum DbCommand {
    /// Search for damage, and for rows that contradict each other
    ///
    /// Prints one line per finding and exits with 1 when there is any.
    Check,
    /// Write a consistent copy, while other processes continue to work
    ///
    /// The file must not exist yet. The output of workflows is not part of the database and is not copied. The copy has
    /// the stamp of a backup: `howdah db restore` puts it back.
    Backup {
        /// The copy
        #[arg(value_name = "FILE", required_unless_present = "daily")]
        file: Option<PathBuf>,
        /// Write the backup of this day (UTC) into this folder, unless it is there already, and delete older ones
        ///
        /// The file is called like the database with the day. Only files with such a name and the stamp of a backup of
        /// this database are deleted.
        #[arg(long, value_name = "DIR", conflicts_with = "file")]
        daily: Option<PathBuf>,
        /// How many days of them to keep
        #[arg(long, value_name = "N", default_value_t = 7, requires = "daily",
              value_parser = clap::value_parser!(u16).range(1..))]
        keep: u16,
    },
    /// Put a backup back in the place of the database
    ///
    /// Nothing may work on the database: no cron, daemon or server. The file is checked first. The database that was
    /// there is kept as `<database>.replaced`, and its -wal and -shm are taken away. What began after the backup is
    /// read from the journal of starts and the run folders: it does not run a second time, its outcome is taken over,
    /// or it is LOST. A job that was submitted after the backup is gone and named. What was rerun after it is as
    /// before, and named; the folders of commands of both that may be alive are printed.
    Restore {
        /// The backup; it may be in the place of the database already
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Put it back although what began after it is not all known, and pause all jobs
        #[arg(long)]
        accept_unknown: bool,
    },
    /// Delete jobs that ended long ago, with everything that belongs to them
    ///
    /// Deletes their actions, events, attempts, SLA registrations and deliveries, the texts that no other job has, and
    /// the folders with the output of their runs. A workflow job that a coordinator started is deleted with the
    /// coordinator, a coordinator of a bundle with the bundle, and only when everything in it ended before. Ticks start
    /// the same every hour (oozie.service.PurgeService.purge.interval), unless the site says howdah.purge=false. Other
    /// commands may run at the same time. After an interruption the next purge continues.
    Purge(PurgeArgs),
    /// Declare that the database is used here from now on
    ///
    /// The database records which file on which machine it is. Elsewhere, where it may be a copy, every command that
    /// changes something refuses it until this verb is called once: two copies would do everything twice. A renamed
    /// database does not need this verb; a backup needs `howdah db restore`. Commands that may still run where the
    /// database was used before are listed, and it asks: here they count as lost.
    Here {
        /// Do not ask although commands may still run elsewhere
        #[arg(long)]
        yes: bool,
    },
    /// Return the space of deleted jobs in the file to the file system
    ///
    /// Writes a new file, which needs the same space again; no other process can write meanwhile.
    Shrink,
}

/// Maintains the database.
pub(crate) fn db(global: &GlobalArgs, arguments: &DbArgs) -> Result<Status, Failure> {
    if let DbCommand::Restore { file, accept_unknown } = &arguments.command {
        return restore(global, file, *accept_unknown);
    }
    let mut engine = match &arguments.command {
        DbCommand::Purge(_) | DbCommand::Shrink => session::service_engine(global)?,
        DbCommand::Check | DbCommand::Backup { .. } | DbCommand::Here { .. } | DbCommand::Restore { .. } => {
            session::file_engine(global)?
        }
    };
    match &arguments.command {
        DbCommand::Purge(arguments) => purge::purge(global, &mut engine, arguments),
        DbCommand::Shrink => shrink(global, &mut engine),
        DbCommand::Here { yes } => here::here(global, &mut engine, *yes),
        DbCommand::Check => Ok(check(global, &engine)?),
        DbCommand::Restore { file, accept_unknown } => restore(global, file, *accept_unknown),
        DbCommand::Backup { file, daily, keep } => backup(global, &engine, (file.as_deref(), daily.as_deref(), *keep)),
    }
}

fn backup(
    global: &GlobalArgs,
    engine: &Engine,
    (file, daily, keep): (Option<&Path>, Option<&Path>, u16),
) -> Result<Status, Failure> {
    let now = session::clock(global)?.now();
    let team = engine.settings.folders_group.as_deref();
    let (file, is_new, deleted) = match (file, daily) {
        (_, Some(folder)) => {
            let folder = absolute(folder)?;
            ownership::check_path(&folder.join("backup"), team, ErrorCode::H0111)?;
            let daily = restore::backup_daily(&engine.store, &folder, keep.into(), now)?;
            (daily.file, daily.is_new, daily.deleted)
        }
        (Some(file), None) => {
            let file = absolute(file)?;
            ownership::check_path(&file, team, ErrorCode::H0111)?;
            restore::backup(&engine.store, &file, now)?;
            (file, true, Vec::new())
        }
        (None, None) => return Ok(Status::Done),
    };
    let database = engine.store.path();
    if global.is_json() {
        let document = json!({"database": database, "backup": file, "isNew": is_new, "deleted": deleted});
        json::print(&mut Screen::open(), &document)?;
        return Ok(Status::Done);
    }
    if is_new {
        text::line(&format!("copied {} to {}", database.display(), file.display()))?;
    } else if !global.quiet {
        text::line(&format!("{} is there already", file.display()))?;
    }
    for old in &deleted {
        text::line(&format!("deleted {}", old.display()))?;
    }
    Ok(Status::Done)
}

fn restore(global: &GlobalArgs, file: &Path, accepts_unknown: bool) -> Result<Status, Failure> {
    let database = session::database_to_replace(global)?;
    let (now, file) = (session::clock(global)?.now(), &absolute(file)?);
    ownership::check_source(file, session::settings(global)?.folders_group.as_deref())?;
    let restored = restore::restore(&database, file, accepts_unknown, now)?;
    if global.is_json() {
        let document = json!({
            "database": database,
            "backup": file,
            "madeAt": restored.made_at.map(time),
            "laterStarts": restored.known,
            "jobsWithoutBackup": restored.without_job,
            "rerunLater": restored.reruns,
            "mayBeAlive": restored.alive,
            "paused": restored.is_paused,
        });
        json::print(&mut Screen::open(), &document)?;
        return Ok(Status::Done);
    }
    let made = restored.made_at.map(|at| format!(", made at {}", time(at))).unwrap_or_default();
    text::line(&format!("put {}{made}, in the place of {}", file.display(), database.display()))?;
    if restored.known > 0 {
        text::line(&format!("{} later starts are known and are not repeated", restored.known))?;
    }
    for subject in &restored.reruns {
        text::line(&format!("{subject} was rerun after the backup, and is as before: rerun it again if needed"))?;
    }
    for job in &restored.without_job {
        text::line(&format!(
            "{job} has started work after the backup, which does not have it: submit it again if needed"
        ))?;
    }
    for folder in &restored.alive {
        let folder = folder.display();
        text::line(&format!("a command of these may be alive, and is not known any more: [{folder}]"))?;
    }
    if restored.is_paused {
        text::line("all jobs are paused: check what ran after the backup, then `howdah resume --all`")?;
    }
    Ok(Status::Done)
}

fn absolute(path: &Path) -> Result<PathBuf> {
    files::absolute(path).map_err(|error| Error::with(ErrorCode::H0111, &[&path.display(), &error]))
}

fn shrink(global: &GlobalArgs, engine: &mut Engine) -> Result<Status, Failure> {
    let freed = engine.store.shrink()?;
    let path = engine.store.path();
    if global.is_json() {
        json::print(&mut Screen::open(), &json!({"database": path, "freedBytes": freed}))?;
    } else if !global.quiet {
        text::line(&format!("{} is {} smaller", path.display(), bytes(freed)))?;
    }
    Ok(Status::Done)
}

fn check(global: &GlobalArgs, engine: &Engine) -> Result<Status> {
    let findings = engine.store.check()?;
    let path = engine.store.path();
    let mut screen = Screen::open();
    if global.is_json() {
        let document = json!({"database": path, "ok": findings.is_empty(), "findings": findings});
        json::print(&mut screen, &document)?;
    } else if findings.is_empty() {
        screen.write(format!("{}: ok\n", path.display()))?;
    } else {
        for finding in &findings {
            screen.write(format!("{}: {finding}\n", path.display()))?;
        }
    }
    Ok(if findings.is_empty() { Status::Done } else { Status::Unsuccessful })
}
