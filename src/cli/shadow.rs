//! `howdah shadow`: a database that follows an Oozie and starts nothing, and the comparison of the two.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::cli::args::GlobalArgs;
use crate::cli::exit::{Failure, Status};
use crate::cli::{oozie_source, session};
use crate::output::{diagnostic, shadow as show};
use howdah_calendar::Zone;
use howdah_engine::Engine;
use howdah_engine::shadow::required;
use howdah_engine::submit::shadow as submit;
use howdah_host::line_files::LineFiles;
use howdah_move::shadow::follow::{self as verbs, Followed, FollowedJob};
use howdah_move::shadow::{self as check, Against, OozieAction, OozieJob, OozieState};
use howdah_store::Snapshot;
use howdah_words::error::{Error, ErrorCode};
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::row::ShadowJob;
use howdah_words::model::status::ActionStatus;
use howdah_words::model::time::{MINUTE, Timestamp};

/// Follow a running Oozie without starting anything, and compare what both decide
///
/// A shadow is a database of its own. It begins with the jobs of an import: each continues with the number, the time
/// and the open actions that Oozie has. Ticks (`tick`, `daemon`, cron) create its actions, check their inputs, and let
/// them time out. An action whose turn comes is recorded as one that would start, and nothing runs: the database itself
/// refuses workflow jobs, sends no notification or alert, and deletes no output. It always stays a shadow.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:\n\
\x20 howdah import oozie http://oozie:11000/oozie --to imported\n\
\x20 howdah shadow init --from imported --follow --db shadow.db\n\
\x20 in a crontab: * * * * * howdah shadow follow --against http://oozie:11000/oozie --db shadow.db; howdah tick --db \
shadow.db\n\
\x20 howdah shadow compare --against http://oozie:11000/oozie --db shadow.db")]
pub(crate) struct ShadowArgs {
    #[command(subcommand)]
    command: ShadowCommand,
}

#[derive(Debug, Subcommand)]
enum ShadowCommand {
    /// Make a new database a shadow of imported jobs
    ///
    /// Without --follow, an action that would start counts as ended in the same moment, so that the next one gets its
    /// turn. With --follow it takes a place of its job until `howdah shadow follow` says how it ended in Oozie: then
    /// the order of start and the concurrency are those of Oozie too.
    Init(InitArgs),
    /// End the actions of a shadow as Oozie has ended them, and follow what operators did to its jobs
    ///
    /// Changes only actions that would have started here, and those that an operator has killed in Oozie before their
    /// turn. Coordinators are suspended, resumed and killed as in Oozie, and get the end, the pause time and the
    /// concurrency that they have there; of an export, end and pause time only with --zone. Run it before each tick of
    /// a shadow that was created with --follow.
    Follow(AgainstArgs),
    /// Compare a shadow with Oozie, action by action
    ///
    /// Compared are the creation, the nominal time, when an action became READY, the order of start, timeouts, and
    /// actions that were passed over. Oozie looks for jobs every 5 minutes and for inputs every minute, so two times of
    /// the same step may be --tolerance apart, and a step that one side has not done yet counts only after that time.
    ///
    /// The exit status is 1 when an action differs or a job cannot be compared.
    Compare(CompareArgs),
}

#[derive(Args, Debug)]
struct InitArgs {
    /// The folder that `howdah import oozie SOURCE --to DIR` has written
    #[arg(long, value_name = "DIR")]
    from: PathBuf,
    /// Let an action run until Oozie says how it ended (`howdah shadow follow`)
    #[arg(long)]
    follow: bool,
}

#[derive(Args, Debug)]
struct AgainstArgs {
    /// The address of the Oozie, a folder of its answers, or a later export
    #[arg(long, value_name = "SOURCE")]
    against: PathBuf,
    /// The zone of the machine that wrote the export, whose dates have none [default: found from the definitions]
    #[arg(long, value_name = "ZONE")]
    zone: Option<String>,
}

#[derive(Args, Debug)]
struct CompareArgs {
    #[command(flatten)]
    against: AgainstArgs,
    /// How many minutes two times of the same step may be apart
    #[arg(long, value_name = "MINUTES", default_value_t = 15)]
    #[arg(value_parser = clap::value_parser!(i64).range(0..=10_000))]
    tolerance: i64,
}

/// Creates, follows or compares a shadow.
pub(crate) fn shadow(global: &GlobalArgs, arguments: &ShadowArgs) -> Result<Status, Failure> {
    match &arguments.command {
        ShadowCommand::Init(arguments) => init(global, arguments),
        ShadowCommand::Follow(arguments) => follow(global, arguments),
        ShadowCommand::Compare(arguments) => compare(global, arguments),
    }
}

fn init(global: &GlobalArgs, arguments: &InitArgs) -> Result<Status, Failure> {
    let clock = session::clock(global)?;
    let now = clock.now();
    let settings = session::settings(global)?;
    let mounts = session::mounts(global, &settings)?;
    let found = check::read_folders(&arguments.from, (&mounts, &settings), now)?;
    let mut engine = session::new_service_engine(global, clock.as_ref())?;
    let stored = submit::begin(&mut engine, &found.jobs, arguments.follow, now)?;
    show::created(&stored, &found, (engine.store.path(), global.form()))?;
    Ok(Status::Done)
}

fn follow(global: &GlobalArgs, arguments: &AgainstArgs) -> Result<Status, Failure> {
    let now = session::clock(global)?.now();
    let mut engine = session::service_engine(global)?;
    let (state, jobs) = read(&engine, arguments)?;
    let jobs: Vec<FollowedJob> =
        jobs.iter().filter_map(|job| Some(followed(job, state.jobs.get(&job.oozie_id)?))).collect();
    let mut changed = verbs::follow(&mut engine, &jobs, now)?;
    changed.problems.extend(state.problems);
    show::followed(&changed, global.form())?;
    Ok(if changed.problems.is_empty() { Status::Done } else { Status::Unsuccessful })
}

fn followed(job: &ShadowJob, there: &OozieJob) -> FollowedJob {
    let action = |(number, action): (&u32, &OozieAction)| {
        let status = ActionStatus::from_word(&action.status)?;
        Some(Followed { job: job.job, number: *number, status, is_started: action.is_started() })
    };
    FollowedJob {
        job: job.job,
        status: JobStatus::from_word(&there.status),
        concurrency: there.concurrency,
        limits: there.limits,
        actions: there.actions.iter().filter_map(action).collect(),
    }
}

fn compare(global: &GlobalArgs, arguments: &CompareArgs) -> Result<Status, Failure> {
    let now = session::clock(global)?.now();
    let engine = session::query_engine(global)?;
    let (state, _) = read(&engine, &arguments.against)?;
    let report = check::compare(&engine, state, arguments.tolerance * MINUTE, now)?;
    show::print(&report, (arguments.tolerance, global.form()))?;
    if !global.is_json() {
        diagnostic::explain(&report.problems);
    }
    Ok(if report.is_good() { Status::Done } else { Status::Unsuccessful })
}

/// Reads how the jobs of a shadow are in Oozie.
fn read(engine: &Engine, arguments: &AgainstArgs) -> Result<(OozieState, Vec<ShadowJob>), Failure> {
    let since: Timestamp = required(&engine.store)?.created_at;
    let jobs = engine.store.read(Snapshot::shadow_jobs)?;
    let zone = arguments.zone.as_deref().map(|id| {
        Zone::parse(id).map_err(|error| Error::new(ErrorCode::H0002, format!("--zone: {error}")).help(error.help()))
    });
    let answers = oozie_source::answers(&arguments.against)?;
    let against = match &answers {
        Some(answers) => Against::Answers(answers),
        None => Against::Export(LineFiles::open(&arguments.against)?, zone.transpose()?),
    };
    Ok((OozieState::read(against, &jobs, &engine.settings, since)?, jobs))
}
