//! `howdah poll`: waits until jobs, actions or nodes are over.

use std::time::Duration;

use clap::Args;
use serde_json::json;

use crate::cli::args::GlobalArgs;
use crate::cli::exit::{Failure, Status};
use crate::cli::session;
use crate::cli::targets::Targets;
use crate::engine::Engine;
use crate::host::clock::{self, Clock};
use crate::model::id::Target;
use crate::output::form::Form;
use crate::output::screen::Screen;
use crate::output::{json, text};
use crate::query;
use crate::query::status::AnyStatus;

/// The pause between two reads of the number that every change of the database increases.
const PAUSE: Duration = Duration::from_millis(250);
const MINUTE: Duration = Duration::from_secs(60);

/// Wait until jobs, actions or nodes are over
///
/// Prints the last status, with several jobs a line for each. The exit status is 0 when all have succeeded, 1 when one
/// ended in any other way, and 124 when one is not over in time. Starts nothing: it waits for cron, `run` or another
/// terminal, and notices a change within a quarter of a second.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:\n\
\x20 howdah poll 0000000-261120093000123-oozie-oozi-C@3 && howdah log 0000000-261120093000123-oozie-oozi-C@3\n\
\x20 howdah poll --timeout 120 --verbose 0000001-261120093000123-oozie-oozi-W")]
pub(crate) struct PollArgs {
    /// Coordinator jobs, actions of them (JOB@3), workflow jobs, nodes of them (WF@node) or bundles
    #[arg(required = true, value_name = "JOB[@PART]")]
    jobs: Vec<String>,
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
    let targets = Targets::new(global).each(&arguments.jobs)?;
    let mut engine = session::watching_engine(global)?;
    let mut waited = Duration::ZERO;
    let mut ends = Vec::new();
    // The end of all is the end of the last one, in whatever order they are waited for.
    for target in &targets {
        ends.push(await_end(&mut engine, (clock.as_ref(), arguments), target, &mut waited)?);
    }
    show(&targets, &ends, global.form())?;
    let worst = ends.iter().map(|(_, status)| *status).max_by_key(|status| match status {
        Status::TimedOut => 2,
        Status::Done => 0,
        _ => 1,
    });
    Ok(worst.unwrap_or(Status::Done))
}

/// Waits until one target is over, or the time is; `waited` counts over all targets. Returns its last status, and what
/// that means for the exit status.
fn await_end(
    engine: &mut Engine,
    (clock, arguments): (&dyn Clock, &PollArgs),
    target: &Target,
    waited: &mut Duration,
) -> Result<(AnyStatus, Status), Failure> {
    let most = (arguments.timeout > 0).then(|| MINUTE * arguments.timeout);
    let mut since_printed = Duration::ZERO;
    let mut shown: Option<AnyStatus> = None;
    loop {
        // Read before the status: a change in between is noticed in the next round.
        let version = engine.store.data_version()?;
        let state = query::run(engine, clock.now(), |query| query.end_state(target))?;
        let in_time = most.is_none_or(|most| *waited < most);
        if state.over || !in_time {
            let meaning = match (state.over, state.succeeded) {
                (true, true) => Status::Done,
                (true, false) => Status::Unsuccessful,
                (false, _) => Status::TimedOut,
            };
            return Ok((state.status, meaning));
        }
        let is_news = shown != Some(state.status) || since_printed >= MINUTE * arguments.interval;
        if arguments.verbose && is_news {
            text::aside(&format!("{target} is {}", state.status));
            since_printed = Duration::ZERO;
        }
        shown = Some(state.status);
        while most.is_none_or(|most| *waited < most) {
            clock::pause(PAUSE);
            *waited += PAUSE;
            since_printed += PAUSE;
            let is_reminder = arguments.verbose && since_printed >= MINUTE * arguments.interval;
            if is_reminder || engine.store.data_version()? != version {
                break;
            }
        }
    }
}

/// Prints the status of the only target, or a line for each of several.
fn show(targets: &[Target], ends: &[(AnyStatus, Status)], form: Form) -> Result<(), Failure> {
    let pairs = || targets.iter().zip(ends).map(|(target, (status, _))| (target.to_string(), status.as_str()));
    let as_json = |(id, status): (String, &str)| json!({ "id": id, "status": status });
    match (form, ends) {
        (Form::Json, [_]) => json::print(&mut Screen::open(), &pairs().map(as_json).next())?,
        (Form::Json, _) => {
            json::print(&mut Screen::open(), &json!({ "jobs": pairs().map(as_json).collect::<Vec<_>>() }))?;
        }
        (Form::Text, [(status, _)]) => text::line(status.as_str())?,
        (Form::Text, _) => pairs().try_for_each(|(id, status)| text::line(&format!("{id}  {status}")))?,
        (Form::Quiet, _) => {}
    }
    Ok(())
}
