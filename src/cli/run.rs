//! `howdah run`: submits jobs and runs them to their end in the foreground.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::cli::args::{GlobalArgs, PropertyArgs};
use crate::cli::exit::{Failure, Status};
use crate::cli::{runner, session, submit};
use crate::output::progress::{Manner, Progress};
use crate::output::screen::Screen;
use crate::output::{self, json};
use howdah_answers::query;
use howdah_answers::query::summary::{self, SummaryView};
use howdah_engine::service::loops::{self, Ended};
use howdah_engine::tick::kick_off::Start;
use howdah_words::error::Result;

/// Submit jobs and run them to their end in the foreground
///
/// Several -c submit several jobs, which may use each other's outputs. Ctrl-C leaves everything as it is: the jobs
/// continue at the next `howdah tick`. A bundle is started without waiting for its kick-off time. The exit status is 0
/// when every job succeeded.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:\n\
\x20 howdah run -c job.properties\n\
\x20 howdah run -c hourly.properties -c daily.properties --db /tmp/try.db")]
pub(crate) struct RunArgs {
    /// A file of job properties; may be repeated, once per job
    #[arg(long, short, value_name = "FILE")]
    config: Vec<PathBuf>,
    /// A property that overrides the files; may be repeated
    #[arg(short = 'D', value_name = "NAME=VALUE")]
    definitions: Vec<String>,
}

/// Submits and runs jobs.
pub(crate) fn run(global: &GlobalArgs, arguments: &RunArgs) -> Result<Status, Failure> {
    let clock = session::clock(global)?;
    let settings = session::settings(global)?;
    let mounts = session::mounts(global, &settings)?;
    session::warn_of_site(global, &settings, &mounts);
    let mut configs: Vec<Option<PathBuf>> = arguments.config.iter().cloned().map(Some).collect();
    if configs.is_empty() {
        configs.push(None);
    }
    // Nothing is stored unless every job can be submitted.
    let mut prepared = Vec::new();
    for config in configs {
        let properties = PropertyArgs { config, definitions: arguments.definitions.clone() };
        prepared.push(submit::prepare(global, &properties, &mounts, &settings)?);
    }
    let mut engine = session::engine(global, clock.as_ref())?;
    let mut jobs = Vec::new();
    for job in &prepared {
        let (id, _) = submit::store(&mut engine, job, Start::Now, clock.now())?;
        // With --json the single document at the end names the jobs.
        if !global.is_json() {
            submit::print_id(&id, false)?;
        }
        submit::print_remarks(global, &mut engine, &id, clock.now())?;
        jobs.push(id);
    }
    runner::compare(&engine, global);
    runner::warn_of_pause(global, &engine);
    let totals = query::run(&mut engine, clock.now(), |query| summary::totals(query, &jobs))?;
    let mut progress = Progress::new(&jobs, &totals, Manner::of(global.is_json(), global.quiet));
    let outcome = loops::drive(&mut engine, clock.as_ref(), &jobs, &mut progress);
    progress.finish(outcome.as_ref().ok().copied());
    // Actions that still run need a process that collects their results.
    let left = runner::ensure(&engine, global);
    let ended = outcome?;
    left?;
    let summaries = query::run(&mut engine, clock.now(), |query| {
        jobs.iter().map(|id| query.summary(id)).collect::<Result<Vec<_>>>()
    })?;
    show(global, &summaries, ended)?;
    Ok(if ended == (Ended::Over { all_succeeded: true }) { Status::Done } else { Status::Unsuccessful })
}

/// Shows the result of the run: a table and the commands to try next, or one document.
fn show(global: &GlobalArgs, jobs: &[SummaryView], ended: Ended) -> Result<()> {
    let interrupted = ended == Ended::Interrupted;
    let mut screen = Screen::open();
    if global.is_json() {
        return json::print(&mut screen, &json!({"interrupted": interrupted, "jobs": jobs}));
    }
    let options = session::repeated_options(global);
    screen.write(output::summary::render(jobs, interrupted, &options, screen.layout()))
}
