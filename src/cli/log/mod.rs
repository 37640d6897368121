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
use crate::output::screen::Screen;
use crate::output::{json, log, text};
use howdah_answers::query::events::EventRequest;
use howdah_answers::query::filter::{LogFilter, LogSelection};
use howdah_answers::query::log::{Attempts, LogRequest, LogView};
use howdah_answers::query::{self, Query};
use howdah_engine::Engine;
use howdah_host::clock::{self, Clock};
use howdah_oozie::coordinator::operation::scope::Scope;
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::id::{JobKind, Target};
use howdah_words::model::time::Timestamp;

/// The pause between two queries while following.
const PAUSE: Duration = Duration::from_millis(250);

/// Print the output of a workflow, an action or a node
///
/// Prints everything that the commands wrote, attempt by attempt in the order of their start, with a heading above each
/// and its exit status below; sub-workflows are included. For a coordinator job: the output of its actions, or of those
/// that --action or --date selects, in the order of time; a heading has the action, the node, the attempt, and when it
/// started and ended. --audit prints the changes of statuses instead, with the reason of each; a bundle has only these.
/// The logs of several jobs follow each other; with --follow their new output is printed as it comes. With --json: the
/// attempts and the places of their files, or the changes.
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
\x20 howdah log -f feed-a feed-b@last\n\
\x20 howdah log 0000000-261120093000123-oozie-oozi-C --action 3-7 --logfilter 'recent=2h;loglevel=WARN|ERROR'\n\
\x20 howdah log --audit 0000001-261120093000123-oozie-oozi-W")]
pub(crate) struct LogArgs {
    /// Coordinator jobs, actions of them (JOB@3), workflow jobs, nodes of them (WF@node) or bundles
    #[arg(required = true, value_name = "JOB[@PART]")]
    jobs: Vec<String>,
    /// Continue until all of them are over
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
    /// Only so many of the latest workflow jobs of a whole coordinator job.
    #[arg(skip)]
    latest: Option<u32>,
    /// Only so many of the oldest changes of a whole coordinator job.
    #[arg(skip)]
    oldest: Option<u32>,
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

    /// The same for at most so many of the latest workflow jobs of a whole coordinator job, and of its oldest changes.
    #[cfg(feature = "serve")]
    pub(crate) fn bounded(self, latest: u32, oldest: u32) -> Self {
        Self { latest: Some(latest), oldest: Some(oldest), ..self }
    }
}

/// A job, an action or a node whose log is printed.
struct Subject {
    target: Target,
    scope: Option<Scope>,
}

/// Prints the logs of jobs, actions and nodes.
pub(crate) fn log(global: &GlobalArgs, arguments: &LogArgs) -> Result<Status, Failure> {
    log_to(global, arguments, Screen::open)?;
    Ok(Status::Done)
}

/// Writes logs to a screen, which is opened when there is something to read.
///
/// # Errors
/// As the verb.
pub(crate) fn log_to(global: &GlobalArgs, arguments: &LogArgs, screen: impl FnOnce() -> Screen) -> Result<(), Failure> {
    let filter = LogFilter::parse(&arguments.logfilter)?;
    let subjects = subjects(global, arguments)?;
    // Following keeps the database open, and other processes must be able to write to it.
    let mut engine = if arguments.follow { session::watching_engine(global)? } else { session::query_engine(global)? };
    if filter.debug {
        text::aside(&format!("the filter of the log: {filter}"));
    }
    if arguments.audit || subjects.iter().all(|subject| has_no_output(&subject.target)) {
        check_history(arguments, &subjects)?;
        let of = |Subject { target, scope }| {
            let oldest = arguments.oldest.filter(|_| scope.is_none());
            (target, EventRequest { filter: filter.clone(), scope, oldest, ..EventRequest::default() })
        };
        let requests = subjects.into_iter().map(of).collect();
        return Ok(events(global, arguments, &mut engine, requests, screen())?);
    }
    check_output(&subjects)?;
    let of = |Subject { target, scope }| {
        let latest = arguments.latest.filter(|_| scope.is_none());
        (target, LogRequest { filter: filter.clone(), scope, latest, ..LogRequest::default() })
    };
    let requests: Vec<(Target, LogRequest)> = subjects.into_iter().map(of).collect();
    let clock = session::clock(global)?;
    if global.is_json() {
        let views = query::run(&mut engine, clock.now(), |query| {
            let view = |(target, request): &(Target, LogRequest)| look_up(query, target, request);
            requests.iter().map(view).collect::<Result<Vec<LogView>>>()
        })?;
        let texts: Vec<String> = views.into_iter().map(|view| json::text(&view.only(arguments.attempt))).collect();
        screen().write(json::together(&texts))?;
    } else {
        attempts(arguments, &mut engine, clock.as_ref(), requests, screen())?;
    }
    Ok(())
}

/// Returns what the arguments name.
fn subjects(global: &GlobalArgs, arguments: &LogArgs) -> Result<Vec<Subject>, Failure> {
    let mut targets = Targets::new(global);
    let named = targets.each(&arguments.jobs)?;
    arguments.scope.check_number(&arguments.jobs)?;
    let mut subjects = Vec::new();
    for (target, text) in named.into_iter().zip(&arguments.jobs) {
        let scope = scope(&mut targets, global, arguments, (&target, text))?;
        subjects.push(Subject { target, scope });
    }
    Ok(subjects)
}

/// Refuses options that choose output for a history.
///
/// # Errors
/// H0002.
fn check_history(arguments: &LogArgs, subjects: &[Subject]) -> Result<()> {
    if arguments.attempt != Attempts::All || arguments.tail.is_some() {
        let why = "--attempt and --tail choose output of commands; changes of statuses have none";
        return Err(Error::new(ErrorCode::H0002, why).help("--logfilter 'recent=1h' chooses changes"));
    }
    if let Some(Subject { target, .. }) = subjects.first()
        && (arguments.stdout || arguments.stderr)
    {
        let why = format!("{target} runs no commands itself and has no output");
        return Err(Error::new(ErrorCode::H0002, why).help("name a job of the bundle; `howdah info` lists them"));
    }
    Ok(())
}

/// Refuses bundles beside jobs with output.
///
/// # Errors
/// H0002.
fn check_output(subjects: &[Subject]) -> Result<()> {
    let Some(bundle) = subjects.iter().find(|subject| has_no_output(&subject.target)) else { return Ok(()) };
    let why = format!("{} is a bundle and has no output, as the others have", bundle.target);
    Err(Error::new(ErrorCode::H0002, why).help("leave it out, or use --audit for the changes of statuses of all"))
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
    (target, text): (&Target, &str),
) -> Result<Option<Scope>, Failure> {
    if arguments.scope.is_empty() {
        return Ok(None);
    }
    if !is_coordinator(target) {
        let refused = Error::new(ErrorCode::H0002, format!("--action and --date have no meaning for {text}"));
        return Err(refused.help("they select actions of a coordinator job").into());
    }
    let moments = session::moments(global, session::clock(global)?.now())?;
    Ok(arguments.scope.of(targets, text, &moments)?.actions)
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
    requests: Vec<(Target, LogRequest)>,
    screen: Screen,
) -> Result<()> {
    let mut tail = Tail::new(streams(arguments), arguments.tail, screen);
    let mut outputs: Vec<OutputLog> = requests.into_iter().map(OutputLog::new).collect();
    loop {
        for output in outputs.iter_mut().filter(|output| !output.is_over) {
            output.print(arguments, (&mut *engine, clock.now()), &mut tail)?;
        }
        if outputs.iter().all(|output| output.is_over) {
            return tail.end();
        }
        clock::pause(PAUSE);
    }
}

/// The output of one target, and what was printed of it.
struct OutputLog {
    target: Target,
    request: LogRequest,
    is_over: bool,
    has_printed: bool,
    /// Whether a line has said that there is no output yet.
    is_announced: bool,
}

impl OutputLog {
    fn new((target, request): (Target, LogRequest)) -> Self {
        Self { target, request, is_over: false, has_printed: false, is_announced: false }
    }

    /// Prints the output that was not printed yet.
    fn print(&mut self, arguments: &LogArgs, (engine, now): (&mut Engine, Timestamp), tail: &mut Tail) -> Result<()> {
        // The end is queried before the files are read, so that nothing written in between is missed.
        let view = query::run(engine, now, |query| look_up(query, &self.target, &self.request))?;
        let view = view.only(arguments.attempt);
        tail.choose_lines(&view.selection);
        tail.printed = false;
        let says_why = has_no_choice(arguments, &view);
        for attempt in &view.attempts {
            tail.print(attempt)?;
            let mut messages = view.kill_messages_after(attempt.key()).filter(|_| says_why);
            messages.try_for_each(|message| tail.print_kill_message(message))?;
        }
        self.has_printed |= tail.printed;
        self.is_over = !arguments.follow || view.over || tail.is_done();
        // A coordinator job has many workflow jobs, which end one after the other.
        if says_why && (self.is_over || is_coordinator(&self.target)) {
            view.kill_messages.iter().try_for_each(|message| tail.print_kill_message(message))?;
        }
        let is_said = if self.is_over { arguments.silent } else { self.is_announced };
        if !self.has_printed && !is_said {
            text::aside(&nothing(arguments, &view));
            self.is_announced = true;
        }
        self.request.after = view.progress.or(self.request.after.take());
        Ok(())
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
    mut requests: Vec<(Target, EventRequest)>,
    mut screen: Screen,
) -> Result<()> {
    let clock = session::clock(global)?;
    if global.is_json() {
        let texts = query::run(engine, clock.now(), |query| {
            let text = |(target, request): &(Target, EventRequest)| Ok(json::text(&query.events(target, request)?));
            requests.iter().map(text).collect::<Result<Vec<String>>>()
        })?;
        return screen.write(json::together(&texts));
    }
    // The limit is one for all targets.
    let mut left = requests.first().and_then(|(_, request)| request.filter.limit);
    loop {
        let mut open = Vec::new();
        for (target, mut request) in requests {
            request.filter.limit = left;
            let view = query::run(engine, clock.now(), |query| query.events(&target, &request))?;
            for event in &view.events {
                screen.write(log::event(event, screen.layout()))?;
            }
            let printed = u32::try_from(view.events.len()).unwrap_or(u32::MAX);
            left = left.map(|left| left.saturating_sub(printed));
            if !view.over {
                request.after = view.last;
                open.push((target, request));
            }
        }
        if !arguments.follow || open.is_empty() || left == Some(0) || screen.is_closed() {
            return Ok(());
        }
        requests = open;
        clock::pause(PAUSE);
    }
}
