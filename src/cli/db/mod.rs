//! `howdah db`: maintains the database.

mod purge;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::json;

use crate::cli::args::GlobalArgs;
use crate::cli::db::purge::PurgeArgs;
use crate::cli::exit::{Failure, Status};
use crate::cli::session;
use crate::output::node::bytes;
use crate::output::screen::Screen;
use crate::output::{json, text};
use howdah_engine::{Engine, copy_check};
use howdah_host::files;
use howdah_words::error::{Error, ErrorCode, Result};

/// Check, copy, or maintain the database
///
/// The database is one SQLite file; the logs of its jobs are in the folder beside it.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:\n\
\x20 howdah db check\n\
\x20 howdah db backup /backup/howdah-$(date +%F).db\n\
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
    /// The file must not exist yet. The output of workflows is not part of the database and is not copied.
    Backup {
        /// The copy
        #[arg(value_name = "FILE")]
        file: PathBuf,
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
    /// database, and a backup restored in its place, do not need this verb.
    Here,
    /// Return the space of deleted jobs in the file to the file system
    ///
    /// Writes a new file, which needs the same space again; no other process can write meanwhile.
    Shrink,
}

/// Maintains the database.
pub(crate) fn db(global: &GlobalArgs, arguments: &DbArgs) -> Result<Status, Failure> {
    let mut engine = match &arguments.command {
        DbCommand::Purge(_) | DbCommand::Shrink => session::service_engine(global)?,
        DbCommand::Check | DbCommand::Backup { .. } | DbCommand::Here => session::file_engine(global)?,
    };
    match &arguments.command {
        DbCommand::Purge(arguments) => purge::purge(global, &mut engine, arguments),
        DbCommand::Shrink => shrink(global, &mut engine),
        DbCommand::Here => here(global, &mut engine),
        DbCommand::Check => Ok(check(global, &engine)?),
        DbCommand::Backup { file } => {
            let file =
                files::absolute(file).map_err(|error| Error::with(ErrorCode::H0111, &[&file.display(), &error]))?;
            engine.store.backup(&file)?;
            if global.is_json() {
                json::print(&mut Screen::open(), &json!({"database": engine.store.path(), "backup": file}))?;
            } else {
                text::line(&format!("copied {} to {}", engine.store.path().display(), file.display()))?;
            }
            Ok(Status::Done)
        }
    }
}

fn here(global: &GlobalArgs, engine: &mut Engine) -> Result<Status, Failure> {
    copy_check::accept(engine)?;
    let path = engine.store.path();
    if global.is_json() {
        json::print(&mut Screen::open(), &json!({"database": path}))?;
    } else if !global.quiet {
        text::line(&format!("{} is the database from now on", path.display()))?;
    }
    Ok(Status::Done)
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
