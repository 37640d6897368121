//! `howdah log`: the output of workflows, and the event log of a coordinator job.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use crate::cli::args::{GlobalArgs, target};
use crate::cli::exit::{Failure, Status};
use crate::cli::session;
use crate::engine::Engine;
use crate::engine::view::log::{AttemptView, LogView};
use crate::engine::view::{self, Look};
use crate::error::{Error, ErrorCode, Result};
use crate::host::clock::{self, Clock};
use crate::host::files;
use crate::model::id::{JobId, JobKind, Target};
use crate::output::screen::Screen;
use crate::output::{json, log, text};

/// Between two looks while following.
const PAUSE: Duration = Duration::from_millis(250);
/// Bytes that are copied at a time.
const CHUNK: usize = 64 * 1024;

/// Print the output of a workflow, an action or a node
///
/// Everything the commands wrote, attempt by attempt in the order they were started, with a heading over each and its
/// exit status below; sub-workflows are included. Of a whole coordinator job or a bundle: every change of a status, with the
/// reason. With --json: the attempts and where their files are, or the changes.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:\n\
\x20 howdah log 0000000-261120093000123-howdah-C@3\n\
\x20 howdah log -f --stderr 0000001-261120093000123-howdah-W@add-up\n\
\x20 howdah log 0000000-261120093000123-howdah-C | grep FAILED")]
pub(crate) struct LogArgs {
    /// A coordinator job, an action of it (JOB@3), a workflow job, a node of it (WF@node) or a bundle
    #[arg(value_name = "JOB[@PART]")]
    job: String,
    /// Go on until the job is over
    #[arg(long, short, conflicts_with = "json")]
    follow: bool,
    /// Only standard output
    #[arg(long, conflicts_with = "stderr")]
    stdout: bool,
    /// Only standard error
    #[arg(long)]
    stderr: bool,
}

/// Prints a log.
pub(crate) fn log(global: &GlobalArgs, arguments: &LogArgs) -> Result<Status, Failure> {
    let clock = session::clock(global)?;
    let target = target(&arguments.job)?;
    let mut engine = session::existing_engine(global)?;
    match &target {
        Target::Job(id) if id.kind() != JobKind::Workflow => events(global, arguments, &mut engine, id)?,
        _ if global.json => {
            let view = view::look(&mut engine, clock.now(), |look| look_up(look, &target))?;
            json::print(&mut Screen::open(), &view)?;
        }
        _ => attempts(arguments, &mut engine, clock.as_ref(), &target)?,
    }
    Ok(Status::Done)
}

fn look_up(look: &mut Look<'_>, target: &Target) -> Result<LogView> {
    match target {
        Target::CoordinatorAction(id, number) => look.log_of_action(id, *number),
        Target::Job(id) => look.log_of_workflow(id, None),
        Target::Node(id, node) => look.log_of_workflow(id, Some(node)),
    }
}

/// Prints what was written so far; while following, also what is written later.
fn attempts(arguments: &LogArgs, engine: &mut Engine, clock: &dyn Clock, target: &Target) -> Result<()> {
    let mut tail = Tail::new(arguments);
    let mut announced = false;
    loop {
        // The end is looked up before the files are read, so that nothing written in between is missed.
        let view = view::look(engine, clock.now(), |look| look_up(look, target))?;
        for attempt in &view.attempts {
            tail.print(attempt)?;
        }
        if !arguments.follow || view.over || tail.screen.is_closed() {
            if !tail.printed {
                text::aside(&nothing(&view));
            }
            return Ok(());
        }
        if !tail.printed && !announced {
            text::aside(&nothing(&view));
            announced = true;
        }
        clock::pause(PAUSE);
    }
}

fn nothing(view: &LogView) -> String {
    let LogView { id, status, over, attempts } = view;
    match (attempts.is_empty(), over) {
        (true, false) => format!("{id} is {status} and has not started a command yet; `howdah explain {id}` says why"),
        (true, true) => format!("{id} is {status} and never started a command; `howdah explain {id}` says why"),
        (false, _) => format!("{id} is {status}; its commands have written nothing"),
    }
}

/// How far each file was printed.
struct Tail {
    screen: Screen,
    streams: Vec<&'static str>,
    printed_bytes: HashMap<PathBuf, u64>,
    /// The file whose heading was printed last.
    current: Option<PathBuf>,
    ended: Vec<(String, u32, u32)>,
    /// Whether the last byte ended a line.
    at_line_start: bool,
    printed: bool,
}

impl Tail {
    fn new(arguments: &LogArgs) -> Self {
        let streams = match (arguments.stdout, arguments.stderr) {
            (true, _) => vec!["stdout"],
            (_, true) => vec!["stderr"],
            _ => vec!["stdout", "stderr"],
        };
        Self {
            screen: Screen::open(),
            streams,
            printed_bytes: HashMap::new(),
            current: None,
            ended: Vec::new(),
            at_line_start: true,
            printed: false,
        }
    }

    /// Prints what an attempt has written since the last time, and how it ended.
    fn print(&mut self, attempt: &AttemptView) -> Result<()> {
        for stream in self.streams.clone() {
            let file = if stream == "stdout" { &attempt.stdout } else { &attempt.stderr };
            self.copy(attempt, stream, file)?;
        }
        let key = (attempt.id.clone(), attempt.run, attempt.attempt);
        if attempt.is_over() && !self.ended.contains(&key) {
            self.end_line()?;
            let ending = log::ending(attempt, self.screen.layout());
            self.screen.write(ending)?;
            self.ended.push(key);
            self.current = None;
            self.printed = true;
        }
        Ok(())
    }

    fn copy(&mut self, attempt: &AttemptView, stream: &str, file: &Path) -> Result<()> {
        loop {
            let offset = self.printed_bytes.get(file).copied().unwrap_or_default();
            let bytes = files::read_from(file, offset, CHUNK)
                .map_err(|error| Error::with(ErrorCode::H0110, &[&file.display(), &error]))?;
            if bytes.is_empty() || self.screen.is_closed() {
                return Ok(());
            }
            if self.current.as_deref() != Some(file) {
                self.end_line()?;
                let heading = log::heading(attempt, stream, self.screen.layout());
                self.screen.write(heading)?;
                self.current = Some(file.to_owned());
            }
            self.screen.write(&bytes)?;
            self.at_line_start = bytes.ends_with(b"\n");
            self.printed = true;
            self.printed_bytes.insert(file.to_owned(), offset + bytes.len() as u64);
        }
    }

    /// A heading begins a line, whatever the command wrote last.
    fn end_line(&mut self) -> Result<()> {
        if !self.at_line_start {
            self.screen.write("\n")?;
            self.at_line_start = true;
        }
        Ok(())
    }
}

/// Prints the changes of a coordinator job's statuses.
fn events(global: &GlobalArgs, arguments: &LogArgs, engine: &mut Engine, id: &JobId) -> Result<()> {
    if arguments.stdout || arguments.stderr {
        let refused = Error::new(ErrorCode::H0002, format!("{id} is a coordinator job: it has no output of its own"));
        return Err(refused.help(format!("name one of its actions, such as {id}@1")));
    }
    let clock = session::clock(global)?;
    let mut screen = Screen::open();
    let mut after = None;
    loop {
        let view = view::look(engine, clock.now(), |look| match id.kind() {
            JobKind::Bundle => look.events_of_bundle(id, after),
            JobKind::Coordinator | JobKind::Workflow => look.events(id, after),
        })?;
        if global.json {
            return json::print(&mut screen, &view);
        }
        for event in &view.events {
            screen.write(log::event(event, screen.layout()))?;
        }
        if !arguments.follow || view.over || screen.is_closed() {
            return Ok(());
        }
        after = view.last;
        clock::pause(PAUSE);
    }
}
