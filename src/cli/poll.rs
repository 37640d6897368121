//! `howdah poll`: waits until jobs, actions or nodes are over.

use std::time::Duration;

use clap::Args;
use serde_json::json;

use crate::cli::args::GlobalArgs;
use crate::cli::exit::{Failure, Status};
use crate::cli::session;
use crate::cli::targets::Targets;
use crate::output::form::Form;
use crate::output::screen::Screen;
use crate::output::{json, text};
use howdah_answers::query;
use howdah_answers::query::end_state::EndState;
use howdah_answers::query::status::AnyStatus;
use howdah_engine::Engine;
use howdah_host::clock::{self, Clock};
use howdah_words::model::id::Target;

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
    let ends = await_ends(&mut engine, (clock.as_ref(), arguments), &targets)?;
    show(&targets, &ends, global.form())?;
    let meaning = |end: &EndState| match (end.over, end.succeeded) {
        (true, true) => Status::Done,
        (true, false) => Status::Unsuccessful,
        (false, _) => Status::TimedOut,
    };
    let worst = ends.iter().map(meaning).max_by_key(|status| match status {
        Status::TimedOut => 2,
        Status::Done => 0,
        _ => 1,
    });
    Ok(worst.unwrap_or(Status::Done))
}

/// Waits until all targets are over at the same time, or the time is; returns their last states. All are read again
/// after each change, in one snapshot: one that was over may have been rerun while another one ran.
fn await_ends(
    engine: &mut Engine,
    (clock, arguments): (&dyn Clock, &PollArgs),
    targets: &[Target],
) -> Result<Vec<EndState>, Failure> {
    let most = (arguments.timeout > 0).then(|| MINUTE * arguments.timeout);
    let (mut waited, mut since_printed) = (Duration::ZERO, Duration::ZERO);
    let mut shown: Vec<Option<AnyStatus>> = vec![None; targets.len()];
    loop {
        // Read before the status: a change in between is noticed in the next round.
        let version = engine.store.data_version()?;
        let states = read_all(engine, clock, targets)?;
        if states.iter().all(|state| state.over) || most.is_some_and(|most| waited >= most) {
            return Ok(states);
        }
        let is_reminder = since_printed >= MINUTE * arguments.interval;
        if arguments.verbose && print_news((targets, &states), &mut shown, is_reminder) {
            since_printed = Duration::ZERO;
        }
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

/// Reads the states of all targets in one snapshot.
fn read_all(engine: &mut Engine, clock: &dyn Clock, targets: &[Target]) -> Result<Vec<EndState>, Failure> {
    Ok(query::run(engine, clock.now(), |query| targets.iter().map(|target| query.end_state(target)).collect())?)
}

/// Prints each status that has changed since it was shown, as a reminder also the others of targets that are not over;
/// returns whether it printed.
fn print_news((targets, states): (&[Target], &[EndState]), shown: &mut [Option<AnyStatus>], is_reminder: bool) -> bool {
    let mut has_printed = false;
    for ((target, state), shown) in targets.iter().zip(states).zip(shown) {
        if *shown != Some(state.status) || (is_reminder && !state.over) {
            text::aside(&format!("{target} is {}", state.status));
            *shown = Some(state.status);
            has_printed = true;
        }
    }
    has_printed
}

/// Prints the status of the only target, or a line for each of several.
fn show(targets: &[Target], ends: &[EndState], form: Form) -> Result<(), Failure> {
    let pairs = || targets.iter().zip(ends).map(|(target, end)| (target.to_string(), end.status.as_str()));
    let as_json = |(id, status): (String, &str)| json!({ "id": id, "status": status });
    match (form, ends) {
        (Form::Json, [_]) => json::print(&mut Screen::open(), &pairs().map(as_json).next())?,
        (Form::Json, _) => {
            json::print(&mut Screen::open(), &json!({ "jobs": pairs().map(as_json).collect::<Vec<_>>() }))?;
        }
        (Form::Text, [end]) => text::line(end.status.as_str())?,
        (Form::Text, _) => pairs().try_for_each(|(id, status)| text::line(&format!("{id}  {status}")))?,
        (Form::Quiet, _) => {}
    }
    Ok(())
}
