//! `howdah update`: a new definition and new properties for live coordinator jobs.

use clap::Args;

use crate::cli::args::{DryRunArgs, GlobalArgs, PropertyArgs};
use crate::cli::exit::{Failure, Status};
use crate::cli::targets::Targets;
use crate::cli::{session, verb};
use crate::output::update::{self as show, Refused};
use howdah_answers::check::validate::Quotable;
use howdah_engine::verbs::update::{self, UpdateOrder};
use howdah_words::error::Error;
use howdah_words::model::id::JobId;

/// Apply a changed definition or changed properties to coordinator jobs
///
/// Reads and checks the application again. With -c the properties of the file replace the job's; without it they stay,
/// and -D overrides them. Frequency, start, end, time zone and name cannot change (see `howdah change` for the end).
/// Shows the differences of the definition and the properties, and which of the next actions change in their nominal
/// time, inputs, outputs or configuration. Existing actions do not change, unless they are rerun with --refresh. A job
/// that cannot be updated does not stop the others, and the exit status is 1.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:\n\
\x20 howdah update 0000000-261120093000123-oozie-oozi-C --dry-run\n\
\x20 howdah update 0000000-261120093000123-oozie-oozi-C -c job.properties\n\
\x20 howdah update 0000000-261120093000123-oozie-oozi-C -D queue=night --actions 30\n\
\x20 howdah update feed-a feed-b -D queue=night --dry-run")]
pub(crate) struct UpdateArgs {
    /// Names or ids of coordinator jobs
    #[arg(required = true, value_name = "JOB")]
    jobs: Vec<String>,
    #[command(flatten)]
    properties: PropertyArgs,
    /// The number of next actions to compare
    #[arg(long, value_name = "COUNT", default_value_t = 10, value_parser = clap::value_parser!(u32).range(0..=10_000))]
    actions: u32,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

/// Updates jobs.
pub(crate) fn update(global: &GlobalArgs, arguments: &UpdateArgs) -> Result<Status, Failure> {
    let now = session::clock(global)?.now();
    let mut targets = Targets::new(global);
    let jobs = arguments.jobs.iter().map(|job| targets.whole_job(job)).collect::<Result<Vec<JobId>, Failure>>()?;
    let PropertyArgs { config, definitions } = &arguments.properties;
    let file = config.as_deref().map(|file| session::storable(Some(file), &[])).transpose()?;
    let defined = Some(session::storable(None, definitions)?).filter(|_| !definitions.is_empty());
    let mut engine = session::existing_engine(global)?;
    let quotable = Quotable::named(arguments.properties.named_files());
    let effect = arguments.dry_run.effect();
    let mut results = Vec::new();
    for job in &jobs {
        let order = UpdateOrder {
            job,
            properties: file.clone(),
            definitions: defined.clone(),
            actions: arguments.actions,
            effect,
        };
        let done = update::update(&mut engine, order, now);
        match &done {
            Ok(update) => quotable.allow(&update.warnings),
            Err(errors) => quotable.allow(errors),
        }
        match done {
            Err(errors) if jobs.len() == 1 || !is_refused(&errors) => return Err(errors.into()),
            done => results.push(done.map_err(|errors| Refused { job: job.clone(), errors })),
        }
    }
    show::show(&results, (effect, global.form()))?;
    verb::start_processes(&engine, global, effect)?;
    Ok(if results.iter().all(Result::is_ok) { Status::Done } else { Status::Unsuccessful })
}

/// Returns whether errors are about one job: others can be updated nevertheless.
fn is_refused(errors: &[Error]) -> bool {
    errors.iter().all(Error::is_answer)
}
