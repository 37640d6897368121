//! What an expression needs from its context: variables and functions.
//!
//! Decides nothing: each phase of a coordinator or workflow implements its own [`Scope`] elsewhere.

use std::fmt;
use std::ops::RangeInclusive;

use super::value::{Value, ValueError};
use howdah_words::error::Error;

/// The most variables that a scope names, so that many mistakes with many properties stay cheap.
pub const MOST_NAMES: usize = 500;

/// The variables and functions that an expression may use.
pub trait Scope {
    /// Returns the value of a variable; `None` when there is no such variable, which is not the same as
    /// [`Value::Null`].
    fn variable(&mut self, name: &str) -> Result<Option<Value>, CallError>;

    /// Returns the result of a function for its arguments.
    fn call(&mut self, function: FunctionName<'_>, arguments: &[Value]) -> Result<Value, CallError>;

    /// Returns the meaning of a word as an argument of a function, if no variable has its name; `None` when it has
    /// none.
    fn word(&mut self, _function: FunctionName<'_>, _word: &str) -> Option<Value> {
        None
    }

    /// Returns the available names, functions as `prefix:name`, from which "did you mean" chooses; at most
    /// [`MOST_NAMES`] of a job's properties.
    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}

/// The name of a function as called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FunctionName<'a> {
    /// The part before the colon; empty when there is none.
    pub prefix: &'a str,
    /// The part after the colon.
    pub name: &'a str,
}

impl fmt::Display for FunctionName<'_> {
    /// Writes `prefix:name`, or `name` alone.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.prefix.is_empty() { f.write_str(self.name) } else { write!(f, "{}:{}", self.prefix, self.name) }
    }
}

/// Why a scope has no value to give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallError {
    /// There is no such function here.
    UnknownFunction,
    /// The function takes another number of arguments; an end of `usize::MAX` means any number more.
    ArgumentCount {
        /// How many it takes.
        expected: RangeInclusive<usize>,
    },
    /// The function refused, in one sentence without a full stop.
    Failed(String),
    /// The function refused with an error that has its own code, which passes through unchanged.
    Coded(Error),
    /// There may be a value, but it is not known yet.
    Unknown,
}

impl From<ValueError> for CallError {
    fn from(error: ValueError) -> Self {
        Self::Failed(error.0)
    }
}

impl From<Error> for CallError {
    fn from(error: Error) -> Self {
        Self::Coded(error)
    }
}

/// A scope without any name.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoNames;

impl Scope for NoNames {
    fn variable(&mut self, _name: &str) -> Result<Option<Value>, CallError> {
        Ok(None)
    }

    fn call(&mut self, _function: FunctionName<'_>, _arguments: &[Value]) -> Result<Value, CallError> {
        Err(CallError::UnknownFunction)
    }
}
