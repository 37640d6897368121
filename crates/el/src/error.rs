//! The errors of an expression, with the place inside its text.
//!
//! Writes the failures of a [`Scope`] in the words of Oozie's evaluator (`variable [x] cannot be resolved`). Does not
//! depend on the place of the text itself: the caller shifts the span.

use std::fmt;
use std::ops::RangeInclusive;

use super::scope::{CallError, FunctionName, Scope};
use super::value::ValueError;
use howdah_words::error::{Error, ErrorCode, Span, did_you_mean};

/// A text that cannot be parsed, or an expression that has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ElError {
    /// Where, in bytes of the template's text.
    pub span: Span,
    /// What is wrong, without a code.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    cause: Cause,
}

/// The origin of an error.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Cause {
    /// The language, or a function without its own code.
    Expression,
    /// A variable of this name that does not exist.
    Unresolved(String),
    /// A function of this name that does not exist.
    NoFunction(String),
    /// A function's own error.
    Coded(Error),
    /// A value that is not known yet, which is not an error.
    Unknown,
}

impl ElError {
    /// Returns an error at a place of the template's text.
    pub fn new(span: Span, message: impl Into<String>) -> Self {
        Self { span, message: message.into(), help: None, cause: Cause::Expression }
    }

    /// Returns the same error with advice, unless it already has some.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help.get_or_insert_with(|| help.into());
        self
    }

    /// Returns the same error with other advice, whatever it has.
    #[must_use]
    pub fn explain(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Returns the error with its code: E1004, or the code with which a function refused. The caller adds the place.
    pub fn into_error(self) -> Error {
        let error = match self.cause {
            Cause::Coded(error) => error,
            Cause::Expression | Cause::Unresolved(_) | Cause::NoFunction(_) | Cause::Unknown => {
                Error::new(ErrorCode::E1004, self.message)
            }
        };
        match self.help {
            Some(help) => error.help(help),
            None => error,
        }
    }

    /// Returns whether a variable is missing, which another scope may have.
    pub fn is_unresolved(&self) -> bool {
        self.missing_variable().is_some()
    }

    /// Returns the name of the variable that is missing.
    pub fn missing_variable(&self) -> Option<&str> {
        if let Cause::Unresolved(name) = &self.cause { Some(name) } else { None }
    }

    /// Returns the name of the function that does not exist here, as it was called.
    pub fn missing_function(&self) -> Option<&str> {
        if let Cause::NoFunction(name) = &self.cause { Some(name) } else { None }
    }

    /// Returns whether the only problem is a value that is not known yet.
    pub fn is_unknown(&self) -> bool {
        self.cause == Cause::Unknown
    }

    /// Returns the error for a name whose value is not known yet. It is often made and never shown, so it does not
    /// repeat the name.
    fn unknown(span: Span) -> Self {
        Self { span, message: "the value is not known".to_owned(), help: None, cause: Cause::Unknown }
    }

    /// Returns the error for an operator that does not fit its operands.
    pub(super) fn from_value(span: Span, error: ValueError) -> Self {
        Self::new(span, error.0)
    }

    /// Returns the error for a name that no variable has.
    pub(super) fn unresolved(span: Span, name: &str, scope: &dyn Scope) -> Self {
        let message = format!("variable [{name}] cannot be resolved");
        Self { span, message, help: None, cause: Cause::Unresolved(name.to_owned()) }.suggest(name, scope)
    }

    /// Returns the error for a variable that a scope refused.
    pub(super) fn from_variable(span: Span, name: &str, error: CallError, scope: &dyn Scope) -> Self {
        match error {
            CallError::UnknownFunction | CallError::ArgumentCount { .. } => Self::unresolved(span, name, scope),
            CallError::Failed(message) => Self::new(span, message),
            CallError::Coded(error) => Self::from_coded(span, error),
            CallError::Unknown => Self::unknown(span),
        }
    }

    /// Returns the error for a function call that a scope refused.
    pub(super) fn from_call(span: Span, call: (FunctionName<'_>, usize), error: CallError, scope: &dyn Scope) -> Self {
        let (function, given) = call;
        match error {
            CallError::UnknownFunction => {
                let name = function.to_string();
                let cause = Cause::NoFunction(name.clone());
                let message = format!("function [{function}] not found");
                Self { cause, ..Self::new(span, message) }.suggest(&name, scope).list_functions(scope)
            }
            CallError::ArgumentCount { expected } => {
                let letters = ('a'..='z').take(*expected.start()).map(String::from).collect::<Vec<_>>().join(", ");
                Self::new(span, format!("function [{function}] takes {}, not {given}", in_words(&expected)))
                    .help(format!("write {function}({letters})"))
            }
            CallError::Failed(message) => Self::new(span, message),
            CallError::Coded(error) => Self::from_coded(span, error),
            CallError::Unknown => Self::unknown(span),
        }
    }

    fn from_coded(span: Span, error: Error) -> Self {
        Self { span, message: error.message().to_owned(), help: None, cause: Cause::Coded(error) }
    }

    /// Adds the available functions as advice, unless there is better advice.
    fn list_functions(self, scope: &dyn Scope) -> Self {
        let names = scope.names();
        let functions: Vec<&str> = names.iter().map(String::as_str).filter(|name| name.contains(':')).collect();
        match functions.len() {
            0 => self.help("no function can be used here"),
            1..=MOST_LISTED => self.help(format!("the functions that can be used here are {}", functions.join(", "))),
            _ => self,
        }
    }

    fn suggest(self, name: &str, scope: &dyn Scope) -> Self {
        let names = scope.names();
        match did_you_mean(name, names.iter().map(String::as_str)) {
            Some(near) => self.help(format!("did you mean [{near}]?")),
            None => self,
        }
    }
}

/// The most functions that a help line names.
const MOST_LISTED: usize = 12;

fn in_words(expected: &RangeInclusive<usize>) -> String {
    match (*expected.start(), *expected.end()) {
        (0, 0) => "no arguments".to_owned(),
        (1, 1) => "1 argument".to_owned(),
        (least, usize::MAX) => format!("at least {least} arguments"),
        (least, most) if least == most => format!("{most} arguments"),
        (least, most) => format!("{least} to {most} arguments"),
    }
}

impl fmt::Display for ElError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ElError {}

impl From<ElError> for Error {
    fn from(error: ElError) -> Self {
        error.into_error()
    }
}
