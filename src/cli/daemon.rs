//! `howdah daemon`: tick and runner in one long-running process, for systemd.

use std::time::Duration;

use clap::Args;

use crate::cli::args::GlobalArgs;
use crate::cli::exit::{Failure, Status};
use crate::cli::ping::{Ping, PingArgs, RegularPing};
use crate::cli::{runner, session};
use crate::output::{diagnostic, text};
use howdah_engine::Engine;
use howdah_engine::service::loops;
use howdah_engine::service::watcher::{Advancer, Watcher};
use howdah_engine::tick::Clock;
#[cfg(feature = "serve")]
use howdah_host::partner;
use howdah_words::error::{Error, Result};

/// Tick and advance workflows in one long-running process; meant for systemd
///
/// Does the same as a `howdah tick` in cron: it ticks at least every minute, and at once when another command changed
/// the database or an action ended. A file that an action waits for starts it within a second, where the system
/// reports new files. SIGTERM or Ctrl-C stops it; running commands continue under their own supervisors.
/// A tick of cron at the same time does no harm. With --ping one tick in each interval is reported. A line on standard
/// error says what it does at the start, and which process advances the workflow jobs: a second daemon on a database
/// only ticks, until the first one ends.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:\n\
\x20 howdah daemon\n\
\x20 howdah daemon --every 10 --db /srv/howdah/howdah.db")]
pub(crate) struct DaemonArgs {
    /// Seconds between two ticks while nothing happens
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=3600))]
    every: u64,
    /// Accept a clock that is far ahead of the last tick (howdah.clock.leap.days)
    #[arg(long)]
    accept_clock: bool,
    #[command(flatten)]
    ping: PingArgs,
    /// End when standard input does: `howdah serve --tick` holds the other end
    #[cfg(feature = "serve")]
    #[arg(long, hide = true)]
    with_server: bool,
}

/// Serves until a signal arrives.
pub(crate) fn daemon(global: &GlobalArgs, arguments: &DaemonArgs) -> Result<Status, Failure> {
    #[cfg(feature = "serve")]
    if arguments.with_server {
        partner::end_with_input();
    }
    let check = if arguments.accept_clock { Clock::Accepted } else { Clock::Checked };
    tick_until_signal(global, (Duration::from_secs(arguments.every), check), arguments.ping.ping.as_deref())?;
    Ok(Status::Done)
}

/// Ticks at this interval and advances workflows until a signal arrives; reports the ticks to `ping`, or to what the
/// site says.
///
/// # Errors
/// A permanent failure of the database.
fn tick_until_signal(
    global: &GlobalArgs,
    (every, check): (Duration, Clock),
    ping: Option<&str>,
) -> Result<(), Failure> {
    let clock = session::clock(global)?;
    let mut engine = session::new_service_engine(global, clock.as_ref())?;
    let ping = Ping::new(ping, &engine.settings).map(|ping| RegularPing::new(ping, every));
    let mut reporter = Reporter { is_quiet: global.quiet, ping };
    reporter.say(&started(&engine, every));
    let served = loops::serve(&mut engine, clock.as_ref(), (every, check), &mut reporter);
    // Actions that still run need a process that collects their results.
    let left = runner::ensure(&engine, global);
    served?;
    left?;
    Ok(())
}

/// Returns what a daemon does, in one line.
fn started(engine: &Engine, every: Duration) -> String {
    let site = engine.settings.file.as_ref().map(|file| format!("the site file {}", file.display()));
    let site = site.unwrap_or_else(|| "no site file".to_owned());
    let mounts = match engine.mounts.texts().count() {
        0 => "no mounts".to_owned(),
        1 => "1 mount".to_owned(),
        many => format!("{many} mounts"),
    };
    let (database, seconds) = (engine.store.path().display(), every.as_secs());
    format!("daemon: ticks on {database}, every {seconds} s at least, with {site} and {mounts}")
}

/// Prints on standard error what the daemon does, once, and faults.
struct Reporter {
    is_quiet: bool,
    /// The dead-man's switch.
    ping: Option<RegularPing>,
}

impl Reporter {
    fn say(&self, text: &str) {
        if !self.is_quiet {
            text::aside(text);
        }
    }
}

impl Watcher for Reporter {
    fn changed(&mut self, _: &Engine) -> Result<()> {
        Ok(())
    }

    fn fault(&mut self, subject: &str, error: &Error) {
        diagnostic::fault(subject, error);
    }

    fn tick_starts(&mut self, _: &Engine) {
        self.ping.iter_mut().for_each(RegularPing::start);
    }

    fn tick_ended(&mut self, is_well: Option<bool>) {
        self.ping.iter_mut().for_each(|ping| ping.end(is_well));
    }

    fn runner(&mut self, advancer: Advancer) {
        self.say(&match advancer {
            Advancer::Own => "daemon: this process advances the workflow jobs".to_owned(),
            Advancer::Other(number) => {
                let other = number.map_or_else(|| "another process".to_owned(), |number| format!("process {number}"));
                format!(
                    "daemon: {other} advances the workflow jobs of this database; this process only ticks, and takes \
                     over when that one ends"
                )
            }
        });
    }
}
