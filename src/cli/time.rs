//! `howdah time`: zones, offsets and conversions; needs no database.

use clap::{Args, Subcommand};

use crate::cli::args::GlobalArgs;
use crate::cli::exit::{Failure, Status};
use crate::cli::session;
use crate::output::zones as show;
use howdah_answers::check::zones;
use howdah_words::error::{Error, ErrorCode, Result};

/// Convert times between zones, list zones, print offsets
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:\n\
\x20 howdah time convert 2026-03-08T09:30Z --to America/Los_Angeles\n\
\x20 howdah time convert 2026-11-01T01:30 --from America/Los_Angeles --to UTC\n\
\x20 howdah time zones berlin\n\
\x20 howdah time offset America/Los_Angeles 2026-07-01T00:00Z")]
pub(crate) struct TimeArgs {
    #[command(subcommand)]
    command: TimeCommand,
}

#[derive(Debug, Subcommand)]
enum TimeCommand {
    /// Convert a time to a zone
    ///
    /// A local time that the clocks skip (a gap) is read as in Oozie's calendar; for one that they show twice (a fold)
    /// both instants are shown, and the second counts. With --quiet only the local times are printed.
    Convert {
        /// YYYY-MM-DDTHH:MM with Z, with an offset such as +0530, or without one for a local time of --from; or now
        #[arg(value_name = "TIME")]
        time: String,
        /// The zone to convert to
        #[arg(long, value_name = "ZONE")]
        to: String,
        /// The zone of a local time
        #[arg(long, value_name = "ZONE")]
        from: Option<String>,
    },
    /// List the zones with their offsets now and their next changes
    ///
    /// Those of the tz database and those that only Java knows, such as PST; GMT+hh:mm is accepted everywhere too.
    /// With --quiet only the ids are printed.
    Zones {
        /// A part of an id, or a pattern with * and ?; letter case does not count
        #[arg(value_name = "PATTERN")]
        pattern: Option<String>,
    },
    /// Print the offset of a zone in minutes, or the difference of two
    ///
    /// The difference is the result of the function tzOffset for a dataset in the first zone and a coordinator in the
    /// second. With --quiet only the number of minutes is printed.
    Offset {
        /// The zone
        #[arg(value_name = "ZONE")]
        zone: String,
        /// Another zone, and the time of the offset [default: now]
        #[arg(value_name = "ZONE|TIME", num_args = 0..=2)]
        rest: Vec<String>,
    },
}

/// Converts times, lists zones or prints offsets.
pub(crate) fn time(global: &GlobalArgs, arguments: &TimeArgs) -> Result<Status, Failure> {
    let now = session::clock(global)?.now();
    let processing = session::settings(global)?.submit.processing;
    let form = global.form();
    match &arguments.command {
        TimeCommand::Convert { time, to, from } => {
            show::conversion(&zones::convert(time, (from.as_deref(), to), processing, now)?, form)?;
        }
        TimeCommand::Zones { pattern } => show::list(&zones::list(pattern.as_deref(), now)?, form)?,
        TimeCommand::Offset { zone, rest } => {
            let (other, time) = other_and_time(rest)?;
            show::offset(&zones::offset((zone, other), time, processing, now)?, form)?;
        }
    }
    Ok(Status::Done)
}

/// Separates a zone from a time: no id of a zone starts with a digit.
fn other_and_time(rest: &[String]) -> Result<(Option<&str>, Option<&str>)> {
    let is_time = |text: &str| text == "now" || text.starts_with(|first: char| first.is_ascii_digit());
    match rest {
        [] => Ok((None, None)),
        [time] if is_time(time) => Ok((None, Some(time))),
        [other] => Ok((Some(other), None)),
        [other, time, ..] if !is_time(other) && is_time(time) => Ok((Some(other), Some(time))),
        _ => {
            let error = Error::new(ErrorCode::H0002, "there are at most two zones and, last, one time");
            Err(error.help("howdah time offset ZONE [ZONE] [TIME]"))
        }
    }
}
