//! `howdah backfill`: runs nominal times of one coordinator job whose output is missing, inside the job and before its
//! start.

use clap::{Args, ValueEnum};

use crate::cli::args::{DryRunArgs, GlobalArgs};
use crate::cli::exit::{Failure, Status};
use crate::cli::repair::carry_out_draft;
use crate::cli::targets::Targets;
use crate::cli::{runner, session};
use howdah_engine::verbs::repair::Manner;
use howdah_engine::verbs::repair::backfill::{self, BackfillOrder, Only};
use howdah_oozie::configuration::ParsedProperties;
use howdah_words::error::{Error, ErrorCode};

/// Run nominal times of a coordinator job whose output is missing, also times before its start
///
/// A nominal time is missing when the data of one of its output events is not there: its folder, or its done-flag. When
/// the machine cannot tell, the time is reported and not run. Only actions that have ended are considered; those that
/// were SKIPPED or IGNORED too.
///
/// Inside the job the actions are rerun, as `rerun` does it: their outputs are deleted first, and you are asked once.
/// Nominal times before the start run in a coordinator job of their own, NAME-backfill: the same stored definition and
/// configuration, on the same calendar. Nothing is deleted for them, and they have no SLA.
///
/// An interrupted backfill is continued with `howdah rerun --continue`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:\n\
\x20 howdah backfill daily --from 2026-02-01 --to yesterday --dry-run\n\
\x20 howdah backfill daily --from 2026-02-01 --to 2026-03-01 --only all --max 10 --reverse\n\
\x20 howdah backfill 0000000-261120093000123-oozie-oozi-C --from -7d --to now --only failed --yes")]
pub(crate) struct BackfillArgs {
    /// The name or id of a coordinator job
    #[arg(value_name = "JOB")]
    job: String,
    /// The first nominal time: a time, a date, today, yesterday, or how long ago, such as -7d
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    from: String,
    /// The last nominal time; a date means the whole day
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    to: String,
    /// Which nominal times
    #[arg(long, value_enum, default_value = "missing", value_name = "WHICH")]
    only: OnlyArg,
    /// Run at most so many nominal times
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max: Option<u32>,
    /// Take the latest nominal times first
    #[arg(long)]
    reverse: bool,
    /// Do not delete the outputs of the actions
    #[arg(long)]
    nocleanup: bool,
    /// Run the actions, and delete their outputs, without asking
    #[arg(long, short)]
    yes: bool,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

/// Which nominal times run.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum OnlyArg {
    /// Those of which an output is not there
    Missing,
    /// Those whose action is FAILED, KILLED or TIMEDOUT
    Failed,
    /// All of them
    All,
}

/// Runs missing nominal times of a job.
pub(crate) fn backfill(global: &GlobalArgs, arguments: &BackfillArgs) -> Result<Status, Failure> {
    let now = session::clock(global)?.now();
    let moments = session::moments(global, now)?;
    let job = Targets::new(global).whole_job(&arguments.job)?;
    let from = moments.point("--from", &arguments.from)?;
    let until = moments.end_point("--to", &arguments.to)?;
    if until < from {
        let error = Error::new(ErrorCode::H0002, format!("--to {} is before --from {}", arguments.to, arguments.from));
        return Err(error.help("write the earlier time with --from").into());
    }
    let only = match arguments.only {
        OnlyArg::Missing => Only::Missing,
        OnlyArg::Failed => Only::Failed,
        OnlyArg::All => Only::All,
    };
    let BackfillArgs { reverse, nocleanup, yes, max, .. } = *arguments;
    let properties = ParsedProperties::default();
    let manner = Manner { refresh: false, failed: false, nocleanup, newest_first: reverse, properties };
    let mut engine = runner::engine_for_work(global)?;
    let order = BackfillOrder { job, from, until, only, most: max };
    let draft = backfill::draft(&mut engine, &order, &manner, now)?;
    carry_out_draft(global, &mut engine, draft, (arguments.dry_run.effect(), yes, now))
}
