//! `howdah log`: the output of workflows, and the history of jobs, actions and nodes.

mod tail;

use std::time::Duration;

use clap::{Args, Command, FromArgMatches as _};

use crate::cli::args::GlobalArgs;
use crate::cli::exit::{Failure, Status};
use crate::cli::log::tail::Tail;
use crate::cli::scope::ScopeArgs;
use crate::cli::session;
use crate::cli::targets::Targets;
use crate::coordinator::operation::scope::Scope;
use crate::engine::Engine;
use crate::error::{Error, ErrorCode, Result};
use crate::host::clock::{self, Clock};
use crate::model::id::{JobKind, Target};
use crate::output::screen::Screen;
use crate::output::{json, log, text};
use crate::query::events::EventRequest;
use crate::query::filter::{LogFilter, LogSelection};
use crate::query::log::{Attempts, LogRequest, LogView};
use crate::query::{self, Query};

/// The pause between two queries while following.
const PAUSE: Duration = Duration::from_millis(250);

/// Print the output of a workflow, an action or a node
///
/// Prints everything that the commands wrote, attempt by attempt in the order of their start, with a heading above each
/// and its exit status below; sub-workflows are included. For a coordinator job: the output of its actions, or of those
/// that --action or --date selects, in the order of time; a heading has the action, the node, the attempt, and when it
/// started and ended. --audit prints the changes of statuses instead, with the reason of each; a bundle has only these.
/// With --json: the attempts and the places of their files, or the changes.
///
/// A filter has NAME=VALUE pairs separated by `;`. start and end are times, or offsets from the creation of the target
/// (2h, 30m); recent=1h means the last hour; loglevel=WARN|ERROR; text=TEXT; limit=N prints at most N lines; debug
/// prints how the filter was read. Times select changes of statuses, and attempts that were running then. A line of
/// output has the level at its start, or else the level of the line before it; a change is an ERROR when something
/// failed, a WARN when it had no result, else INFO.
///
/// On a terminal, control characters and bytes that are not UTF-8 are shown as U+FFFD, so that no output can change the
/// screen; a file or a pipe gets every byte unchanged.
#[derive(Args, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[command(after_help = "\
Examples:\n\
\x20 howdah log 0000000-261120093000123-oozie-oozi-C@3\n\
\x20 howdah log -f --stderr 0000001-261120093000123-oozie-oozi-W@add-up\n\
\x20 howdah log --attempt last --tail 20 0000001-261120093000123-oozie-oozi-W@add-up\n\
\x20 howdah log -f 0000000-261120093000123-oozie-oozi-C\n\
\x20 howdah log 0000000-261120093000123-oozie-oozi-C --action 3-7 --logfilter 'recent=2h;loglevel=WARN|ERROR'\n\
\x20 howdah log --audit 0000001-261120093000123-oozie-oozi-W")]
pub(crate) struct LogArgs {
    /// A coordinator job, an action of it (JOB@3), a workflow job, a node of it (WF@node) or a bundle
    #[arg(value_name = "JOB[@PART]")]
    job: String,
    /// Continue until the job is over
    #[arg(long, short, conflicts_with = "json")]
    follow: bool,
    /// Only standard output
    #[arg(long, conflicts_with = "stderr")]
    stdout: bool,
    /// Only standard error
    #[arg(long)]
    stderr: bool,
    /// Only this attempt of each node, counted from 1 in every run, or `last` for the latest
    #[arg(long, value_name = "N", value_parser = attempts_word, default_value = "all", hide_default_value = true)]
    attempt: Attempts,
    /// Only the last N lines that each attempt has written to standard output and to standard error
    #[arg(long, short = 'n', value_name = "LINES", conflicts_with_all = ["logfilter", "json", "audit"])]
    tail: Option<u64>,
    /// Only matching lines, such as 'recent=1h;loglevel=WARN|ERROR;text=revenue;limit=10'
    #[arg(long, alias = "filter", value_name = "FILTER", default_value = "", hide_default_value = true)]
    logfilter: String,
    /// The changes of statuses instead of the output; a bundle has no other log
    #[arg(long, conflicts_with_all = ["stdout", "stderr"])]
    audit: bool,
    #[command(flatten)]
    scope: ScopeArgs,
    /// Whether it says nothing when there is no output.
    #[arg(skip)]
    silent: bool,
}

impl LogArgs {
    /// Reads the words of a command line after the verb, for a log that says nothing when there is no output.
    ///
    /// # Errors
    /// H0002 for words that this verb does not have.
    pub(crate) fn read(words: impl IntoIterator<Item = String>) -> Result<Self> {
        let verb = GlobalArgs::augment_args(Self::augment_args(Command::new("log").no_binary_name(true)));
        let read = verb.try_get_matches_from(words).and_then(|matches| Self::from_arg_matches(&matches));
        let read = read.map_err(|error| Error::new(ErrorCode::H0002, error.kind()))?;
        Ok(Self { silent: true, ..read })
    }
}

/// Prints a log.
pub(crate) fn log(global: &GlobalArgs, arguments: &LogArgs) -> Result<Status, Failure> {
    let clock = session::clock(global)?;
    let mut targets = Targets::new(global);
    let target = targets.target(&arguments.job)?;
    let filter = LogFilter::parse(&arguments.logfilter)?;
    let scope = scope(&mut targets, global, arguments, &target)?;
    // Following keeps the database open, and other processes must be able to write to it.
    let mut engine = if arguments.follow { session::watching_engine(global)? } else { session::query_engine(global)? };
    if filter.debug {
        text::aside(&format!("the filter of the log: {filter}"));
    }
    if arguments.audit || has_no_output(&target) {
        if arguments.attempt != Attempts::All || arguments.tail.is_some() {
            let why = "--attempt and --tail choose output of commands; changes of statuses have none";
            return Err(Error::new(ErrorCode::H0002, why).help("--logfilter 'recent=1h' chooses changes").into());
        }
        let request = EventRequest { filter, scope, after: None };
        events(global, arguments, &mut engine, (&target, request))?;
    } else if global.json {
        let request = LogRequest { filter, scope, ..LogRequest::default() };
        let view = query::run(&mut engine, clock.now(), |query| look_up(query, &target, &request))?;
        let view = view.only(arguments.attempt);
        json::print(&mut Screen::open(), &view)?;
    } else {
        let request = LogRequest { filter, scope, ..LogRequest::default() };
        attempts(arguments, &mut engine, clock.as_ref(), (&target, request))?;
    }
    Ok(Status::Done)
}

/// Returns whether the only log of the job is its history.
fn has_no_output(target: &Target) -> bool {
    matches!(target, Target::Job(id) if id.kind() == JobKind::Bundle)
}

fn is_coordinator(target: &Target) -> bool {
    matches!(target, Target::Job(id) if id.kind() == JobKind::Coordinator)
}

/// Returns the actions that `--action` or `--date` selects.
fn scope(
    targets: &mut Targets<'_>,
    global: &GlobalArgs,
    arguments: &LogArgs,
    target: &Target,
) -> Result<Option<Scope>, Failure> {
    if arguments.scope.action.is_none() && arguments.scope.date.is_none() {
        return Ok(None);
    }
    if !is_coordinator(target) {
        let refused =
            Error::new(ErrorCode::H0002, format!("--action and --date have no meaning for {}", arguments.job));
        return Err(refused.help("they select actions of a coordinator job").into());
    }
    let moments = session::moments(global, session::clock(global)?.now())?;
    Ok(arguments.scope.of(targets, &arguments.job, &moments)?.actions)
}

fn look_up(query: &mut Query<'_>, target: &Target, request: &LogRequest) -> Result<LogView> {
    let filter = &request.filter;
    match target {
        Target::Job(id) if id.kind() == JobKind::Coordinator => query.log_of_coordinator(id, request),
        Target::CoordinatorAction(id, number) => query.log_of_action(id, *number, filter),
        Target::Job(id) => query.log_of_workflow(id, None, filter),
        Target::Node(id, node) => query.log_of_workflow(id, Some(node), filter),
    }
}

/// Prints the output so far; while following, also later output.
fn attempts(
    arguments: &LogArgs,
    engine: &mut Engine,
    clock: &dyn Clock,
    (target, mut request): (&Target, LogRequest),
) -> Result<()> {
    let mut tail = Tail::new(streams(arguments), arguments.tail);
    let mut announced = false;
    loop {
        // The end is queried before the files are read, so that nothing written in between is missed.
        let view = query::run(engine, clock.now(), |query| look_up(query, target, &request))?.only(arguments.attempt);
        tail.choose_lines(&view.selection);
        let says_why = has_no_choice(arguments, &view);
        for attempt in &view.attempts {
            tail.print(attempt)?;
            let mut messages = view.kill_messages_after(attempt.key()).filter(|_| says_why);
            messages.try_for_each(|message| tail.print_kill_message(message))?;
        }
        let is_last = !arguments.follow || view.over || tail.is_done();
        // A coordinator job has many workflow jobs, which end one after the other.
        if says_why && (is_last || is_coordinator(target)) {
            view.kill_messages.iter().try_for_each(|message| tail.print_kill_message(message))?;
        }
        if is_last {
            if !tail.printed && !arguments.silent {
                text::aside(&nothing(arguments, &view));
            }
            return tail.end();
        }
        if !tail.printed && !announced {
            text::aside(&nothing(arguments, &view));
            announced = true;
        }
        request.after = view.progress.clone().or(request.after);
        clock::pause(PAUSE);
    }
}

/// Reads `--attempt`.
fn attempts_word(word: &str) -> Result<Attempts, String> {
    match word {
        "all" => Ok(Attempts::All),
        "last" => Ok(Attempts::Last),
        number => match number.parse() {
            Ok(number) if number > 0 => Ok(Attempts::Number(number)),
            _ => Err("it must be a number of at least 1, last or all".to_owned()),
        },
    }
}

/// Returns whether all output is wanted, without a selection of attempts, streams or lines.
fn has_no_choice(arguments: &LogArgs, view: &LogView) -> bool {
    let of_all_streams = !arguments.stdout && !arguments.stderr;
    of_all_streams && arguments.attempt == Attempts::All && view.selection == LogSelection::default()
}

fn nothing(arguments: &LogArgs, view: &LogView) -> String {
    let LogView { id, status, over, attempts, selection, .. } = view;
    if let (Attempts::Number(number), true) = (arguments.attempt, attempts.is_empty()) {
        return format!("{id} is {status}; it has no attempt {number}");
    }
    if *selection != LogSelection::default() {
        return format!("{id} is {status}; no output matches the filter");
    }
    if view.progress.is_some() && attempts.is_empty() {
        return format!(
            "{id} is {status}; its actions have started no command; `howdah log --audit {id}` shows its history"
        );
    }
    match (attempts.is_empty(), over) {
        (true, false) => format!("{id} is {status} and has not started a command yet; `howdah explain {id}` shows why"),
        (true, true) => format!("{id} is {status} and never started a command; `howdah explain {id}` shows why"),
        (false, _) => format!("{id} is {status}; its commands have written nothing"),
    }
}

fn streams(arguments: &LogArgs) -> Vec<&'static str> {
    match (arguments.stdout, arguments.stderr) {
        (true, _) => vec!["stdout"],
        (_, true) => vec!["stderr"],
        _ => vec!["stdout", "stderr"],
    }
}

/// Prints the changes of statuses.
fn events(
    global: &GlobalArgs,
    arguments: &LogArgs,
    engine: &mut Engine,
    (target, mut request): (&Target, EventRequest),
) -> Result<()> {
    if arguments.stdout || arguments.stderr {
        let why = format!("{} runs no commands itself and has no output", arguments.job);
        let refused = Error::new(ErrorCode::H0002, why);
        return Err(refused.help(format!("name one of its actions, such as {}@1", arguments.job)));
    }
    let clock = session::clock(global)?;
    let mut screen = Screen::open();
    loop {
        let view = query::run(engine, clock.now(), |query| query.events(target, &request))?;
        if global.json {
            return json::print(&mut screen, &view);
        }
        for event in &view.events {
            screen.write(log::event(event, screen.layout()))?;
        }
        let printed = u32::try_from(view.events.len()).unwrap_or(u32::MAX);
        request.filter.limit = request.filter.limit.map(|limit| limit.saturating_sub(printed));
        if !arguments.follow || view.over || screen.is_closed() || request.filter.limit == Some(0) {
            return Ok(());
        }
        request.after = view.last;
        clock::pause(PAUSE);
    }
}
