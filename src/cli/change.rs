//! `howdah change`, `howdah ignore`: changes to a live coordinator job or bundle.

use clap::{ArgGroup, Args};

use crate::cli::args::{DryRunArgs, GlobalArgs};
use crate::cli::exit::{Failure, Status};
use crate::cli::moment::Moments;
use crate::cli::scope::{JobScope, ScopeArgs};
use crate::cli::targets::Targets;
use crate::cli::{session, verb};
use howdah_engine::apply::outcome::{Outcome, for_each};
use howdah_engine::verbs::{bundle, change};
use howdah_oozie::coordinator::operation::change_value::{NewBundleValues, NewValues};
use howdah_words::model::id::{JobId, JobKind};

/// Change the end, the concurrency, the pause time or the status of a job
///
/// An earlier end or a pause time removes actions that were created ahead of it; they are listed, and the change is
/// refused if one of them has started (E1022). A later end opens a finished job again. A KILLED, FAILED or IGNORED job
/// can be changed to RUNNING, a KILLED or FAILED one to IGNORED. For a bundle the end and the pause time can be
/// changed; they apply to all its coordinators.
#[derive(Args, Debug)]
#[command(group(
    ArgGroup::new("values")
        .required(true)
        .multiple(true)
        .args(["value", "endtime", "concurrency", "pausetime", "status"])
))]
#[command(after_help = "\
Examples:\n\
\x20 howdah change 0000000-261120093000123-oozie-oozi-C --endtime 2026-12-01T05:00Z --dry-run\n\
\x20 howdah change 0000000-261120093000123-oozie-oozi-C --pausetime none --concurrency 3\n\
\x20 howdah change 0000000-261120093000123-oozie-oozi-C --value 'endtime=2026-12-01T05:00Z;concurrency=100'")]
pub(crate) struct ChangeArgs {
    /// Names or ids of coordinator jobs or bundles
    #[arg(required = true, value_name = "JOB")]
    jobs: Vec<String>,
    /// The new values as Oozie writes them: name=value;name=value of endtime, concurrency, pausetime, status; an empty
    /// pausetime removes it
    #[arg(long, value_name = "VALUES")]
    value: Option<String>,
    /// No action is due at this time or later: YYYY-MM-DDTHH:MMZ, now, +2d, -24h, today, tomorrow, or a date for its
    /// first minute
    #[arg(long, value_name = "TIME", conflicts_with = "value", allow_hyphen_values = true)]
    endtime: Option<String>,
    /// How many actions may run at a time; below zero: any number
    #[arg(long, value_name = "NUMBER", conflicts_with = "value", allow_negative_numbers = true)]
    concurrency: Option<String>,
    /// No action is created from this time on, which is written as for --endtime; or none
    #[arg(long, value_name = "TIME|none", conflicts_with = "value", allow_hyphen_values = true)]
    pausetime: Option<String>,
    /// RUNNING or IGNORED
    #[arg(long, value_name = "STATUS", conflicts_with = "value")]
    status: Option<String>,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

/// Ignore unsuccessful actions, or a whole job: they no longer affect the status of the job
///
/// Without --action and --date the whole job is ignored, which must be KILLED or FAILED. IGNORED actions can be rerun;
/// an IGNORED job can be rerun after its status is changed to RUNNING.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:\n\
\x20 howdah ignore 0000000-261120093000123-oozie-oozi-C@3\n\
\x20 howdah ignore 0000000-261120093000123-oozie-oozi-C --action 1,3-4 --dry-run\n\
\x20 howdah ignore 0000000-261120093000123-oozie-oozi-C --date 2026-03-01T00:00Z::2026-03-02T00:00Z")]
pub(crate) struct IgnoreArgs {
    /// Names or ids of coordinator jobs or their actions (JOB@3)
    #[arg(required = true, value_name = "JOB[@ACTION]")]
    jobs: Vec<String>,
    #[command(flatten)]
    scope: ScopeArgs,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

/// Changes jobs.
pub(crate) fn change(global: &GlobalArgs, arguments: &ChangeArgs) -> Result<Status, Failure> {
    let clock = session::clock(global)?;
    let processing = session::settings(global)?.submit.processing;
    let text = text(arguments, &Moments::new(clock.now(), processing));
    let mut targets = Targets::new(global);
    let jobs = arguments.jobs.iter().map(|job| targets.whole_job(job)).collect::<Result<Vec<JobId>, Failure>>()?;
    let (bundles, others): (Vec<_>, Vec<_>) = jobs.iter().partition(|job| job.kind() == JobKind::Bundle);
    let of_bundle = (!bundles.is_empty()).then(|| NewBundleValues::parse(&text, processing)).transpose()?;
    let of_others = (!others.is_empty()).then(|| NewValues::parse(&text, processing)).transpose()?;
    let effect = arguments.dry_run.effect();
    let mut engine = session::existing_engine(global)?;
    let when = (effect, clock.now());
    let give = |job: &JobId| match (&of_bundle, &of_others) {
        (Some(values), _) if job.kind() == JobKind::Bundle => bundle::change(&mut engine, job, values, when),
        (_, Some(values)) => change::change_job(&mut engine, job, values, when),
        (_, None) => Ok(Outcome::of(job)),
    };
    let outcomes = for_each(&jobs, |job| job, give)?;
    verb::finish(&engine, global, &outcomes, effect)
}

/// Ignores jobs or actions.
pub(crate) fn ignore(global: &GlobalArgs, arguments: &IgnoreArgs) -> Result<Status, Failure> {
    let clock = session::clock(global)?;
    let moments = session::moments(global, clock.now())?;
    let targets = arguments.scope.of_each(&mut Targets::new(global), &arguments.jobs, &moments)?;
    let effect = arguments.dry_run.effect();
    let mut engine = session::existing_engine(global)?;
    let when = (effect, clock.now());
    let give = |target: &JobScope| match &target.actions {
        Some(scope) => change::ignore_actions(&mut engine, &target.job, scope, when),
        None => change::ignore_job(&mut engine, &target.job, when),
    };
    let outcomes = for_each(&targets, |target| &target.job, give)?;
    verb::finish(&engine, global, &outcomes, effect)
}

/// Returns the new values as Oozie writes them, from either form of the options.
fn text(arguments: &ChangeArgs, moments: &Moments) -> String {
    let time = |value: &str| moments.written_out(value);
    let pause = |value: &str| if value.eq_ignore_ascii_case("none") { String::new() } else { time(value) };
    let flags = [
        ("endtime", arguments.endtime.as_deref().map(time)),
        ("concurrency", arguments.concurrency.clone()),
        ("pausetime", arguments.pausetime.as_deref().map(pause)),
        ("status", arguments.status.as_deref().map(str::to_ascii_uppercase)),
    ];
    let given = flags.into_iter().filter_map(|(name, value)| Some((name, value?)));
    match &arguments.value {
        Some(value) => value.clone(),
        None => given.map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(";"),
    }
}
