//! `howdah update`: a new definition and new properties for a live coordinator job.

use clap::Args;

use crate::check::validate::Quotable;
use crate::cli::args::{DryRunArgs, GlobalArgs, PropertyArgs};
use crate::cli::exit::{Failure, Status};
use crate::cli::targets::Targets;
use crate::cli::{session, verb};
use crate::engine::verbs::update::{self, UpdateOrder};
use crate::output::update as show;

/// Apply a changed definition or changed properties to a coordinator job
///
/// Reads and checks the application again. With -c the properties of the file replace the job's; without it they stay,
/// and -D overrides them. Frequency, start, end, time zone and name cannot change (see `howdah change` for the end).
/// Shows the differences of the definition and the properties, and which of the next actions change in their nominal
/// time, inputs, outputs or configuration. Existing actions do not change, unless they are rerun with --refresh.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:\n\
\x20 howdah update 0000000-261120093000123-oozie-oozi-C --dry-run\n\
\x20 howdah update 0000000-261120093000123-oozie-oozi-C -c job.properties\n\
\x20 howdah update 0000000-261120093000123-oozie-oozi-C -D queue=night --actions 30")]
pub(crate) struct UpdateArgs {
    /// The name or id of a coordinator job
    #[arg(value_name = "JOB")]
    job: String,
    #[command(flatten)]
    properties: PropertyArgs,
    /// The number of next actions to compare
    #[arg(long, value_name = "COUNT", default_value_t = 10, value_parser = clap::value_parser!(u32).range(0..=10_000))]
    actions: u32,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

/// Updates one job.
pub(crate) fn update(global: &GlobalArgs, arguments: &UpdateArgs) -> Result<Status, Failure> {
    let clock = session::clock(global)?;
    let job = Targets::new(global).whole_job(&arguments.job)?;
    let PropertyArgs { config, definitions } = &arguments.properties;
    let file = config.as_deref().map(|file| session::storable(Some(file), &[])).transpose()?;
    let defined = Some(session::storable(None, definitions)?).filter(|_| !definitions.is_empty());
    let mut engine = session::existing_engine(global)?;
    let order = UpdateOrder {
        job: &job,
        properties: file,
        definitions: defined,
        actions: arguments.actions,
        effect: arguments.dry_run.effect(),
        follows_new_end: false,
    };
    let quotable = Quotable::named(arguments.properties.named_files());
    let update = update::update(&mut engine, order, clock.now()).inspect_err(|errors| quotable.allow(errors))?;
    quotable.allow(&update.warnings);
    show::show(&update, global.form())?;
    verb::start_processes(&engine, global, update.effect)?;
    Ok(Status::Done)
}
