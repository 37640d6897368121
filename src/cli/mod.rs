//! The command line: the verbs, their shared parts, and their ends. One file per verb.
//!
//! A verb reads its arguments, calls one engine function and passes the result to `output`. Must not compute with jobs.

mod actions;
mod apply;
pub(crate) mod args;
mod attempt;
mod backfill;
#[cfg(feature = "move")]
mod backtest;
mod change;
mod changed;
mod complete;
mod config;
mod control;
mod courier;
mod cron;
mod daemon;
mod db;
mod dryrun;
mod eval;
mod exit;
mod explain;
mod frequent;
mod fs;
mod habits;
#[cfg(feature = "move")]
mod import;
mod info;
mod jobs;
mod log;
#[cfg(feature = "hdfs")]
mod login;
mod man;
mod metrics;
mod moment;
mod next;
mod oozie;
mod oozie_json;
#[cfg(feature = "move")]
mod oozie_source;
mod path;
mod ping;
mod poll;
mod question;
mod repair;
mod rerun;
mod run;
mod runner;
mod scope;
#[cfg(feature = "serve")]
pub(crate) mod serve;
mod session;
#[cfg(feature = "move")]
mod shadow;
mod sla;
mod status;
mod submit;
#[cfg(feature = "move")]
mod takeover;
mod targets;
mod tick;
mod time;
#[cfg(feature = "top")]
mod top;
mod update;
mod validate;
mod verb;
mod watch;

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use clap::error::ErrorKind;
use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use crate::cli::args::GlobalArgs;
use crate::cli::exit::{Failure, Status};
use crate::output::diagnostic;
use crate::output::form::Form;
use crate::output::text;
use howdah_calendar::zone_data::{self, ZoneData};
use howdah_host::session::Session;
use howdah_host::watch as host_watch;
use howdah_host::{environment, inheritance, ownership, processes};
use howdah_store as store;
use howdah_words::error::{Error, ErrorCode};

/// Runs Apache Oozie coordinator and workflow definitions on one machine.
#[derive(Debug, Parser)]
#[command(name = "howdah", version, arg_required_else_help = true, max_term_width = WIDEST_HELP)]
pub(crate) struct Cli {
    #[command(flatten)]
    global: GlobalArgs,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Validate(validate::ValidateArgs),
    Dryrun(dryrun::DryrunArgs),
    Submit(submit::SubmitArgs),
    Apply(apply::ApplyArgs),
    Run(run::RunArgs),
    Tick(tick::TickArgs),
    Daemon(daemon::DaemonArgs),
    #[cfg(feature = "serve")]
    Serve(serve::ServeArgs),
    #[cfg(feature = "serve")]
    #[command(hide = true)]
    Answers(serve::worker::AnswersArgs),
    Cron(cron::CronArgs),
    Status(status::StatusArgs),
    Metrics(metrics::MetricsArgs),
    #[cfg(feature = "top")]
    Top(top::TopArgs),
    Jobs(jobs::JobsArgs),
    Actions(actions::ActionsArgs),
    Info(info::InfoArgs),
    Explain(explain::ExplainArgs),
    Log(log::LogArgs),
    Poll(poll::PollArgs),
    /// Suspend jobs: nothing new starts until they are resumed
    ///
    /// Running commands continue to their end. A suspended coordinator job suspends the workflow jobs of its actions, a
    /// suspended bundle its coordinators. If a job's status does not allow this, a message on standard error says so,
    /// and the job does not change.
    #[command(after_help = "\
    Examples:\n\
    \x20 howdah suspend 0000000-261120093000123-oozie-oozi-C")]
    Suspend(control::ControlArgs),
    /// Resume suspended jobs
    ///
    /// They continue from where they were suspended; nominal times that passed meanwhile are caught up. A bundle
    /// resumes all its coordinators. --all ends the pause of all jobs (`howdah pause --all`).
    #[command(after_help = "\
    Examples:\n\
    \x20 howdah resume 0000000-261120093000123-oozie-oozi-C")]
    Resume(control::ResumeArgs),
    Pause(control::PauseArgs),
    /// Kill jobs, actions or nodes: running commands are ended
    ///
    /// A killed bundle kills its coordinators, a killed coordinator job its actions and their workflow jobs; succeeded
    /// parts do not change, and nothing in the job starts again. With --action or --date only these actions are killed
    /// and the job continues; a period means its actions that have not ended.
    ///
    /// For a running node (WF@node) its command is ended, or its sub-workflow killed, and its job continues: the node
    /// is tried again if its retries allow that, otherwise it ends as ERROR and the job takes its error transition.
    #[command(after_help = "\
    Examples:\n\
    \x20 howdah kill 0000000-261120093000123-oozie-oozi-C 0000007-261120093000123-oozie-oozi-W\n\
    \x20 howdah kill 0000000-261120093000123-oozie-oozi-C@3\n\
    \x20 howdah kill 0000000-261120093000123-oozie-oozi-C --action 1,3-4 --dry-run\n\
    \x20 howdah kill 0000007-261120093000123-oozie-oozi-W@add-up\n\
    \x20 howdah kill 0000000-261120093000123-oozie-oozi-C --date 2026-03-01T00:00Z::2026-03-02T00:00Z")]
    Kill(control::KillArgs),
    Change(change::ChangeArgs),
    Ignore(change::IgnoreArgs),
    Rerun(rerun::RerunArgs),
    Backfill(backfill::BackfillArgs),
    Update(update::UpdateArgs),
    Sla(sla::SlaArgs),
    Next(next::NextArgs),
    Time(time::TimeArgs),
    Eval(eval::EvalArgs),
    Path(path::PathArgs),
    Fs(fs::FsArgs),
    Config(config::ConfigArgs),
    #[cfg(feature = "move")]
    Backtest(backtest::BacktestArgs),
    #[cfg(feature = "move")]
    Import(import::ImportArgs),
    #[cfg(feature = "move")]
    Takeover(takeover::TakeoverArgs),
    #[cfg(feature = "move")]
    Shadow(shadow::ShadowArgs),
    Db(db::DbArgs),
    Oozie(oozie::OozieArgs),
    Completions(complete::CompletionsArgs),
    Man(man::ManArgs),
    #[command(hide = true)]
    Runner(runner::RunnerArgs),
    #[command(hide = true)]
    Courier(courier::CourierArgs),
    #[command(hide = true)]
    Attempt(attempt::AttemptArgs),
    #[command(hide = true)]
    Attempts(attempt::AttemptsArgs),
    #[cfg(feature = "hdfs")]
    #[command(hide = true)]
    Login(login::LoginArgs),
}

impl Command {
    /// Returns whether no thread watches this process: it supervises the command of an attempt and waits for
    /// everything without a limit, or it has a limit of its own.
    const fn is_unwatched(&self) -> bool {
        #[cfg(feature = "hdfs")]
        if matches!(self, Self::Login(_)) {
            return true;
        }
        matches!(self, Self::Attempt(_) | Self::Attempts(_))
    }

    /// Returns whether the verb uses a database; the others do not open any, even if one is named.
    const fn has_database(&self) -> bool {
        #[cfg(feature = "hdfs")]
        if matches!(self, Self::Login(_)) {
            return false;
        }
        #[cfg(feature = "move")]
        if matches!(self, Self::Backtest(_) | Self::Import(_)) {
            return false;
        }
        !matches!(
            self,
            Self::Validate(_)
                | Self::Dryrun(_)
                | Self::Next(_)
                | Self::Time(_)
                | Self::Eval(_)
                | Self::Path(_)
                | Self::Fs(_)
                | Self::Config(_)
                | Self::Cron(_)
                | Self::Completions(_)
                | Self::Man(_)
                | Self::Attempt(_)
                | Self::Attempts(_)
        )
    }

    /// Returns whether the verb also works when the database cannot be used.
    fn can_do_without(&self) -> bool {
        matches!(self, Self::Explain(arguments) if arguments.has_only_codes())
    }
}

/// Runs the whole program in a session: reads the arguments, runs the verb, returns the exit status. It changes what
/// belongs to the process only in the session of the process.
pub fn run(session: &Session) -> u8 {
    let _entered = session.enter();
    if session.is_of_process() {
        inheritance::drop_inherited();
        processes::handle_size_limits();
    }
    run_line(&with_oozie_as_verb(session.arguments().to_vec())).number()
}

fn run_line(arguments: &[OsString]) -> Status {
    // Handled before the verbs, because it is copied for every attempt, and the tree of all verbs would be copied with
    // it.
    if let Some((global, arguments)) = attempt::AttemptsArgs::at_once(arguments) {
        return end(attempt::attempts(&global, &arguments), global.form());
    }
    match complete::answer(Cli::command, arguments, value_of(arguments, "--db")) {
        Ok(false) => {}
        Ok(true) => return Status::Done,
        Err(error) => return exit::usage(&error, None),
    }
    let frequent = frequent::matches(arguments).and_then(|mut read| Cli::from_arg_matches_mut(&mut read).ok());
    match frequent.map_or_else(|| parse(arguments), Ok) {
        Ok(cli) => {
            session::install_zone_data(&cli.global);
            end(dispatch(&cli), cli.global.form())
        }
        Err(error) if error.kind() == ErrorKind::DisplayVersion && is_given(arguments, "--version") => {
            long_version(arguments)
        }
        Err(error) => {
            let is_wrong = error.use_stderr();
            exit::usage(&error, is_wrong.then(|| habits::suggestion(arguments, is_accepted)).flatten())
        }
    }
}

/// The widest help text, in columns; also its width where the output is no terminal.
const WIDEST_HELP: usize = 100;

/// Reads a command line. A message that is kept in memory is as wide as one that goes to no terminal.
fn parse<T: Into<OsString> + Clone>(words: impl IntoIterator<Item = T>) -> Result<Cli, clap::Error> {
    let command = Cli::command();
    let is_kept = !Session::current().is_of_process();
    let mut command = if is_kept { command.term_width(WIDEST_HELP) } else { command };
    let mut read = command.try_get_matches_from_mut(words)?;
    Cli::from_arg_matches_mut(&mut read).map_err(|error| error.format(&mut command))
}

/// Inserts the verb `oozie` when the program was started under that name.
fn with_oozie_as_verb(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let program = arguments.first().map(Path::new).and_then(Path::file_name);
    if program == Some(OsStr::new("oozie")) {
        // Behind the two hyphens, nothing is an option of howdah.
        arguments.splice(1..1, ["oozie", "--"].map(OsString::from));
    }
    arguments
}

/// Checks whether the words make a command; help and the version are not errors.
fn is_accepted(words: &[String]) -> bool {
    let words = std::iter::once("howdah").chain(words.iter().map(String::as_str));
    parse(words).map_or_else(|error| !error.use_stderr(), |_| true)
}

/// Returns the value of an option in either form, `--name VALUE` and `--name=VALUE`.
fn value_of<'a>(arguments: &'a [OsString], option: &str) -> Option<&'a OsStr> {
    arguments.iter().enumerate().find_map(|(at, argument)| {
        match argument.as_bytes().strip_prefix(option.as_bytes())? {
            [] => arguments.get(at + 1).map(OsString::as_os_str),
            [b'=', given @ ..] => Some(OsStr::from_bytes(given)),
            _ => None,
        }
    })
}

fn is_given(arguments: &[OsString], option: &str) -> bool {
    arguments.iter().any(|argument| argument == option)
}

/// Prints the long version. `--version` prints more than `-V`: the release of the tz database decides what a zone's
/// clock shows. The release in use is known only here, from the settings, so clap cannot print it.
fn long_version(arguments: &[OsString]) -> Status {
    let site = value_of(arguments, "--site").map(Into::into);
    session::install_zone_data(&GlobalArgs { site, ..GlobalArgs::default() });
    let ZoneData { release, place } = zone_data::in_use();
    let mut said =
        text::line(&format!("howdah {} (time zones: tz database {release}, {place})", env!("CARGO_PKG_VERSION")));
    if is_given(arguments, "--verbose") {
        said = said.and_then(|()| build().iter().try_for_each(|line| text::line(line)));
    }
    end(said.map(|()| Status::Done).map_err(Failure::from), Form::Text)
}

/// What this program was built from, and how: the lines that `--version --verbose` adds.
fn build() -> [String; 4] {
    let features = [
        ("hcat", cfg!(feature = "hcat")),
        ("hdfs", cfg!(feature = "hdfs")),
        ("mail", cfg!(feature = "mail")),
        ("move", cfg!(feature = "move")),
        ("object-store", cfg!(feature = "object-store")),
        ("serve", cfg!(feature = "serve")),
        ("top", cfg!(feature = "top")),
    ];
    let features: Vec<&str> = features.iter().filter(|(_, is_on)| *is_on).map(|(name, _)| *name).collect();
    let profile = if cfg!(debug_assertions) { "debug" } else { "release" };
    [
        // The scripts that make packages set it: a build has no other way to know.
        format!("commit:   {}", option_env!("HOWDAH_COMMIT").unwrap_or("unknown")),
        format!("features: {}", if features.is_empty() { "none".to_owned() } else { features.join(", ") }),
        format!("build:    {profile}, {}", environment::machine()),
        format!("SQLite:   {}", store::sqlite_version()),
    ]
}

fn end(result: Result<Status, Failure>, form: Form) -> Status {
    match result {
        Ok(status) => status,
        Err(failure) => {
            diagnostic::print(&failure.errors, form);
            failure.status()
        }
    }
}

fn dispatch(cli: &Cli) -> Result<Status, Failure> {
    let global = &cli.global;
    if global.is_oozie_json() && !matches!(cli.command, Command::Jobs(_) | Command::Info(_)) {
        let error = Error::new(ErrorCode::H0002, "--json=oozie is a form of `jobs` and `info`");
        return Err(error.help("write --json").into());
    }
    if cli.command.has_database() && Session::current().is_of_process() {
        let owner = session::database(global).and_then(|database| ownership::work_as_owner(&database));
        if let Err(error) = owner
            && !cli.command.can_do_without()
        {
            return Err(error.into());
        }
    }
    watch(cli);
    session::set_time_notation(global);
    run_verb(cli)
}

/// Watches how long this process waits for files. The first access without an answer ends it.
fn watch(cli: &Cli) {
    if !Session::current().is_of_process() {
        return;
    }
    let busy = i32::from(Status::Busy.number());
    let form = cli.global.form();
    match &cli.command {
        command if command.is_unwatched() => {}
        #[cfg(feature = "serve")]
        Command::Answers(arguments) => host_watch::begin((busy, arguments.longest_look()), serve::worker::give_up),
        _ => host_watch::begin((busy, host_watch::LIMIT), move |error| {
            diagnostic::print(std::slice::from_ref(error), form);
        }),
    }
}

#[cfg(feature = "top")]
/// Runs a verb that a user of `top` has chosen, in this process, and shows its errors.
fn run_from_top(words: &[OsString]) {
    match parse(words) {
        Ok(cli) => drop(end(run_verb(&cli), cli.global.form())),
        Err(error) => drop(exit::usage(&error, None)),
    }
}

fn run_verb(cli: &Cli) -> Result<Status, Failure> {
    let global = &cli.global;
    match &cli.command {
        Command::Validate(arguments) => validate::validate(global, arguments),
        Command::Dryrun(arguments) => dryrun::dryrun(global, arguments),
        Command::Submit(arguments) => submit::submit(global, arguments),
        Command::Apply(arguments) => apply::apply(global, arguments),
        Command::Run(arguments) => run::run(global, arguments),
        Command::Tick(arguments) => tick::tick(global, arguments),
        Command::Cron(arguments) => cron::cron(global, arguments),
        Command::Daemon(arguments) => daemon::daemon(global, arguments),
        #[cfg(feature = "serve")]
        Command::Serve(arguments) => serve::serve(global, arguments),
        #[cfg(feature = "serve")]
        Command::Answers(arguments) => serve::worker::answers(global, arguments),
        Command::Status(arguments) => status::status(global, arguments),
        #[cfg(feature = "top")]
        Command::Top(_) => top::top(global, &run_from_top),
        Command::Metrics(arguments) => metrics::metrics(global, arguments),
        Command::Jobs(arguments) => jobs::jobs(global, arguments),
        Command::Actions(arguments) => actions::actions(global, arguments),
        Command::Info(arguments) => info::info(global, arguments),
        Command::Explain(arguments) => explain::explain(global, arguments),
        Command::Log(arguments) => log::log(global, arguments),
        Command::Poll(arguments) => poll::poll(global, arguments),
        Command::Suspend(arguments) => control::suspend(global, arguments),
        Command::Pause(arguments) => control::pause(global, arguments),
        Command::Resume(arguments) => control::resume(global, arguments),
        Command::Kill(arguments) => control::kill(global, arguments),
        Command::Change(arguments) => change::change(global, arguments),
        Command::Ignore(arguments) => change::ignore(global, arguments),
        Command::Rerun(arguments) => rerun::rerun(global, arguments),
        Command::Backfill(arguments) => backfill::backfill(global, arguments),
        Command::Update(arguments) => update::update(global, arguments),
        Command::Sla(arguments) => sla::sla(global, arguments),
        Command::Next(arguments) => next::next(global, arguments),
        Command::Time(arguments) => time::time(global, arguments),
        Command::Path(arguments) => path::path(global, arguments),
        Command::Fs(arguments) => fs::fs(global, arguments),
        Command::Config(arguments) => config::config(global, arguments),
        Command::Eval(arguments) => eval::eval(global, arguments),
        #[cfg(feature = "move")]
        Command::Backtest(arguments) => backtest::backtest(global, arguments),
        #[cfg(feature = "move")]
        Command::Import(arguments) => import::import(global, arguments),
        #[cfg(feature = "move")]
        Command::Takeover(arguments) => takeover::takeover(global, arguments),
        #[cfg(feature = "move")]
        Command::Shadow(arguments) => shadow::shadow(global, arguments),
        Command::Db(arguments) => db::db(global, arguments),
        Command::Oozie(arguments) => oozie::oozie(global, arguments),
        Command::Completions(arguments) => complete::completions(arguments),
        Command::Man(arguments) => man::man(&Cli::command(), arguments),
        Command::Runner(arguments) => runner::runner(global, arguments),
        Command::Courier(arguments) => courier::courier(global, arguments),
        Command::Attempt(arguments) => attempt::attempt(global, arguments),
        Command::Attempts(arguments) => attempt::attempts(global, arguments),
        #[cfg(feature = "hdfs")]
        Command::Login(arguments) => login::login(arguments),
    }
}
