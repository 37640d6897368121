//! `howdah tick`: one step of the engine, for cron.

use clap::Args;

use crate::cli::args::GlobalArgs;
use crate::cli::exit::{Failure, Status};
use crate::cli::ping::{Ping, PingArgs};
use crate::cli::{runner, session};
use crate::output::screen::is_watched;
use crate::output::{diagnostic, text};
use howdah_engine as engine;
use howdah_engine::outbox::deliver;
use howdah_engine::runner::{demand, settings_check};
use howdah_engine::service::loops;
use howdah_engine::service::spawn::Housekeeper;
use howdah_engine::service::ticking::{self, tick_and_follow_up};
use howdah_engine::tick::{Caller, Clock, TickEnd};
use howdah_host::lock;
use howdah_words::error::{Error, ErrorCode};

/// Do everything that is due, once; meant for cron
///
/// Prints nothing when all is well; one line on standard error for each job that cannot advance. For the results of the
/// jobs see `howdah jobs`. Exits with 75 at once, and changes nothing, when another tick is running; with -q without a
/// message.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:\n\
\x20 howdah tick\n\
\x20 in a crontab: * * * * * howdah tick")]
pub(crate) struct TickArgs {
    /// Accept a clock that is far ahead of the last tick (howdah.clock.leap.days)
    #[arg(long)]
    accept_clock: bool,
    #[command(flatten)]
    ping: PingArgs,
}

/// Runs one tick and reports it to the dead-man's switch, if there is one.
pub(crate) fn tick(global: &GlobalArgs, arguments: &TickArgs) -> Result<Status, Failure> {
    let given = arguments.ping.ping.as_deref();
    let Some(ping) = Ping::new(given, &session::settings(global).unwrap_or_default()) else {
        return run_tick(global, arguments);
    };
    if !is_ticking(global) {
        ping.start();
    }
    let ended = run_tick(global, arguments);
    ping.end(ended.as_ref().copied());
    ended
}

/// Checks whether another process ticks now; what cannot be seen is reported by the tick itself.
fn is_ticking(global: &GlobalArgs) -> bool {
    session::database(global).is_ok_and(|database| lock::is_held(&engine::tick_lock(&database)).is_ok_and(|held| held))
}

fn run_tick(global: &GlobalArgs, arguments: &TickArgs) -> Result<Status, Failure> {
    let clock = session::clock(global)?;
    let mut engine = session::service_engine(global)?;
    session::warn_of_site(global, &engine.settings, &engine.mounts);
    let caller = Caller::Verb { is_typed: is_watched() };
    let checked = if arguments.accept_clock { Clock::Accepted } else { Clock::Checked };
    let Some(end) = tick_and_follow_up(&mut engine, clock.now(), checked, caller)? else {
        if global.quiet {
            return Ok(Status::Busy);
        }
        return Err(Error::new(ErrorCode::H0106, engine.store.path().display()).into());
    };
    let mut report = end.into_report()?;
    if report.servers.have_deferred() {
        // What needs no server is started before one is asked.
        runner::ensure(&engine, global)?;
        if let Some(clock_problem) = ticking::ask_servers(&mut engine, clock.as_ref(), &mut report)? {
            report.add(TickEnd::ClockRefused(clock_problem).into_report()?);
        }
    }
    text::report(&report, global.quiet);
    for failure in deliver::failures(&mut engine)? {
        diagnostic::fault(&failure.subject, &failure.error);
    }
    if demand::needs_runner(&engine)? {
        // A runner that cannot write cannot report this itself.
        engine.store.check_room()?;
        loops::check_runner(&engine)?;
    }
    runner::ensure(&engine, global)?;
    Housekeeper::new().visit(&engine, &clock.both())?;
    for (subject, problem) in settings_check::problems(&engine) {
        text::aside(&format!("{subject}: {problem}"));
    }
    Ok(if report.faults.is_empty() { Status::Done } else { Status::Unsuccessful })
}
