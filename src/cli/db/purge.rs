//! `howdah db purge`: deletes jobs that ended long ago.

use clap::Args;

use crate::cli::args::{DryRunArgs, GlobalArgs};
use crate::cli::exit::{Failure, Status};
use crate::cli::session;
use crate::output::screen::Screen;
use crate::output::{diagnostic, json, purge as report};
use howdah_engine::Engine;
use howdah_engine::purge_record::PurgeRecord;
use howdah_engine::service::purge::purged::Purged;
use howdah_engine::service::purge::schedule;
use howdah_engine::service::purge::{self, PurgeOrder, age};
use howdah_engine::tick_record::TickRecord;
use howdah_host::{lock, processes};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::effect::Effect;
use howdah_words::model::time::Timestamp;

/// Arguments of `db purge`.
#[derive(Args, Debug)]
pub(super) struct PurgeArgs {
    /// How long ago a job must have ended: hours, days or weeks, such as 12h, 30d or 2w [default: 30d for workflow
    /// jobs, 7d for coordinators and bundles, or the site's oozie.service.PurgeService.older.than, .coord.older.than
    /// and .bundle.older.than]
    #[arg(long, value_name = "AGE", value_parser = age::parse, allow_hyphen_values = true)]
    older_than: Option<i64>,
    /// Purge for the ticks: only when one is due, and no other one is running
    #[arg(long, hide = true)]
    scheduled: bool,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

/// Deletes old jobs and prints which.
pub(super) fn purge(global: &GlobalArgs, engine: &mut Engine, arguments: &PurgeArgs) -> Result<Status, Failure> {
    let now = session::clock(global)?.now();
    let order = if arguments.scheduled {
        let Some(order) = schedule::order(engine)? else { return Ok(Status::Done) };
        order
    } else {
        check_site(engine, arguments)?;
        PurgeOrder::new(arguments.older_than, &engine.settings.purge, now, arguments.dry_run.effect())
    };
    let Some(purged) = recorded(engine, &order, arguments.scheduled, now)? else {
        return Ok(Status::Done);
    };
    let mut screen = Screen::open();
    if global.is_json() {
        json::print(&mut screen, &purged)?;
    } else if !global.quiet {
        screen.write(report::render(&purged, &order))?;
    }
    for fault in &purged.faults {
        diagnostic::fault("run folder", fault);
    }
    Ok(if purged.faults.is_empty() { Status::Done } else { Status::Unsuccessful })
}

/// Refuses to purge by the ages of the site while the site file is missing: it may say that jobs are kept longer.
///
/// # Errors
/// H0002.
fn check_site(engine: &Engine, arguments: &PurgeArgs) -> Result<()> {
    let Some(site) = TickRecord::missing_site(engine).filter(|_| arguments.older_than.is_none()) else { return Ok(()) };
    let why = format!("the site file [{site}] of the ticks says how long jobs are kept, and this command has none");
    Err(Error::new(ErrorCode::H0002, why).help(format!("give --site {site}, or --older-than AGE")))
}

/// Purges and records it, for `status` and the next tick. Returns `None` when the tick that started this process wanted
/// a purge, and another one is running or has just run.
fn recorded(engine: &mut Engine, order: &PurgeOrder, is_scheduled: bool, now: Timestamp) -> Result<Option<Purged>> {
    if order.effect == Effect::DryRun {
        return purge::purge(engine, order).map(Some);
    }
    if is_scheduled {
        processes::leave_session();
    }
    let lock = lock::try_lock(&engine.purge_lock())?;
    if is_scheduled && (lock.is_none() || !schedule::is_due(engine, now)) {
        return Ok(None);
    }
    let record = PurgeRecord::start(now);
    if let Some(lock) = &lock {
        record.write(lock);
    }
    let purged = purge::purge(engine, order)?;
    let record = record.end([purged.bundles, purged.coordinators, purged.workflows]);
    if let Some(lock) = &lock {
        record.write(lock);
    }
    Ok(Some(purged))
}
