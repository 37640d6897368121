//! `howdah next`: when a frequency is due; needs no job and no database.

use clap::Args;

use crate::cli::args::{GlobalArgs, PropertyArgs};
use crate::cli::exit::{Failure, Status};
use crate::cli::moment::Moments;
use crate::cli::session;
use crate::output::{diagnostic, next as show};
use howdah_answers::check::next::{self, Question};
use howdah_calendar::Zone;
use howdah_oozie::configuration::resolve_parsed;

/// Show the next nominal times of a frequency, and the clock changes on those days
///
/// The times are those of a coordinator with this frequency, start and zone. The local time is printed beside each;
/// days on which the clocks of the zone are put forward (gap) or back (fold) are marked. The frequency is also
/// described in words. With --quiet only the nominal times are printed, one per line.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:\n\
\x20 howdah next 'coord:days(1)' --start 2026-03-06T10:30Z --timezone America/Los_Angeles\n\
\x20 howdah next '0,30 9-17 * * MON-FRI' -n 20\n\
\x20 howdah next '${freq}' -c job.properties --start 2026-01-01T00:00Z --end 2026-02-01T00:00Z")]
pub(crate) struct NextArgs {
    /// Minutes (60), an expression ('${coord:days(1)}', or only 'coord:days(1)'), or five cron fields ('0 2 * * *')
    #[arg(value_name = "FREQUENCY", allow_negative_numbers = true)]
    frequency: String,
    /// The start, which is included: YYYY-MM-DDTHH:MMZ, now, +2d, -24h, today, tomorrow, or a date; days begin at
    /// midnight of --timezone [default: now]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    start: Option<String>,
    /// The end, which is not included, written as for --start [default: none]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    end: Option<String>,
    /// The zone of the coordinator; `howdah time zones` lists them. Cron follows the processing time zone instead
    #[arg(long, short = 'z', value_name = "ZONE", default_value = "UTC")]
    timezone: String,
    /// The number of times to show
    #[arg(short = 'n', long = "count", value_name = "N", default_value_t = 10,
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    count: u32,
    #[command(flatten)]
    properties: PropertyArgs,
}

/// Shows the next times.
pub(crate) fn next(global: &GlobalArgs, arguments: &NextArgs) -> Result<Status, Failure> {
    let now = session::clock(global)?.now();
    let settings = session::settings(global)?;
    let PropertyArgs { config, definitions } = &arguments.properties;
    let properties = resolve_parsed(&session::job_properties(config.as_deref(), definitions)?)?;
    // A zone that does not exist is reported with the frequency.
    let moments = Moments::new(now, settings.submit.processing).with_days_of(Zone::parse(&arguments.timezone).ok());
    let written_out = |text: &Option<String>| text.as_deref().map(|text| moments.written_out(text));
    let (start, end) = (written_out(&arguments.start), written_out(&arguments.end));
    let question = Question {
        frequency: &arguments.frequency,
        start: start.as_deref(),
        end: end.as_deref(),
        zone: &arguments.timezone,
        count: arguments.count as usize,
    };
    let (forecast, warning) = next::next(question, &properties, &settings.submit, now)?;
    if !global.quiet {
        diagnostic::explain(warning.as_slice());
    }
    show::print(&forecast, global.form())?;
    Ok(Status::Done)
}
