//! `howdah status`: whether all is well in the whole database.

use clap::Args;

use crate::cli::args::GlobalArgs;
use crate::cli::exit::{Failure, Status};
use crate::cli::session;
use crate::cli::watch::WatchArgs;
use crate::output::changes;
use crate::output::screen::Screen;
use crate::output::site::{self, Verdict};
use crate::output::{json, text};
use howdah_answers::query;

/// Say whether all is well: ticks, jobs, failed and late actions, deliveries, disk
///
/// Prints one screen: when the last tick ran and how often they come, which process advances workflow jobs and with
/// which settings, which stores of files give no answer, how many jobs and actions have each status, what failed in
/// the last 24 hours, which jobs are late, what is due next, and the room on the disk. A job is late when its oldest
/// open action has not ended after twice the time that its actions usually take.
///
/// With --check it is a plug-in for a monitoring program: one line with performance data; the exit status is 0 when all
/// is well, 1 for a warning, 2 when something cannot continue, 3 when the state is unknown.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:\n\
\x20 howdah status\n\
\x20 howdah status --watch\n\
\x20 howdah status --check\n\
\x20 howdah status --json | jq .tick.seconds_ago")]
pub(crate) struct StatusArgs {
    /// Print one line for a monitoring program; the exit status is 0, 1, 2 or 3
    #[arg(long, conflicts_with = "watch")]
    check: bool,
    #[command(flatten)]
    watch: WatchArgs,
}

/// Shows the state of the database.
pub(crate) fn status(global: &GlobalArgs, arguments: &StatusArgs) -> Result<Status, Failure> {
    if !arguments.check {
        return arguments.watch.show(global, |engine, now, wanted| {
            let view = query::site::site(engine, now)?;
            let text = |layout| if global.is_json() { json::text(&view) } else { site::screen(&view, layout) };
            Ok(wanted.shown(text, || changes::of_site(&view), false))
        });
    }
    match seen(global) {
        Ok(view) => {
            Screen::open().write(if global.is_json() { json::text(&view) } else { site::check(&view) })?;
            Ok(match Verdict::of(&view) {
                Verdict::Ok => Status::Done,
                Verdict::Warning => Status::Unsuccessful,
                Verdict::Critical => Status::Critical,
            })
        }
        Err(failure) => {
            let why: Vec<String> = failure.errors.iter().map(ToString::to_string).collect();
            text::line(&format!("HOWDAH UNKNOWN - {}", why.join("; ")))?;
            Ok(Status::Unknown)
        }
    }
}

fn seen(global: &GlobalArgs) -> Result<query::site::SiteView, Failure> {
    let now = session::clock(global)?.now();
    let mut engine = session::query_engine(global)?;
    Ok(query::site::site(&mut engine, now)?)
}
