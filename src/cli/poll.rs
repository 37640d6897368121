//! `howdah poll`: waits until a job, an action or a node is over.

use std::time::Duration;

use clap::Args;
use serde_json::json;

use crate::cli::args::GlobalArgs;
use crate::cli::exit::{Failure, Status};
use crate::cli::session;
use crate::cli::targets::Targets;
use crate::host::clock;
use crate::output::form::Form;
use crate::output::screen::Screen;
use crate::output::{json, text};
use crate::query;
use crate::query::status::AnyStatus;

/// The pause between two reads of the number that every change of the database increases.
const PAUSE: Duration = Duration::from_millis(250);
const MINUTE: Duration = Duration::from_secs(60);

/// Wait until a job, an action or a node is over
///
/// Prints its last status. The exit status is 0 when it has succeeded, 1 when it ended in any other way, and 124 when
/// it is not over in time. Starts nothing: it waits for cron, `run` or another terminal, and notices a change within a
/// quarter of a second.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:\n\
\x20 howdah poll 0000000-261120093000123-howdah-C@3 && howdah log 0000000-261120093000123-howdah-C@3\n\
\x20 howdah poll --timeout 120 --verbose 0000001-261120093000123-howdah-W")]
pub(crate) struct PollArgs {
    /// A coordinator job, an action of it (JOB@3), a workflow job, a node of it (WF@node) or a bundle
    #[arg(value_name = "JOB[@PART]")]
    job: String,
    /// How many minutes to wait at most; 0 for no limit
    #[arg(long, value_name = "MINUTES", default_value_t = 30)]
    timeout: u32,
    /// Minutes after which --verbose prints the status again although it has not changed
    #[arg(long, value_name = "MINUTES", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    interval: u32,
    /// Print every status on the way
    #[arg(long)]
    verbose: bool,
}

/// Waits for an end.
pub(crate) fn poll(global: &GlobalArgs, arguments: &PollArgs) -> Result<Status, Failure> {
    let clock = session::clock(global)?;
    let target = Targets::new(global).target(&arguments.job)?;
    let mut engine = session::watching_engine(global)?;
    let most = (arguments.timeout > 0).then(|| MINUTE * arguments.timeout);
    let (mut waited, mut since_printed) = (Duration::ZERO, Duration::ZERO);
    let mut shown: Option<AnyStatus> = None;
    loop {
        // Read before the status: a change in between is noticed in the next round.
        let version = engine.store.data_version()?;
        let state = query::run(&mut engine, clock.now(), |query| query.end_state(&target))?;
        let in_time = most.is_none_or(|most| waited < most);
        if state.over || !in_time {
            show(&target.to_string(), state.status.as_str(), global.form())?;
            return Ok(match (state.over, state.succeeded) {
                (true, true) => Status::Done,
                (true, false) => Status::Unsuccessful,
                (false, _) => Status::TimedOut,
            });
        }
        let is_news = shown != Some(state.status) || since_printed >= MINUTE * arguments.interval;
        if arguments.verbose && is_news {
            text::aside(&format!("{target} is {}", state.status));
            since_printed = Duration::ZERO;
        }
        shown = Some(state.status);
        while most.is_none_or(|most| waited < most) {
            clock::pause(PAUSE);
            waited += PAUSE;
            since_printed += PAUSE;
            let is_reminder = arguments.verbose && since_printed >= MINUTE * arguments.interval;
            if is_reminder || engine.store.data_version()? != version {
                break;
            }
        }
    }
}

fn show(id: &str, status: &str, form: Form) -> Result<(), Failure> {
    match form {
        Form::Json => json::print(&mut Screen::open(), &json!({ "id": id, "status": status }))?,
        Form::Text => text::line(status)?,
        Form::Quiet => {}
    }
    Ok(())
}
