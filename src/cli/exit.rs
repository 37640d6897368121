//! The end of a command: the exit status and the errors that explain it.

use std::io::Write as _;

use crate::cli::habits::Suggestion;
use crate::output::diagnostic;
use crate::output::visible::moves_cursor;
use howdah_engine::apply::outcome::Outcome;
use howdah_host::session::Session;
use howdah_words::error::{Class, Error};

/// The exit status of a command that was not refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// 0: done.
    Done,
    /// 1: done, and something that it checked is wrong.
    Unsuccessful,
    /// 2: the command line is wrong.
    Usage,
    /// 2: `status --check` found that something cannot continue.
    Critical,
    /// 3: `status --check` could not see the state.
    Unknown,
    /// 70: a defect of howdah.
    Defect,
    /// 75: another process is running, or a file system gives no answer.
    Busy,
    /// 124: the awaited end did not come in time.
    TimedOut,
    /// 255: a command of Oozie's command line failed.
    OozieRefused,
}

impl Status {
    /// Returns the number that the caller gets.
    pub(crate) const fn number(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Unsuccessful => 1,
            Self::Usage | Self::Critical => 2,
            Self::Unknown => 3,
            Self::Defect => 70,
            Self::Busy => 75,
            Self::TimedOut => 124,
            Self::OozieRefused => 255,
        }
    }

    /// Returns the status of a verb on several jobs: unsuccessful when it was refused for one.
    pub(crate) fn of(outcomes: &[Outcome]) -> Self {
        let refused = outcomes.iter().any(|outcome| outcome.refused.is_some());
        if refused { Self::Unsuccessful } else { Self::Done }
    }
}

/// The errors of a refused command; never empty.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) errors: Vec<Error>,
}

impl Failure {
    /// Returns the status of the most serious error.
    pub(crate) fn status(&self) -> Status {
        let has = |class: Class| self.errors.iter().any(|error| error.code().class() == class);
        if has(Class::Internal) {
            Status::Defect
        } else if has(Class::Busy) {
            Status::Busy
        } else if has(Class::Usage) {
            Status::Usage
        } else {
            Status::Unsuccessful
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self { errors: vec![error] }
    }
}

impl From<Vec<Error>> for Failure {
    fn from(errors: Vec<Error>) -> Self {
        Self { errors }
    }
}

/// Shows clap's message, or its first line and what to write instead; help and version are not errors.
pub(crate) fn usage(error: &clap::Error, suggestion: Option<Suggestion>) -> Status {
    let text = error.render();
    if let Some(Suggestion { command, note }) = suggestion {
        let what = text.to_string();
        let mut lines = what.lines();
        let first = lines.next().unwrap_or_default();
        // What is missing is below the first line.
        let missing = if first.ends_with(':') { lines.next().unwrap_or_default().trim() } else { "" };
        let what = format!("{first} {missing}");
        let what = what.trim_end();
        let note = if note.is_empty() { String::new() } else { format!(" ({note})") };
        let more = "For more information, try '--help'.";
        let same = "`howdah oozie` takes Oozie's own words";
        diagnostic::write_stderr(&format!("{what}\n\n  tip: in howdah this is `{command}`{note}; {same}\n\n{more}\n"));
        return Status::Usage;
    }
    // The message repeats an argument. It is coloured only if it has no other control characters.
    let is_plain = !text.to_string().contains(|character| character != '\n' && moves_cursor(character));
    if is_plain {
        print(error);
    } else {
        diagnostic::write_stderr(&text.to_string());
    }
    if error.use_stderr() { Status::Usage } else { Status::Done }
}

/// Shows clap's message where it belongs: help and the version on standard output.
fn print(error: &clap::Error) {
    let session = Session::current();
    // A closed pipe is not an error.
    let _ = match if error.use_stderr() { session.errors() } else { session.output() } {
        Some(mut kept) => kept.write_all(error.render().to_string().as_bytes()),
        None => error.print(),
    };
}
