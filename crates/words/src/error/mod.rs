//! The one error type: a code of Oozie (or ours), the message, the place, the help.
//!
//! Must not depend on how an error is shown: `output::diagnostic` renders it.

mod code;
mod location;
mod meaning;
mod signal;
mod suggest;

use std::fmt::{self, Write as _};

pub use code::{Class, ErrorCode, summary};
pub use location::{Location, SourceText, Span};
pub use meaning::{CodeMeaning, all as meanings, find as meaning_of, looks_like_code, near as near_codes};
pub use signal::{Signal, Unavailable};
pub use suggest::{Suggestions, did_you_mean, is_slip};

/// The result of every fallible function of the domain.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A problem, described so that the operator can act on it.
///
/// Boxed inside, so that a `Result` stays small.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Box<Details>);

/// How serious a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The user should know it.
    Note,
    /// Something is probably wrong.
    Warning,
    /// The input is refused.
    Error,
}

impl Severity {
    /// Returns the word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// What may be concluded from an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is about what was asked for: the same is refused again.
    Answer,
    /// The machine or the database could not do it now; the same step may go well later.
    Passes,
    /// The database cannot be used, the command line is wrong, or howdah has a defect: no step may go on.
    Broken,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Details {
    code: ErrorCode,
    severity: Severity,
    oozie_code: Option<ErrorCode>,
    message: String,
    location: Option<Location>,
    help: Option<String>,
    /// What the place that created it knows of it; `None` where the code alone decides.
    may_pass: Option<bool>,
}

impl Error {
    /// Returns an error whose message is the code's template with one argument.
    pub fn new(code: ErrorCode, detail: impl fmt::Display) -> Self {
        Self::with(code, &[&detail])
    }

    /// Returns an error whose message is the code's template with `{0}`, `{1}`, ... replaced by the arguments; such
    /// text inside an argument is not replaced.
    pub fn with(code: ErrorCode, arguments: &[&dyn fmt::Display]) -> Self {
        let mut message = String::new();
        for piece in code.template().split_inclusive('}') {
            let (text, number) = piece.rsplit_once('{').unwrap_or((piece, ""));
            let argument = number.strip_suffix('}').and_then(|number| arguments.get(number.parse::<usize>().ok()?));
            message.push_str(argument.map_or(piece, |_| text));
            if let Some(argument) = argument {
                // Formatting into a String cannot fail.
                let _ = write!(message, "{argument}");
            }
        }
        Self::plain(code, message)
    }

    /// Returns an error with its own message, under a code whose template would say less.
    pub fn plain(code: ErrorCode, message: impl Into<String>) -> Self {
        let severity = match code.class() {
            Class::Note => Severity::Note,
            Class::Warning => Severity::Warning,
            Class::Refused | Class::Usage | Class::Busy | Class::Internal => Severity::Error,
        };
        let message = message.into();
        Self(Box::new(Details {
            code,
            severity,
            oozie_code: None,
            message,
            location: None,
            help: None,
            may_pass: None,
        }))
    }

    /// Returns the same error at a place, unless it already has one.
    #[must_use]
    pub fn at(mut self, location: Location) -> Self {
        self.0.location.get_or_insert(location);
        self
    }

    /// Returns the same error with advice, unless it already has some.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.0.help.get_or_insert_with(|| help.into());
        self
    }

    /// Returns the same error with advice after what it already has.
    #[must_use]
    pub fn more_help(mut self, more: &str) -> Self {
        self.0.help = Some(self.help_text().map_or_else(|| more.to_owned(), |help| format!("{help}; {more}")));
        self
    }

    /// Returns the same error at the place where a value was given; the advice names the place where the value is used,
    /// which was its place so far.
    #[must_use]
    pub fn moved_to(mut self, given: Location) -> Self {
        if let Some(used) = self.0.location.replace(given) {
            let (line, column) = used.line_column();
            let used = format!("the value is used at {}:{line}:{column}", used.source.name);
            self.0.help = Some(match self.help_text() {
                Some(help) => format!("{help}; {used}"),
                None => used,
            });
        }
        self
    }

    /// Adds to the advice that the search for more stopped here, after `found` problems.
    pub fn mention_limit(&mut self, found: usize) {
        let end = format!(
            "only the first {found} problems of this kind in a file are reported: correct them and check again"
        );
        self.0.help = Some(match self.help_text() {
            Some(help) => format!("{help}; {end}"),
            None => end,
        });
    }

    /// Keeps the first `most` problems of a kind; the last of them mentions this.
    pub fn keep_first(problems: &mut Vec<Self>, most: usize) {
        if problems.len() > most {
            problems.truncate(most);
            problems.iter_mut().last().into_iter().for_each(|last| last.mention_limit(most));
        }
    }

    /// Returns the same problem as an error, for any severity.
    #[must_use]
    pub fn denied(mut self) -> Self {
        self.0.severity = Severity::Error;
        self
    }

    /// Returns the same error, which Oozie itself reports under another (wrapping) code.
    #[must_use]
    pub fn reported_by_oozie_as(mut self, code: ErrorCode) -> Self {
        self.0.oozie_code.get_or_insert(code);
        self
    }

    /// Returns the same error with the information whether it is about the state of the machine at this moment and not
    /// about the request.
    #[must_use]
    pub fn passing(mut self, may_pass: bool) -> Self {
        self.0.may_pass = Some(may_pass);
        self
    }

    /// Returns what may be concluded from the error. No other function decides whether an error is a refusal.
    pub fn verdict(&self) -> Verdict {
        match (self.0.may_pass, self.signal(), self.0.code.class()) {
            (Some(true), ..) | (None, Signal::Machine | Signal::Unavailable(_), _) => Verdict::Passes,
            (None, Signal::Database, _) | (None, _, Class::Usage | Class::Busy | Class::Internal) => Verdict::Broken,
            (Some(false) | None, ..) => Verdict::Answer,
        }
    }

    /// Returns whether this is an answer about what was asked for. Everything else concludes nothing: a step, a planned
    /// rerun or a plan stays where it was.
    pub fn is_answer(&self) -> bool {
        self.verdict() == Verdict::Answer
    }

    /// Returns whether the same request may succeed later, because only the machine prevented it: then nothing is
    /// concluded from it, and a process that stays tries the same step again.
    pub fn may_pass(&self) -> bool {
        self.verdict() == Verdict::Passes
    }

    /// Returns what the error means to the code that receives it.
    pub fn signal(&self) -> Signal {
        Signal::of(self.0.code)
    }

    /// Returns the code that the user sees.
    pub fn code(&self) -> ErrorCode {
        self.0.code
    }

    /// Returns the code under which Oozie reports this, where it differs from [`Self::code`].
    pub fn oozie_code(&self) -> Option<ErrorCode> {
        self.0.oozie_code
    }

    /// Returns the message without the code.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Returns the place, if there is one.
    pub fn location(&self) -> Option<&Location> {
        self.0.location.as_ref()
    }

    /// Returns the advice, if there is some: the problem's own, otherwise that of its code.
    pub fn help_text(&self) -> Option<&str> {
        self.0.help.as_deref().or(self.0.code.advice())
    }

    /// Returns the severity.
    pub fn severity(&self) -> Severity {
        self.0.severity
    }

    /// Returns whether this refuses nothing: a warning or a note.
    pub fn is_warning(&self) -> bool {
        self.0.severity < Severity::Error
    }
}

impl fmt::Display for Error {
    /// Writes `CODE: message`, as Oozie prints it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.0.code, self.0.message)
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fills_the_template() {
        let error = Error::with(ErrorCode::E0708, &[&"a", &"b"]);
        assert_eq!(error.to_string(), "E0708: Invalid transition, node [a] transition [b]");
        assert_eq!(
            Error::new(ErrorCode::E1003, "x {0}").message(),
            "Invalid coordinator application attributes, x {0}"
        );
        let quoting = Error::with(ErrorCode::E0708, &[&"a{1}", &"{0}{0}"]);
        assert_eq!(quoting.message(), "Invalid transition, node [a{1}] transition [{0}{0}]");
    }

    #[test]
    fn keeps_the_first_place_and_help() {
        let text = SourceText::new("f", "abc");
        let error = Error::new(ErrorCode::E1004, "x")
            .at(Location::new(&text, Span::new(1, 2)))
            .at(Location::new(&text, Span::new(0, 1)))
            .help("first")
            .help("second");
        assert_eq!(error.location().map(Location::line_column), Some((1, 2)));
        assert_eq!(error.help_text(), Some("first"));
        let mut last = error;
        last.mention_limit(2);
        let expect =
            "first; only the first 2 problems of this kind in a file are reported: correct them and check again";
        assert_eq!(last.help_text(), Some(expect));
    }
}
