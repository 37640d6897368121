//! `howdah top`: jobs, their actions, nodes and logs on a whole terminal, and the verbs that change them.
//!
//! Reads a snapshot of the database each second and keeps none. A verb runs as on the command line, outside of the
//! lists, so that its questions and answers are the same.

mod pages;
mod state;

use std::ffi::OsString;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::Args;
use crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use crate::cli::args::GlobalArgs;
use crate::cli::exit::{Failure, Status};
use crate::cli::session;
use crate::cli::top::pages::Content;
use crate::cli::top::state::{Act, Key, Mode, Place, State, Verb};
use crate::output::cells;
use crate::output::screen::Screen;
use crate::output::text;
use crate::output::top::{self as show, Body, TopView};
use crate::output::visible::visible;
use crate::output::whole_terminal::WholeTerminal;
use howdah_answers::query;
use howdah_engine::Engine;
use howdah_host::clock::{self, Clock};
use howdah_host::fault::panic_point;
use howdah_host::{terminal, termination};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::id::{JobKind, Target};

/// How often the database is read.
const REFRESH: Duration = Duration::from_secs(1);
/// How long a key is waited for, before signals are looked for.
const PAUSE: Duration = Duration::from_millis(100);

/// The columns of a narrow terminal, on which the help and the last line fit.
const NARROW: usize = 80;
/// The columns of a name that a question shows at least.
const LEAST_NAME: usize = 8;

/// What the keys do.
const HELP: &str = "\
 Up Down j k     move by one line
 PgUp PgDn       move by one page
 Home End g G    move to the first or the last line
 Enter           what the selected entry consists of: actions, nodes, output
 Esc             back
 l               the output of the selected entry
 Tab             coordinator jobs, workflow jobs
 /               only what contains a text; Esc clears it
 o F6            what needs a person first, or newest first
 s u             suspend, resume (the whole job)
 x F9 Ctrl-K     kill the selected job, action or node
 r               rerun the selected action or workflow job
 ? F1            this page
 q F10 Ctrl-C    quit
 Each verb asks first, and then runs as `howdah suspend`, `kill` and so on do.
";

/// Show jobs, actions, nodes and their output on the whole terminal, and change them by keys
///
/// Coordinator jobs that need a person come first. Enter leads to the actions of a job, the nodes of their workflow
/// jobs, and what their commands wrote; Esc leads back. The keys for suspend, resume, kill and rerun ask first, and run
/// the verbs with their own questions. ? lists all keys.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:\n\
\x20 howdah top")]
pub(crate) struct TopArgs {}

/// Shows the lists until the user quits.
pub(crate) fn top(global: &GlobalArgs, run: &dyn Fn(&[OsString])) -> Result<Status, Failure> {
    if !terminal::is_attended() || Screen::open().layout().width.is_none() {
        let error = Error::new(ErrorCode::H0002, "top needs a terminal");
        return Err(error.help("`howdah jobs --watch` prints changes into a file or a pipe").into());
    }
    let clock = session::clock(global)?;
    let mut engine = session::watching_engine(global)?;
    let ended = termination::flag().map_err(|error| refuse(&error))?;
    let mut screen = take()?;
    let mut top = Top { state: State::new(), content: Content::default(), read_at: None };
    while !ended.load(Ordering::SeqCst) {
        top.read(&mut engine, clock.as_ref());
        top.draw(&mut screen)?;
        match top.next(&ended)? {
            Act::Quit => break,
            Act::Draw => {}
            Act::Read => top.read_at = None,
            Act::Run(verb, target) => {
                drop(screen);
                run_outside(&words(global, verb, &target), run)?;
                screen = take()?;
                top.read_at = None;
            }
        }
    }
    Ok(Status::Done)
}

fn take() -> Result<WholeTerminal> {
    WholeTerminal::take().map_err(|error| refuse(&error))
}

/// The lists and what was read for them.
struct Top {
    state: State,
    content: Content,
    /// When the database was read last; `None` when it must be read now.
    read_at: Option<Duration>,
}

impl Top {
    /// Reads what is shown, once in a second. What cannot be read is said in the last line, and read again later.
    fn read(&mut self, engine: &mut Engine, clock: &dyn Clock) {
        let now = clock::uptime();
        if self.read_at.is_some_and(|at| now < at + REFRESH) {
            return;
        }
        self.read_at = Some(now);
        match query::run(engine, clock.now(), |query| pages::read(query, &self.state)) {
            Ok(content) => {
                self.state.set_entries(content.entries.clone(), content.lines.len());
                self.content = content;
            }
            Err(error) => self.state.message = Some(error.to_string()),
        }
    }

    fn draw(&mut self, screen: &mut WholeTerminal) -> Result<()> {
        let size = WholeTerminal::size();
        self.state.page = size.1.saturating_sub(3).max(1);
        let (state, content) = (&self.state, &self.content);
        let body = match &state.view.place {
            Place::Log(_) => Body::Log { lines: &content.lines, back: state.view.at },
            _ => Body::Table {
                columns: content.columns,
                rows: &content.rows,
                status: pages::status_column(content.columns),
                selected: state.view.at,
                empty: if state.view.filter.is_empty() { "Nothing is here yet." } else { "Nothing contains the text." },
            },
        };
        let view = TopView {
            title: format!(" howdah top  {}", content.title),
            body,
            bottom: bottom(state),
            asks: matches!(state.mode, Mode::Confirm(..)),
            help: (state.mode == Mode::Help).then_some(HELP),
        };
        screen.draw(show::lines(&view, size), size).map_err(|error| refuse(&error))
    }

    /// Waits for a key, or until it is time to read again. A terminal that has gone ends it.
    fn next(&mut self, ended: &Arc<AtomicBool>) -> Result<Act> {
        // Several keys may have been read at once, and are not waited for.
        let mut longest = Duration::ZERO;
        while !ended.load(Ordering::SeqCst) && terminal::await_key(longest).map_err(|error| refuse(&error))? {
            let found = event::poll(Duration::ZERO).and_then(|is_there| is_there.then(event::read).transpose());
            let found = found.map_err(|error| refuse(&error))?;
            longest = if found.is_some() { Duration::ZERO } else { PAUSE };
            match found {
                Some(Event::Key(key)) if key.kind != KeyEventKind::Release => {
                    if let Some(key) = read_key(key) {
                        panic_point("top-key");
                        return Ok(self.state.key(key));
                    }
                }
                Some(Event::Resize(..)) => return Ok(Act::Draw),
                None if self.read_at.is_none_or(|at| clock::uptime() >= at + REFRESH) => return Ok(Act::Draw),
                Some(_) | None => {}
            }
        }
        Ok(Act::Quit)
    }
}

/// Returns the last line.
fn bottom(state: &State) -> String {
    match &state.mode {
        Mode::Filter => format!(" /{}_", state.view.filter),
        Mode::Confirm(verb, target, name) => question(verb.as_str(), name, &target.to_string()),
        Mode::Help => " any key leads back".to_owned(),
        Mode::Browse => match (&state.message, state.view.filter.as_str(), &state.view.place) {
            (Some(message), ..) => format!(" {message}"),
            (None, "", Place::Log(_)) => " Esc Back  Up Down Scroll  G End  ? Help  q Quit".to_owned(),
            (None, "", Place::Jobs(JobKind::Coordinator)) => {
                " Enter Actions  l Log  / Filter  o Order  s Suspend  u Resume  x Kill  ? Help".to_owned()
            }
            (None, "", _) => " Enter Open  Esc Back  l Log  / Filter  x Kill  r Rerun  ? Help  q Quit".to_owned(),
            (None, filter, _) => format!(" only with [{filter}]; / changes it, Esc leads back"),
        },
    }
}

/// Returns the question before a verb. The name is cut, so that the id and the answers fit a terminal of 80 columns.
fn question(verb: &str, name: &str, target: &str) -> String {
    let ends = format!(" {verb}  ({target})? [y/N]");
    let name = cells::cut(&visible(name), NARROW.saturating_sub(cells::width(&ends)).max(LEAST_NAME));
    format!(" {verb} {name} ({target})? [y/N]")
}

/// Returns the command line of a verb, with the options that this process was given.
fn words(global: &GlobalArgs, verb: Verb, target: &Target) -> Vec<OsString> {
    let mut words: Vec<OsString> = vec!["howdah".into(), verb.as_str().into(), target.to_string().into()];
    let mut option = |name: &str, value: OsString| words.extend([name.into(), value]);
    if let Some(db) = &global.db {
        option("--db", db.into());
    }
    if let Some(site) = &global.site {
        option("--site", site.into());
    }
    for mount in &global.mounts {
        option("--mount", mount.into());
    }
    if let Some(now) = &global.now {
        option("--now", now.into());
    }
    words
}

/// Runs a verb on the usual screen, and waits for Enter.
fn run_outside(words: &[OsString], run: &dyn Fn(&[OsString])) -> Result<()> {
    let line: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
    text::line(&format!("$ {}", line.join(" ")))?;
    run(words);
    text::line("Enter leads back to the lists")?;
    // The answer does not matter.
    let _ = terminal::says_yes();
    Ok(())
}

fn refuse(error: &io::Error) -> Error {
    Error::with(ErrorCode::H0111, &[&"the terminal", error])
}

/// Returns the key of an event; `None` for keys without a meaning.
fn read_key(event: KeyEvent) -> Option<Key> {
    Some(match event.code {
        KeyCode::Char(letter) if event.modifiers.contains(KeyModifiers::CONTROL) => {
            Key::Control(letter.to_ascii_lowercase())
        }
        KeyCode::Char(letter) => Key::Character(letter),
        KeyCode::F(number) => Key::Function(number),
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::Left => Key::Left,
        KeyCode::Right => Key::Right,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        KeyCode::Home => Key::Home,
        KeyCode::End => Key::End,
        KeyCode::Enter => Key::Enter,
        KeyCode::Esc => Key::Escape,
        KeyCode::Backspace => Key::Backspace,
        KeyCode::Tab => Key::Tab,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_and_the_last_line_fit_a_narrow_terminal() {
        let mut lines: Vec<String> = HELP.lines().map(str::to_owned).collect();
        let mut state = State::new();
        for kind in [JobKind::Coordinator, JobKind::Workflow] {
            state.view.place = Place::Jobs(kind);
            lines.push(bottom(&state));
        }
        let id = "0000000-261120093000123-oozie-oozi-C@1234";
        lines.push(question("suspend", "a-name-that-is-longer-than-all-others", id));
        let wide: Vec<&String> = lines.iter().filter(|line| cells::width(line) > NARROW).collect();
        assert!(wide.is_empty(), "{wide:?}");
        assert_eq!(question("kill", "feed-a@3", "ID@3"), " kill feed-a@3 (ID@3)? [y/N]");
    }
}
