//! `howdah takeover`: continues the coordinators and bundles of an Oozie here, and gives them back.

mod server;
mod source;

pub(super) use source::OVER;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::cli::args::GlobalArgs;
use crate::cli::exit::{Failure, Status};
use crate::cli::targets::Targets;
use crate::cli::{runner, session, verb};
use crate::output::diagnostic;
use crate::output::form::Form;
use crate::output::takeover as show;
use howdah_engine::Engine;
use howdah_host::fault::fault_point;
use howdah_host::oozie_server::is_url;
use howdah_move::oozie_export::JobState;
use howdah_move::takeover::{self as verbs, Choices, Item, OozieJob, Side, States, Timeouts};
use howdah_words::error::{Error, ErrorCode};
use howdah_words::model::effect::Effect;
use howdah_words::model::id::{JobId, JobKind};
use howdah_words::model::time::Timestamp;

/// Continue the coordinators and bundles of an Oozie here, at their next nominal time and with their next action number
///
/// SOURCE is the folder that `import oozie --to` wrote, or what `import oozie` reads: an export of an Oozie database,
/// the URL of a running Oozie, or a folder of its answers. The plan is printed first: for each coordinator that is not
/// over the next action, the actions that wait and are carried over with their numbers, created times and timeouts, the
/// actions that Oozie has started and that end there, and the command that stops the job in Oozie. Without --yes
/// nothing else happens.
///
/// Stop the jobs in Oozie, import or export again, and take them over with --follow: then both states are known, and no
/// action is lost or runs twice. A job that nothing shows to be stopped is refused (H0232). Given again later with a
/// newer --follow, the command records how the actions ended that Oozie had started; until then they count for the
/// concurrency of their job. A job that is here already is not taken over again, so a command that was interrupted is
/// simply given again.
///
/// A bundle is taken over with all its coordinators, which are its coordinators here too: naming one of them chooses
/// the whole bundle. Its coordinators are stopped one by one, and the bundle itself is killed in Oozie at last, when
/// nothing of it runs there. A bundle before its kick-off time is suspended there.
///
/// All commands know the job by its id in Oozie too. --back stops a job, or a whole bundle, here and prints what
/// continues it in Oozie.
///
/// The exit status is 1 when there is something to do and --yes is not given, and when a job is refused.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:\n\
\x20 howdah takeover imported\n\
\x20 howdah takeover imported daily-load --follow later.zip --yes\n\
\x20 howdah takeover imported --oozie http://oozie:11000/oozie --user etl=loader --yes\n\
\x20 howdah takeover imported --follow tomorrow.zip --yes\n\
\x20 howdah takeover --back daily-load")]
pub(crate) struct TakeoverArgs {
    /// The folder that `import oozie --to` wrote, an export of an Oozie database, or the URL of an Oozie
    #[arg(value_name = "SOURCE", required_unless_present = "back")]
    source: Option<PathBuf>,
    /// Only these jobs: their names or ids in Oozie
    #[arg(value_name = "JOB")]
    jobs: Vec<String>,
    /// A later state of the same jobs: an export, what `import oozie --to` wrote, or the URL of the Oozie
    #[arg(long, value_name = "LATER")]
    follow: Option<PathBuf>,
    /// The web services of the Oozie: with --yes each job is stopped there, looked at, and taken over
    #[arg(long, value_name = "URL", conflicts_with_all = ["follow", "back"])]
    oozie: Option<String>,
    /// Take over jobs that nothing shows to be stopped, because that Oozie is gone and will never run them again
    #[arg(long, conflicts_with_all = ["follow", "oozie", "back"])]
    unstopped: bool,
    /// The timeout of the actions that a job creates here: the one that the job has in Oozie, or the one that its
    /// definition and the site file give here
    #[arg(long, value_name = "FROM", value_enum, default_value_t = TimeoutsFrom::Keep, conflicts_with = "back")]
    timeouts: TimeoutsFrom,
    /// A user in Oozie, and the user of this machine that its jobs get; may be repeated
    #[arg(long = "user", value_name = "OLD=NEW", conflicts_with = "back")]
    users: Vec<String>,
    /// Take the jobs over, or give the job back
    #[arg(long, short)]
    yes: bool,
    /// Give this job, or this bundle with its coordinators, back to Oozie
    #[arg(long, value_name = "JOB", conflicts_with_all = ["source", "jobs", "follow", "definitions", "zone"])]
    back: Option<String>,
    /// A property that overrides that of every job, such as user.name; may be repeated
    #[arg(short = 'D', value_name = "NAME=VALUE")]
    definitions: Vec<String>,
    /// The zone of the machine that wrote the export, whose dates have none [default: found from the definitions]
    #[arg(long, value_name = "ZONE")]
    zone: Option<String>,
}

/// Where timeouts come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TimeoutsFrom {
    /// The job in Oozie.
    Keep,
    /// The definition and the site file.
    Site,
}

impl From<TimeoutsFrom> for Timeouts {
    fn from(from: TimeoutsFrom) -> Self {
        match from {
            TimeoutsFrom::Keep => Self::Keep,
            TimeoutsFrom::Site => Self::Site,
        }
    }
}

/// Takes jobs over, or gives one back.
pub(crate) fn takeover(global: &GlobalArgs, arguments: &TakeoverArgs) -> Result<Status, Failure> {
    if let Some(job) = &arguments.back {
        return back(global, job, arguments.yes);
    }
    let clock = session::clock(global)?;
    let (jobs, later) = read(global, arguments)?;
    let now = clock.now();
    let mut engine = if arguments.yes {
        session::engine(global, clock.as_ref())?
    } else {
        session::existing_engine(&GlobalArgs { empty_for_none: true, ..global.clone() })?
    };
    let side = side_of(arguments, later.as_ref());
    let timeouts = arguments.timeouts.into();
    let items = verbs::plan(&engine, &jobs, Choices { side, timeouts })?;
    let has_problems = items.iter().any(|item| !item.problems().is_empty());
    let has_to_do = items.iter().any(Item::is_to_do);
    let form = global.form();
    if form != Form::Json {
        show::plan(&items, arguments.oozie.as_deref())?;
    }
    if !arguments.yes {
        if form == Form::Json {
            show::document(&items, &[], Effect::DryRun)?;
        }
        return Ok(if has_to_do || has_problems { Status::Unsuccessful } else { Status::Done });
    }
    let side = arguments.oozie.as_deref().map(server::Side::at).transpose()?;
    let carrying = Carrying { global, side, jobs: &jobs, later: later.as_ref(), timeouts, now };
    let ids = carrying.out(&mut engine, &items)?;
    if form == Form::Json {
        show::document(&items, &ids, Effect::Stored)?;
    }
    runner::warn_of_pause(global, &engine);
    verb::start_processes(&engine, global, Effect::Stored)?;
    Ok(if has_problems { Status::Unsuccessful } else { Status::Done })
}

/// Returns what is known of the side of Oozie.
fn side_of<'a>(arguments: &TakeoverArgs, later: Option<&'a States>) -> Side<'a> {
    match later {
        Some(states) => Side::Later(states),
        None if arguments.unstopped => Side::Gone,
        // With the Oozie at hand each job is stopped before it is taken over.
        None if arguments.yes && arguments.oozie.is_none() => Side::Unknown,
        None => Side::Open,
    }
}

/// Reads the jobs that are chosen, and their later states.
fn read(global: &GlobalArgs, arguments: &TakeoverArgs) -> Result<(Vec<OozieJob>, Option<States>), Failure> {
    let settings = session::settings(global)?;
    let mounts = session::mounts(global, &settings)?;
    let reader = source::Reader { settings: &settings, mounts: &mounts, zone: arguments.zone.as_deref() };
    let Some(source) = &arguments.source else {
        return Err(Error::new(ErrorCode::H0002, "SOURCE is missing").into());
    };
    if arguments.oozie.is_some() && source.to_str().is_some_and(is_url) {
        // A command that dies between the two sides must find the end and the concurrency that the job had.
        let why = "--oozie changes the jobs that SOURCE shows, so SOURCE must be what was there before";
        let help = format!("howdah import oozie {} --to imported; then name that folder", source.display());
        return Err(Error::new(ErrorCode::H0002, why).help(help).into());
    }
    let changes = source::Changes { definitions: &arguments.definitions, users: source::users(&arguments.users)? };
    let read = reader.read(source, &changes)?;
    diagnostic::explain(&read.problems);
    changes.check_users(&read.jobs)?;
    let jobs = chosen(read.jobs, &arguments.jobs)?;
    let later = arguments.follow.as_deref().map(|path| later(&reader, &jobs, path)).transpose()?;
    Ok((jobs, later))
}

/// Returns the later states of jobs.
fn later(reader: &source::Reader<'_>, jobs: &[OozieJob], path: &Path) -> Result<States, Failure> {
    if let Some(url) = path.to_str().filter(|text| is_url(text)) {
        let with_state = jobs.iter().filter(|job| job.kind != JobKind::Workflow);
        return Ok(server::Side::at(url)?.states(with_state.filter_map(|job| job.state.id.as_deref()))?);
    }
    let read = reader.read(path, &source::Changes::default())?;
    let states = read.jobs.into_iter().map(|job| job.state).chain(read.over);
    Ok(states.filter_map(|state| Some((state.id.clone()?, state))).collect())
}

/// Returns the jobs that the command line names; all of them when it names none. A bundle and its coordinators are
/// chosen together.
fn chosen(jobs: Vec<OozieJob>, names: &[String]) -> Result<Vec<OozieJob>, Error> {
    let is_named = |job: &OozieJob, name: &str| {
        let id = job.state.id.as_deref().unwrap_or_default();
        job.state.name.trim() == name || id == name || id.split('-').next() == Some(name)
    };
    for name in names {
        if !jobs.iter().any(|job| is_named(job, name)) {
            let error = Error::new(ErrorCode::E0604, name);
            return Err(error.help("name a job of SOURCE by its name or its id in Oozie"));
        }
    }
    let bundles: BTreeSet<String> =
        jobs.iter().filter(|job| job.kind == JobKind::Bundle).filter_map(|job| job.state.id.clone()).collect();
    let bundle_of = |job: &OozieJob| {
        let JobState { id, bundle, .. } = &job.state;
        let own = if job.kind == JobKind::Bundle { id.clone() } else { bundle.clone() };
        own.filter(|bundle| bundles.contains(bundle))
    };
    let is_chosen = |job: &OozieJob| names.is_empty() || names.iter().any(|name| is_named(job, name));
    let whole: BTreeSet<String> = jobs.iter().filter(|job| is_chosen(job)).filter_map(bundle_of).collect();
    let wanted = |job: &OozieJob| is_chosen(job) || bundle_of(job).is_some_and(|bundle| whole.contains(&bundle));
    Ok(jobs.into_iter().filter(wanted).collect())
}

/// What carries a plan out.
struct Carrying<'a> {
    global: &'a GlobalArgs,
    /// The Oozie that is stopped.
    side: Option<server::Side>,
    jobs: &'a [OozieJob],
    later: Option<&'a States>,
    timeouts: Timeouts,
    now: Timestamp,
}

impl Carrying<'_> {
    /// Takes over each job of the plan; returns the ids of those that were.
    fn out(&self, engine: &mut Engine, items: &[Item]) -> Result<Vec<Option<String>>, Failure> {
        let mut ids = Vec::new();
        for item in items {
            let done = if let Some(side) = self.side.as_ref().filter(|_| item.is_new()) {
                self.stop_and_take_over(engine, side, item)
            } else {
                let state = self.later.and_then(|states| states.get(&item.id));
                verbs::carry_out(engine, item, state, self.now).map_err(Failure::from)
            };
            let done = done?;
            if let Some(job) = done.as_ref().filter(|_| self.global.form() == Form::Text) {
                show::done(item, job)?;
            }
            ids.push(done.map(|job| job.to_string()));
        }
        Ok(ids)
    }

    /// Stops a job in Oozie where it must be, looks what became of its actions meanwhile, and takes it over.
    fn stop_and_take_over(
        &self,
        engine: &mut Engine,
        side: &server::Side,
        item: &Item,
    ) -> Result<Option<JobId>, Failure> {
        item.stop().map_or(Ok(()), |stop| side.give(stop))?;
        fault_point("after-oozie-stop");
        let later = side.states(std::iter::once(item.id.as_str()))?;
        let choices = Choices { side: Side::Later(&later), timeouts: self.timeouts };
        let Some(again) = verbs::plan_one(engine, self.jobs, &item.id, choices)? else { return Ok(None) };
        if let Some(problem) = again.problems().first() {
            return Err(problem.clone().into());
        }
        Ok(verbs::carry_out(engine, &again, later.get(&item.id), self.now)?)
    }
}

fn back(global: &GlobalArgs, job: &str, yes: bool) -> Result<Status, Failure> {
    let now = session::clock(global)?.now();
    let id = Targets::new(global).whole_job(job)?;
    let effect = if yes { Effect::Stored } else { Effect::DryRun };
    let mut engine = session::existing_engine(global)?;
    let is_repeated = if id.kind() == JobKind::Bundle {
        let back = verbs::back_of_bundle(&mut engine, &id, (effect, now))?;
        show::back_of_bundle(&back, effect, global.is_json())?;
        back.is_repeated
    } else {
        let back = verbs::back(&mut engine, &id, (effect, now))?;
        show::back(&back, effect, global.is_json())?;
        back.is_repeated
    };
    Ok(if yes || is_repeated { Status::Done } else { Status::Unsuccessful })
}
