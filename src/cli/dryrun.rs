//! `howdah dryrun`: shows what a job would do; needs no database.

use clap::{Args, ValueEnum};

use crate::cli::args::{GlobalArgs, PropertyArgs};
use crate::cli::exit::{Failure, Status};
use crate::cli::moment::Moments;
use crate::cli::session;
use crate::output::dryrun as show;
use howdah_answers::check::dryrun::{self, DryRun, Selection, Setup, job};
use howdah_answers::check::validate::Quotable;
use howdah_calendar::ProcessingZone;
use howdah_engine::submit::submission::{self, Prepared};
use howdah_engine::submit::warnings::DataCheck;
use howdah_words::error::{Error, ErrorCode};
use howdah_words::model::action_numbers::ActionNumbers;
use howdah_words::model::time::Timestamp;

/// Show what a job would do, and store nothing
///
/// For a coordinator: its actions with every input instance and whether it exists now, the output instances, the
/// instances that are ignored because they are before the dataset's initial instance, and the configuration of the
/// workflow job. For a workflow: its configuration, and its nodes with their transitions, their content and the
/// transition that a decision would take now; values that only a run can provide remain expressions, and an expression
/// without a value refuses the job. For a bundle: its configuration and the coordinators that it would submit. The exit
/// status is 1 when the job would be refused.
///
/// Without --actions and --to, it shows as many actions as may wait at a time (the job's throttle).
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:\n\
\x20 howdah dryrun -c job.properties --actions 1\n\
\x20 howdah dryrun -c job.properties --actions 1,3-4,7-40\n\
\x20 howdah dryrun -c job.properties --from 2026-03-28T00:00Z --to 2026-03-30T00:00Z\n\
\x20 howdah dryrun -c job.properties --actions all --check-data no --json")]
pub(crate) struct DryrunArgs {
    #[command(flatten)]
    properties: PropertyArgs,
    /// Actions to show, by number: numbers and ranges such as 1,3-4,7-40, or all
    #[arg(long, value_name = "NUMBERS", value_parser = numbers)]
    actions: Option<ActionNumbers>,
    /// Only actions of this nominal time or later: YYYY-MM-DDTHH:MMZ, now, +2d, -24h, today, tomorrow, or a date
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    from: Option<String>,
    /// Only actions of this nominal time or earlier, which is written as for --from; a date is included as a whole
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    to: Option<String>,
    /// Whether to check the data now; without it no mount is needed, latest and future remain expressions, and the
    /// workflow application is not checked (the coordinator and the dataset files that it includes are read)
    #[arg(
        long,
        value_enum,
        ignore_case = true,
        value_name = "yes|no",
        default_value = "yes",
        hide_possible_values = true
    )]
    check_data: CheckData,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum CheckData {
    Yes,
    No,
}

fn numbers(text: &str) -> Result<ActionNumbers, String> {
    if text.eq_ignore_ascii_case("all") {
        return Ok(ActionNumbers::all());
    }
    let numbers = ActionNumbers::parse(text).map_err(|error| error.to_string());
    let counted = numbers
        .and_then(|numbers| if numbers.contains(0) { Err("actions count from 1".to_owned()) } else { Ok(numbers) });
    counted.map_err(|error| format!("{error}; write numbers and ranges such as 1,3-4, or all"))
}

/// Shows the dry run of one job.
pub(crate) fn dryrun(global: &GlobalArgs, arguments: &DryrunArgs) -> Result<Status, Failure> {
    let settings = session::settings(global)?;
    let mounts = session::mounts(global, &settings)?;
    session::warn_of_site(global, &settings, &mounts);
    let now = session::clock(global)?.now();
    let selection = selection(arguments, &Moments::new(now, settings.submit.processing))?;
    let properties = &arguments.properties;
    let values = session::job_properties(properties.config.as_deref(), &properties.definitions)?;
    let data = match arguments.check_data {
        CheckData::Yes => DataCheck::Check,
        CheckData::No => DataCheck::Skip,
    };
    let (prepared, problems) = submission::prepare_looking(&mounts, &settings, &values, data);
    Quotable::named(properties.named_files()).allow(&problems);
    prepared.as_ref().map_or(Ok(()), submission::check_user)?;
    match prepared {
        Some(Prepared::Coordinator(job)) => {
            let run = DryRun { prepared: &job, mounts: &mounts, now, data };
            coordinator(global, &run, &selection, problems)
        }
        Some(Prepared::Workflow(job)) => {
            let setup = Setup { mounts: &mounts, settings: &settings, now, data };
            show::workflow(&dryrun::workflow(&job, setup, &problems)?, &problems, global.form())?;
            Ok(Status::Done)
        }
        Some(Prepared::Bundle(job)) => {
            show::bundle(&dryrun::bundle(&job, now), &problems, global.form())?;
            Ok(Status::Done)
        }
        None => Err(problems.into()),
    }
}

fn selection(arguments: &DryrunArgs, moments: &Moments) -> Result<Selection, Error> {
    let processing = moments.processing();
    let from = arguments.from.as_deref().map(|text| moments.written_out(text));
    let until = arguments.to.as_deref().map(|text| moments.end_written_out(text));
    let from = time("--from", from.as_deref(), processing)?;
    let until = time("--to", until.as_deref(), processing)?;
    if let (Some(from), Some(until)) = (from, until)
        && from > until
    {
        let (from, until) = (processing.format(from), processing.format(until));
        let refused = Error::new(ErrorCode::H0002, format!("--from {from} is later than --to {until}"));
        return Err(refused.help("the period includes both times: give the earlier one to --from"));
    }
    Ok(Selection { numbers: arguments.actions.clone(), from, until })
}

/// Returns a datetime of the processing time zone.
fn time(option: &str, text: Option<&str>, processing: ProcessingZone) -> Result<Option<Timestamp>, Error> {
    let parse = |text: &str| {
        let refuse = |why: String| Error::new(ErrorCode::H0002, format!("{option} [{text}]: {why}"));
        processing.parse_datetime(text.trim()).map_err(|error| refuse(error.to_string()).help(error.help()))
    };
    text.map(parse).transpose()
}

fn coordinator(
    global: &GlobalArgs,
    run: &DryRun<'_>,
    selection: &Selection,
    mut problems: Vec<Error>,
) -> Result<Status, Failure> {
    problems.extend(run.prepared.notes(run.now));
    let row = job::job(run.prepared, run.now);
    let app_path = &run.prepared.application.coordinator.app_path;
    let mut writer = show::DryRunWriter::begin(row, app_path, global.form());
    let mut written = Ok(());
    let outcome =
        run.actions(selection, &mut |action| writer.action(action).inspect_err(|error| written = Err(error.clone())));
    // An output that cannot be written is not a problem of the job.
    written?;
    let status = if outcome.is_ok() { Status::Done } else { Status::Unsuccessful };
    problems.extend(outcome.err());
    writer.end(&problems)?;
    Ok(status)
}
