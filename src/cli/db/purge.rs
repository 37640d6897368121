//! `howdah db purge`: deletes jobs that ended long ago.

use clap::Args;

use crate::cli::args::{DryRunArgs, GlobalArgs};
use crate::cli::exit::{Failure, Status};
use crate::cli::session;
use crate::engine::Engine;
use crate::engine::service::purge::{self, PurgeOrder, age};
use crate::output::screen::Screen;
use crate::output::{diagnostic, json, purge as report};

/// Arguments of `db purge`.
#[derive(Args, Debug)]
pub(super) struct PurgeArgs {
    /// How long ago a job must have ended: hours, days or weeks, such as 12h, 30d or 2w [default: 30d for workflow
    /// jobs, 7d for coordinators and bundles, or the site's oozie.service.PurgeService.older.than, .coord.older.than
    /// and .bundle.older.than]
    #[arg(long, value_name = "AGE", value_parser = age::parse, allow_hyphen_values = true)]
    older_than: Option<i64>,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

/// Deletes old jobs and prints which.
pub(super) fn purge(global: &GlobalArgs, engine: &mut Engine, arguments: &PurgeArgs) -> Result<Status, Failure> {
    let now = session::clock(global)?.now();
    let order = PurgeOrder::new(arguments.older_than, &engine.settings.purge, now, arguments.dry_run.effect());
    let purged = purge::purge(engine, &order)?;
    let mut screen = Screen::open();
    if global.json {
        json::print(&mut screen, &purged)?;
    } else if !global.quiet {
        screen.write(report::render(&purged, &order))?;
    }
    for fault in &purged.faults {
        diagnostic::fault("run folder", fault);
    }
    Ok(if purged.faults.is_empty() { Status::Done } else { Status::Unsuccessful })
}
