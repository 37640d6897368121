//! `howdah apply`: brings the jobs of folders to the state that their files describe.

mod find;

pub(super) use find::properties_files;

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Args;

use crate::cli::args::GlobalArgs;
use crate::cli::exit::{Failure, Status};
use crate::cli::{runner, session, verb};
use crate::output::apply::{self as show, Shown};
use crate::output::form::Form;
use crate::output::{diagnostic, text};
use howdah_answers::check::validate::Quotable;
use howdah_engine::Engine;
use howdah_engine::settings::Settings;
use howdah_engine::submit::submission;
use howdah_engine::tick::kick_off::{self, Start};
use howdah_engine::verbs::desired::{self, Item, Manner, SOURCE, Step, Wanted};
use howdah_host::mounts::Mounts;
use howdah_host::{files, terminal};
use howdah_words::error::{Error, ErrorCode};
use howdah_words::model::effect::Effect;
use howdah_words::model::id::JobKind;
use howdah_words::model::time::Timestamp;

/// Bring jobs to the state that folders describe: submit, update or replace them, by name
///
/// PATH is a folder with a job.properties (or other *.properties) of a coordinator or a bundle, a folder of such
/// folders, or one properties file. Each described job is compared with the job of its name: a new one is submitted, a
/// changed one is updated, and one that cannot take the change over (another frequency, start or zone) is replaced: the
/// old job ends before its next nominal time, and a new one continues there, with the number that its schedule gives. A
/// job that was killed, ignored or has failed is continued in the same way. An unchanged one stays as it is. Of a
/// bundle that is changed each coordinator is treated so, by its name there.
///
/// The plan is printed first, with the values of the next actions that change. A job that was applied from PATH and is
/// no longer described there is gone; it continues unless --prune kills it. An apply that was interrupted is given
/// again: it does the rest, and submits nothing twice.
///
/// The exit status is 0 when everything is as described, with --plan 1 when there is something to do.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:\n\
\x20 howdah apply --plan apps\n\
\x20 howdah apply apps\n\
\x20 howdah apply apps/daily/job.properties -D queue=night\n\
\x20 howdah apply apps --prune --yes --json")]
pub(crate) struct ApplyArgs {
    /// A folder with properties files, a folder of such folders, or a properties file
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// Only print the plan; the exit status is 1 when there is something to do
    #[arg(long)]
    plan: bool,
    #[command(flatten)]
    pruning: PruneArgs,
    /// Let several jobs have one name when their applications are in different places
    #[arg(long)]
    same_name: bool,
    /// The number of next actions to compare
    #[arg(long, value_name = "COUNT", default_value_t = 10, value_parser = clap::value_parser!(u32).range(0..=10_000))]
    actions: u32,
    /// A property that overrides every file; may be repeated
    #[arg(short = 'D', value_name = "NAME=VALUE")]
    definitions: Vec<String>,
}

/// What happens to jobs that are gone.
#[derive(Args, Clone, Copy, Debug)]
struct PruneArgs {
    /// Kill the jobs that were applied from PATH and are no longer described there
    #[arg(long)]
    prune: bool,
    /// Kill jobs without asking
    #[arg(long, short)]
    yes: bool,
}

/// Applies folders.
pub(crate) fn apply(global: &GlobalArgs, arguments: &ApplyArgs) -> Result<Status, Failure> {
    let clock = session::clock(global)?;
    let settings = session::settings(global)?;
    let mounts = session::mounts(global, &settings)?;
    session::warn_of_site(global, &settings, &mounts);
    let (wanted, sources) = read(global, arguments, (&mounts, &settings))?;
    let manner =
        Manner { sources, same_name: arguments.same_name, prune: arguments.pruning.prune, actions: arguments.actions };
    let now = clock.now();
    let mut engine = if arguments.plan {
        session::existing_engine(&GlobalArgs { empty_for_none: true, ..global.clone() })?
    } else {
        session::engine(global, clock.as_ref())?
    };
    let items = desired::plan(&mut engine, &wanted, &manner, now)?;
    let to_do = items.iter().filter(|item| item.is_to_do(&manner)).count();
    let form = global.form();
    let shown = Shown { items: &items, wanted: &wanted, manner: &manner };
    if form != Form::Json {
        show::plan(&shown)?;
    }
    if arguments.plan {
        if form == Form::Json {
            show::document(&shown, &[], Effect::DryRun)?;
        }
        return Ok(if to_do == 0 { Status::Done } else { Status::Unsuccessful });
    }
    confirm(&items, arguments.pruning, form)?;
    let jobs = carry_out(global, &mut engine, &shown, now)?;
    if form == Form::Json {
        show::document(&shown, &jobs.ids, Effect::Stored)?;
    }
    if to_do > 0 {
        runner::warn_of_pause(global, &engine);
    }
    verb::start_processes(&engine, global, Effect::Stored)?;
    Ok(if jobs.has_faults { Status::Unsuccessful } else { Status::Done })
}

/// Reads and checks every job that the paths describe, and returns them with the folders that were named.
fn read(
    global: &GlobalArgs,
    arguments: &ApplyArgs,
    (mounts, settings): (&Mounts, &Settings),
) -> Result<(Vec<Wanted>, BTreeSet<String>), Failure> {
    let (mut wanted, mut sources) = (Vec::new(), BTreeSet::new());
    let (mut problems, mut warnings) = (Vec::new(), Vec::new());
    for path in &arguments.paths {
        let root = files::absolute(path).map_err(|cause| Error::with(ErrorCode::H0110, &[&path.display(), &cause]))?;
        let found = properties_files(&root, &arguments.definitions)?;
        // One folder is one source, however it is written.
        let source = files::resolved(&root).display().to_string();
        for (file, mut properties) in found {
            properties.define(SOURCE.to_owned(), source.clone());
            let (prepared, found) = submission::prepare(mounts, settings, &properties);
            Quotable::named([file.as_path()]).allow(&found);
            match prepared {
                Some(prepared) => {
                    warnings.extend(found);
                    wanted.push(Wanted { file, prepared });
                }
                None => problems.extend(found),
            }
        }
        sources.insert(source);
    }
    if !problems.is_empty() {
        return Err(problems.into());
    }
    if !global.quiet {
        diagnostic::explain(&warnings);
    }
    Ok((wanted, sources))
}

/// Asks before jobs are killed.
///
/// # Errors
/// H0174 when the answer is no, or there is no terminal; also with JSON output, where it never asks.
fn confirm(items: &[Item], pruning: PruneArgs, form: Form) -> Result<(), Error> {
    let is_gone = |step: &Step| matches!(step, Step::Gone(_));
    let gone_of = |item: &Item| match &item.step {
        Step::Bundle(change) => change.members.iter().filter(|(_, step)| is_gone(step)).count(),
        step => usize::from(is_gone(step)),
    };
    let gone: usize = items.iter().map(gone_of).sum();
    if gone == 0 || !pruning.prune || pruning.yes {
        return Ok(());
    }
    let jobs = if gone == 1 { "1 job".to_owned() } else { format!("{gone} jobs") };
    let help = "look at the plan with --plan, then give --yes";
    if form == Form::Json {
        let why = format!("{jobs} would be killed, and --json does not ask");
        return Err(Error::new(ErrorCode::H0174, why).help(help));
    }
    if terminal::is_attended() && text::ask(&format!("Kill {jobs} that no folder describes?")) {
        return if terminal::says_yes() { Ok(()) } else { Err(Error::new(ErrorCode::H0174, "the answer was no")) };
    }
    let why = format!("{jobs} would be killed, and there is no terminal to ask");
    Err(Error::new(ErrorCode::H0174, why).help(help))
}

/// The jobs that were submitted, updated, replaced or killed, by the item of the plan.
struct Carried {
    ids: Vec<Option<String>>,
    has_faults: bool,
}

fn carry_out(global: &GlobalArgs, engine: &mut Engine, shown: &Shown<'_>, now: Timestamp) -> Result<Carried, Failure> {
    let mut carried = Carried { ids: Vec::new(), has_faults: false };
    for item in shown.items {
        let done = desired::carry_out(engine, item, (shown.wanted, shown.manner), now)?;
        if let Some(job) = &done {
            if job.kind() == JobKind::Bundle && matches!(item.step, Step::Submit) {
                let faults = kick_off::start(engine, job, Start::WhenDue, now)?;
                for fault in &faults {
                    diagnostic::fault(job.as_str(), fault);
                }
                carried.has_faults |= !faults.is_empty();
            }
            if global.form() == Form::Text {
                show::done(item, job)?;
            }
        }
        carried.ids.push(done.map(|job| job.to_string()));
    }
    Ok(carried)
}
